import { element } from '../base/element.ts'
import { datatypeKind } from '../format/datatype.ts'
import { fixedSize, type RangeType } from '../format/range.ts'
import { type Comparable, comparable, compare } from './bounds.ts'
import { type ColumnData, cellBytes } from './column.ts'

/** The properties of the dimensions by which coordinates are compared. */
type Axes = readonly RangeType[]

/** Coordinates of a cell. @param columns columns of the dimensions first, then any others */
export function coordinatesOf(
  dimensions: Axes,
  columns: readonly (ColumnData | undefined)[],
  cell: number,
): Comparable[] {
  return dimensions.map((dimension, d) =>
    comparable(dimension.type, cellBytes(columns[d] as ColumnData, cell, fixedSize(dimension) ?? 0)),
  )
}

/** Compares in row-major order. NaN comes last, as in a read. Zeros of both signs are equal. */
export function compareCoordinates(a: readonly Comparable[], b: readonly Comparable[]): number {
  for (const [d, one] of a.entries()) {
    const other = element(b, d)
    const order = Number(Number.isNaN(one)) - Number(Number.isNaN(other)) || compare(one, other)
    if (order !== 0) return order
  }
  return 0
}

/** A cell, by its position in some columns. */
export interface CellAt {
  columns: readonly (ColumnData | undefined)[]
  cell: number
}

/** Whether two cells have equal coordinates by {@link compareCoordinates}. It takes less work for most cells. */
export function isSamePlace(dimensions: Axes, a: CellAt, b: CellAt): boolean {
  for (const [d, dimension] of dimensions.entries()) {
    const size = fixedSize(dimension) ?? 0
    const x = cellBytes(a.columns[d] as ColumnData, a.cell, size)
    const y = cellBytes(b.columns[d] as ColumnData, b.cell, size)
    if (x.length === y.length && x.every((byte, i) => byte === y[i])) continue
    if (datatypeKind(dimension.type) !== 'float') return false
    if (compareCoordinates([comparable(dimension.type, x)], [comparable(dimension.type, y)]) !== 0) return false
  }
  return true
}
