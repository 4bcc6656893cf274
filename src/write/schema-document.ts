import { concat } from '../base/bytes.ts'
import type { Json } from '../base/json-text.ts'
import { numbersOf } from '../cells/elements.ts'
import type { ArraySchema } from '../format/array-schema.ts'
import type { Attribute } from '../format/attribute.ts'
import type { CellValNum } from '../format/cell-val-num.ts'
import type { CurrentDomain } from '../format/current-domain.ts'
import { DATATYPES, type Datatype, datatypeKind, datatypeSize } from '../format/datatype.ts'
import { integerOf } from '../format/dense-tiles.ts'
import type { Dimension } from '../format/dimension.ts'
import type { DimensionLabel } from '../format/dimension-label.ts'
import type { Enumeration } from '../format/enumeration.ts'
import { defaultFillValue } from '../format/fill-value.ts'
import {
  FILTER_OPTIONS,
  FILTER_TYPES,
  type FilterConfig,
  type FilterOption,
  type FilterPipeline,
  type FilterType,
  OPTIONS,
  WEBP_PADDING_BYTES,
} from '../format/filter-pipeline.ts'
import { checkVersion } from '../format/format-version.ts'
import type { DataOrder, Layout } from '../format/layout.ts'
import type { ValueStyle } from '../format/value.ts'
import {
  asIs,
  cell,
  cellValNum,
  DocumentValue,
  flag,
  integer,
  list,
  listOrNone,
  object,
  oneOf,
  or,
  type Read,
  text,
  uint64,
} from './document.ts'
import { newEnumeration } from './enumerations.ts'
import { defaultFilter, fittedFilters } from './filter-options.ts'

/** A schema with the enumerations that it names. */
export interface SchemaParts {
  schema: ArraySchema
  enumerations: Enumeration[]
}

const DEFAULT_CAPACITY = 10_000n
const DEFAULT_CHUNK_SIZE = 65_536

/** Keys of the document that do not belong to the schema. */
const HEAD_KEYS = ['kind', 'path', 'schema_version', 'as_of', 'name', 'encryption', 'changes', 'missing_enumerations']
const layout = oneOf(['row-major', 'col-major', 'hilbert', 'global-order', 'unordered'] satisfies Layout[])
const dataOrder = oneOf(['unordered', 'increasing', 'decreasing'] satisfies DataOrder[])
const datatype = oneOf(DATATYPES)
const uint32 = integer(0, 0xffffffff)

/** Default filter of coordinates and offsets. @see tiledb/sm/array_schema/array_schema.cc (constructor) */
const DEFAULT_ZSTD: FilterConfig = { name: 'ZSTD', level: -1 }
/** Default filter of validity. */
const DEFAULT_RLE: FilterConfig = { name: 'RLE', level: -1 }

export function pipeline(...filters: FilterConfig[]): FilterPipeline {
  return { max_chunk_size: DEFAULT_CHUNK_SIZE, filters }
}

/** A schema with these fields and TileDB's defaults for all others, without what the format version cannot store. */
export function schemaOf(
  fields: Pick<ArraySchema, 'version' | 'array_type' | 'attributes'> & Partial<ArraySchema>,
  dimensions: Dimension[],
  enumerations: readonly Enumeration[],
): ArraySchema {
  const { version } = fields
  return {
    allows_duplicates: false,
    tile_order: 'row-major',
    cell_order: 'row-major',
    capacity: DEFAULT_CAPACITY,
    coords_filters: pipeline(DEFAULT_ZSTD),
    offsets_filters: pipeline(DEFAULT_ZSTD),
    dimension_labels: [],
    ...fields,
    validity_filters: version >= 7 ? (fields.validity_filters ?? pipeline(DEFAULT_RLE)) : undefined,
    domain: { type: version < 5 ? dimensions[0]?.type : undefined, dimensions },
    enumerations: enumerations.map(({ name, path_name }) => ({ name, path_name })),
    current_domain: version >= 22 ? (fields.current_domain ?? NO_CURRENT_DOMAIN) : undefined,
  }
}

const NO_CURRENT_DOMAIN: CurrentDomain = { version: 0, type: undefined, range: undefined }

export interface DocumentReading {
  version: number
  style: ValueStyle
}

/**
 * Reads the document that `schema --json` prints, with or without `--raw`. Only `array_type`, `dimensions` and `attributes`
 * are required. A missing key has the default of TileDB's APIs; an unknown key is refused. Values that the format version
 * cannot store are left out of the result.
 *
 * @param formatVersion replaces the document's own
 * @param uuid makes the names of enumeration files
 * @throws InspectError BAD_VALUE with the path of the key; USAGE
 */
export function parseSchemaDocument(
  json: Json | DocumentValue,
  formatVersion: number | undefined,
  uuid: () => string,
  style: ValueStyle,
): SchemaParts {
  const document = (json instanceof DocumentValue ? json : new DocumentValue(json)).object()
  const kind = document.at('kind')
  if (!kind.missing && kind.value !== 'schema') kind.fail('"schema"')
  const version = formatVersion ?? integer(1, 0xffffffff)(document.at('format_version'))
  checkVersion(version)
  const reading = { version, style }
  const filters = (otherwise: FilterConfig): Read<FilterPipeline> => or(filterPipeline(version), pipeline(otherwise))
  const read = object(
    {
      format_version: asIs,
      array_type: oneOf(['dense', 'sparse']),
      tile_order: or(layout, 'row-major'),
      cell_order: or(layout, 'row-major'),
      capacity: or(uint64, DEFAULT_CAPACITY),
      allows_duplicates: or(flag, false),
      coords_filters: filters(DEFAULT_ZSTD),
      offsets_filters: filters(DEFAULT_ZSTD),
      validity_filters: filters(DEFAULT_RLE),
      dimensions: list(asIs),
      attributes: list(documentAttribute(reading)),
      enumerations: listOrNone(documentEnumeration(reading, uuid)),
      dimension_labels: listOrNone(label),
      current_domain: asIs,
    },
    HEAD_KEYS,
  )
  const {
    format_version: _,
    dimensions: given,
    enumerations,
    current_domain,
    dimension_labels,
    ...fields
  } = read(document)
  const labels = dimension_labels.map(
    (one, i): DimensionLabel => ({
      ...one,
      cell_val_num: one.cell_val_num ?? defaultCellValNum(one.type),
      uri: one.uri || `__labels/l${i}`,
    }),
  )
  const dimensions = given.map(dimension(reading, fields))
  const currentDomain = version >= 22 ? currentDomainOf(current_domain, dimensions, style) : undefined
  return {
    schema: schemaOf(
      { ...fields, version, dimension_labels: labels, current_domain: currentDomain },
      dimensions,
      enumerations,
    ),
    enumerations,
  }
}

/** Default of dimensions and enumerations: text is var-sized. */
function defaultCellValNum(type: Datatype): CellValNum {
  return datatypeKind(type) === 'text' ? 'var' : 1
}

function dimension(
  { version, style }: DocumentReading,
  array: Pick<ArraySchema, 'array_type' | 'cell_order'>,
): Read<Dimension> {
  const read = object({
    name: text,
    type: datatype,
    cell_val_num: or(cellValNum, undefined),
    domain: asIs,
    tile_extent: asIs,
    filters: or(filterPipeline(version), pipeline()),
  })
  return (value) => {
    const { tile_extent: extent, ...fields } = read(value)
    const { type, cell_val_num = defaultCellValNum(type) } = fields
    const domain = domainOf(fields.domain, type, cell_val_num, style)
    // The document has null for a dimension without tiles. A dense dimension always has tiles, so there null means the
    // default of TileDB's APIs.
    const notGiven = extent.value === undefined || (extent.value === null && array.array_type === 'dense')
    const otherwise = notGiven && array.cell_order !== 'hilbert' ? wholeExtent(type, domain) : undefined
    return { ...fields, cell_val_num, domain, tile_extent: or(cell(type, 1, { raw: true }), otherwise)(extent) }
  }
}

/**
 * The tile extent that TileDB gives a dimension without one: the whole domain, computed in its type. For signed integers it
 * may wrap around; for floats it is one too small.
 *
 * @see tiledb/sm/array_schema/dimension.cc (set_null_tile_extent_to_range)
 */
function wholeExtent(type: Datatype, domain: Uint8Array): Uint8Array | undefined {
  const size = datatypeSize(type)
  if (domain.length !== 2 * size) return undefined
  if (datatypeKind(type) === 'float') {
    const [low, high] = numbersOf(type, domain)
    const extent = [high - low]
    return new Uint8Array((size === 4 ? Float32Array.from(extent) : Float64Array.from(extent)).buffer)
  }
  const length = integerOf('UINT64', domain.subarray(size)) - integerOf('UINT64', domain.subarray(0, size)) + 1n
  return new Uint8Array(BigUint64Array.of(BigInt.asUintN(64, length)).buffer).subarray(0, size)
}

function domainOf(value: DocumentValue, type: Datatype, cellValNum: CellValNum, style: ValueStyle): Uint8Array {
  if (cellValNum === 'var') return value.missing ? new Uint8Array(0) : value.fail('null for a dimension of text')
  return concat(pair(cell(type, 1, style))(value))
}

function pair<T>(read: Read<T>): Read<T[]> {
  return (value) => {
    const ends = list(asIs)(value)
    return ends.length === 2 ? ends.map(read) : value.fail('[lowest, highest]')
  }
}

/** Reads an attribute of a schema document. */
export function documentAttribute({ version, style }: DocumentReading): Read<Attribute> {
  const read = object({
    name: text,
    type: datatype,
    cell_val_num: or(cellValNum, undefined),
    nullable: or(flag, false),
    fill_value: asIs,
    fill_value_validity: or(flag, false),
    order: or(dataOrder, 'unordered'),
    enumeration: or((name): string => text(name) || name.fail('a name, or null'), ''),
    filters: or(filterPipeline(version), pipeline()),
  })
  return (value) => {
    const fields = read(value)
    const { type, cell_val_num = type === 'ANY' ? 'var' : 1 } = fields
    const fill = or(cell(type, cell_val_num, style), defaultFillValue(type, cell_val_num))(fields.fill_value)
    return { ...fields, cell_val_num, fill_value: version >= 6 ? fill : undefined }
  }
}

function filterPipeline(version: number): Read<FilterPipeline> {
  return object({
    max_chunk_size: or(uint32, DEFAULT_CHUNK_SIZE),
    filters: (value) => fittedFilters(listOrNone(filter)(value), { formatVersion: version }),
  })
}

const filterName = oneOf(Object.keys(FILTER_TYPES) as FilterType[])

const filter: Read<FilterConfig> = (value) => {
  const name = filterName(value.object().at('name'))
  if (name === 'AES_256_GCM') return value.fail('a filter of a schema', name)
  const otherwise = defaultFilter(name)
  const options = (Object.keys(FILTER_OPTIONS[name]) as FilterOption[]).map((option) => [
    option,
    or<unknown, unknown>(optionOf(option), otherwise[option]),
  ])
  const padding = { extra: or(cell('BLOB', WEBP_PADDING_BYTES, { raw: true }), new Uint8Array(WEBP_PADDING_BYTES)) }
  const reads = {
    name: filterName,
    ...Object.fromEntries(options),
    ...(name === 'WEBP' ? padding : {}),
    compressor: or(integer(0, 255), undefined),
  }
  // What is written has the right length.
  const read = object<FilterConfig>(reads, ['options_length'])
  return read(value)
}

/** Reads a float. NaN and infinities are text in JSON. */
const float: Read<number> = (value) => {
  const bytes = cell('FLOAT64', 1, { raw: true })(value)
  return new DataView(bytes.buffer, bytes.byteOffset, 8).getFloat64(0, true)
}

function optionOf(option: FilterOption): Read<unknown> {
  const { values } = OPTIONS[option]
  if (values === 'float') return float
  if (values === 'flag') return flag
  const [low, high] = values
  return typeof low === 'number' ? integer(low, Number(high)) : oneOf(values as readonly string[])
}

/** Reads an enumeration of a schema document. */
export function documentEnumeration({ style }: DocumentReading, uuid: () => string): Read<Enumeration> {
  const read = object({
    name: text,
    type: datatype,
    cell_val_num: or(cellValNum, undefined),
    ordered: or(flag, false),
    values: asIs,
  })
  return (value) => {
    const { values, ...head } = read(value)
    const { type, cell_val_num = defaultCellValNum(type) } = head
    return newEnumeration({ ...head, cell_val_num }, list(cell(type, cell_val_num, style))(values), uuid())
  }
}

/** Reads a dimension label whose values are in an array inside this one. */
const label = object({
  name: text,
  dimension_index: uint32,
  order: dataOrder,
  type: datatype,
  cell_val_num: or(cellValNum, undefined),
  attribute: or(text, 'label'),
  uri: or(text, ''),
  relative: or(flag, true),
  external: or(flag, false),
})

/** Reads the current domain of a schema document. */
export function currentDomainOf(
  value: DocumentValue,
  dimensions: readonly Dimension[],
  style: ValueStyle,
): CurrentDomain {
  if (value.missing) return NO_CURRENT_DOMAIN
  value.object(dimensions.map(({ name }) => name))
  const range = dimensions.map(({ name, type, cell_val_num }) => {
    const [min, max] = pair(cell(type, cell_val_num, style))(value.at(name))
    return { min, max }
  })
  return { version: 0, type: 'NDRECTANGLE', range }
}
