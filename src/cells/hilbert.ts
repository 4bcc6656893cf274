import { type Datatype, datatypeKind, datatypeSize } from '../format/datatype.ts'
import type { Dimension } from '../format/dimension.ts'
import type { OrderRule } from './cell-order.ts'
import type { ColumnData } from './column.ts'
import { isWide, numbersOf, uint32LanesOf } from './elements.ts'
import type { KeyLanes } from './sorted-positions.ts'

/** Bits of a Hilbert value. */
const HILBERT_BITS = 63

/** Bits for each dimension. @see tiledb/sm/misc/hilbert.h */
export function hilbertBits(dimensionNum: number): number {
  return Math.floor(HILBERT_BITS / dimensionNum)
}

/**
 * Hilbert values of cells, the high lane first. Each coordinate is put into one of 2^bits buckets. Then the transpose form of
 * the curve is computed and its bits are interleaved, with the first dimension most significant.
 *
 * @see tiledb/sm/misc/hilbert.h (after J. Skilling, Programming the Hilbert curve, 2004); Dimension::map_to_uint64_2
 */
export function hilbertValues(
  dimensions: readonly Dimension[],
  columns: readonly ColumnData[],
  cellNum: number,
  rangeOf: OrderRule['hilbertRange'],
): KeyLanes {
  const bits = hilbertBits(dimensions.length)
  if (dimensions.length === 1) return lineLanes(dimensions[0], columns[0], cellNum, rangeOf)
  const buckets = dimensions.map((dimension, d) => bucketsOf(dimension, columns[d], cellNum, bits, rangeOf))
  return dimensions.length <= MAX_TABLED ? tabledLanes(buckets, bits, cellNum) : transposedLanes(buckets, bits, cellNum)
}

/** Hilbert values of points, computed bit by bit. @see transpose */
export function transposedLanes(buckets: readonly Int32Array[], bits: number, cellNum: number): KeyLanes {
  const high = new Uint32Array(cellNum)
  const low = new Uint32Array(cellNum)
  const point = new Int32Array(buckets.length)
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
  return [high, low]
}

/** Converts coordinates of at most 31 bits, in place, to the transpose form of their Hilbert value. */
function transpose(point: Int32Array, bits: number): void {
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

/** Up to this number of dimensions a table is used: three have 48 states of the curve, four have 384. */
const MAX_TABLED = 3
const tables = new Map<number, CurveTables>()

/** {@link transposedLanes}, but many times as fast: a table has the result for some bits of all coordinates. */
export function tabledLanes(buckets: readonly Int32Array[], bits: number, cellNum: number): KeyLanes {
  const n = buckets.length
  const curve = tables.get(n) ?? curveTables(n)
  tables.set(n, curve)
  const { one, some, step } = curve
  const high = new Uint32Array(cellNum)
  const low = new Uint32Array(cellNum)
  const [first, second, third] = buckets
  const width = step * n
  const mask = (1 << n) - 1
  const stepMask = (1 << step) - 1
  const someMask = (1 << width) - 1
  for (let cell = 0; cell < cellNum; cell++) {
    const [x, y, z] = [first[cell], second[cell], third ? third[cell] : 0]
    let state = 0
    let hi = 0
    let lo = 0
    let bit = bits
    // The bits that are left over come first.
    while (bit % step !== 0) {
      bit--
      let digit = (((x >>> bit) & 1) << 1) | ((y >>> bit) & 1)
      if (n === 3) digit = (digit << 1) | ((z >>> bit) & 1)
      const next = one[(state << n) | digit]
      lo = (lo << n) | (next & mask)
      state = next >>> n
    }
    while (bit > 0) {
      bit -= step
      let digits = (((x >>> bit) & stepMask) << step) | ((y >>> bit) & stepMask)
      if (n === 3) digits = (digits << step) | ((z >>> bit) & stepMask)
      const next = some[(state << width) | digits]
      hi = (hi << width) | (lo >>> (32 - width))
      lo = (lo << width) | (next & someMask)
      state = next >>> width
    }
    high[cell] = hi
    low[cell] = lo
  }
  return [high, low]
}

interface CurveTables {
  /** Table for one bit of each coordinate: {@link bitTable}. */
  one: Uint16Array
  /** Table for `step` bits of each coordinate: {@link stepTable}. */
  some: Uint16Array
  step: number
}

/** The tables of n dimensions. They are small, so that they take no longer to make than a tile of few cells. */
function curveTables(n: number): CurveTables {
  const one = bitTable(n)
  const step = n === 2 ? 3 : 2
  return { one, some: stepTable(one, n, step), step }
}

/**
 * The table for `step` bits of each coordinate. An index is `state << step * n | bits of the coordinates`, with those of the
 * first coordinate first. An entry is `next state << step * n | bits of the value`.
 */
function stepTable(one: Uint16Array, n: number, step: number): Uint16Array {
  const width = step * n
  const table = new Uint16Array((one.length >>> n) << width)
  for (let index = 0; index < table.length; index++) {
    let state = index >>> width
    let value = 0
    for (let bit = step - 1; bit >= 0; bit--) {
      let digit = 0
      for (let d = n - 1; d >= 0; d--) digit = (digit << 1) | ((index >>> (d * step + bit)) & 1)
      const next = one[(state << n) | digit]
      value = (value << n) | (next & ((1 << n) - 1))
      state = next >>> n
    }
    table[index] = (state << width) | value
  }
  return table
}

/** Orientation of the curve in a cube: the order of the axes, which axes run backwards, and whether the value is inverted. */
interface CurveState {
  axes: readonly number[]
  back: readonly boolean[]
  inverted: boolean
}

/**
 * The table of the steps of {@link transpose} for one bit of each coordinate, in each state of the curve. An index is
 * `state << n | bits`, with the first dimension first. An entry is `next state << n | bits of the value`.
 */
function bitTable(n: number): Uint16Array {
  const states: CurveState[] = [
    { axes: Array.from({ length: n }, (_, i) => i), back: new Array(n).fill(false), inverted: false },
  ]
  const numbers = new Map([[JSON.stringify(states[0]), 0]])
  const entries: number[] = []
  for (const { axes, back, inverted } of states) {
    for (let digit = 0; digit < 1 << n; digit++) {
      const lower = { axes: [...axes], back: [...back], inverted }
      let value = 0
      let gray = false
      for (let i = 0; i < n; i++) {
        const bit = ((digit >>> (n - 1 - axes[i])) & 1) !== Number(back[i])
        gray = gray !== bit
        value = (value << 1) | Number(gray !== inverted)
        if (bit) lower.back[0] = !lower.back[0]
        else {
          for (const list of [lower.axes, lower.back] as unknown[][]) [list[0], list[i]] = [list[i], list[0]]
        }
      }
      lower.inverted = inverted !== gray
      const key = JSON.stringify(lower)
      const known = numbers.get(key)
      if (known === undefined) {
        numbers.set(key, states.length)
        states.push(lower)
      }
      entries.push(((known ?? states.length - 1) << n) | value)
    }
  }
  return Uint16Array.from(entries)
}

/** First coordinate and range of a dimension, as float64. */
function startAndRange(
  { type, domain }: Dimension,
  rangeOf: OrderRule['hilbertRange'],
): { start: number; range: number } {
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
  rangeOf: OrderRule['hilbertRange'],
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
    // NaN comes from a NaN coordinate or a domain of one value. TileDB converts it to 2^63, which has none of these bits.
    out[cell] = bucket > 0 ? Math.floor(bucket) : 0
  }
  return out
}

/**
 * The first eight bytes of a string, big-endian. TileDB sign-extends each byte, so a byte of 0x80 or more sets all bits above
 * its own. The order of cells depends on this.
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

/** Values converted to float64. */
function doubles(type: Datatype, data: Uint8Array, count: number): ArrayLike<number> {
  if (!isWide(type)) return numbersOf(type, data)
  const lanes = uint32LanesOf(data)
  const out = new Float64Array(count)
  const signed = type !== 'UINT64'
  for (let i = 0; i < count; i++) {
    const high = signed ? lanes[2 * i + 1] | 0 : lanes[2 * i + 1]
    out[i] = high * 2 ** 32 + lanes[2 * i]
  }
  return out
}

/** {@link hilbertValues} of one dimension, whose 63 bits are too many for {@link transpose}. The curve is the line itself. */
function lineLanes(
  dimension: Dimension,
  { data, starts }: ColumnData,
  cellNum: number,
  rangeOf: OrderRule['hilbertRange'],
): KeyLanes {
  const high = new Uint32Array(cellNum)
  const low = new Uint32Array(cellNum)
  const { start, range } = startAndRange(dimension, rangeOf)
  const values = starts ? [] : doubles(dimension.type, data, cellNum)
  for (let cell = 0; cell < cellNum; cell++) {
    if (starts) {
      const key = textKey(data, starts[cell], starts[cell + 1])
      high[cell] = key.high >>> 1
      low[cell] = (key.high << 31) | (key.low >>> 1)
      continue
    }
    const bucket = Number.isNaN(values[cell]) ? LINE_END : ((values[cell] - start) / range) * LINE_END
    if (!(bucket > 0)) continue
    high[cell] = bucket / 2 ** 32
    low[cell] = bucket % 2 ** 32
    if (bucket < LINE_END) continue
    // The Gray code spreads the bit above the others over all of them.
    high[cell] = ~high[cell] & 0x7fffffff
    low[cell] = ~low[cell]
  }
  return [high, low]
}

/** The bucket of the last coordinate of a line, and of NaN. */
const LINE_END = 2 ** HILBERT_BITS
