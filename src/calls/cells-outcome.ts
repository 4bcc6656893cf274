import { type InspectError, isNew } from '../base/errors.ts'
import type { ColumnType } from '../cells/column.ts'
import { batchRows, columnValue, type ShownLabels } from '../cells/rows.ts'
import type { CellsLine, CellsTail, DecodedTail } from '../documents/cells.ts'
import type { AsOf, DocumentHead } from '../documents/common.ts'
import type { ReadDocument } from '../documents/read.ts'
import type { ValueStyle } from '../format/value.ts'
import { PROVENANCE } from '../read/query.ts'
import type { CommandContext } from './command.ts'
import { errorResult } from './document-parts.ts'
import { parseWhole } from './option-values.ts'
import type { CellsOutcome } from './outcome.ts'
import { enumerationResult } from './schema-result.ts'
import type { SelectedCells } from './selected-cells.ts'

/** Largest number of faults in a document. Damage may cause very many. */
const MAX_FAULTS = 1000

/** Reports the faults of a command that prints cells, and keeps the first of them for the document. */
export class FaultList {
  readonly listed: InspectError[] = []
  private readonly told = new Set<string>()
  private readonly cx: CommandContext

  constructor(cx: CommandContext) {
    this.cx = cx
  }

  add(fault: InspectError): void {
    if (this.listed.length < MAX_FAULTS) this.listed.push(fault)
    this.cx.fault(fault)
  }

  /** Adds a fault, unless an earlier one says the same about the same file. */
  readonly addNew = (fault: InspectError): void => {
    if (isNew(this.told, fault) || this.cx.wantsEveryFault) this.add(fault)
  }
}

/** Options of a command that prints cells. */
export interface CellOptions {
  limit?: string
  keepGoing?: boolean
}

/** The first keys of a document with cells. */
type CellsHead = DocumentHead & AsOf

/** The last keys of a document with cells, and those that only reads or only stored cells have. */
type ReadTail = CellsTail & DecodedTail & Pick<ReadDocument, 'cell_num' | 'not_unique'>

/**
 * Shows the cells of a reader in every format. The reader is closed after the last cell.
 * @param head the first keys of the document; `cells` follows them
 * @param options.counts whether the document says, after the cells, how many there are
 * @param total as in {@link ShownRows}
 */
export function readerOutcome(
  cx: CommandContext,
  head: CellsHead,
  reader: SelectedCells,
  { counts = false, ...options }: CellOptions & { counts?: boolean },
  total?: number | bigint,
): CellsOutcome {
  const { report, notUnique, limit } = reader
  const end = async (inRecords = false): Promise<void> => {
    report.tell(cx, inRecords)
    notUnique?.tell(cx)
    await reader.close()
  }
  const tail = (): ReadTail => ({ not_unique: notUnique?.result(), ...cellsTail(cx, reader) })
  async function* rows(): AsyncGenerator<CellsLine, ReadTail> {
    let cell_num = 0
    try {
      for await (const row of limit > 0 ? readerRows(reader, cx.style) : []) {
        cell_num++
        yield row
        if (cell_num >= limit) break
      }
    } finally {
      await end()
    }
    return counts ? { cell_num, ...tail() } : tail()
  }
  return {
    ...cellsOutcome(
      cx,
      head,
      rows,
      { columns: reader.columns, asked: reader.asked, indexed: reader.indexed, total },
      options,
    ),
    columns: () => reader.columns.map(({ name }) => name),
    async cellLines(out, style) {
      const { writeCellLines } = await import('../rows/cell-lines.ts')
      const columns = reader.columns.map((column) => ({
        column,
        labels: shownLabels(reader, column, cx.style),
        ...(column.isWritten && !cx.style.raw ? { value: columnValue(column, cx.style), made: true } : {}),
      }))
      const written = { ...cx.style, ...style }
      const notes = await writeCellLines(columns, reader.batches(true), out, written, { limit }).finally(() => end())
      return { ...notes, tail: tail() }
    },
    async records(out, format) {
      const { writeCellRecords } = await import('./cell-records.ts')
      await writeCellRecords(reader, out, { format, raw: cx.style.raw }).finally(() => end(true))
      return tail()
    },
  }
}

/** The last keys of a document with cells. */
export function cellsTail(
  cx: CommandContext,
  { report, faults }: Pick<SelectedCells, 'report' | 'faults'>,
): CellsTail & DecodedTail {
  return {
    missing_labels: report.missingLabels(),
    unknown_nulls: report.unknownNulls(),
    errors: faults.length === 0 ? undefined : faults.map((error) => errorResult(cx, error)),
  }
}

/** The rows that are shown. */
interface ShownRows {
  /** The columns of the table; undefined if rows have different columns. */
  columns: readonly ColumnType[] | undefined
  /** See {@link SelectedCells.asked}. */
  asked?: readonly string[] | undefined
  /** See {@link SelectedCells.indexed}. */
  indexed?: readonly string[] | undefined
  /** Number of cells, if it is known. */
  total?: number | bigint | undefined
  /** What a row is; `cell` by default. */
  one?: string
}

/**
 * Shows rows of cells.
 */
export function cellsOutcome(
  cx: CommandContext,
  head: CellsHead,
  rows: () => AsyncGenerator<CellsLine, CellsTail>,
  { columns, asked, indexed, total, one }: ShownRows,
  { keepGoing = false, limit }: CellOptions,
): Omit<CellsOutcome, 'columns' | 'records'> {
  return {
    kind: 'cells',
    head,
    list: 'cells',
    walk: rows,
    keepGoing,
    async table(out) {
      const { cellsTable } = await import('../render/views/cells.ts')
      const { path, as_of } = head
      const shown = columns && tableColumns(columns, out.columns === undefined ? [] : asked)
      const numbers = { total, most: parseLimit(limit), one, indexed }
      return cellsTable({ path, as_of: cx.times && as_of }, rows(), shown, out, numbers)
    },
  }
}

/** The names of columns. Dimensions come first, then what was asked about: a narrow terminal hides the last columns. */
function tableColumns(columns: readonly ColumnType[], asked: readonly string[] = []): string[] {
  const dimensions = columns.filter(({ kind }) => kind === 'dimension')
  const first = columns.filter(({ name }) => asked.includes(name))
  const places = columns.filter(({ name }) => name === PROVENANCE[0].name)
  return [...new Set([...dimensions, ...first, ...places, ...columns].map(({ name }) => name))]
}

/** The cells of a reader as objects, without the limit. */
export async function* readerRows(reader: SelectedCells, style: ValueStyle): AsyncGenerator<CellsLine> {
  const { columns } = reader
  const values = columns.map((column) => columnValue(column, style, shownLabels(reader, column, style)))
  for await (const batch of reader.batches()) yield* batchRows(batch, columns, values)
}

/** The labels of a column; undefined if it has no labels, or if they are not shown. */
export function shownLabels(
  { enumerations, report }: Pick<SelectedCells, 'enumerations' | 'report'>,
  { kind, name }: ColumnType,
  style: ValueStyle,
): ShownLabels | undefined {
  const enumeration = kind === 'attribute' ? enumerations.get(name) : undefined
  if (!enumeration) return undefined
  // Fragments' names are text even with `raw`: they are not values of the array.
  const { values } = enumerationResult(enumeration, name === PROVENANCE[0].name ? { ...style, raw: false } : style)
  return { values, onMissing: report.missingIn(name, enumeration.name, values) }
}

/** The number of `--limit`; infinity without the option. */
export function parseLimit(text: string | undefined): number {
  return parseWhole('--limit', text) ?? Number.POSITIVE_INFINITY
}
