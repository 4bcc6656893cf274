import type { Datatype } from '../format/datatype.ts'
import { type Cells, type Numbers, numbersOf } from './elements.ts'

/** Positions of the smallest and the largest value, or the bytes of TileDB's starting value if no value replaced it. */
export interface Extremes {
  min: number | Uint8Array
  max: number | Uint8Array
}

/**
 * TileDB starts from the type's limits and takes every value that is not strictly inside. So the last of equal values is
 * taken, and a NaN lasts until the next value. An infinity does not replace the largest finite number that the minimum starts
 * from.
 */
export function numberExtremes(values: Numbers, type: Datatype, { length, at }: Cells): Extremes {
  const limits = limitsOf(values, type)
  let min = limits.high
  let max = limits.low
  let minAt = -1
  let maxAt = -1
  for (let i = 0; i < length; i++) {
    const cell = at ? at[i] : i
    const value = values[cell]
    if (!(min < value)) {
      min = value
      minAt = cell
    }
    if (!(max > value)) {
      max = value
      maxAt = cell
    }
  }
  const size = values.BYTES_PER_ELEMENT
  return {
    min: minAt < 0 ? limits.bytes.slice(size) : minAt,
    max: maxAt < 0 ? limits.bytes.slice(0, size) : maxAt,
  }
}

/** Lowest and highest finite value of a type, and their bytes. */
function limitsOf(values: Numbers, type: Datatype): { low: number; high: number; bytes: Uint8Array } {
  const size = values.BYTES_PER_ELEMENT
  if (values instanceof Float64Array) return limitBytes(type, -Number.MAX_VALUE, Number.MAX_VALUE, size)
  if (values instanceof Float32Array) return limitBytes(type, -LARGEST_FLOAT32, LARGEST_FLOAT32, size)
  const count = 2 ** (8 * size)
  const signed = values instanceof Int8Array || values instanceof Int16Array || values instanceof Int32Array
  return signed ? limitBytes(type, -count / 2, count / 2 - 1, size) : limitBytes(type, 0, count - 1, size)
}

const LARGEST_FLOAT32 = (2 - 2 ** -23) * 2 ** 127

function limitBytes(
  type: Datatype,
  low: number,
  high: number,
  size: number,
): { low: number; high: number; bytes: Uint8Array } {
  const bytes = new Uint8Array(2 * size)
  const view = numbersOf(type, bytes)
  view[0] = low
  view[1] = high
  return { low, high, bytes }
}

/** {@link numberExtremes} for 8-byte integers, given as lanes. */
export function wideExtremes(lanes: Uint32Array, signed: boolean, { length, at }: Cells): Extremes {
  const turn = signed ? 0x80000000 : 0
  if (length === 0) {
    const [low, high] = [new Uint32Array([0, turn]), new Uint32Array([0xffffffff, ~turn])]
    return { min: new Uint8Array(high.buffer), max: new Uint8Array(low.buffer) }
  }
  let min = at ? at[0] : 0
  let max = min
  let minHigh = (lanes[2 * min + 1] ^ turn) >>> 0
  let minLow = lanes[2 * min]
  let maxHigh = minHigh
  let maxLow = minLow
  for (let i = 1; i < length; i++) {
    const cell = at ? at[i] : i
    const low = lanes[2 * cell]
    const high = (lanes[2 * cell + 1] ^ turn) >>> 0
    if (high < minHigh || (high === minHigh && low < minLow)) {
      min = cell
      minHigh = high
      minLow = low
    } else if (high > maxHigh || (high === maxHigh && low > maxLow)) {
      max = cell
      maxHigh = high
      maxLow = low
    }
  }
  return { min, max }
}

/** This many integers of up to 32 bits can be added before a number may lose exactness. */
const EXACT_ADDITIONS = 1 << 20
/** Sums up to this are exact. After any 8-byte integer is added, the sum shows whether it still is. */
const LARGEST_EXACT = 2 ** 52

/**
 * A running sum like TileDB's: int64, uint64 or float64. When it reaches the type's limit, it ignores the remaining cells of
 * the same call.
 */
export class SumOf {
  /** Whether the limit was reached. */
  saturated = false
  private readonly type: Datatype
  private whole = 0n
  private real = 0

  /** @param type INT64, UINT64 or FLOAT64 */
  constructor(type: Datatype) {
    this.type = type
  }

  addNumbers(values: Numbers, cells: Cells): void {
    if (this.type === 'FLOAT64') this.addReals(values, cells)
    else this.addIntegers(values, cells)
  }

  private addReals(values: Numbers, { length, at }: Cells): void {
    let sum = this.real
    for (let i = 0; i < length; i++) {
      const value = values[at ? at[i] : i]
      if (sum < 0 === value < 0 && Math.abs(sum) > Number.MAX_VALUE - Math.abs(value)) {
        sum = sum < 0 ? -Number.MAX_VALUE : Number.MAX_VALUE
        this.saturated = true
        break
      }
      sum += value
    }
    this.real = sum
  }

  private addIntegers(values: Numbers, { length, at }: Cells): void {
    for (let from = 0; from < length; from += EXACT_ADDITIONS) {
      const to = Math.min(length, from + EXACT_ADDITIONS)
      let sum = 0
      for (let i = from; i < to; i++) sum += values[at ? at[i] : i]
      this.whole += BigInt(sum)
    }
  }

  /** {@link add} for 8-byte integers, given as lanes. */
  addWide(lanes: Uint32Array, cells: Cells): void {
    const { length, at } = cells
    const signed = this.type === 'INT64'
    // Near the limit, any cell can exceed it.
    if (this.whole > LARGEST_EXACT || this.whole < -LARGEST_EXACT) {
      this.addLarge(lanes, cells)
      return
    }
    let sum = 0
    for (let i = 0; i < length; i++) {
      const cell = at ? at[i] : i
      const high = signed ? lanes[2 * cell + 1] | 0 : lanes[2 * cell + 1]
      sum += high * 2 ** 32 + lanes[2 * cell]
      if (sum > LARGEST_EXACT || sum < -LARGEST_EXACT) {
        this.addLarge(lanes, cells)
        return
      }
    }
    this.whole += BigInt(sum)
  }

  private addLarge(lanes: Uint32Array, { length, at }: Cells): void {
    const signed = this.type === 'INT64'
    const largest = signed ? 2n ** 63n - 1n : 2n ** 64n - 1n
    const smallest = signed ? -(2n ** 63n) : 0n
    for (let i = 0; i < length; i++) {
      const cell = at ? at[i] : i
      const high = signed ? lanes[2 * cell + 1] | 0 : lanes[2 * cell + 1]
      this.whole += BigInt(high) * 2n ** 32n + BigInt(lanes[2 * cell])
      if (this.whole <= largest && this.whole >= smallest) continue
      this.whole = this.whole > largest ? largest : smallest
      this.saturated = true
      return
    }
  }

  /** The sum, as 8 bytes. */
  bytes(): Uint8Array {
    const bytes = new Uint8Array(8)
    const view = new DataView(bytes.buffer)
    if (this.type === 'FLOAT64') view.setFloat64(0, this.real, true)
    else view.setBigInt64(0, this.whole, true)
    return bytes
  }
}
