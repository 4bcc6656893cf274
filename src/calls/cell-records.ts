import { usage } from '../base/errors.ts'
import type { Output } from '../base/result.ts'
import { allRows, type CellBatch, type ColumnType } from '../cells/column.ts'
import { enumerationValues, enumerationValueType } from '../format/enumeration.ts'
import type { ArrowColumn, ArrowLabels } from '../rows/arrow-column.ts'
import { type RecordStyle, writeRecords } from '../rows/records.ts'
import { optimizeLater } from '../storage/lean-heap.ts'
import { FRAGMENT_COLUMN, type FragmentReader, type SelectedCells } from './selected-cells.ts'

/** Writes cells as record batches: Arrow IPC or Parquet. */
export async function writeCellRecords(reader: SelectedCells, out: Output, style: RecordStyle): Promise<void> {
  optimizeLater()
  const columns = reader.columns.map((column) => arrowColumn(column, reader))
  const batches = limitedBatches(reader.batches(true), reader.limit)
  await writeRecords({ columns, batches }, out, style)
}

/**
 * Writes the cells of several fragments as one table. A column is null for fragments that lack it.
 * @param names the names of all fragments
 * @param readers opens, one after another, the fragments that can be read; called twice
 * @param limit largest number of cells over all fragments
 * @throws InspectError USAGE if a column has different types, because an Arrow table has one schema
 */
export async function writeArrayRecords(
  names: readonly string[],
  readers: () => AsyncIterable<FragmentReader>,
  limit: number,
  out: Output,
  style: RecordStyle,
): Promise<void> {
  const columns = await tableColumns(readers())
  const batches = limitedBatches(tableBatches(readers(), columns), limit)
  await writeRecords({ columns: [fragmentColumn(names), ...columns], batches }, out, style)
}

/** The cells of all fragments in the columns of the table. The first column is the number of the fragment. */
async function* tableBatches(
  readers: AsyncIterable<FragmentReader>,
  columns: readonly ArrowColumn[],
): AsyncGenerator<CellBatch> {
  for await (const { index, reader } of readers) {
    const places = columns.map((column) => reader.columns.findIndex((one) => isSame(one, column)))
    for await (const batch of reader.batches(true)) {
      const data = new Uint8Array(new Int32Array(batch.cell_num).fill(index).buffer)
      const number = { data, starts: undefined, validity: undefined }
      yield { ...batch, columns: [number, ...places.map((place) => batch.columns[place])] }
    }
  }
}

function isSame(a: ColumnType, b: ColumnType): boolean {
  return a.name === b.name && a.kind === b.kind
}

/** The column of the fragments' numbers, with their names as labels. */
function fragmentColumn(names: readonly string[]): ArrowColumn {
  const text = new TextEncoder()
  const name = FRAGMENT_COLUMN
  const values = names.map((one) => text.encode(one))
  const labels: ArrowLabels = { name, type: 'STRING_UTF8', cell_val_num: 'var', ordered: false, values, onMissing() {} }
  return { name, kind: 'attribute', type: 'INT32', cell_val_num: 1, nullable: false, labels, made: true }
}

/** The columns of all fragments, in the order in which they first occur. */
async function tableColumns(readers: AsyncIterable<FragmentReader>): Promise<ArrowColumn[]> {
  const columns: { column: ArrowColumn; from: string; fragmentNum: number }[] = []
  let readNum = 0
  for await (const { fragment, reader } of readers) {
    const from = fragment.name
    readNum++
    for (const one of reader.columns) {
      const found = arrowColumn(one, reader)
      const known = columns.find(({ column }) => isSame(column, found))
      if (!known) {
        columns.push({ column: found, from, fragmentNum: 1 })
        continue
      }
      const { column } = known
      checkSameType(column, known.from, found, from)
      // If both have labels, these are the same: the labels of the array.
      const labels = column.labels ?? found.labels
      known.column = { ...column, labels, nullable: column.nullable || found.nullable }
      known.fragmentNum++
    }
  }
  return columns.map(({ column, fragmentNum }) => (fragmentNum === readNum ? column : { ...column, nullable: true }))
}

function checkSameType(a: ArrowColumn, inA: string, b: ArrowColumn, inB: string): void {
  if (a.type === b.type && a.cell_val_num === b.cell_val_num) return
  const typeOf = ({ type, cell_val_num }: ArrowColumn): string =>
    cell_val_num === 1 ? type : `${type} with cell_val_num ${cell_val_num}`
  throw usage(
    {
      expected: 'fragments whose columns have one type, as an Arrow table has',
      found: `${typeOf(a)} in ${inA} and ${typeOf(b)} in ${inB}: decode them one by one`,
    },
    { field: a.name },
  )
}

function arrowColumn(
  column: ColumnType,
  { enumerations, report }: Pick<SelectedCells, 'enumerations' | 'report'>,
): ArrowColumn {
  const enumeration = column.kind === 'attribute' ? enumerations.get(column.name) : undefined
  if (!enumeration) return column
  const { name, cell_val_num, ordered } = enumeration
  const values = enumerationValues(enumeration)
  const onMissing = report.missingIn(column.name, name, values)
  const type = enumerationValueType(enumeration, values)
  return { ...column, labels: { name, type, cell_val_num, ordered, values, onMissing } }
}

/** The first batches, which hold `limit` rows together. */
async function* limitedBatches(batches: AsyncIterable<CellBatch>, limit: number): AsyncGenerator<CellBatch> {
  let left = limit
  if (left <= 0) return
  for await (const batch of batches) {
    const count = batch.rows?.length ?? batch.cell_num
    yield count <= left ? batch : { ...batch, rows: batch.rows?.subarray(0, left) ?? allRows(left) }
    left -= count
    if (left <= 0) return
  }
}
