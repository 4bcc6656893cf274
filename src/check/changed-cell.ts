import type { ColumnData } from '../cells/column.ts'
import { isWide, numberOf, numbersOf, wideNumbersOf } from '../cells/elements.ts'
import { type Datatype, datatypeKind, datatypeSize } from '../format/datatype.ts'
import { sumType } from '../format/value.ts'

/** Upper limit on the cells of a tile that {@link changedCell} is to search: each takes some 50 bytes. */
export const MAX_SEARCHED_CELLS = 1_000_000

/** A number of a float type, or an integer of any type. */
type Value = number | bigint

/** What the metadata says about the cells of a tile: minimum, maximum and sum, as stored. */
interface StoredStatistics {
  min: Uint8Array
  max: Uint8Array
  sum: Uint8Array
}

/** The cells of a tile of one field. */
interface TileCells {
  column: ColumnData
  /** Positions of the cells that count, without nulls. */
  counted: Uint32Array
}

/** A cell that was changed after it was written. */
export interface ChangedCell {
  /** Index in the tile. */
  cell: number
  /** The value before. */
  was: Value
  /** Whether the sum gives the value to its last digit. */
  isExact: boolean
}

/**
 * The one cell whose change explains why neither the sum of a tile nor its minimum or maximum fits the cells; undefined if there is no
 * such cell, or more than one that may be it. The sum tells by how much the cell was changed. A minimum or maximum tells which cell it
 * was: the only one outside of them, or the one that was the minimum or maximum itself.
 *
 * @param type of numbers
 * @param bound how much sums of these cells may differ by the order of addition. Integers have none
 */
export function changedCell(
  type: Datatype,
  { column, counted }: TileCells,
  stored: StoredStatistics,
  bound: number,
): ChangedCell | undefined {
  const [min, max] = [numberAs(type, stored.min), numberAs(type, stored.max)]
  const values = valuesOf(type, column.data)
  let total: Value = datatypeKind(type) === 'float' ? 0 : 0n
  const outside: number[] = []
  for (const cell of counted) {
    const value = values[cell]
    total = plus(total, value)
    if ((value < min || value > max) && outside.push(cell) > 1) return undefined
  }
  const difference = minus(numberAs(sumType(type), stored.sum), total)
  const slack = typeof total === 'bigint' ? 0n : bound
  const fits = (one: ChangedCell): boolean => {
    const others = [...counted].filter((cell) => cell !== one.cell).map((cell) => values[cell])
    const [least, most] = extremesOf([...others, one.was])
    return least === min && most === max
  }
  const candidates = (outside.length === 1 ? outside : [...counted]).flatMap((cell) => {
    const near = plus(values[cell], difference)
    const [low, high] = [minus(near, slack), plus(near, slack)]
    const known = outside.length === 1 ? undefined : [min, max].find((one) => one >= low && one <= high)
    if (outside.length === 0 && known === undefined) return []
    const was = known ?? rounded(type, near)
    return [{ cell, was, isExact: known !== undefined || rounded(type, low) === rounded(type, high) }]
  })
  const found = candidates.length <= MAX_CANDIDATES ? candidates.filter(fits) : []
  return found.length === 1 ? found[0] : undefined
}

/** Most cells that are tried. More than one of so many would explain the change. */
const MAX_CANDIDATES = 16

function valuesOf(type: Datatype, data: Uint8Array): ArrayLike<Value> {
  if (isWide(type)) return wideNumbersOf(type, data)
  const numbers = numbersOf(type, data)
  return datatypeKind(type) === 'float' ? numbers : Array.from(numbers, BigInt)
}

function numberAs(type: Datatype, bytes: Uint8Array): Value {
  if (isWide(type)) return wideNumbersOf(type, bytes)[0] ?? 0n
  const number = numberOf(type, bytes)
  return datatypeKind(type) === 'float' ? number : BigInt(number)
}

/** A value as the type holds it. */
function rounded(type: Datatype, value: Value): Value {
  return typeof value === 'number' && datatypeSize(type) === 4 ? Math.fround(value) : value
}

function plus(a: Value, b: Value): Value {
  return typeof a === 'bigint' && typeof b === 'bigint' ? a + b : Number(a) + Number(b)
}

function minus(a: Value, b: Value): Value {
  return plus(a, -b)
}

function extremesOf(values: readonly Value[]): [least: Value, most: Value] {
  let [least, most] = [values[0], values[0]]
  for (const value of values) {
    if (value < least) least = value
    if (value > most) most = value
  }
  return [least, most]
}
