import { element } from '../base/element.ts'
import { unexpected } from '../base/errors.ts'
import { limits64 } from '../base/limits64.ts'
import { compareBytes } from '../filters/bytes.ts'
import { type Datatype, datatypeKind, isSignedInteger } from '../format/datatype.ts'
import { countAt } from '../format/datetime.ts'
import type { NDRange, RangeType } from '../format/range.ts'
import { bytesOf, cellReader, isDatetime } from '../format/value.ts'
import type { ColumnData } from './column.ts'
import { isWide, numberOf, numbersOf, uint32LanesOf } from './elements.ts'

/** Bounds of one dimension, inclusive; undefined means no limit. */
export interface Bounds {
  low: Comparable | undefined
  high: Comparable | undefined
  /** An upper end that is not included itself. */
  below?: Comparable | undefined
  /** Whether NaN counts as inside. */
  nan?: boolean | undefined
}

/** Wanted ranges by the index of the dimension. A cell must lie in one range of each dimension that is listed. */
export type RangeSets = ReadonlyMap<number, readonly Bounds[]>

export type Comparable = number | bigint | Uint8Array

/**
 * An end of a range: a number, a text, or a date as a `Date`, as ISO text or as a count of its unit; undefined for an open end. A `Date` is a
 * point in time: a range has the units that begin from the first to the last.
 */
export type RangeEnd = number | bigint | string | Uint8Array | Date | undefined

/**
 * The bounds of a range, both ends included.
 * @returns `swapped` if the range ends before it begins
 * @throws InspectError BAD_VALUE if an end is no value of the type
 */
export function rangeBounds(type: Datatype, from: RangeEnd, to: RangeEnd): Bounds | 'swapped' {
  const low = from === undefined ? undefined : endValue(type, from, 'up')
  const high = to === undefined ? undefined : endValue(type, to, 'down')
  if (low === undefined || high === undefined || compare(low, high) <= 0) return { low, high }
  if (from instanceof Date && Number(from) === Number(to))
    throw unexpected(`a point in time at which a unit of ${type} begins`, dateText(from))
  return 'swapped'
}

/** @param round which unit counts for a point in time inside a unit */
function endValue(type: Datatype, end: NonNullable<RangeEnd>, round: 'down' | 'up'): Comparable {
  const value = end instanceof Date ? dateCount(type, end, round) : end
  return comparable(type, bytesOf(type, datatypeKind(type) === 'text' ? 'var' : 1, value))
}

function dateCount(type: Datatype, date: Date, round: 'down' | 'up'): bigint {
  if (!isDatetime(type)) throw unexpected(`a value of ${type}`, 'a date')
  if (Number.isNaN(Number(date))) throw unexpected('a date', dateText(date))
  return countAt(type, Number(date), round)
}

function dateText(date: Date): string {
  return Number.isNaN(Number(date)) ? 'an invalid date' : date.toISOString()
}

/** The wanted ranges of one range for each dimension. */
export function oneRangeEach(bounds: ReadonlyMap<number, Bounds>): RangeSets {
  return new Map(Array.from(bounds, ([d, range]) => [d, [range]]))
}

/** A raw value in a form that {@link compare} takes. */
export function comparable(type: Datatype, bytes: Uint8Array): Comparable {
  return comparableReader(type)(bytes)
}

/** The function that makes values of one type {@link comparable}. */
export function comparableReader(type: Datatype): (bytes: Uint8Array) => Comparable {
  if (datatypeKind(type) === 'text') return (bytes) => bytes
  // The exact value. A printed value may be a shorter number, or the bits of a NaN.
  if (datatypeKind(type) === 'float') return (bytes) => numberOf(type, bytes)
  const read = cellReader(type, 1, { raw: true })
  return (bytes) => {
    const value = read(bytes, 0, bytes.length)
    if (typeof value === 'number' || typeof value === 'bigint' || value instanceof Uint8Array) return value
    throw new TypeError(`${type} is no dimension type`)
  }
}

/** Compares two values: the result is below 0, 0 or above 0. Bytes compare one by one. */
export function compare(a: Comparable, b: Comparable): number {
  if (a instanceof Uint8Array && b instanceof Uint8Array) return compareBytes(a, b)
  if (a < b) return -1
  return a > b ? 1 : 0
}

/** The function that tells whether an n-dimensional range (an MBR or non-empty domain) overlaps the bounds. */
export function rangeFilter(
  dimensions: readonly RangeType[],
  bounds: ReadonlyMap<number, Bounds>,
): (range: NDRange) => boolean {
  const overlapOf = rangeOverlap(dimensions, oneRangeEach(bounds))
  return (range) => overlapOf(range) !== 'none'
}

/** How many of the cells in a box (an MBR or a non-empty domain) can lie in the wanted ranges. */
export type Overlap = 'none' | 'some' | 'all'

/** The function that compares boxes with the ranges. */
export function rangeOverlap(dimensions: readonly RangeType[], sets: RangeSets): (box: NDRange) => Overlap {
  return (box) => {
    let whole = true
    for (const [d, ranges] of sets) {
      const { type } = element(dimensions, d)
      const side = element(box, d)
      const [min, max] = [comparable(type, side.min), comparable(type, side.max)]
      // A box with NaN says nothing: TileDB forgets the earlier values at each NaN.
      if (Number.isNaN(min) || Number.isNaN(max)) {
        whole = false
        continue
      }
      if (!ranges.some((range) => isInside(min, range) && isInside(max, range))) whole = false
      if (
        !whole &&
        !ranges.some(
          ({ low, ...ends }) => isInside(max, { low, high: undefined }) && isInside(min, { low: undefined, ...ends }),
        )
      )
        return 'none'
    }
    return whole ? 'all' : 'some'
  }
}

/** Whether a value lies within the bounds. NaN lies outside of all bounds that have an end, unless they include it. */
function isInside(value: Comparable, { low, high, below, nan }: Bounds): boolean {
  if (low === undefined && high === undefined && below === undefined) return true
  if (Number.isNaN(value)) return nan === true
  if (low !== undefined && compare(value, low) < 0) return false
  if (high !== undefined && compare(value, high) > 0) return false
  return below === undefined || compare(value, below) < 0
}

/**
 * Finds the cells that lie in the wanted ranges.
 * @param columns columns of the dimensions
 * @returns positions of the cells, rising; undefined if all lie inside
 */
export function rowsInside(
  dimensions: readonly RangeType[],
  columns: readonly ColumnData[],
  count: number,
  sets: RangeSets,
): Uint32Array | undefined {
  let inside: Uint8Array | undefined
  for (const [d, ranges] of sets) {
    const hits = new Uint8Array(count)
    for (const range of ranges) markInside(element(dimensions, d).type, element(columns, d), range, hits)
    if (inside) for (let i = 0; i < count; i++) if (inside[i] === 0) hits[i] = 0
    inside = hits
    // If no cell is left, the other dimensions need not be compared.
    if (count > 0 && !inside.includes(1)) return new Uint32Array(0)
  }
  return inside && markedRows(inside)
}

/** Positions of the marks that are set; undefined if all are set. */
function markedRows(marks: Uint8Array): Uint32Array | undefined {
  const rows = new Uint32Array(marks.length)
  let kept = 0
  for (let i = 0; i < marks.length; i++) if (marks[i] !== 0) rows[kept++] = i
  return kept === marks.length ? undefined : rows.subarray(0, kept)
}

const INFINITY = Number.POSITIVE_INFINITY

/** {@link markInside} for 8-byte integers. It compares their halves, as a bigint for each takes ten times as long. */
function markWide(signed: boolean, data: Uint8Array, { low, high, below }: Bounds, marks: Uint8Array): void {
  const [min, max] = limits64(signed)
  const least = (low ?? min) as bigint
  const most =
    below !== undefined && (high === undefined || below <= high) ? (below as bigint) - 1n : ((high ?? max) as bigint)
  if (most < least) return
  const lanes = uint32LanesOf(data)
  const [leastHigh, leastLow] = [Number(least >> 32n), Number(BigInt.asUintN(32, least))]
  const [mostHigh, mostLow] = [Number(most >> 32n), Number(BigInt.asUintN(32, most))]
  for (let i = 0; i < marks.length; i++) {
    const lane = lanes[2 * i + 1] ?? 0
    const upper = signed ? lane | 0 : lane
    if (upper < leastHigh || upper > mostHigh) continue
    const lower = lanes[2 * i] ?? 0
    if ((upper > leastHigh || lower >= leastLow) && (upper < mostHigh || lower <= mostLow)) marks[i] = 1
  }
}

/** Sets the marks of the cells that lie in a range. */
function markInside(type: Datatype, { data, starts }: ColumnData, range: Bounds, marks: Uint8Array): void {
  if (starts) {
    for (let i = 0; i < marks.length; i++) if (isInside(data.subarray(starts[i], starts[i + 1]), range)) marks[i] = 1
    return
  }
  const { low, high, below, nan } = range
  if (isWide(type)) {
    markWide(isSignedInteger(type), data, range, marks)
    return
  }
  const values = numbersOf(type, data)
  const all = low === undefined && high === undefined && below === undefined
  const [least, most, under] = [low ?? -INFINITY, high ?? INFINITY, below] as [number, number, number | undefined]
  for (let i = 0; i < marks.length; i++) {
    const value = values[i] ?? Number.NaN
    const inside = value >= least && value <= most && (under === undefined || value < under)
    if (all || inside || (nan && Number.isNaN(value))) marks[i] = 1
  }
}
