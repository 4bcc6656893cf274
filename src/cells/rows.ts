import { element } from '../base/element.ts'
import { datatypeSize } from '../format/datatype.ts'
import { utcText } from '../format/datetime.ts'
import { type CellReader, type CellValue, cellReader, type ValueStyle } from '../format/value.ts'
import type { CellBatch, ColumnData, ColumnType } from './column.ts'

/** The value of `__delete_timestamps` and `__delete_condition_index` for cells that are not deleted. */
export const NOT_DELETED = 0xffffffffffffffffn

/** Returns the value of a cell for printing; null for null cells. */
export type ColumnValue = (data: ColumnData, cell: number) => CellValue

/** The values of a column's enumeration, which are shown in place of the stored indexes. */
export interface ShownLabels {
  values: readonly CellValue[]
  /** Called for an index without a value. The index itself is then shown. */
  onMissing(index: number | bigint): void
}

/** The function that returns the cells of a column for printing. */
export function columnValue(column: ColumnType, style: ValueStyle, labels?: ShownLabels): ColumnValue {
  const read = cellReader(column.type, column.cell_val_num, style)
  const value =
    column.cell_val_num === 'var' ? varValue(read) : fixedValue(read, datatypeSize(column.type) * column.cell_val_num)
  let shown = value
  if (labels) shown = labelled(value, labels)
  else if (style.raw) shown = value
  else if (column.isWritten) shown = inUtc(value)
  else if (column.kind.startsWith('delete')) shown = deletedOrNull(value)
  return column.nullable ? (data, cell) => (data.validity?.[cell] === 0 ? null : shown(data, cell)) : shown
}

function fixedValue(read: CellReader, size: number): ColumnValue {
  return (data, cell) => read(data.data, cell * size, (cell + 1) * size)
}

function varValue(read: CellReader): ColumnValue {
  return ({ data, starts }, cell) => read(data, starts?.[cell] ?? 0, starts?.[cell + 1] ?? data.length)
}

function deletedOrNull(value: ColumnValue): ColumnValue {
  return (data, cell) => {
    const shown = value(data, cell)
    return shown === NOT_DELETED ? null : shown
  }
}

function inUtc(value: ColumnValue): ColumnValue {
  return (data, cell) => {
    const shown = value(data, cell)
    return typeof shown === 'string' ? utcText(shown) : shown
  }
}

function labelled(value: ColumnValue, { values, onMissing }: ShownLabels): ColumnValue {
  return (data, cell) => {
    const index = value(data, cell)
    if (typeof index !== 'number' && typeof index !== 'bigint') return index
    const label = values[Number(index)]
    if (label !== undefined) return label
    onMissing(index)
    return index
  }
}

/** The rows of a batch as objects, in order. A column that could not be read has no key. */
export function* batchRows(
  batch: CellBatch,
  columns: readonly ColumnType[],
  values: readonly ColumnValue[],
): Generator<{ [field: string]: CellValue }> {
  const shown = columns.map(({ name }, c) => ({ name, value: element(values, c) }))
  const count = batch.rows?.length ?? batch.cell_num
  for (let i = 0; i < count; i++) {
    const cell = batch.rows?.[i] ?? i
    const row: { [field: string]: CellValue } = {}
    for (const [c, { name, value }] of shown.entries()) {
      const data = batch.columns[c]
      if (data) row[name] = value(data, cell)
    }
    yield row
  }
}
