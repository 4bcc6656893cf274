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
import { OWN_FIELDS } from '../format/fragment-slots.ts'
import { enumerationCells } from './enumerations.ts'
import { refusal, writingRefusal } from './filter-options.ts'
import type { SchemaParts } from './schema-document.ts'

/** Format versions that write-sample makes. Versions 1 and 2 can only be read, and no release opens 23. */
export const OLDEST_WRITTEN = 3
export const NEWEST_STABLE = 22
export const EXPERIMENTAL = 23

export const ENUMERATIONS_SINCE = 20

/** The size of the picture that WEBP sees in a tile; undefined if tiles are not pictures. */
export function pictureOf(schema: Pick<ArraySchema, 'array_type' | 'domain'>): FilteredField['picture'] {
  const { dimensions } = schema.domain
  if (schema.array_type !== 'dense' || dimensions.length !== 2) return undefined
  const [y, x] = dimensions
  if (!y.tile_extent || !x.tile_extent || y.type !== x.type) return undefined
  return { height: Number(integerOf(y.type, y.tile_extent)), width: Number(integerOf(x.type, x.tile_extent)) }
}

/** Formats before which no release knew a datatype. Older releases crash when they meet it. */
const TYPES_SINCE: readonly (readonly [RegExp, number])[] = [
  [/^TIME_/, 9],
  [/^BLOB$/, 11],
  [/^BOOL$/, 14],
  [/^GEOM_/, 21],
]

/**
 * Refuses what TileDB refuses when it creates an array, and what the format version cannot store.
 *
 * @param cells whether cells will be written; then also refuses schemas that TileDB accepts but cannot write through
 * @throws InspectError USAGE with the path of the key in the schema's document
 * @see tiledb/sm/array_schema/array_schema.cc (check)
 */
export function checkSchema({ schema, enumerations }: SchemaParts, cells: boolean): void {
  const { version, attributes, domain } = schema
  const dimensions = domain.dimensions
  if (dimensions.length === 0) throw wrong('dimensions', 'at least one dimension', 'none')
  if (schema.array_type === 'dense' && attributes.length === 0)
    throw wrong('attributes', 'at least one in a dense array', 'none')
  if (schema.array_type === 'sparse' && schema.capacity === 0n) throw wrong('capacity', 'at least 1', '0')
  checkNames(schema)
  checkOrders(schema)
  if (schema.allows_duplicates && schema.array_type === 'dense')
    throw wrong('allows_duplicates', 'false in a dense array', 'true')
  if (schema.allows_duplicates && version < 5) throw tooOld('allows_duplicates', 'duplicates', 5, version)
  if (enumerations.length > 0 && version < ENUMERATIONS_SINCE)
    throw tooOld('enumerations', 'enumerations', ENUMERATIONS_SINCE, version)
  checkEnumerations(enumerations)
  for (const [i, dimension] of dimensions.entries()) checkDimension(schema, dimension, `dimensions.${i}`, cells)
  for (const [i, attribute] of attributes.entries())
    checkAttribute(schema, attribute, enumerations, `attributes.${i}`, cells)
  checkCurrentDomainRange(schema)
  const offsets: FilteredField = {
    type: 'UINT64',
    cell_val_num: 1,
    formatVersion: version,
    anyType: true,
    counts: 'offsets',
  }
  checkPipeline(schema.coords_filters.filters, { ...offsets, counts: undefined }, 'coords_filters', false)
  const anyVar = [...dimensions, ...attributes].some(({ cell_val_num }) => cell_val_num === 'var')
  checkPipeline(schema.offsets_filters.filters, offsets, 'offsets_filters', cells && anyVar)
  const validity: FilteredField = { ...offsets, type: 'UINT8', counts: 'validity' }
  const anyNullable = attributes.some(({ nullable }) => nullable)
  if (schema.validity_filters)
    checkPipeline(schema.validity_filters.filters, validity, 'validity_filters', cells && anyNullable)
}

/** The start of names that TileDB uses for its own fields. */
const RESERVED = '__'

function checkNames({ domain, attributes, version }: ArraySchema): void {
  const seen = new Set<string>()
  const fields = [
    ...domain.dimensions.map(({ name }, i) => ({ name, path: `dimensions.${i}.name` })),
    ...attributes.map(({ name }, i) => ({ name, path: `attributes.${i}.name` })),
  ]
  for (const [i, { name, path }] of fields.entries()) {
    if (seen.has(name)) throw wrong(path, 'a name of its own', `${JSON.stringify(name)} twice`)
    if (i >= domain.dimensions.length && name.startsWith(RESERVED))
      throw wrong(path, `a name that does not begin with "${RESERVED}", as TileDB's own do`, JSON.stringify(name))
    if (OWN_FIELDS.includes(name)) throw wrong(path, "a name that is none of TileDB's own fields", JSON.stringify(name))
    if (version < 8 && /[/\0]/.test(name))
      throw wrong(path, 'a name without "/" (formats up to 7 name files after fields)', JSON.stringify(name))
    seen.add(name)
  }
}

/** @see tiledb/sm/array_schema/enumeration.cc */
function checkEnumerations(enumerations: readonly Enumeration[]): void {
  const seen = new Set<string>()
  for (const [i, enumeration] of enumerations.entries()) {
    const { name } = enumeration
    const path = `enumerations.${i}`
    if (name === '') throw wrong(`${path}.name`, 'a name', 'none')
    if (seen.has(name)) throw wrong(`${path}.name`, 'a name of its own', `${JSON.stringify(name)} twice`)
    seen.add(name)
    const first = new Map<string, number>()
    for (const [v, value] of enumerationCells(enumeration).entries()) {
      const bytes = hex(value)
      const before = first.get(bytes)
      if (before !== undefined)
        throw wrong(`${path}.values.${v}`, 'each value once', `the same bytes as in values.${before}`)
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
    if (cell_val_num === 'var') {
      if (min.length + max.length === 0) throw wrong(path, 'text at one end at least', 'none')
    } else {
      const size = datatypeSize(type)
      const [low, high] = [dimension.domain.subarray(0, size), dimension.domain.subarray(size)]
      if (compareValues(dimension, min, low) < 0 || compareValues(dimension, max, high) > 0 || isNaNOf(type, min, max))
        throw wrong(path, "a range inside the dimension's domain", 'one that leaves it')
    }
    if (compareValues(dimension, min, max) > 0) throw wrong(path, 'the lower end first', 'the higher one')
  }
}

function isNaNOf(type: Datatype, ...values: readonly Uint8Array[]): boolean {
  return datatypeKind(type) === 'float' && values.some((value) => Number.isNaN(numbersOf(type, value)[0]))
}

function checkOrders({ array_type, tile_order, cell_order, version, domain }: ArraySchema): void {
  if (tile_order !== 'row-major' && tile_order !== 'col-major')
    throw wrong('tile_order', 'row-major or col-major', tile_order)
  if (cell_order === 'hilbert') {
    if (array_type === 'dense') throw wrong('cell_order', 'row-major or col-major in a dense array', 'hilbert')
    if (version < HILBERT_SINCE) throw tooOld('cell_order', 'Hilbert order', HILBERT_SINCE, version)
    if (domain.dimensions.length > HILBERT_DIMENSIONS)
      throw wrong(
        'cell_order',
        `at most ${HILBERT_DIMENSIONS} dimensions in Hilbert order`,
        `${domain.dimensions.length}`,
      )
  } else if (cell_order !== 'row-major' && cell_order !== 'col-major') {
    throw wrong('cell_order', 'row-major, col-major or hilbert', cell_order)
  }
}

const HILBERT_SINCE = 7
/** @see tiledb/sm/misc/hilbert.h (HC_MAX_DIM) */
const HILBERT_DIMENSIONS = 16

function isDimensionType(type: Datatype): boolean {
  const kind = datatypeKind(type)
  return (
    kind === 'int' ||
    kind === 'uint' ||
    kind === 'float' ||
    kind === 'datetime' ||
    kind === 'time' ||
    type === 'STRING_ASCII'
  )
}

function checkDimension(schema: ArraySchema, dimension: Dimension, path: string, cells: boolean): void {
  const { version, array_type, domain } = schema
  const { type, cell_val_num, filters } = dimension
  const first = domain.dimensions[0].type
  checkType(type, version, `${path}.type`)
  if (!isDimensionType(type)) throw wrong(`${path}.type`, 'numbers, dates, times or STRING_ASCII', type)
  if (type === 'STRING_ASCII' && version < 5) throw tooOld(`${path}.type`, 'dimensions of text', 5, version)
  if ((type === 'STRING_ASCII') !== (cell_val_num === 'var')) {
    throw wrong(
      `${path}.cell_val_num`,
      type === 'STRING_ASCII' ? '"var" for text' : `1 for ${type}`,
      String(cell_val_num),
    )
  }
  if (cell_val_num !== 'var' && cell_val_num !== 1) throw wrong(`${path}.cell_val_num`, '1', String(cell_val_num))
  if (type !== first && (version < 5 || array_type === 'dense')) {
    const where = array_type === 'dense' ? 'a dense array' : 'formats 3 and 4'
    throw wrong(`${path}.type`, `one type for all dimensions of ${where} (${first})`, type)
  }
  if (array_type === 'dense' && (datatypeKind(type) === 'float' || type === 'STRING_ASCII')) {
    throw wrong(`${path}.type`, 'integers, dates or times in a dense array', type)
  }
  if (array_type === 'dense' && !dimension.tile_extent)
    throw wrong(`${path}.tile_extent`, 'an extent in a dense array', 'none')
  if (type === 'STRING_ASCII') {
    if (dimension.tile_extent) throw wrong(`${path}.tile_extent`, 'none for text', 'one')
  } else checkDomain(dimension, path)
  if (version < 5 && filters.filters.length > 0) throw tooOld(`${path}.filters`, 'filters of a dimension', 5, version)
  const field: FilteredField = { type, cell_val_num, formatVersion: version }
  const sparse = array_type === 'sparse'
  if (filters.filters.length > 0) checkPipeline(filters.filters, field, `${path}.filters`, cells && sparse)
  else checkPipeline(schema.coords_filters.filters, { ...field, anyType: true }, 'coords_filters', cells && sparse)
}

function checkDomain({ type, domain, tile_extent }: Dimension, path: string): void {
  const size = datatypeSize(type)
  const [low, high] = [domain.subarray(0, size), domain.subarray(size)]
  if (datatypeKind(type) === 'float') {
    const [lo, hi, extent] = [low, high, tile_extent].map((bytes) => (bytes ? numbersOf(type, bytes)[0] : undefined))
    const round = type === 'FLOAT32' ? Math.fround : (x: number): number => x
    if (lo === undefined || hi === undefined || !Number.isFinite(lo) || !Number.isFinite(hi) || lo > hi) {
      throw wrong(`${path}.domain`, 'finite numbers, the lower one first', `[${lo}, ${hi}]`)
    }
    // TileDB refuses 0, but stores it itself if no extent is given and the domain has one value.
    if (extent !== undefined && (extent < 0 || (extent === 0 && lo < hi) || extent > round(round(hi - lo) + 1)))
      throw wrong(`${path}.tile_extent`, `more than 0, at most ${hi - lo + 1}`, String(extent))
    return
  }
  const [lo, hi] = [integerOf(type, low), integerOf(type, high)]
  if (lo > hi) throw wrong(`${path}.domain`, 'the lower end first', `[${lo}, ${hi}]`)
  const signed = integerOf(type, new Uint8Array(size).fill(0xff)) < 0n
  const bits = BigInt(8 * size)
  const top = signed ? 2n ** (bits - 1n) - 1n : 2n ** bits - 1n
  if (hi - lo + 1n === 2n ** bits) throw wrong(`${path}.domain`, `fewer values than ${type} has`, 'all of them')
  if (!tile_extent) return
  const extent = integerOf(type, tile_extent)
  const length = hi - lo + 1n
  // As in TileDB, an extent beyond the largest value of a signed type has wrapped around.
  if (extent === 0n || extent > length || (extent < 0n && 2n ** bits + extent !== length))
    throw wrong(`${path}.tile_extent`, `from 1 to ${length}, the values of the domain`, String(extent))
  if (extent < 0n || length % extent === 0n) return
  const end = lo + ((hi - lo) / extent + 1n) * extent - 1n
  if (size === 8 && end > top)
    throw wrong(`${path}.tile_extent`, `one whose last tile ends at most at ${top}`, `${extent}, which ends at ${end}`)
}

function checkAttribute(
  schema: ArraySchema,
  attribute: Attribute,
  enumerations: readonly Enumeration[],
  path: string,
  cells: boolean,
): void {
  const { version } = schema
  checkType(attribute.type, version, `${path}.type`)
  const { type, cell_val_num, nullable, enumeration, order, fill_value } = attribute
  if (nullable && version < 7) throw tooOld(`${path}.nullable`, 'nullable attributes', 7, version)
  if (type === 'ANY' && cell_val_num !== 'var')
    throw wrong(`${path}.cell_val_num`, '"var" for ANY', String(cell_val_num))
  if (order !== 'unordered') checkOrdered(schema, attribute, path)
  if (fill_value && fill_value.length === 0) throw wrong(`${path}.fill_value`, 'at least one byte', 'none')
  if (attribute.fill_value_validity && !nullable)
    throw wrong(`${path}.fill_value_validity`, 'false where cells cannot be null', 'true')
  if (enumeration !== '') {
    if (version < ENUMERATIONS_SINCE) throw tooOld(`${path}.enumeration`, 'enumerations', ENUMERATIONS_SINCE, version)
    const kind = datatypeKind(type)
    if ((kind !== 'int' && kind !== 'uint' && kind !== 'bool') || cell_val_num !== 1)
      throw wrong(`${path}.type`, 'one integer a cell where there is an enumeration', type)
    const named = enumerations.find(({ name }) => name === enumeration)
    if (!named) {
      const names = enumerations.map(({ name }) => name).join(', ')
      throw wrong(
        `${path}.enumeration`,
        `an enumeration of the schema (${names || 'it has none'})`,
        JSON.stringify(enumeration),
      )
    }
    const most = 2 ** (8 * datatypeSize(type) - (kind === 'int' ? 1 : 0)) - 2
    const values = enumerationCells(named).length
    if (values > most)
      throw wrong(
        `${path}.type`,
        `a type that indexes the ${values} values of ${enumeration}`,
        `${type}, up to ${most}`,
      )
  }
  checkPipeline(
    attribute.filters.filters,
    { type, cell_val_num, formatVersion: version, picture: pictureOf(schema) },
    `${path}.filters`,
    cells,
  )
}

/** Attributes that hold dimension labels. @see tiledb/sm/array_schema/attribute.cc (validate_cell_val_num) */
function checkOrdered({ version, array_type, domain }: ArraySchema, attribute: Attribute, path: string): void {
  const { type, cell_val_num, nullable, order } = attribute
  if (version < 17) throw tooOld(`${path}.order`, 'ordered attributes', 17, version)
  if (array_type !== 'dense' || domain.dimensions.length !== 1)
    throw wrong(`${path}.order`, '"unordered" except in a dense array of one dimension', order)
  if (!isDimensionType(type))
    throw wrong(`${path}.type`, 'numbers, dates, times or STRING_ASCII in an ordered attribute', type)
  if (cell_val_num !== (type === 'STRING_ASCII' ? 'var' : 1))
    throw wrong(
      `${path}.cell_val_num`,
      `${type === 'STRING_ASCII' ? '"var"' : 1} in an ordered attribute`,
      String(cell_val_num),
    )
  if (nullable) throw wrong(`${path}.nullable`, 'false in an ordered attribute', 'true')
}

function checkType(type: Datatype, version: number, path: string): void {
  const since = TYPES_SINCE.find(([name]) => name.test(type))?.[1]
  if (since !== undefined && version < since) throw tooOld(path, type, since, version)
}

function checkPipeline(filters: readonly FilterConfig[], field: FilteredField, path: string, cells: boolean): void {
  const why = refusal(filters, field) ?? (cells ? writingRefusal(filters, field) : undefined)
  if (why !== undefined) throw usage(why, { field: path })
}

function wrong(field: string, expected: string, found: string): InspectError {
  return usage(`expected ${expected}, found ${found}`, { field })
}

function tooOld(field: string, what: string, since: number, version: number): InspectError {
  return usage(`${what} exist since format version ${since}, found format version ${version}`, {
    field,
  })
}
