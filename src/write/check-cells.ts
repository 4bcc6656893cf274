import { badValue, unexpected } from '../base/errors.ts'
import type { ColumnData } from '../cells/column.ts'
import { isWide, lanesOf, numbersOf } from '../cells/elements.ts'
import { compareValues } from '../cells/rtree-builder.ts'
import type { ArraySchema } from '../format/array-schema.ts'
import { datatypeKind, datatypeSize } from '../format/datatype.ts'
import type { Dimension } from '../format/dimension.ts'
import type { Slot } from '../format/fragment-slots.ts'
import type { NDRange } from '../format/range.ts'
import { cellValue } from '../format/value.ts'

/**
 * Refuses a column that does not fit its field: missing parts, wrong lengths, falling offsets.
 * @throws InspectError BAD_VALUE
 */
export function checkColumn(slot: Slot, column: ColumnData | undefined, cellNum: number): ColumnData {
  const field = slot.name
  if (!column) throw unexpected(`cells of ${field}`, 'none', field)
  const { varSized, nullable, cellSize: size } = slot
  if (varSized) checkStarts(column, cellNum, size, field)
  else if (column.starts) throw unexpected('cells of one length', 'offsets', field)
  else if (column.data.length !== cellNum * size) {
    throw unexpected(`${cellNum} cells of ${size} bytes`, `${column.data.length} bytes`, field)
  }
  if (nullable && !column.validity) throw unexpected('the validity of a nullable attribute', 'none', field)
  if (!nullable && column.validity) throw unexpected('no validity of an attribute that is not nullable', 'one', field)
  if (column.validity && column.validity.length !== cellNum) {
    throw unexpected(`the validity of ${cellNum} cells`, `that of ${column.validity.length}`, field)
  }
  return column
}

function checkStarts({ data, starts }: ColumnData, cellNum: number, elementSize: number, field: string): void {
  if (!starts) throw unexpected('offsets of var-sized cells', 'none', field)
  if (starts.length !== cellNum + 1)
    throw unexpected(`offsets of ${cellNum} cells and an end`, `${starts.length}`, field)
  if (starts[0] !== 0 || starts[cellNum] !== data.length) {
    throw unexpected(`offsets from 0 to ${data.length}`, `${starts[0]} to ${starts[cellNum]}`, field)
  }
  for (let i = 1; i <= cellNum; i++) {
    const length = starts[i] - starts[i - 1]
    if (!(length >= 0) || length % elementSize !== 0) {
      throw unexpected(`cell ${i - 1} to hold whole values of ${elementSize} bytes`, `${length} bytes`, field)
    }
  }
}

/** @throws InspectError BAD_VALUE for coordinates outside the domain */
export function checkCoordinates(dimension: Dimension, { data, starts }: ColumnData): void {
  if (starts) return
  const { type, domain, name } = dimension
  const size = datatypeSize(type)
  const outside = isWide(type)
    ? firstWideOutside(lanesOf(data), lanesOf(domain), type === 'UINT64' ? 0 : 0x80000000)
    : firstOutside(numbersOf(type, data), numbersOf(type, domain))
  if (outside < 0) return
  const text = (bytes: Uint8Array): string => String(cellValue(type, 1, bytes, { raw: false }))
  throw unexpected(
    `coordinates in [${text(domain.subarray(0, size))}, ${text(domain.subarray(size))}]`,
    `${text(data.subarray(outside * size, (outside + 1) * size))} in cell ${outside}`,
    name,
  )
}

function firstOutside(values: ArrayLike<number>, domain: ArrayLike<number>): number {
  const low = domain[0]
  const high = domain[1]
  for (let i = 0; i < values.length; i++) if (values[i] < low || values[i] > high) return i
  return -1
}

function firstWideOutside(lanes: Uint32Array, domain: Uint32Array, turn: number): number {
  const lowHigh = (domain[1] ^ turn) >>> 0
  const highHigh = (domain[3] ^ turn) >>> 0
  for (let i = 0; 2 * i < lanes.length; i++) {
    const low = lanes[2 * i]
    const high = (lanes[2 * i + 1] ^ turn) >>> 0
    if (high < lowHigh || (high === lowHigh && low < domain[0])) return i
    if (high > highHigh || (high === highHigh && low > domain[2])) return i
  }
  return -1
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
    if (!columns.every((column, d) => sameCell(column, datatypeSize(dimensions[d].type), before, cell))) continue
    throw badValue(
      `expected each cell at other coordinates, as the array does not allow duplicates; found cells ${before} and ${cell} at the same`,
    )
  }
}

function sameCell({ data, starts }: ColumnData, size: number, a: number, b: number): boolean {
  const from = starts ? starts[a] : a * size
  const other = starts ? starts[b] : b * size
  const length = starts ? starts[a + 1] - from : size
  if (starts && starts[b + 1] - other !== length) return false
  for (let i = 0; i < length; i++) if (data[from + i] !== data[other + i]) return false
  return true
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
export function checkOrder(schema: ArraySchema, slot: Slot, column: ColumnData, cellNum: number): void {
  if (slot.kind !== 'attribute') return
  const { order, type } = schema.attributes[slot.index]
  if (order === 'unordered' || (datatypeKind(type) === 'text' && type !== 'STRING_ASCII')) return
  const size = slot.cellSize
  const sign = order === 'increasing' ? 1 : -1
  const cell = (i: number): Uint8Array =>
    column.starts
      ? column.data.subarray(column.starts[i], column.starts[i + 1])
      : column.data.subarray(i * size, (i + 1) * size)
  for (let i = 1; i < cellNum; i++) {
    if (sign * compareValues(slot, cell(i - 1), cell(i)) <= 0) continue
    throw unexpected(`${order} values`, `none at cell ${i}`, slot.name)
  }
}
