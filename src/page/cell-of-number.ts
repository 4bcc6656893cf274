import type { CellValue } from '../documents/common.ts'
import { type Datatype, datatypeKind } from '../format/datatype.ts'
import { bytesOf, cellValue } from '../format/value.ts'

/** The smallest and the largest number that dates are stored as. */
const [FIRST, LAST] = [-(2n ** 63n), 2n ** 63n - 1n]

/** The cell value of a number that is one cell's own. */
export function ownValue(type: Datatype, value: number): CellValue {
  return datatypeKind(type) === 'float'
    ? (cellValue(type, 1, bytesOf(type, 1, value, { raw: true }), { raw: false }) as CellValue)
    : cellOfNumber(type, value)
}

/** The cell value of a number that may be computed, such as a mean. It is rounded unless the type is a float, and dates become text. */
export function cellOfNumber(type: Datatype, value: number | bigint): CellValue {
  const kind = datatypeKind(type)
  if (kind === 'float') return Number(value)
  const whole = typeof value === 'bigint' ? value : BigInt(Math.round(value))
  if (kind !== 'datetime' && kind !== 'time') return Number.isSafeInteger(Number(whole)) ? Number(whole) : whole
  const notBefore = whole < FIRST ? FIRST : whole
  const inside = notBefore > LAST ? LAST : notBefore
  return cellValue(type, 1, bytesOf(type, 1, inside, { raw: true }), { raw: false }) as CellValue
}
