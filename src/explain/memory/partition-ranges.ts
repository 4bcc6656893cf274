import { rising } from '../../base/rising.ts'
import { type Comparable, comparable, compare, type RangeSets } from '../../cells/bounds.ts'
import type { ColumnData } from '../../cells/column.ts'
import { hilbertBits, hilbertValues } from '../../cells/hilbert.ts'
import { type Datatype, datatypeKind, datatypeSize, isSignedInteger } from '../../format/datatype.ts'
import type { Dimension } from '../../format/dimension.ts'
import { bytesOf } from '../../format/value.ts'
import { RELEASE } from './release.ts'

/**
 * How TileDB halves ranges whose cells do not fit into the buffers or the memory of a query.
 *
 * @see tiledb/sm/subarray/subarray_partitioner.cc; Dimension::splitting_value, split_range, overlap_ratio
 */

/** A range of a dimension, ends included. An empty text as an end means no limit. */
export interface PartitionRange {
  low: Comparable
  high: Comparable
  /** Number of times that it was halved. */
  depth: number
}

/** Ranges of each dimension. Every combination of one range per dimension is an n-dimensional range. */
export interface RangeBox {
  /** By dimension. */
  intervals: readonly (readonly PartitionRange[])[]
  /** By dimension: whether the query has a range. If not, the only range is the domain. */
  limited: readonly boolean[]
}

const NO_TEXT = new Uint8Array(0)
const LAST_TEXT = new Uint8Array(8).fill(0x7f)

/** The ranges of a query as a box. TileDB joins adjacent ranges of integers. */
export function boxOf(dimensions: readonly Dimension[], ranges: RangeSets): RangeBox {
  const limited = dimensions.map(
    (_, d) => ranges.get(d)?.every(({ low, high }) => low !== undefined || high !== undefined) === true,
  )
  const intervals = dimensions.map((dimension, d): PartitionRange[] => {
    const whole = wholeOf(dimension)
    const joined: PartitionRange[] = []
    for (const { low = whole.low, high = isEmpty(whole.high) ? LAST_TEXT : whole.high } of ranges.get(d) ?? []) {
      const last = joined.at(-1)
      if (last && isInteger(dimension.type) && compare(after(dimension.type, last.high), low) === 0) last.high = high
      else joined.push({ low, high, depth: 0 })
    }
    return limited[d] ? joined : [whole]
  })
  return { intervals, limited }
}

export function rangesOf({ intervals, limited }: RangeBox): RangeSets {
  return new Map(intervals.flatMap((own, d) => (limited[d] ? [[d, own] as const] : [])))
}

function wholeOf({ type, domain }: Dimension): PartitionRange {
  const size = datatypeSize(type)
  if (datatypeKind(type) === 'text') return { low: NO_TEXT, high: NO_TEXT, depth: 0 }
  return { low: comparable(type, domain.subarray(0, size)), high: comparable(type, domain.subarray(size)), depth: 0 }
}

function isEmpty(value: Comparable): boolean {
  return value instanceof Uint8Array && value.length === 0
}

/** Whether a range has exactly one value. */
function isPoint({ low, high }: PartitionRange): boolean {
  return compare(low, high) === 0 && !isEmpty(low)
}

/** Number of n-dimensional ranges. */
export function rangeNum({ intervals }: RangeBox): number {
  return intervals.reduce((product, { length }) => product * length, 1)
}

/** Dimensions, the slowest-varying first. */
export type DimensionOrder = readonly number[]

/** The position of an n-dimensional range in each dimension. */
export function rangePlaces({ intervals }: RangeBox, index: number, order: DimensionOrder): number[] {
  const places = intervals.map(() => 0)
  let left = index
  for (const d of order.toReversed()) {
    places[d] = left % intervals[d].length
    left = Math.floor(left / intervals[d].length)
  }
  return places
}

/** The inverse of {@link rangePlaces}. */
export function rangeIndex({ intervals }: RangeBox, places: readonly number[], order: DimensionOrder): number {
  return order.reduce((index, d) => index * intervals[d].length + places[d], 0)
}

/** The part of a box between two n-dimensional ranges, both included. @param first @param last their positions in each dimension */
export function boxBetween(box: RangeBox, first: readonly number[], last: readonly number[]): RangeBox {
  return { ...box, intervals: box.intervals.map((own, d) => own.slice(first[d], last[d] + 1)) }
}

/**
 * Halves a box as TileDB does.
 * @returns the halves in the order in which they are read; undefined if TileDB cannot halve the box
 */
export function halves(
  dimensions: readonly Dimension[],
  box: RangeBox,
  order: DimensionOrder,
  hilbert: boolean,
): [RangeBox, RangeBox] | undefined {
  const { intervals } = box
  if (intervals.every((own) => own.length === 1 && isPoint(own[0]))) return undefined
  if (rangeNum(box) > 1) {
    const d = order.find((one) => intervals[one].length > 1 || !isPoint(intervals[one][0])) as number
    const own = intervals[d]
    if (own.length === 1) return splitAfter(dimensions, box, d, middle(dimensions[d].type, own[0]))
    const half = Math.floor((own.length - 1) / 2) + 1
    return [replaced(box, d, own.slice(0, half)), replaced(box, d, own.slice(half))]
  }
  if (hilbert) return hilbertHalves(dimensions, box)
  for (const d of order) {
    const value = isPoint(intervals[d][0]) ? undefined : middle(dimensions[d].type, intervals[d][0])
    if (value !== undefined) return splitAfter(dimensions, box, d, value)
  }
  return undefined
}

function replaced({ intervals, limited }: RangeBox, d: number, own: readonly PartitionRange[]): RangeBox {
  return { intervals: intervals.with(d, own), limited: limited.with(d, true) }
}

/** Splits the only range of a dimension after a value. @returns undefined if there is no such value */
function splitAfter(
  dimensions: readonly Dimension[],
  box: RangeBox,
  d: number,
  value: Comparable | undefined,
): [RangeBox, RangeBox] | undefined {
  if (value === undefined) return undefined
  const [{ low, high, depth }] = box.intervals[d]
  const { type } = dimensions[d]
  const [end, start] = value instanceof Uint8Array ? textEnds(value) : [value, after(type, value)]
  const part = (from: Comparable, to: Comparable): RangeBox =>
    replaced(box, d, [{ low: from, high: to, depth: depth + 1 }])
  return [part(isEmpty(low) ? Uint8Array.of(0) : low, end), part(start, isEmpty(high) ? Uint8Array.of(0x7f) : high)]
}

/** The end of the first half and the start of the second. @param value has a byte of 0x80 or more, which stands for every continuation */
function textEnds(value: Uint8Array): [Uint8Array, Uint8Array] {
  const at = value.findIndex((byte) => byte >= 0x80)
  const end = value.slice(0, at + 1)
  end[at] = 0x7f
  const start = value.slice()
  let last = at
  do start[--last]++
  while (last > 0 && start[last] >= 0x80)
  return [end, start.slice(0, last + 1)]
}

/** The value after which TileDB splits a range; undefined if it does not split it. */
function middle(type: Datatype, { low, high, depth }: PartitionRange): Comparable | undefined {
  if (low instanceof Uint8Array && high instanceof Uint8Array) return textMiddle(low, high, depth)
  if (typeof low === 'bigint' && typeof high === 'bigint') return low + (high - low) / 2n
  const [from, to] = [Number(low), Number(high)]
  const value = middleNumber(type, from, to)
  return value === to ? undefined : value
}

/** The middle in the arithmetic of C++ for this type. */
function middleNumber(type: Datatype, from: number, to: number): number {
  if (type === 'FLOAT64') return from + (to / 2 - from / 2)
  if (type === 'FLOAT32') return Math.fround(from + (to - from) / 2)
  return from + Math.floor((to - from) / 2)
}

function textMiddle(low: Uint8Array, high: Uint8Array, depth: number): Uint8Array | undefined {
  const common = commonPrefix(low, high)
  if (depth >= RELEASE.splitting.max_text_depth || (high.length > 0 && (high[common] ?? 0) === 0)) return undefined
  const from = low[common] ?? 0
  const to = high.length === 0 ? 0x7f : high[common]
  return Uint8Array.of(...low.subarray(0, common), from + Math.trunc((to - from) / 2), 0x80)
}

/** Number of bytes that two texts have in common at their start. */
function commonPrefix(a: Uint8Array, b: Uint8Array): number {
  const most = Math.min(a.length, b.length)
  let at = 0
  while (at < most && a[at] === b[at]) at++
  return at
}

function isInteger(type: Datatype): boolean {
  return datatypeKind(type) !== 'text' && datatypeKind(type) !== 'float'
}

/** Number of values in a range: Infinity for floats and texts. */
export function valueNum(type: Datatype, { low, high }: PartitionRange): number {
  if (!isInteger(type)) return Number.POSITIVE_INFINITY
  return typeof low === 'bigint' && typeof high === 'bigint' ? Number(high - low) + 1 : Number(high) - Number(low) + 1
}

/** The next value of a type. */
function after(type: Datatype, value: Comparable): Comparable {
  if (typeof value === 'bigint') return value + 1n
  if (type === 'FLOAT32' || type === 'FLOAT64') return neighbour(type, Number(value), 1)
  return Number(value) + 1
}

/** The next or the previous number of a float type. */
function neighbour(type: Datatype, value: number, step: 1 | -1): number {
  const [floats, bits] = type === 'FLOAT32' ? [new Float32Array(1), Int32Array] : [new Float64Array(1), BigInt64Array]
  floats[0] = value
  const raw = new bits(floats.buffer as ArrayBuffer)
  const up = value > 0 === step > 0 ? 1 : -1
  if (value === 0) floats[0] = step * (type === 'FLOAT32' ? 2 ** -149 : Number.MIN_VALUE)
  else if (raw instanceof BigInt64Array) raw[0] += BigInt(up)
  else raw[0] += up
  return floats[0]
}

/**
 * Halves a box along the Hilbert curve. It splits one dimension at the highest bit in which the two ends differ: the dimension whose
 * other half the curve enters last.
 */
function hilbertHalves(dimensions: readonly Dimension[], box: RangeBox): [RangeBox, RangeBox] | undefined {
  const bits = hilbertBits(dimensions.length)
  const ends = box.intervals.map(([{ low, high }]) => [low, isEmpty(high) ? LAST_TEXT : high] as const)
  const buckets = ends.map((own, d) => own.map((end) => bucketOf(dimensions[d], end, bits)))
  const wide = buckets.flatMap(([low, high], d) => (low === high ? [] : [d]))
  if (wide.length === 0) return undefined
  // The corners of the box: 0 for the lower end of a dimension, 1 for the upper.
  const corners = Array.from({ length: 2 ** wide.length }, (_, n) =>
    dimensions.map((_, d) => (n >> (wide.length - 1 - wide.indexOf(d))) & (wide.includes(d) ? 1 : 0)),
  )
  const place = (corner: readonly number[]): bigint => {
    const columns = corner.map((side, d) => columnOf(dimensions[d], ends[d][side]))
    const [high, low] = hilbertValues(dimensions, columns, 1, 'difference')
    return (BigInt(high[0]) << 32n) | BigInt(low[0])
  }
  const ordered = corners
    .map((corner) => ({ corner, at: place(corner) }))
    .sort((a, b) => rising(a.at, b.at) || rising(a.corner.join(), b.corner.join()))
  let left = wide
  for (const { corner } of ordered.slice(1)) {
    if (left.length === 1) break
    const differs = corner.findIndex((side, d) => side !== ordered[0].corner[d])
    left = left.filter((d) => d !== differs)
  }
  const [d] = left
  const [low, high] = buckets[d]
  const bit = BigInt((low ^ high).toString(2).length - 1)
  const value = fromBucket(dimensions[d], ((high >> bit) << bit) - 1n, bits)
  const start = box.intervals[d][0].low
  if (!isEmpty(start) && compare(value, start) < 0) return undefined
  const parts = splitAfter(dimensions, box, d, value)
  const end = box.intervals[d][0].high
  // Buckets of wide domains are rounded: the value may be the end of the range, and halving it would never end.
  if (parts && !isEmpty(end) && compare(parts[0].intervals[d][0].high, end) >= 0) return undefined
  const far = dimensions.map((_, one) => (one === d ? 1 : 0))
  return parts && (place(far.map(() => 0)) < place(far) ? parts : [parts[1], parts[0]])
}

function columnOf({ type }: Dimension, value: Comparable): ColumnData {
  if (value instanceof Uint8Array) return { data: value, starts: Float64Array.of(0, value.length), validity: undefined }
  return { data: bytesOf(type, 1, value), starts: undefined, validity: undefined }
}

/** The bucket of a value on the axis of the Hilbert curve. @see Dimension::map_to_uint64_2 */
function bucketOf({ type, domain }: Dimension, value: Comparable, bits: number): bigint {
  if (value instanceof Uint8Array) {
    let key = 0n
    for (let i = 0; i < 8; i++) key = (key << 8n) | BigInt(value[i] ?? 0)
    return key >> BigInt(64 - bits)
  }
  const [start, range] = startAndRange(type, domain)
  return BigInt(Math.trunc(((Number(value) - start) / range) * Number(2n ** BigInt(bits) - 1n)))
}

/** The last value of a bucket on the axis of the Hilbert curve. @see Dimension::map_from_uint64 */
function fromBucket({ type, domain }: Dimension, bucket: bigint, bits: number): Comparable {
  if (datatypeKind(type) === 'text') {
    const key = bucket << BigInt(64 - bits)
    const bytes = Array.from({ length: 8 }, (_, i) => Number((key >> BigInt(56 - 8 * i)) & 0xffn))
    const high = bytes.findIndex((byte) => byte >= 0x80)
    return Uint8Array.of(...(high < 0 ? bytes : bytes.slice(0, high)), 0x80)
  }
  const [start, range] = startAndRange(type, domain)
  const share = (Number(bucket + 1n) / Number(2n ** BigInt(bits) - 1n)) * range
  if (type === 'FLOAT32') return Math.fround(neighbour(type, Math.fround(share), -1) + start)
  if (type === 'FLOAT64') return neighbour(type, share, -1) + start
  const first = comparable(type, domain.subarray(0, datatypeSize(type)))
  const offset = Math.ceil(share - 1)
  return typeof first === 'bigint' ? first + BigInt(offset) : Number(first) + offset
}

function startAndRange(type: Datatype, domain: Uint8Array): [start: number, range: number] {
  const size = datatypeSize(type)
  const [start, end] = [domain.subarray(0, size), domain.subarray(size)].map((one) => Number(comparable(type, one)))
  return [start, end - start]
}

/**
 * Estimates which share of a tile's box lies in a range, as TileDB does: 0 only for none, 1 only for all of it. For texts TileDB compares a
 * single byte.
 *
 * @param min @param max ends of the tile's box
 */
export function overlapRatio(type: Datatype, { low, high }: PartitionRange, min: Comparable, max: Comparable): number {
  if (compare(low, max) > 0 || compare(high, min) < 0) return 0
  if (min instanceof Uint8Array) return textRatio(low as Uint8Array, high as Uint8Array, min, max as Uint8Array)
  if (compare(low, min) <= 0 && compare(max, high) <= 0) return 1
  let ends = [compare(low, min) > 0 ? low : min, compare(high, max) < 0 ? high : max, min, max]
  // TileDB halves the ends, so that the differences do not overflow.
  const [least, most] = limitsOf(type)
  if (Number(max) > most / 2 || Number(min) < least / 2)
    ends = ends.map((end) => {
      if (typeof end === 'bigint') return end / 2n
      return isInteger(type) ? Math.trunc(Number(end) / 2) : Number(end) / 2
    })
  const one = isInteger(type) ? 1 : 0
  const [from, to, first, last] = ends
  const length = (a: Comparable, b: Comparable): number =>
    typeof a === 'bigint' && typeof b === 'bigint' ? Number(b - a + BigInt(one)) : Number(b) - Number(a) + one
  const all = length(first, last)
  if (all === 0) return 0.5
  const ratio = length(from, to) / all
  if (ratio === 0) return Number.MIN_VALUE
  return ratio === 1 ? 1 - 2 ** -53 : ratio
}

/** The limits beyond which TileDB halves the ends of a range. */
function limitsOf(type: Datatype): [least: number, most: number] {
  if (type === 'FLOAT32') return [-3.4028234663852886e38, 3.4028234663852886e38]
  if (type === 'FLOAT64') return [-Number.MAX_VALUE, Number.MAX_VALUE]
  const bits = 8 * datatypeSize(type)
  // No end of an unsigned type is too low.
  return isSignedInteger(type) ? [-(2 ** (bits - 1)), 2 ** (bits - 1) - 1] : [0, 2 ** bits - 1]
}

/** {@link overlapRatio} for texts. Bytes are signed, as in TileDB. */
function textRatio(low: Uint8Array, high: Uint8Array, min: Uint8Array, max: Uint8Array): number {
  const signed = (byte: number): number => (byte < 0x80 ? byte : byte - 0x100)
  const same = (a: Uint8Array, b: Uint8Array): boolean => compare(a, b) === 0
  const isOne = same(min, max) && min.length > 0
  const common = isOne ? 0 : commonPrefix(min, max)
  const span = (from: Uint8Array, to: Uint8Array): number => signed(to[common] ?? 0) - signed(from[common] ?? 0) + 1
  const all = isOne ? 1 : span(min, max)
  const from = compare(low, min) > 0 ? low : min
  const to = compare(high, max) < 0 ? high : max
  const ratio = (same(from, to) ? 1 : span(from, to)) / all
  return ratio === 1 && !(same(from, min) && same(to, max)) ? 1 - 2 ** -53 : ratio
}
