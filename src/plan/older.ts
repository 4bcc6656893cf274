import { type Comparable, comparable, compare } from '../cells/bounds.ts'
import { DenseCoordinates } from '../cells/dense-coordinates.ts'
import type { NDRange, RangeType } from '../format/range.ts'
import type { Interval } from '../read/dense-windows.ts'
import type { FragmentEntry } from '../store/array.ts'
import type { FragmentInfo } from '../store/fragment.ts'

/** The facts on which the order of fragments depends. */
export type TimedName = Pick<FragmentEntry, 'name' | 'timestamp_range'>

/** The lowest and the highest coordinate along each dimension. */
export type CellsBox = readonly { low: Comparable; high: Comparable }[]

/** A range as a box. */
export function boxOf(dimensions: readonly RangeType[], range: NDRange): CellsBox {
  return range.map(({ min, max }, d) => ({
    low: comparable(dimensions[d].type, min),
    high: comparable(dimensions[d].type, max),
  }))
}

/** The boxes of the written cells of some dense tiles. */
export function denseBoxes(info: FragmentInfo, tiles: readonly number[]): Interval[][] {
  const grid = new DenseCoordinates(info)
  return tiles.map((tile) => grid.tileBox(tile))
}

/** Number of cells in a box of a dense array. */
export function cellsInBox(box: readonly Interval[]): number {
  return box.reduce((cells, { low, high }) => cells * Number(high - low + 1n), 1)
}

/** The box around all cells of a fragment; undefined if it has no cells. */
export function wholeBox({ schema, nonempty_domain }: FragmentInfo): CellsBox | undefined {
  return nonempty_domain && boxOf(schema.domain.dimensions, nonempty_domain)
}

/** Whether two boxes overlap. */
export function meet(a: CellsBox, b: CellsBox): boolean {
  return a.every(({ low, high }, d) => compare(low, b[d].high) <= 0 && compare(b[d].low, high) <= 0)
}

/**
 * Whether a fragment may have cells that cells of another fragment hide. Readers order fragments by their first timestamp. Each cell of
 * a consolidated sparse fragment has a time of its own.
 */
export function mayBeOlder(one: TimedName, than: TimedName, dense: boolean): boolean {
  const [first] = one.timestamp_range ?? [0n]
  const [low, high] = than.timestamp_range ?? [0n, 0n]
  return first === low ? (dense || low === high ? one.name < than.name : true) : first < (dense ? low : high)
}

/** Says what readers see again without the cells of a fragment. @param num number of older fragments. @param isSure whether their boxes are known to overlap */
export function olderText(num: number, isSure: boolean): string {
  const [fragments, they, their] = num === 1 ? ['fragment', 'it holds', 'its'] : ['fragments', 'they hold', 'their']
  const where = `readers see ${their} older values again`
  if (!isSure) return `${num} older ${fragments} may hold the same cells: there ${where}`
  return `${num} older ${fragments} ${num === 1 ? 'overlaps' : 'overlap'} the box of these cells: where ${they} the same cells, ${where}`
}
