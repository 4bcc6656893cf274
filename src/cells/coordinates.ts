import { datatypeKind, datatypeSize } from '../format/datatype.ts'
import type { Dimension } from '../format/dimension.ts'
import { type Comparable, comparable, compare } from './bounds.ts'
import { type ColumnData, cellBytes } from './column.ts'

/** What coordinates are compared by. */
type Axes = readonly Pick<Dimension, 'type' | 'cell_val_num'>[]

/** Coordinates of a cell. @param columns of the dimensions, which other columns may follow */
export function coordinatesOf(
  dimensions: Axes,
  columns: readonly (ColumnData | undefined)[],
  cell: number,
): Comparable[] {
  return dimensions.map((dimension, d) =>
    comparable(dimension.type, cellBytes(columns[d] as ColumnData, cell, sizeOf(dimension))),
  )
}

function sizeOf({ type, cell_val_num }: Axes[number]): number {
  return cell_val_num === 'var' ? 0 : datatypeSize(type)
}

/** Row-major order. NaN comes last, as in a read. Zeros of both signs are equal here. */
export function compareCoordinates(a: readonly Comparable[], b: readonly Comparable[]): number {
  for (const [d, one] of a.entries()) {
    const order = Number(Number.isNaN(one)) - Number(Number.isNaN(b[d])) || compare(one, b[d])
    if (order !== 0) return order
  }
  return 0
}

/** A cell of some columns. */
export interface CellAt {
  columns: readonly (ColumnData | undefined)[]
  cell: number
}

/** Whether two cells are at one place, as {@link compareCoordinates} finds, with less work for most cells. */
export function isSamePlace(dimensions: Axes, a: CellAt, b: CellAt): boolean {
  for (const [d, dimension] of dimensions.entries()) {
    const size = sizeOf(dimension)
    const [x, y] = [a, b].map(({ columns, cell }) => cellBytes(columns[d] as ColumnData, cell, size))
    if (x.length === y.length && x.every((byte, i) => byte === y[i])) continue
    if (datatypeKind(dimension.type) !== 'float') return false
    if (compareCoordinates([comparable(dimension.type, x)], [comparable(dimension.type, y)]) !== 0) return false
  }
  return true
}
