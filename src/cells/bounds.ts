import { compareBytes } from '../filters/bytes.ts'
import { type Datatype, datatypeKind } from '../format/datatype.ts'
import type { NDRange, RangeType } from '../format/range.ts'
import { cellValue } from '../format/value.ts'

/** Bounds of one dimension, inclusive; undefined has no limit. Values compare as their type does. */
export interface Bounds {
  low: Comparable | undefined
  high: Comparable | undefined
}

/** The wanted ranges of each dimension that is limited, by its index. A cell must lie in one range of each. */
export type RangeSets = ReadonlyMap<number, readonly Bounds[]>

export type Comparable = number | bigint | Uint8Array

/** A raw value in a form that `<` can compare: a number, or bytes compared one by one. */
export function comparable(type: Datatype, bytes: Uint8Array): Comparable {
  if (datatypeKind(type) === 'text') return bytes
  const value = cellValue(type, 1, bytes, { raw: true })
  if (typeof value === 'number' || typeof value === 'bigint' || value instanceof Uint8Array) return value
  throw new TypeError(`${type} is no dimension type`)
}

/** Below 0, 0 or above 0. */
export function compare(a: Comparable, b: Comparable): number {
  if (a instanceof Uint8Array && b instanceof Uint8Array) return compareBytes(a, b)
  return a < b ? -1 : a > b ? 1 : 0
}

/** Whether an n-dimensional range (an MBR or non-empty domain) overlaps the bounds. */
export function rangeFilter(
  dimensions: readonly RangeType[],
  bounds: ReadonlyMap<number, Bounds>,
): (range: NDRange) => boolean {
  return (range) => {
    for (const [d, { low, high }] of bounds) {
      const { type } = dimensions[d]
      if (high !== undefined && compare(comparable(type, range[d].min), high) > 0) return false
      if (low !== undefined && compare(comparable(type, range[d].max), low) < 0) return false
    }
    return true
  }
}
