import type { Datatype } from '../format/datatype.ts'
import type { Cells, Numbers } from './elements.ts'

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
