import type { ColumnData, ColumnType } from '../../cells/column.ts'
import { isWide, numbersOf, uint32LanesOf } from '../../cells/elements.ts'
import { isSignedInteger } from '../../format/datatype.ts'

const TWO_32 = 2 ** 32

/** Gives the cells of a column of single numbers or dates as doubles. Each batch is written over the last. */
export class CellNumbers {
  private readonly type: ColumnType['type']
  private readonly origin: number
  /** The two lanes of the origin of 8-byte integers, as numbers. */
  private readonly low: number
  private readonly high: number
  private room = new Float64Array(0)

  /** @param origin what is subtracted from each cell. Integers of 8 bytes are exact if they are near it. */
  constructor(type: ColumnType['type'], origin: number | bigint = 0) {
    this.type = type
    this.origin = Number(origin)
    const whole = typeof origin === 'bigint' ? origin : 0n
    this.low = Number(BigInt.asUintN(32, whole))
    this.high = Number(whole >> 32n)
  }

  /** The numbers of a batch's cells. That of a null means nothing. */
  of({ data }: ColumnData): Float64Array {
    const { type, low, high, origin } = this
    if (!isWide(type)) {
      const numbers = numbersOf(type, data)
      if (origin === 0 && numbers instanceof Float64Array) return numbers
      const out = this.roomFor(numbers.length)
      out.set(numbers)
      if (origin !== 0) for (let i = 0; i < out.length; i++) out[i] -= origin
      return out
    }
    const lanes = uint32LanesOf(data)
    const out = this.roomFor(lanes.length >>> 1)
    const isSigned = isSignedInteger(type)
    for (let i = 0; i < out.length; i++) {
      const lane = isSigned ? lanes[2 * i + 1] | 0 : lanes[2 * i + 1]
      out[i] = (lane - high) * TWO_32 + (lanes[2 * i] - low)
    }
    return out
  }

  private roomFor(count: number): Float64Array {
    if (this.room.length < count) this.room = new Float64Array(count)
    return this.room.subarray(0, count)
  }
}
