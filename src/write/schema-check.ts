import { InspectError } from '../errors.ts'
import type { ArraySchema } from '../format/array-schema.ts'
import type { Attribute } from '../format/attribute.ts'
import { type Datatype, datatypeKind, datatypeSize } from '../format/datatype.ts'
import { integerOf } from '../format/dense-tiles.ts'
import type { Dimension } from '../format/dimension.ts'
import type { Enumeration } from '../format/enumeration.ts'
import type { FilterConfig } from '../format/filter-pipeline.ts'
import { type FilteredField, refusal } from './filter-options.ts'
import type { SchemaParts } from './schema-document.ts'

/** Format versions that write-sample makes. 1 and 2 are readable only; no release opens 23. */
export const OLDEST_WRITTEN = 3
export const NEWEST_STABLE = 22
export const EXPERIMENTAL = 23

export const ENUMERATIONS_SINCE = 20

/** Extents of the picture that a tile is for WEBP; undefined where tiles are none. */
export function pictureOf(schema: Pick<ArraySchema, 'array_type' | 'domain'>): FilteredField['picture'] {
  const { dimensions } = schema.domain
  if (schema.array_type !== 'dense' || dimensions.length !== 2) return undefined
  const [y, x] = dimensions
  if (!y.tile_extent || !x.tile_extent || y.type !== x.type) return undefined
  return { height: Number(integerOf(y.type, y.tile_extent)), width: Number(integerOf(x.type, x.tile_extent)) }
}

/**
 * Refuses what TileDB refuses when an array is made, and what the format version cannot store.
 *
 * @throws InspectError USAGE with the path of the key in the schema's document
 * @see tiledb/sm/array_schema/array_schema.cc (check)
 */
export function checkSchema({ schema, enumerations }: SchemaParts): void {
  const { version, attributes, domain } = schema
  const dimensions = domain.dimensions
  if (dimensions.length === 0) throw wrong('dimensions', 'at least one dimension', 'none')
  if (schema.array_type === 'dense' && attributes.length === 0)
    throw wrong('attributes', 'at least one in a dense array', 'none')
  if (schema.capacity === 0n) throw wrong('capacity', 'at least 1', '0')
  checkNames(schema)
  checkOrders(schema)
  if (schema.allows_duplicates && schema.array_type === 'dense')
    throw wrong('allows_duplicates', 'false in a dense array', 'true')
  if (schema.allows_duplicates && version < 5) throw tooOld('allows_duplicates', 'duplicates', 5, version)
  for (const [i, dimension] of dimensions.entries()) checkDimension(schema, dimension, `dimensions.${i}`)
  for (const [i, attribute] of attributes.entries()) checkAttribute(schema, attribute, enumerations, `attributes.${i}`)
  if (enumerations.length > 0 && version < ENUMERATIONS_SINCE)
    throw tooOld('enumerations', 'enumerations', ENUMERATIONS_SINCE, version)
  checkPipeline(
    schema.offsets_filters.filters,
    { type: 'UINT64', cell_val_num: 1, formatVersion: version },
    'offsets_filters',
  )
  if (schema.validity_filters) {
    checkPipeline(
      schema.validity_filters.filters,
      { type: 'UINT8', cell_val_num: 1, formatVersion: version },
      'validity_filters',
    )
  }
}

function checkNames({ domain, attributes, version }: ArraySchema): void {
  const seen = new Set<string>()
  const fields = [
    ...domain.dimensions.map(({ name }, i) => ({ name, path: `dimensions.${i}.name` })),
    ...attributes.map(({ name }, i) => ({ name, path: `attributes.${i}.name` })),
  ]
  for (const { name, path } of fields) {
    if (seen.has(name)) throw wrong(path, 'a name of its own', `${JSON.stringify(name)} twice`)
    if (version < 8 && /[/\0]/.test(name))
      throw wrong(path, 'a name without "/" (formats up to 7 name files after fields)', JSON.stringify(name))
    seen.add(name)
  }
}

function checkOrders({ array_type, tile_order, cell_order, version }: ArraySchema): void {
  if (tile_order !== 'row-major' && tile_order !== 'col-major')
    throw wrong('tile_order', 'row-major or col-major', tile_order)
  if (cell_order === 'hilbert') {
    if (array_type === 'dense') throw wrong('cell_order', 'row-major or col-major in a dense array', 'hilbert')
    if (version < HILBERT_SINCE) throw tooOld('cell_order', 'Hilbert order', HILBERT_SINCE, version)
  } else if (cell_order !== 'row-major' && cell_order !== 'col-major') {
    throw wrong('cell_order', 'row-major, col-major or hilbert', cell_order)
  }
}

const HILBERT_SINCE = 7

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

function checkDimension(schema: ArraySchema, dimension: Dimension, path: string): void {
  const { version, array_type, domain } = schema
  const { type, cell_val_num, filters } = dimension
  const first = domain.dimensions[0].type
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
  const inherited = filters.filters.length === 0
  const field = { type, cell_val_num, formatVersion: version }
  if (!inherited) checkPipeline(filters.filters, field, `${path}.filters`)
  else if (array_type === 'sparse') checkCoordsFilters(schema, field)
}

/** Coordinate filters that a dimension inherits are checked less: only what could not be written is refused. */
function checkCoordsFilters({ coords_filters }: ArraySchema, field: FilteredField): void {
  checkPipeline(coords_filters.filters, field, 'coords_filters')
}

function checkDomain({ type, domain, tile_extent }: Dimension, path: string): void {
  const size = datatypeSize(type)
  const [low, high] = [domain.subarray(0, size), domain.subarray(size)]
  if (datatypeKind(type) === 'float') {
    const [lo, hi, extent] = [low, high, tile_extent].map((bytes) => (bytes ? floatOf(type, bytes) : undefined))
    if (lo === undefined || hi === undefined || !Number.isFinite(lo) || !Number.isFinite(hi) || lo > hi) {
      throw wrong(`${path}.domain`, 'finite numbers, the lower one first', `[${lo}, ${hi}]`)
    }
    if (extent !== undefined && !(extent > 0 && extent <= hi - lo + 1))
      throw wrong(`${path}.tile_extent`, `more than 0, at most ${hi - lo + 1}`, String(extent))
    return
  }
  const [lo, hi] = [integerOf(type, low), integerOf(type, high)]
  if (lo > hi) throw wrong(`${path}.domain`, 'the lower end first', `[${lo}, ${hi}]`)
  const signed = integerOf(type, new Uint8Array(size).fill(0xff)) < 0n
  const bits = BigInt(8 * size)
  const top = signed ? 2n ** (bits - 1n) - 1n : 2n ** bits - 1n
  if (size === 8 && hi - lo + 1n > 2n ** 64n - 1n)
    throw wrong(`${path}.domain`, 'fewer than 2^64 values', `${hi - lo + 1n}`)
  if (!tile_extent) return
  const extent = integerOf(type, tile_extent)
  if (extent <= 0n || extent > hi - lo + 1n)
    throw wrong(`${path}.tile_extent`, `from 1 to ${hi - lo + 1n}, the values of the domain`, String(extent))
  const end = lo + ((hi - lo) / extent + 1n) * extent - 1n
  if (end > top)
    throw wrong(`${path}.tile_extent`, `one whose last tile ends at most at ${top}`, `${extent}, which ends at ${end}`)
}

function floatOf(type: Datatype, bytes: Uint8Array): number {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  return type === 'FLOAT32' ? view.getFloat32(0, true) : view.getFloat64(0, true)
}

function checkAttribute(
  schema: ArraySchema,
  attribute: Attribute,
  enumerations: readonly Enumeration[],
  path: string,
): void {
  const { version } = schema
  const { type, cell_val_num, nullable, enumeration, order, fill_value } = attribute
  if (nullable && version < 7) throw tooOld(`${path}.nullable`, 'nullable attributes', 7, version)
  if (type === 'ANY' && cell_val_num !== 'var')
    throw wrong(`${path}.cell_val_num`, '"var" for ANY', String(cell_val_num))
  if (order !== 'unordered' && version < 17) throw tooOld(`${path}.order`, 'ordered attributes', 17, version)
  if (fill_value && fill_value.length === 0) throw wrong(`${path}.fill_value`, 'at least one byte', 'none')
  if (enumeration !== '') {
    if (version < ENUMERATIONS_SINCE) throw tooOld(`${path}.enumeration`, 'enumerations', ENUMERATIONS_SINCE, version)
    const kind = datatypeKind(type)
    if ((kind !== 'int' && kind !== 'uint') || cell_val_num !== 1)
      throw wrong(`${path}.type`, 'one integer a cell where there is an enumeration', type)
    if (!enumerations.some(({ name }) => name === enumeration)) {
      const names = enumerations.map(({ name }) => name).join(', ')
      throw wrong(
        `${path}.enumeration`,
        `an enumeration of the schema (${names || 'it has none'})`,
        JSON.stringify(enumeration),
      )
    }
  }
  checkPipeline(
    attribute.filters.filters,
    { type, cell_val_num, formatVersion: version, picture: pictureOf(schema) },
    `${path}.filters`,
  )
}

function checkPipeline(filters: readonly FilterConfig[], field: FilteredField, path: string): void {
  const why = refusal(filters, field)
  if (why !== undefined) throw new InspectError('USAGE', why, { field: path })
}

function wrong(field: string, expected: string, found: string): InspectError {
  return new InspectError('USAGE', `expected ${expected}, found ${found}`, { field })
}

function tooOld(field: string, what: string, since: number, version: number): InspectError {
  return new InspectError('USAGE', `${what} exist since format version ${since}, found format version ${version}`, {
    field,
  })
}
