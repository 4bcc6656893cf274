import { badValue, unexpected } from '../base/errors.ts'
import { type ColumnData, cellBytes, sameCell } from '../cells/column.ts'
import { compareValues, coordinateRange } from '../cells/rtree-builder.ts'
import type { ArraySchema } from '../format/array-schema.ts'
import { datatypeKind, datatypeSize } from '../format/datatype.ts'
import type { Dimension } from '../format/dimension.ts'
import type { Slot } from '../format/fragment-slots.ts'
import type { NDRange } from '../format/range.ts'
import { cellValue } from '../format/value.ts'

/** @throws InspectError BAD_VALUE for coordinates outside the domain */
export function checkInDomain(dimension: Dimension, column: ColumnData, cellNum: number): void {
  const { type, domain, name, cell_val_num } = dimension
  if (cell_val_num === 'var') return
  const size = datatypeSize(type)
  const [low, high] = [domain.subarray(0, size), domain.subarray(size)]
  const outside = (min: Uint8Array, max = min): boolean =>
    compareValues(dimension, min, low) < 0 || compareValues(dimension, max, high) > 0
  const { min, max } = coordinateRange(dimension, column, cellNum)
  if (!outside(min, max)) return
  const text = (bytes: Uint8Array): string => String(cellValue(type, 1, bytes, { raw: false }))
  let cell = 0
  while (!outside(cellBytes(column, cell, size))) cell++
  throw unexpected(
    `coordinates in [${text(low)}, ${text(high)}]`,
    `${text(cellBytes(column, cell, size))} in cell ${cell}`,
    name,
  )
}

/**
 * Refuses two cells with the same coordinates, compared byte by byte as in TileDB. In stored order such cells are neighbours.
 *
 * @param positions stored order; undefined if the columns have that order
 * @throws InspectError BAD_VALUE
 */
export function checkDuplicates(
  dimensions: readonly Dimension[],
  columns: readonly ColumnData[],
  positions: Int32Array | undefined,
  cellNum: number,
): void {
  for (let i = 1; i < cellNum; i++) {
    const before = positions ? positions[i - 1] : i - 1
    const cell = positions ? positions[i] : i
    if (!columns.every((column, d) => sameCell(column, before, cell, datatypeSize(dimensions[d].type)))) continue
    throw badValue(
      `expected each cell at other coordinates, as the array does not allow duplicates; found cells ${before} and ${cell} at the same`,
    )
  }
}

/** @throws InspectError BAD_VALUE for cells outside the current domain. @see FragmentMetadata::store */
export function checkCurrentDomain(schema: ArraySchema, nonemptyDomain: NDRange): void {
  const ranges = schema.current_domain?.range
  if (!ranges) return
  schema.domain.dimensions.forEach((dimension, d) => {
    const { min, max } = nonemptyDomain[d]
    if (compareValues(dimension, min, ranges[d].min) >= 0 && compareValues(dimension, max, ranges[d].max) <= 0) return
    throw unexpected('cells inside the current domain', 'some outside', dimension.name)
  })
}

/**
 * The values of attributes that hold a dimension label must rise, or all fall.
 * @throws InspectError BAD_VALUE. @see WriterBase::check_attr_order
 */
export function checkLabelOrder(schema: ArraySchema, slot: Slot, column: ColumnData, cellNum: number): void {
  if (slot.kind !== 'attribute') return
  const { order, type } = schema.attributes[slot.index]
  if (order === 'unordered' || (datatypeKind(type) === 'text' && type !== 'STRING_ASCII')) return
  const sign = order === 'increasing' ? 1 : -1
  const cell = (i: number): Uint8Array => cellBytes(column, i, slot.cellSize)
  for (let i = 1; i < cellNum; i++) {
    if (sign * compareValues(slot, cell(i - 1), cell(i)) <= 0) continue
    throw unexpected(`${order} values`, `none at cell ${i}`, slot.name)
  }
}
