import type { CellValNum } from './cell-val-num.ts'
import { type Datatype, datatypeSize } from './datatype.ts'
import type { Describe, Io } from './io.ts'

/** The properties of a dimension that decide the layout of its ranges. */
export interface RangeType {
  type: Datatype
  cell_val_num: CellValNum
}

/**
 * An inclusive range of one dimension, as raw values: `sizeof(type)` bytes each, or any length for string dimensions.
 */
export interface Range {
  min: Uint8Array
  max: Uint8Array
}

/** One {@link Range} for each dimension, in schema order: a non-empty domain, an MBR, a current domain. */
export type NDRange = Range[]

/** Returns the bytes of one value of a fixed-sized dimension; undefined for a var-sized one. */
export function fixedSize(dimension: RangeType): number | undefined {
  return dimension.cell_val_num === 'var' ? undefined : datatypeSize(dimension.type) * dimension.cell_val_num
}

/** Returns the bytes of one n-dimensional range; undefined if a dimension is var-sized. */
export function ndRangeSize(dimensions: readonly RangeType[]): number | undefined {
  let bytes = 0
  for (const dimension of dimensions) {
    const size = fixedSize(dimension)
    if (size === undefined) return undefined
    bytes += 2 * size
  }
  return bytes
}

/**
 * One range of one dimension: min, then max. For var-sized dimensions the total length of both (uint64) and the length
 * of min (uint64) come first. An empty string has length 0.
 *
 * @see format_spec/fragment.md, "MBR" and "Non-empty domain"; var-sized since version 5
 */
export function range(dimension: RangeType): Describe<Range> {
  const size = fixedSize(dimension)
  return (io: Io<Range>) => {
    let minLength = size ?? 0
    let total = 2 * minLength
    if (size === undefined) {
      const both = (r: Range): number => r.min.length + r.max.length
      total = io.derive('range_length', 'uint64', both, 'bytes: of both values; absent for fixed-sized dimensions')
      minLength = io.derive(
        'min_length',
        'uint64',
        (r) => r.min.length,
        'bytes: of the lowest value; absent for fixed-sized dimensions',
      )
      io.require(minLength <= total, 'min_length', () => ({ expected: `at most ${total}`, found: minLength }))
    }
    return {
      min: io.bytes('min', minLength, 'lowest value, inclusive'),
      max: io.bytes('max', total - minLength, 'highest value, inclusive'),
    }
  }
}

/** One range for each dimension, without a count. */
export function ndRange(dimensions: readonly (RangeType & { name?: string })[]): Describe<NDRange> {
  const ranges = dimensions.map(range)
  const names = dimensions.map((dimension, i) => dimension.name ?? String(i))
  return (io) => io.tuple(ranges, names)
}
