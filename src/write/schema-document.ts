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
} from '../format/filter-pipeline.ts'
import { checkVersion } from '../format/format-version.ts'
import type { DataOrder, Layout } from '../format/layout.ts'
import type { ValueStyle } from '../format/value.ts'
import { type DocumentObject, DocumentValue } from './document.ts'
import { enumerationOf } from './enumerations.ts'
import { defaultFilter, fittedFilters } from './filter-options.ts'
import type { Json } from './json-text.ts'

/** A schema with the enumerations that it names. */
export interface SchemaParts {
  schema: ArraySchema
  enumerations: Enumeration[]
}

export const DEFAULT_CAPACITY = 10_000n
export const DEFAULT_CHUNK_SIZE = 65_536

/** Keys of the document that do not belong to the schema. */
const HEAD_KEYS = ['kind', 'path', 'schema_version', 'name', 'encryption']
const SCHEMA_KEYS = [
  'format_version',
  'array_type',
  'tile_order',
  'cell_order',
  'capacity',
  'allows_duplicates',
  'coords_filters',
  'offsets_filters',
  'validity_filters',
  'dimensions',
  'attributes',
  'enumerations',
  'dimension_labels',
  'current_domain',
]
const ATTRIBUTE_KEYS = [
  'name',
  'type',
  'cell_val_num',
  'nullable',
  'fill_value',
  'fill_value_validity',
  'order',
  'enumeration',
  'filters',
]
const DIMENSION_KEYS = ['name', 'type', 'cell_val_num', 'domain', 'tile_extent', 'filters']
const ENUMERATION_KEYS = ['name', 'type', 'cell_val_num', 'ordered', 'values']
const LABEL_KEYS = [
  'name',
  'dimension_index',
  'order',
  'type',
  'cell_val_num',
  'attribute',
  'uri',
  'relative',
  'external',
]
const ORDERS: readonly Layout[] = ['row-major', 'col-major', 'hilbert', 'global-order', 'unordered']
const DATA_ORDERS: readonly DataOrder[] = ['unordered', 'increasing', 'decreasing']

/** Default filter of coordinates and offsets. @see tiledb/sm/array_schema/array_schema.cc (constructor) */
export const DEFAULT_ZSTD: FilterConfig = { name: 'ZSTD', level: -1 }
/** Default filter of validity. */
export const DEFAULT_RLE: FilterConfig = { name: 'RLE', level: -1 }

interface Reading {
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
  json: Json,
  formatVersion: number | undefined,
  uuid: () => string,
  style: ValueStyle,
): SchemaParts {
  const document = new DocumentValue(json).object([...HEAD_KEYS, ...SCHEMA_KEYS], SCHEMA_KEYS)
  const kind = document.at('kind')
  if (!kind.missing && kind.value !== 'schema') kind.fail('"schema"')
  const version = formatVersion ?? document.at('format_version').integer(1, 0xffffffff)
  checkVersion(version)
  const reading = { version, style }
  const array_type = document.at('array_type').oneOf(['dense', 'sparse'])
  const cell_order = document.get('cell_order', (order) => order.oneOf(ORDERS), 'row-major')
  const dimensions = document
    .at('dimensions')
    .list()
    .map((one) => dimensionOf(one, reading, { array_type, cell_order }))
  const enumerations = document.get(
    'enumerations',
    (list) => list.list().map((one) => readEnumeration(one, reading, uuid)),
    [],
  )
  const schema: ArraySchema = {
    version,
    allows_duplicates: document.get('allows_duplicates', (flag) => flag.flag(), false),
    array_type,
    tile_order: document.get('tile_order', (order) => order.oneOf(ORDERS), 'row-major'),
    cell_order,
    capacity: document.get('capacity', (capacity) => capacity.uint64(), DEFAULT_CAPACITY),
    coords_filters: readPipeline(document, 'coords_filters', reading, [DEFAULT_ZSTD]),
    offsets_filters: readPipeline(document, 'offsets_filters', reading, [DEFAULT_ZSTD]),
    validity_filters: version >= 7 ? readPipeline(document, 'validity_filters', reading, [DEFAULT_RLE]) : undefined,
    domain: { type: version < 5 ? dimensions[0]?.type : undefined, dimensions },
    attributes: document
      .at('attributes')
      .list()
      .map((one) => attributeOf(one, reading)),
    dimension_labels: document.get('dimension_labels', (list) => list.list().map(labelOf), []),
    enumerations: enumerations.map(({ name, path_name }) => ({ name, path_name })),
    current_domain: version >= 22 ? currentDomainOf(document.at('current_domain'), dimensions, style) : undefined,
  }
  return { schema, enumerations }
}

function dimensionOf(
  value: DocumentValue,
  { version, style }: Reading,
  array: Pick<ArraySchema, 'array_type' | 'cell_order'>,
): Dimension {
  const dimension = value.object(DIMENSION_KEYS)
  const type = dimension.at('type').oneOf(DATATYPES)
  const cell_val_num = dimension.get(
    'cell_val_num',
    (num) => num.cellValNum(),
    datatypeKind(type) === 'text' ? 'var' : 1,
  )
  const domain = domainOf(dimension.at('domain'), type, cell_val_num, style)
  const extent = dimension.at('tile_extent')
  // Null is shown for a dimension without tiles. A dense dimension always has tiles, and null means the default of TileDB's
  // APIs.
  const notGiven = extent.value === undefined || (extent.value === null && array.array_type === 'dense')
  return {
    name: dimension.at('name').text(),
    type,
    cell_val_num,
    filters: readPipeline(dimension, 'filters', { version, style }),
    domain,
    tile_extent: notGiven
      ? array.cell_order === 'hilbert'
        ? undefined
        : wholeExtent(type, domain)
      : dimension.get('tile_extent', (bytes) => bytes.cell(type, 1, { raw: true }), undefined),
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
  const extent = new Uint8Array(size)
  const view = new DataView(extent.buffer)
  if (datatypeKind(type) === 'float') {
    const ends = new DataView(domain.buffer, domain.byteOffset, domain.length)
    if (size === 4) view.setFloat32(0, ends.getFloat32(4, true) - ends.getFloat32(0, true), true)
    else view.setFloat64(0, ends.getFloat64(8, true) - ends.getFloat64(0, true), true)
    return extent
  }
  const length = integerOf('UINT64', domain.subarray(size)) - integerOf('UINT64', domain.subarray(0, size)) + 1n
  const whole = new DataView(new ArrayBuffer(8))
  whole.setBigUint64(0, BigInt.asUintN(64, length), true)
  extent.set(new Uint8Array(whole.buffer, 0, size))
  return extent
}

function domainOf(value: DocumentValue, type: Datatype, cellValNum: CellValNum, style: ValueStyle): Uint8Array {
  if (cellValNum === 'var') return value.missing ? new Uint8Array(0) : value.fail('null for a dimension of text')
  const pair = value.list()
  if (pair.length !== 2) value.fail('[lowest, highest]')
  const size = datatypeSize(type)
  const domain = new Uint8Array(2 * size)
  for (const [i, end] of pair.entries()) domain.set(end.cell(type, 1, style), i * size)
  return domain
}

function attributeOf(value: DocumentValue, { version, style }: Reading): Attribute {
  const attribute = value.object(ATTRIBUTE_KEYS)
  const type = attribute.at('type').oneOf(DATATYPES)
  const cell_val_num = attribute.get('cell_val_num', (num) => num.cellValNum(), type === 'ANY' ? 'var' : 1)
  const fill_value = attribute.get('fill_value', (fill) => fill.cell(type, cell_val_num, style), undefined)
  return {
    name: attribute.at('name').text(),
    type,
    cell_val_num,
    filters: readPipeline(attribute, 'filters', { version, style }),
    fill_value: version >= 6 ? (fill_value ?? defaultFillValue(type, cell_val_num)) : undefined,
    nullable: attribute.get('nullable', (flag) => flag.flag(), false),
    fill_value_validity: attribute.get('fill_value_validity', (flag) => flag.flag(), false),
    order: attribute.get('order', (order) => order.oneOf(DATA_ORDERS), 'unordered'),
    enumeration: attribute.get('enumeration', (name) => name.text() || name.fail('a name, or null'), ''),
  }
}

function readPipeline(
  owner: DocumentObject,
  key: string,
  reading: Reading,
  otherwise: FilterConfig[] = [],
): FilterPipeline {
  const value = owner.at(key)
  if (value.missing) return { max_chunk_size: DEFAULT_CHUNK_SIZE, filters: otherwise }
  const pipeline = value.object(['max_chunk_size', 'filters'])
  return {
    max_chunk_size: pipeline.get('max_chunk_size', (size) => size.integer(0, 0xffffffff), DEFAULT_CHUNK_SIZE),
    filters: pipeline.get('filters', (list) => list.list().flatMap((one) => fitted(filterOf(one), reading)), []),
  }
}

function fitted(filter: FilterConfig, { version }: Reading): FilterConfig[] {
  return fittedFilters([filter], { formatVersion: version })
}

const FILTER_NAMES = Object.keys(FILTER_TYPES).filter((name): name is FilterType => name in FILTER_TYPES)

function filterOf(value: DocumentValue): FilterConfig {
  const name = value.object().at('name').oneOf(FILTER_NAMES)
  if (name === 'AES_256_GCM') return value.fail('a filter of a schema', name)
  const read = defaultFilter(name)
  const options = Object.keys(FILTER_OPTIONS[name]) as FilterOption[]
  const filter = value.object(['name', ...options, 'extra', 'compressor'])
  for (const option of options)
    Object.assign(read, {
      [option]: filter.get<unknown, unknown>(option, (one) => optionOf(one, option), read[option]),
    })
  const compressor = filter.get('compressor', (number) => number.integer(0, 255), undefined)
  const extra = filter.get('extra', (bytes) => bytes.cell('BLOB', 'var', { raw: true }), undefined)
  return { ...read, ...(compressor !== undefined && { compressor }), ...(extra && { extra }) }
}

function optionOf(value: DocumentValue, option: FilterOption): unknown {
  const { values } = OPTIONS[option]
  if (values === 'float') return floatOf(value)
  if (values === 'flag') return value.flag()
  const [low, high] = values
  return typeof low === 'number' ? value.integer(low, Number(high)) : value.oneOf(values as readonly string[])
}

/** NaN and infinities are text in JSON. */
function floatOf(value: DocumentValue): number {
  const bytes = value.cell('FLOAT64', 1, { raw: true })
  return new DataView(bytes.buffer, bytes.byteOffset, 8).getFloat64(0, true)
}

function readEnumeration(value: DocumentValue, { style }: Reading, uuid: () => string): Enumeration {
  const enumeration = value.object(ENUMERATION_KEYS)
  const type = enumeration.at('type').oneOf(DATATYPES)
  const cell_val_num = enumeration.get(
    'cell_val_num',
    (num) => num.cellValNum(),
    datatypeKind(type) === 'text' ? 'var' : 1,
  )
  const values = enumeration
    .at('values')
    .list()
    .map((one) => one.cell(type, cell_val_num, style))
  const ordered = enumeration.get('ordered', (flag) => flag.flag(), false)
  return enumerationOf({ name: enumeration.at('name').text(), type, cell_val_num, ordered }, values, uuid())
}

function labelOf(value: DocumentValue): DimensionLabel {
  const label = value.object(LABEL_KEYS)
  return {
    dimension_index: label.at('dimension_index').integer(0, 0xffffffff),
    name: label.at('name').text(),
    relative: label.get('relative', (flag) => flag.flag(), true),
    uri: label.at('uri').text(),
    attribute: label.at('attribute').text(),
    order: label.at('order').oneOf(DATA_ORDERS),
    type: label.at('type').oneOf(DATATYPES),
    cell_val_num: label.at('cell_val_num').cellValNum(),
    external: label.get('external', (flag) => flag.flag(), false),
  }
}

function currentDomainOf(value: DocumentValue, dimensions: readonly Dimension[], style: ValueStyle): CurrentDomain {
  if (value.missing) return { version: 0, type: undefined, range: undefined }
  const ranges = value.object(dimensions.map(({ name }) => name))
  const range = dimensions.map(({ name, type, cell_val_num }) => {
    const one = ranges.at(name)
    const pair = one.list()
    if (pair.length !== 2) one.fail('[lowest, highest]')
    return { min: pair[0].cell(type, cell_val_num, style), max: pair[1].cell(type, cell_val_num, style) }
  })
  return { version: 0, type: 'NDRECTANGLE', range }
}
