import { usage } from '../base/errors.ts'
import type { Output } from '../base/result.ts'
import type { CellBatch, ColumnType } from '../cells/column.ts'
import type { Enumeration } from '../format/enumeration.ts'
import type { ValueStyle } from '../format/value.ts'
import { type ArrowColumn, type ArrowLabels, writeArrow } from '../render/arrow.ts'
import type { Reader } from './decode.ts'
import type { LabelReport } from './missing-labels.ts'
import { enumerationValues, enumerationValueType } from './schema.ts'

/** Writes a fragment's cells as Arrow IPC. */
export async function writeFragmentArrow(reader: Reader, style: ValueStyle, out: Output, file: boolean): Promise<void> {
  const columns = reader.columns.map((column) => arrowColumn(column, reader))
  const batches = limitedBatches(reader.batches(true), reader.limit)
  await writeArrow({ columns, batches }, out, { file, raw: style.raw })
}

/** One of the fragments that are written to one table. */
export interface FragmentToWrite {
  name: string
  /** Undefined if it cannot be read; the reason has then been reported. */
  open(): Promise<Reader | undefined>
}

/**
 * Writes the cells of several fragments as one table. A column is null for fragments that lack it.
 * @param limit largest number of cells over all fragments
 * @throws InspectError USAGE if a column's type differs, as an Arrow table has one schema
 */
export async function writeArrayArrow(
  fragments: readonly FragmentToWrite[],
  limit: number,
  style: ValueStyle,
  out: Output,
  file: boolean,
): Promise<void> {
  const columns = await tableColumns(fragments)
  const batches = limitedBatches(tableBatches(fragments, columns), limit)
  const name = fragmentColumn(fragments.map((fragment) => fragment.name))
  await writeArrow({ columns: [name, ...columns], batches }, out, { file, raw: style.raw })
}

/** The cells of all fragments in the columns of the table, which follow a column with the fragment's number. */
async function* tableBatches(
  fragments: readonly FragmentToWrite[],
  columns: readonly ArrowColumn[],
): AsyncGenerator<CellBatch> {
  for (const [f, { open }] of fragments.entries()) {
    const reader = await open()
    if (!reader) continue
    try {
      const places = columns.map(({ name, kind }) =>
        reader.columns.findIndex((column) => column.name === name && column.kind === kind),
      )
      for await (const batch of reader.batches(true)) {
        const numbers = new Int32Array(batch.cell_num).fill(f)
        const data = new Uint8Array(numbers.buffer)
        yield {
          ...batch,
          columns: [{ data, starts: undefined, validity: undefined }, ...places.map((place) => batch.columns[place])],
        }
      }
    } finally {
      await reader.close()
    }
  }
}

function fragmentColumn(names: readonly string[]): ArrowColumn {
  const text = new TextEncoder()
  return {
    name: '__fragment',
    kind: 'attribute',
    type: 'INT32',
    cell_val_num: 1,
    nullable: false,
    labels: {
      name: '__fragment',
      type: 'STRING_UTF8',
      cell_val_num: 'var',
      ordered: false,
      values: names.map((name) => text.encode(name)),
      onMissing() {},
    },
    made: true,
  }
}

/** Every column of any fragment, in order of first occurrence. */
async function tableColumns(fragments: readonly FragmentToWrite[]): Promise<ArrowColumn[]> {
  const columns: { column: ArrowColumn; from: string; fragmentNum: number }[] = []
  let readNum = 0
  for (const { name: from, open } of fragments) {
    const reader = await open()
    if (!reader) continue
    readNum++
    try {
      for (const column of reader.columns) {
        const found = arrowColumn(column, reader)
        const known = columns.find((one) => one.column.name === found.name && one.column.kind === found.kind)
        if (!known) columns.push({ column: found, from, fragmentNum: 1 })
        else {
          checkSameType(known.column, known.from, found, from)
          known.column = bothColumns(known.column, found)
          known.fragmentNum++
        }
      }
    } finally {
      await reader.close()
    }
  }
  return columns.map(({ column, fragmentNum }) => (fragmentNum === readNum ? column : { ...column, nullable: true }))
}

function checkSameType(a: ArrowColumn, inA: string, b: ArrowColumn, inB: string): void {
  if (a.type === b.type && a.cell_val_num === b.cell_val_num) return
  const typeOf = ({ type, cell_val_num }: ArrowColumn): string =>
    cell_val_num === 1 ? type : `${type} with cell_val_num ${cell_val_num}`
  throw usage(
    `expected fragments whose columns have one type, as an Arrow table has, found ${typeOf(a)} in ${inA} and ${typeOf(b)} in ${inB}: decode them one by one`,
    { field: a.name },
  )
}

/** If both have labels, they are the same: those of the array. */
function bothColumns(a: ArrowColumn, b: ArrowColumn): ArrowColumn {
  return { ...a, labels: a.labels ?? b.labels, nullable: a.nullable || b.nullable }
}

function arrowColumn(column: ColumnType, reader: Pick<Reader, 'enumerations' | 'report'>): ArrowColumn {
  const enumeration = column.kind === 'attribute' ? reader.enumerations.get(column.name) : undefined
  return enumeration ? { ...column, labels: labelsOf(column, enumeration, reader.report) } : column
}

function labelsOf(column: ColumnType, enumeration: Enumeration, report: LabelReport): ArrowLabels {
  const { name, cell_val_num, ordered } = enumeration
  const values = enumerationValues(enumeration)
  const onMissing = report.missingIn(column.name, name, values)
  return { name, type: enumerationValueType(enumeration, values), cell_val_num, ordered, values, onMissing }
}

/** Batches until they hold `limit` rows. */
async function* limitedBatches(batches: AsyncIterable<CellBatch>, limit: number): AsyncGenerator<CellBatch> {
  let left = limit
  if (left <= 0) return
  for await (const batch of batches) {
    const count = batch.rows?.length ?? batch.cell_num
    yield count <= left ? batch : { ...batch, rows: batch.rows?.subarray(0, left) ?? firstRows(left) }
    left -= count
    if (left <= 0) return
  }
}

function firstRows(count: number): Uint32Array {
  return Uint32Array.from({ length: count }, (_, i) => i)
}
