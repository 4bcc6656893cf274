import type { ArraySchema } from '../../src/format/array-schema.ts'
import type { Attribute } from '../../src/format/attribute.ts'
import type { CellValNum } from '../../src/format/cell-val-num.ts'
import { DATATYPES, type Datatype, datatypeSize } from '../../src/format/datatype.ts'
import type { ConditionNode } from '../../src/format/delete-condition.ts'
import type { Dimension } from '../../src/format/dimension.ts'
import type { DimensionLabel } from '../../src/format/dimension-label.ts'
import {
  type FilterConfig,
  type FilterPipeline,
  filterTypeCoding,
  isCompressor,
  OPTIONS,
  storedOptions,
  WEBP_PADDING_BYTES,
} from '../../src/format/filter-pipeline.ts'
import { type FragmentFooter, fragmentFooter } from '../../src/format/fragment-footer.ts'
import type { FragmentMetadataV1 } from '../../src/format/fragment-metadata-v1.ts'
import { fragmentSlots } from '../../src/format/fragment-slots.ts'
import { type NDRange, ndRangeSize, type RangeType } from '../../src/format/range.ts'
import { levelOf, type RTree } from '../../src/format/rtree.ts'
import { anySize, anySizes, anyText, anyU64 } from './any-values.ts'
import type { Random } from './random.ts'
import { RandomIo } from './random-io.ts'

export { anySize, anyText, anyU64 }

/** Random values of the format's structures, as descriptions read them. Same seed, same values. */

export function many<T>(random: Random, most: number, one: (random: Random) => T): T[] {
  return Array.from({ length: random.below(most + 1) }, () => one(random))
}

export function anyDatatype(random: Random): Datatype {
  return random.pick(DATATYPES)
}

export function anyCellValNum(random: Random): CellValNum {
  return random.pick<CellValNum>([1, 2, 7, 0xfffffffe, 'var'])
}

/** Every filter type; numbers without one are left out. */
const FILTERS = Array.from({ length: 256 }, (_, i) => filterTypeCoding.decode(i)).filter((name) => name !== undefined)

export function anyFilter(version: number): (random: Random) => FilterConfig {
  return (random) => {
    const name: FilterConfig['name'] =
      random.below(12) === 0 ? random.pick(['UNKNOWN_17', 'UNKNOWN_200']) : random.pick(FILTERS)
    const filter: FilterConfig = { name }
    if (isCompressor(name) && random.below(6) === 0) filter.compressor = 99
    const io = new RandomIo(random)
    for (const option of storedOptions(name, version)) Object.assign(filter, { [option]: OPTIONS[option].read(io) })
    const hasOptions = isCompressor(name) || storedOptions(name, version).length > 0
    if (hasOptions && random.below(8) === 0) filter.options_length = 0
    if (name.startsWith('UNKNOWN_') && random.below(2) === 0) filter.extra = random.bytes(1 + random.below(5))
    if (name === 'WEBP') filter.extra = random.bytes(WEBP_PADDING_BYTES)
    return filter
  }
}

export function anyPipeline(version: number): (random: Random) => FilterPipeline {
  return (random) => ({
    max_chunk_size: random.pick([0, 65536, random.bits()]),
    filters: many(random, 4, anyFilter(version)),
  })
}

/** Dimensions of one schema: one type for all before version 5, strings since. */
export function anyDimensions(version: number, random: Random): Dimension[] {
  const common = anyDatatype(random)
  return Array.from({ length: 1 + random.below(3) }, (): Dimension => {
    const varSized = version >= 5 && random.below(3) === 0
    const type = varSized ? 'STRING_ASCII' : version < 5 ? common : anyDatatype(random)
    const size = datatypeSize(type)
    return {
      name: anyText(random),
      type,
      cell_val_num: varSized ? 'var' : 1,
      filters: version >= 5 ? anyPipeline(version)(random) : { max_chunk_size: 0, filters: [] },
      domain: random.bytes(varSized ? 0 : 2 * size),
      tile_extent: varSized || random.below(4) === 0 ? undefined : random.bytes(size),
    }
  })
}

function anyAttribute(version: number): (random: Random) => Attribute {
  return (random) => ({
    name: anyText(random),
    type: anyDatatype(random),
    cell_val_num: anyCellValNum(random),
    filters: anyPipeline(version)(random),
    fill_value: version >= 6 ? random.bytes(random.below(9)) : undefined,
    nullable: version >= 7 && random.below(2) === 1,
    fill_value_validity: version >= 7 && random.below(2) === 1,
    order: version >= 17 ? random.pick(['unordered', 'increasing', 'decreasing']) : 'unordered',
    enumeration: version >= 20 ? anyText(random) : '',
  })
}

export function anyLabel(random: Random): DimensionLabel {
  return {
    dimension_index: random.bits(),
    name: anyText(random),
    relative: random.below(2) === 1,
    uri: anyText(random),
    attribute: anyText(random),
    order: random.pick(['unordered', 'increasing', 'decreasing']),
    type: anyDatatype(random),
    cell_val_num: anyCellValNum(random),
    external: random.below(2) === 1,
  }
}

export function anySchema(version: number, random: Random): ArraySchema {
  const dimensions = anyDimensions(version, random)
  const range = random.below(2) === 1 ? anyRange(dimensions, random) : undefined
  return {
    version,
    allows_duplicates: version >= 5 && random.below(2) === 1,
    array_type: random.pick(['dense', 'sparse']),
    tile_order: random.pick(['row-major', 'col-major']),
    cell_order: random.pick(['row-major', 'col-major', 'hilbert']),
    capacity: anyU64(random),
    coords_filters: anyPipeline(version)(random),
    offsets_filters: anyPipeline(version)(random),
    validity_filters: version >= 7 ? anyPipeline(version)(random) : undefined,
    domain: { type: version < 5 ? dimensions[0].type : undefined, dimensions },
    attributes: many(random, 3, anyAttribute(version)),
    dimension_labels: version >= 18 ? many(random, 2, anyLabel) : [],
    enumerations: version >= 20 ? many(random, 2, (r) => ({ name: anyText(r), path_name: anyText(r) })) : [],
    current_domain: version >= 22 ? { version: 0, type: range && 'NDRECTANGLE', range } : undefined,
  }
}

export function anyRange(dimensions: readonly RangeType[], random: Random): NDRange {
  return dimensions.map(({ type, cell_val_num }) => {
    const size = (): number => (cell_val_num === 'var' ? random.below(7) : datatypeSize(type) * cell_val_num)
    return { min: random.bytes(size()), max: random.bytes(size()) }
  })
}

export function anyRTree(version: number, dimensions: readonly RangeType[], random: Random): RTree {
  const level = (): RTree['levels'][number] => {
    const mbrs = many(random, 100, () => anyRange(dimensions, random))
    return levelOf(mbrs, dimensions)
  }
  return {
    fanout: random.bits(),
    dim_num: version < 5 ? random.bits() : undefined,
    type: version < 5 ? anyDatatype(random) : undefined,
    levels: many(random, 3, level),
  }
}

export function anyFooter(version: number, schema: ArraySchema, random: Random): FragmentFooter {
  const nonempty_domain = anyRange(schema.domain.dimensions, random)
  return fragmentFooter(schema)(new RandomIo(random, { version, nonempty_domain }))
}

/** Versions 1 and 2. */
export function anyMetadataV1(version: number, schema: ArraySchema, random: Random): FragmentMetadataV1 {
  const dimensions = schema.domain.dimensions
  const n = fragmentSlots(version, schema).length
  const boxes = random.below(4)
  const boxBytes = ndRangeSize(dimensions) ?? 0
  const list = (): { values: Float64Array } => ({ values: anySizes(random, random.below(5)) })
  return {
    version,
    nonempty_domain: random.below(3) === 0 ? undefined : anyRange(dimensions, random),
    mbr_num: boxes,
    mbrs: random.bytes(boxes * boxBytes),
    bounding_coords_num: boxes,
    bounding_coords: random.bytes(boxes * boxBytes),
    tile_offsets: Array.from({ length: n }, list),
    tile_var_offsets: Array.from({ length: n - 1 }, list),
    tile_var_sizes: Array.from({ length: n - 1 }, list),
    last_tile_cell_num: anyU64(random),
    file_sizes: anySizes(random, n),
    file_var_sizes: anySizes(random, n - 1),
  }
}

/** A condition tree; NOT nodes, sets and tests for null are in it. */
export function anyCondition(random: Random, depth = 0): ConditionNode {
  if (depth < 4 && random.below(2) === 0) {
    const op = random.pick(['AND', 'OR', 'NOT'] as const)
    const count = op === 'NOT' ? 1 : random.below(4)
    return { node: 'expression', op, children: Array.from({ length: count }, () => anyCondition(random, depth + 1)) }
  }
  const op = random.pick(['LT', 'LE', 'GT', 'GE', 'EQ', 'NE', 'IN', 'NOT_IN', 'ALWAYS_TRUE', 'ALWAYS_FALSE'] as const)
  const members = op === 'IN' || op === 'NOT_IN' ? random.below(5) : undefined
  return {
    node: 'value',
    op,
    field: anyText(random),
    value: random.bytes(members === undefined ? random.below(9) : members * 4),
    offsets: members === undefined ? undefined : Float64Array.from({ length: members }, (_, i) => i * 4),
  }
}
