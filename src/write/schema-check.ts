import { type InspectError, usage } from '../base/errors.ts'
import { numbersOf } from '../cells/elements.ts'
import { compareValues } from '../cells/rtree-builder.ts'
import { hex } from '../filters/bytes.ts'
import type { FilteredField } from '../filters/filter.ts'
import type { ArraySchema } from '../format/array-schema.ts'
import type { Attribute } from '../format/attribute.ts'
import { type Datatype, datatypeKind, datatypeSize } from '../format/datatype.ts'
import { integerOf } from '../format/dense-tiles.ts'
import type { Dimension } from '../format/dimension.ts'
import type { Enumeration } from '../format/enumeration.ts'
import type { FilterConfig } from '../format/filter-pipeline.ts'
import { INTERNAL_FIELDS } from '../format/fragment-slots.ts'
import type { Layout } from '../format/layout.ts'
import { enumerationCells } from './enumerations.ts'
import { refusal, writingRefusal } from './filter-options.ts'
import type { SchemaParts } from './schema-document.ts'

/** The oldest format version that write-sample makes. Versions 1 and 2 can only be read. */
export const OLDEST_WRITTEN = 3

export const ENUMERATIONS_SINCE = 20

/** Height and width of the picture that a tile is to the WEBP filter; undefined if tiles are not pictures. */
export function pictureOf(schema: Pick<ArraySchema, 'array_type' | 'domain'>): FilteredField['picture'] {
  const { dimensions } = schema.domain
  if (schema.array_type !== 'dense' || dimensions.length !== 2) return undefined
  const [y, x] = dimensions
  if (!y.tile_extent || !x.tile_extent || y.type !== x.type) return undefined
  return { height: Number(integerOf(y.type, y.tile_extent)), width: Number(integerOf(x.type, x.tile_extent)) }
}

/** First format version of datatypes. Older releases crash when they read such a type. */
const TYPES_SINCE: readonly (readonly [RegExp, number])[] = [
  [/^TIME_/, 9],
  [/^BLOB$/, 11],
  [/^BOOL$/, 14],
  [/^GEOM_/, 21],
]

/**
 * Refuses what TileDB refuses when it creates an array, and what the format version cannot store.
 *
 * @param cells whether cells will be written; if so, schemas are refused that TileDB accepts but cannot use to write cells
 * @throws InspectError USAGE with the path of the key in the schema's document
 * @see tiledb/sm/array_schema/array_schema.cc (check)
 */
export function checkSchema({ schema, enumerations }: SchemaParts, cells: boolean): void {
  const { version, attributes, domain } = schema
  const { dimensions } = domain
  const dense = schema.array_type === 'dense'
  refuse(dimensions.length === 0, 'dimensions', 'at least one dimension', 'none')
  refuse(dense && attributes.length === 0, 'attributes', 'at least one in a dense array', 'none')
  refuse(!dense && schema.capacity === 0n, 'capacity', 'at least 1', '0')
  checkNames(schema)
  checkOrders(schema)
  refuse(schema.allows_duplicates && dense, 'allows_duplicates', 'false in a dense array', 'true')
  if (schema.allows_duplicates) since(5, version, 'allows_duplicates', 'duplicates')
  if (enumerations.length > 0) since(ENUMERATIONS_SINCE, version, 'enumerations', 'enumerations')
  checkEnumerations(enumerations)
  for (const [i, dimension] of dimensions.entries()) checkDimension(schema, dimension, `dimensions.${i}`, cells)
  for (const [i, attribute] of attributes.entries())
    checkAttribute(schema, attribute, enumerations, `attributes.${i}`, cells)
  checkCurrentDomainRange(schema)
  const coords: FilteredField = { type: 'UINT64', cell_val_num: 1, formatVersion: version, anyType: true }
  checkPipeline(schema.coords_filters.filters, coords, 'coords_filters', false)
  const offsets: FilteredField = { ...coords, counts: 'offsets' }
  const anyVar = [...dimensions, ...attributes].some(({ cell_val_num }) => cell_val_num === 'var')
  checkPipeline(schema.offsets_filters.filters, offsets, 'offsets_filters', cells && anyVar)
  const validity: FilteredField = { ...coords, type: 'UINT8', counts: 'validity' }
  const anyNullable = attributes.some(({ nullable }) => nullable)
  if (schema.validity_filters)
    checkPipeline(schema.validity_filters.filters, validity, 'validity_filters', cells && anyNullable)
}

/** The start of names that TileDB uses for its own fields. */
const RESERVED = '__'

function checkNames({ domain, attributes, version }: ArraySchema): void {
  const seen = new Set<string>()
  const check = (name: string, path: string, reserved: boolean): void => {
    const shown = JSON.stringify(name)
    refuse(seen.has(name), path, 'a name of its own', `${shown} twice`)
    refuse(reserved, path, `a name that does not begin with "${RESERVED}", as TileDB's own do`, shown)
    refuse(INTERNAL_FIELDS.includes(name), path, "a name that is none of TileDB's own fields", shown)
    const noFile = version < 8 && /[/\0]/.test(name)
    refuse(noFile, path, 'a name without "/" (formats up to 7 name files after fields)', shown)
    seen.add(name)
  }
  for (const [i, { name }] of domain.dimensions.entries()) check(name, `dimensions.${i}.name`, false)
  for (const [i, { name }] of attributes.entries()) check(name, `attributes.${i}.name`, name.startsWith(RESERVED))
}

/** @see tiledb/sm/array_schema/enumeration.cc */
function checkEnumerations(enumerations: readonly Enumeration[]): void {
  const seen = new Set<string>()
  for (const [i, enumeration] of enumerations.entries()) {
    const { name } = enumeration
    const path = `enumerations.${i}`
    refuse(name === '', `${path}.name`, 'a name', 'none')
    refuse(seen.has(name), `${path}.name`, 'a name of its own', `${JSON.stringify(name)} twice`)
    seen.add(name)
    const first = new Map<string, number>()
    for (const [v, value] of enumerationCells(enumeration).entries()) {
      const bytes = hex(value)
      const before = first.get(bytes)
      refuse(before !== undefined, `${path}.values.${v}`, 'each value once', `the same bytes as in values.${before}`)
      first.set(bytes, v)
    }
  }
}

/** @see tiledb/sm/array_schema/current_domain.cc (check_schema_sanity) */
function checkCurrentDomainRange({ current_domain, domain }: ArraySchema): void {
  if (!current_domain?.range) return
  for (const [d, { min, max }] of current_domain.range.entries()) {
    const dimension = domain.dimensions[d]
    const path = `current_domain.${dimension.name}`
    const { type, cell_val_num } = dimension
    if (cell_val_num === 'var') refuse(min.length + max.length === 0, path, 'text at one end at least', 'none')
    else {
      const size = datatypeSize(type)
      const [low, high] = [dimension.domain.subarray(0, size), dimension.domain.subarray(size)]
      const leaves = compareValues(dimension, min, low) < 0 || compareValues(dimension, max, high) > 0
      const nan = datatypeKind(type) === 'float' && [min, max].some((end) => Number.isNaN(numbersOf(type, end)[0]))
      refuse(leaves || nan, path, "a range inside the dimension's domain", 'one that leaves it')
    }
    refuse(compareValues(dimension, min, max) > 0, path, 'the lower end first', 'the higher one')
  }
}

function checkOrders({ array_type, tile_order, cell_order, version, domain }: ArraySchema): void {
  const plain = (order: Layout): boolean => order === 'row-major' || order === 'col-major'
  refuse(!plain(tile_order), 'tile_order', 'row-major or col-major', tile_order)
  if (cell_order === 'hilbert') {
    refuse(array_type === 'dense', 'cell_order', 'row-major or col-major in a dense array', 'hilbert')
    since(HILBERT_SINCE, version, 'cell_order', 'Hilbert order')
    const count = domain.dimensions.length
    const expected = `at most ${HILBERT_DIMENSIONS} dimensions in Hilbert order`
    refuse(count > HILBERT_DIMENSIONS, 'cell_order', expected, `${count}`)
  } else refuse(!plain(cell_order), 'cell_order', 'row-major, col-major or hilbert', cell_order)
}

const HILBERT_SINCE = 7
/** @see tiledb/sm/misc/hilbert.h (HC_MAX_DIM) */
const HILBERT_DIMENSIONS = 16

function isDimensionType(type: Datatype): boolean {
  return ['int', 'uint', 'float', 'datetime', 'time'].includes(datatypeKind(type)) || type === 'STRING_ASCII'
}

function checkDimension(schema: ArraySchema, dimension: Dimension, path: string, cells: boolean): void {
  const { version, domain } = schema
  const { type, cell_val_num, filters, tile_extent } = dimension
  const dense = schema.array_type === 'dense'
  const text = type === 'STRING_ASCII'
  const first = domain.dimensions[0].type
  checkType(type, version, `${path}.type`)
  refuse(!isDimensionType(type), `${path}.type`, 'numbers, dates, times or STRING_ASCII', type)
  if (text) since(5, version, `${path}.type`, 'string dimensions')
  const one = cell_val_num === 'var' ? `1 for ${type}` : '1'
  const elements = text ? '"var" for text' : one
  refuse(cell_val_num !== (text ? 'var' : 1), `${path}.cell_val_num`, elements, String(cell_val_num))
  const oneType = `one type for all dimensions of ${dense ? 'a dense array' : 'formats 3 and 4'} (${first})`
  refuse(type !== first && (version < 5 || dense), `${path}.type`, oneType, type)
  const noGrid = datatypeKind(type) === 'float' || text
  refuse(dense && noGrid, `${path}.type`, 'integers, dates or times in a dense array', type)
  refuse(dense && !tile_extent, `${path}.tile_extent`, 'an extent in a dense array', 'none')
  if (text) refuse(tile_extent !== undefined, `${path}.tile_extent`, 'none for text', 'one')
  else checkDomain(dimension, path)
  if (filters.filters.length > 0) since(5, version, `${path}.filters`, 'filters of a dimension')
  const field: FilteredField = { type, cell_val_num, formatVersion: version }
  if (filters.filters.length > 0) checkPipeline(filters.filters, field, `${path}.filters`, cells && !dense)
  else checkPipeline(schema.coords_filters.filters, { ...field, anyType: true }, 'coords_filters', cells && !dense)
}

function checkDomain({ type, domain, tile_extent }: Dimension, path: string): void {
  const size = datatypeSize(type)
  const [low, high] = [domain.subarray(0, size), domain.subarray(size)]
  if (datatypeKind(type) === 'float') {
    const [lo, hi, extent] = [low, high, tile_extent].map((bytes) => (bytes ? numbersOf(type, bytes)[0] : 1))
    const round = type === 'FLOAT32' ? Math.fround : (x: number): number => x
    const finite = Number.isFinite(lo) && Number.isFinite(hi)
    refuse(!finite || lo > hi, `${path}.domain`, 'finite numbers, the lower one first', `[${lo}, ${hi}]`)
    // TileDB refuses 0, but stores it itself if no extent is given and the domain has one value.
    const bad = extent < 0 || (extent === 0 && lo < hi) || extent > round(round(hi - lo) + 1)
    refuse(tile_extent !== undefined && bad, `${path}.tile_extent`, `more than 0, at most ${hi - lo + 1}`, `${extent}`)
    return
  }
  const [lo, hi] = [integerOf(type, low), integerOf(type, high)]
  refuse(lo > hi, `${path}.domain`, 'the lower end first', `[${lo}, ${hi}]`)
  const all = 2n ** BigInt(8 * size)
  const length = hi - lo + 1n
  refuse(length === all, `${path}.domain`, `fewer values than ${type} has`, 'all of them')
  if (!tile_extent) return
  const extent = integerOf(type, tile_extent)
  // As in TileDB, an extent beyond the largest value of a signed type has wrapped around.
  const bad = extent === 0n || extent > length || (extent < 0n && all + extent !== length)
  refuse(bad, `${path}.tile_extent`, `from 1 to ${length}, the values of the domain`, `${extent}`)
  if (size < 8 || extent < 0n || length % extent === 0n) return
  const top = type === 'UINT64' ? all - 1n : all / 2n - 1n
  const end = lo + ((hi - lo) / extent + 1n) * extent - 1n
  const expected = `one whose last tile ends at most at ${top}`
  refuse(end > top, `${path}.tile_extent`, expected, `${extent}, which ends at ${end}`)
}

function checkAttribute(
  schema: ArraySchema,
  attribute: Attribute,
  enumerations: readonly Enumeration[],
  path: string,
  cells: boolean,
): void {
  const { version } = schema
  const { type, cell_val_num, nullable, enumeration, order, fill_value, fill_value_validity } = attribute
  checkType(type, version, `${path}.type`)
  if (nullable) since(7, version, `${path}.nullable`, 'nullable attributes')
  refuse(type === 'ANY' && cell_val_num !== 'var', `${path}.cell_val_num`, '"var" for ANY', String(cell_val_num))
  if (order !== 'unordered') checkOrdered(schema, attribute, path)
  refuse(fill_value?.length === 0, `${path}.fill_value`, 'at least one byte', 'none')
  const noNulls = fill_value_validity && !nullable
  refuse(noNulls, `${path}.fill_value_validity`, 'false where cells cannot be null', 'true')
  if (enumeration !== '') checkLabelled(attribute, version, enumerations, path)
  const field: FilteredField = { type, cell_val_num, formatVersion: version, picture: pictureOf(schema) }
  checkPipeline(attribute.filters.filters, field, `${path}.filters`, cells)
}

/** Checks an attribute whose cells are indexes into an enumeration. */
function checkLabelled(
  { type, cell_val_num, enumeration }: Attribute,
  version: number,
  enumerations: readonly Enumeration[],
  path: string,
): void {
  since(ENUMERATIONS_SINCE, version, `${path}.enumeration`, 'enumerations')
  const kind = datatypeKind(type)
  const isIndex = (kind === 'int' || kind === 'uint' || kind === 'bool') && cell_val_num === 1
  refuse(!isIndex, `${path}.type`, 'one integer a cell where there is an enumeration', type)
  const names = enumerations.map(({ name }) => name).join(', ')
  const named = enumerations.find(({ name }) => name === enumeration)
  const expected = `an enumeration of the schema (${names || 'it has none'})`
  if (!named) throw wrong(`${path}.enumeration`, expected, JSON.stringify(enumeration))
  const most = 2 ** (8 * datatypeSize(type) - (kind === 'int' ? 1 : 0)) - 2
  const values = enumerationCells(named).length
  const fits = `a type that indexes the ${values} values of ${enumeration}`
  refuse(values > most, `${path}.type`, fits, `${type}, up to ${most}`)
}

/** Checks an attribute that holds a dimension label. @see tiledb/sm/array_schema/attribute.cc (validate_cell_val_num) */
function checkOrdered({ version, array_type, domain }: ArraySchema, attribute: Attribute, path: string): void {
  const { type, cell_val_num, nullable, order } = attribute
  since(17, version, `${path}.order`, 'ordered attributes')
  const ofLabel = array_type === 'dense' && domain.dimensions.length === 1
  refuse(!ofLabel, `${path}.order`, '"unordered" except in a dense array of one dimension', order)
  const types = 'numbers, dates, times or STRING_ASCII in an ordered attribute'
  refuse(!isDimensionType(type), `${path}.type`, types, type)
  const elements = type === 'STRING_ASCII' ? 'var' : 1
  const expected = `${JSON.stringify(elements)} in an ordered attribute`
  refuse(cell_val_num !== elements, `${path}.cell_val_num`, expected, String(cell_val_num))
  refuse(nullable, `${path}.nullable`, 'false in an ordered attribute', 'true')
}

function checkType(type: Datatype, version: number, path: string): void {
  since(TYPES_SINCE.find(([name]) => name.test(type))?.[1] ?? 0, version, path, type)
}

function checkPipeline(filters: readonly FilterConfig[], field: FilteredField, path: string, cells: boolean): void {
  const why = refusal(filters, field) ?? (cells ? writingRefusal(filters, field) : undefined)
  if (why !== undefined) throw usage(why, { field: path })
}

function refuse(when: boolean, field: string, expected: string, found: string): void {
  if (when) throw wrong(field, expected, found)
}

function wrong(field: string, expected: string, found: string): InspectError {
  return usage({ expected, found }, { field })
}

/** Refuses what format versions before `first` do not have. */
function since(first: number, version: number, field: string, what: string): void {
  if (version < first)
    throw usage(`${what} exist since format version ${first}, found format version ${version}`, { field })
}
