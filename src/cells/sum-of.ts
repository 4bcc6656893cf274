import { limits64 } from '../base/limits64.ts'
import { Slab } from '../base/slab.ts'
import type { Datatype } from '../format/datatype.ts'
import type { Numbers, VisitedCells } from './elements.ts'
import { visitNumbers } from './number-blocks.ts'

const slab = new Slab()

/** Up to this many integers of 32 bits can be added exactly as numbers. */
const EXACT_ADDITIONS = 1 << 20
/** A sum whose estimate is below this has not reached a limit, even if the estimate was rounded. */
export const BELOW_LIMITS = 2 ** 62

/** A running sum like TileDB's: int64, uint64 or float64. At the type's limit it ignores the remaining cells of a call. */
export class SumOf {
  /** Whether the sum has reached the limit. */
  saturated = false
  private readonly type: Datatype
  private whole = 0n
  private real = 0

  /** @param type INT64, UINT64 or FLOAT64 */
  constructor(type: Datatype) {
    this.type = type
  }

  addNumbers(values: Numbers, cells: VisitedCells): void {
    if (this.type === 'FLOAT64') this.addReals(values, cells)
    else this.addIntegers(values, cells)
  }

  private addReals(values: Numbers, cells: VisitedCells): void {
    let sum = this.real
    // An upper limit on every intermediate sum.
    let size = Math.abs(sum)
    visitNumbers(values, cells, (numbers) => {
      let [total, magnitude] = [sum, size]
      for (let i = 0; i < numbers.length; i++) {
        const value = numbers[i]
        total += value
        magnitude += Math.abs(value)
      }
      sum = total
      size = magnitude
    })
    if (size < Number.MAX_VALUE / 2) this.real = sum
    else this.addRealsByRule(values, cells)
  }

  /** {@link addReals} where a sum may reach the limit, or is NaN. */
  private addRealsByRule(values: Numbers, { length, at }: VisitedCells): void {
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

  private addIntegers(values: Numbers, cells: VisitedCells): void {
    visitNumbers(values, cells, (numbers) => {
      let sum = 0
      for (let i = 0; i < numbers.length; i++) sum += numbers[i]
      this.whole += BigInt(sum)
    })
  }

  /** {@link addNumbers} for 8-byte integers, given as lanes. */
  addWide(lanes: Uint32Array, cells: VisitedCells): void {
    for (let from = 0; from < cells.length; from += EXACT_ADDITIONS)
      if (!this.addBlock(lanes, cells, from, Math.min(cells.length, from + EXACT_ADDITIONS))) return
  }

  /**
   * Adds the low and high halves of the integers separately, as a bigint for each takes ten times as long.
   * @returns whether the sum stayed below the limit
   */
  private addBlock(lanes: Uint32Array, cells: VisitedCells, from: number, to: number): boolean {
    const { at } = cells
    const signed = this.type === 'INT64'
    let highs = 0
    let lows = 0
    let size = 0
    for (let i = from; i < to; i++) {
      const cell = at ? at[i] : i
      const high = signed ? lanes[2 * cell + 1] | 0 : lanes[2 * cell + 1]
      highs += high
      lows += lanes[2 * cell]
      size += high < 0 ? -high : high
    }
    // As in the sum of reals, this limits every sum on the way.
    if (Math.abs(Number(this.whole)) + size * 2 ** 32 + lows > BELOW_LIMITS)
      return this.addOneByOne(lanes, cells, from, to)
    const sum = highs * 2 ** 32 + lows
    this.whole += Number.isSafeInteger(sum) ? BigInt(sum) : BigInt(highs) * 2n ** 32n + BigInt(lows)
    return true
  }

  private addOneByOne(lanes: Uint32Array, { at }: VisitedCells, from: number, to: number): boolean {
    const signed = this.type === 'INT64'
    const [smallest, largest] = limits64(signed)
    for (let i = from; i < to; i++) {
      const cell = at ? at[i] : i
      const high = signed ? lanes[2 * cell + 1] | 0 : lanes[2 * cell + 1]
      this.whole += BigInt(high) * 2n ** 32n + BigInt(lanes[2 * cell])
      if (this.whole <= largest && this.whole >= smallest) continue
      this.whole = this.whole > largest ? largest : smallest
      this.saturated = true
      return false
    }
    return true
  }

  /** The sum, as 8 bytes. */
  bytes(): Uint8Array {
    const bytes = slab.take(8)
    const view = new DataView(bytes.buffer, bytes.byteOffset)
    if (this.type === 'FLOAT64') view.setFloat64(0, this.real, true)
    else view.setBigInt64(0, this.whole, true)
    return bytes
  }
}
