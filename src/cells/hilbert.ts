import { type Datatype, datatypeKind, datatypeSize } from '../format/datatype.ts'
import type { Dimension } from '../format/dimension.ts'
import type { ColumnData } from './column.ts'
import { isWide, lanesOf, numbersOf } from './elements.ts'

/** Bits of a Hilbert value. */
const HILBERT_BITS = 63

/** Bits for each dimension. @see tiledb/sm/misc/hilbert.h */
export function hilbertBits(dimensionNum: number): number {
  return Math.floor(HILBERT_BITS / dimensionNum)
}

/** How a dimension's range is computed. `count` is the number of values of an integer dimension, as in TileDB 2.2. */
export type HilbertRange = 'difference' | 'count'

/** Hilbert values as two lanes, the high lane first. */
export interface HilbertValues {
  high: Uint32Array
  low: Uint32Array
}

/**
 * Hilbert values of cells. Each coordinate is put into one of 2^bits buckets. Then the transpose form of the curve is
 * computed and its bits interleaved, the first dimension most significant.
 *
 * @see tiledb/sm/misc/hilbert.h (after J. Skilling, Programming the Hilbert curve, 2004); Dimension::map_to_uint64_2
 */
export function hilbertValues(
  dimensions: readonly Dimension[],
  columns: readonly ColumnData[],
  cellNum: number,
  rangeOf: HilbertRange = 'difference',
): HilbertValues {
  const bits = hilbertBits(dimensions.length)
  if (dimensions.length === 1) return lineValues(dimensions[0], columns[0], cellNum, rangeOf)
  const buckets = dimensions.map((dimension, d) => bucketsOf(dimension, columns[d], cellNum, bits, rangeOf))
  const high = new Uint32Array(cellNum)
  const low = new Uint32Array(cellNum)
  const point = new Int32Array(dimensions.length)
  for (let cell = 0; cell < cellNum; cell++) {
    for (let d = 0; d < point.length; d++) point[d] = buckets[d][cell]
    transpose(point, bits)
    let hi = 0
    let lo = 0
    for (let bit = bits - 1; bit >= 0; bit--) {
      for (let d = 0; d < point.length; d++) {
        hi = (hi << 1) | (lo >>> 31)
        lo = (lo << 1) | ((point[d] >>> bit) & 1)
      }
    }
    high[cell] = hi
    low[cell] = lo
  }
  return { high, low }
}

/** Converts coordinates of at most 31 bits, in place, to the transpose form of their Hilbert value. */
export function transpose(point: Int32Array, bits: number): void {
  const n = point.length
  for (let q = 1 << (bits - 1); q > 1; q >>>= 1) {
    const p = q - 1
    for (let i = 0; i < n; i++) {
      if (point[i] & q) point[0] ^= p
      else {
        const t = (point[0] ^ point[i]) & p
        point[0] ^= t
        point[i] ^= t
      }
    }
  }
  for (let i = 1; i < n; i++) point[i] ^= point[i - 1]
  const before = point[n - 1]
  for (let i = 1; i < bits; i <<= 1) point[n - 1] ^= point[n - 1] >>> i
  const t = before ^ point[n - 1]
  for (let i = 0; i < n - 1; i++) point[i] ^= t
}

/** First coordinate and range of a dimension, as float64. */
function startAndRange({ type, domain }: Dimension, rangeOf: HilbertRange): { start: number; range: number } {
  const size = datatypeSize(type)
  const start = doubles(type, domain.subarray(0, size), 1)[0]
  const range = doubles(type, domain.subarray(size), 1)[0] - start
  const counted = rangeOf === 'count' && datatypeKind(type) !== 'float'
  return { start, range: counted ? range + 1 : range }
}

function bucketsOf(
  dimension: Dimension,
  column: ColumnData,
  cellNum: number,
  bits: number,
  rangeOf: HilbertRange,
): Int32Array {
  const out = new Int32Array(cellNum)
  const { starts } = column
  if (starts) {
    for (let cell = 0; cell < cellNum; cell++) {
      out[cell] = textKey(column.data, starts[cell], starts[cell + 1]).high >>> (32 - bits)
    }
    return out
  }
  const { start, range } = startAndRange(dimension, rangeOf)
  const largest = 2 ** bits - 1
  const values = doubles(dimension.type, column.data, cellNum)
  for (let cell = 0; cell < cellNum; cell++) {
    const bucket = ((values[cell] - start) / range) * largest
    // NaN comes from a NaN coordinate or from a domain of one value. TileDB converts it to 2^63, which has none of these
    // bits.
    out[cell] = bucket > 0 ? Math.floor(bucket) : 0
  }
  return out
}

/**
 * The first eight bytes of a string, big-endian. TileDB sign-extends each byte, so a byte of 0x80 or more sets all bits above
 * its own. The order depends on this, so the same is done here.
 */
function textKey(data: Uint8Array, start: number, end: number): { high: number; low: number } {
  let high = 0
  let low = 0
  for (let i = 0; i < 8; i++) {
    high = (high << 8) | (low >>> 24)
    low <<= 8
    if (start + i >= end) continue
    const byte = data[start + i]
    low |= byte < 0x80 ? byte : byte | 0xffffff00
    if (byte >= 0x80) high = 0xffffffff
  }
  return { high: high >>> 0, low: low >>> 0 }
}

/** Values as float64, rounded like a conversion from their type. */
function doubles(type: Datatype, data: Uint8Array, count: number): ArrayLike<number> {
  if (!isWide(type)) return numbersOf(type, data)
  const lanes = lanesOf(data)
  const out = new Float64Array(count)
  const signed = type !== 'UINT64'
  for (let i = 0; i < count; i++) {
    const high = signed ? lanes[2 * i + 1] | 0 : lanes[2 * i + 1]
    out[i] = high * 2 ** 32 + lanes[2 * i]
  }
  return out
}

/** One dimension has 63 bits, too many for {@link transpose}. The curve then only decodes and encodes a Gray code. */
function lineValues(dimension: Dimension, column: ColumnData, cellNum: number, rangeOf: HilbertRange): HilbertValues {
  const high = new Uint32Array(cellNum)
  const low = new Uint32Array(cellNum)
  for (let cell = 0; cell < cellNum; cell++) {
    const value = lineValue(wideBucket(dimension, column, cell, rangeOf))
    high[cell] = Number(value >> 32n)
    low[cell] = Number(value & 0xffffffffn)
  }
  return { high, low }
}

/** This bucket's value on the line is {@link LINE_MASK}. */
const LAST_ON_LINE = 1n << BigInt(HILBERT_BITS)

const LINE_MASK = (1n << BigInt(HILBERT_BITS)) - 1n

function lineValue(coordinate: bigint): bigint {
  let x = coordinate
  for (let q = 1n << BigInt(HILBERT_BITS - 1); q > 1n; q >>= 1n) if (x & q) x ^= q - 1n
  for (let i = 1n; i < BigInt(HILBERT_BITS); i <<= 1n) x ^= x >> i
  return x & LINE_MASK
}

function wideBucket(dimension: Dimension, column: ColumnData, cell: number, rangeOf: HilbertRange): bigint {
  const { starts } = column
  if (starts) {
    const { high, low } = textKey(column.data, starts[cell], starts[cell + 1])
    return ((BigInt(high) << 32n) | BigInt(low)) >> 1n
  }
  const { type } = dimension
  const size = datatypeSize(type)
  const { start, range } = startAndRange(dimension, rangeOf)
  const value = doubles(type, column.data.subarray(cell * size, (cell + 1) * size), 1)[0]
  const bucket = ((value - start) / range) * 2 ** HILBERT_BITS
  // NaN becomes 2^63; decoding the Gray code spreads that bit over all bits.
  if (Number.isNaN(value)) return LAST_ON_LINE
  return bucket > 0 ? BigInt(Math.floor(bucket)) : 0n
}
