import type { InspectError } from '../base/errors.ts'
import type { CellBatch, ColumnType } from '../cells/column.ts'
import { batchRows, columnValue, type ShownLabels } from '../cells/rows.ts'
import type { CellsLine, CellsTail } from '../documents/cells.ts'
import type { AsOf, DocumentHead } from '../documents/common.ts'
import type { Enumeration } from '../format/enumeration.ts'
import type { ValueStyle } from '../format/value.ts'
import { PROVENANCE } from '../read/query.ts'
import { type CommandContext, errorResult, type Outcome } from './command.ts'
import type { LabelReport } from './missing-labels.ts'
import { parseWhole } from './option-values.ts'
import { enumerationResult } from './schema.ts'

/** The cells that the options of a command select. */
export interface Reader {
  /** Columns to show. */
  columns: readonly ColumnType[]
  limit: number
  /** By the attribute's name; empty without `--labels`. */
  enumerations: ReadonlyMap<string, Enumeration>
  report: LabelReport
  /** Errors so far. */
  faults: readonly InspectError[]
  /** The columns to show, tile by tile, without the limit. @param reuse see {@link CellSelection.reuse} */
  batches(reuse?: boolean): AsyncGenerator<CellBatch>
  close(): Promise<void>
}

/** Most errors in a document: a damaged file may cause one for each tile. */
export const MOST_FAULTS = 1000

/** Options of a command that prints cells. */
export interface CellOptions {
  limit?: string
  keepGoing?: boolean
}

/** A document with cells. */
interface CellsHead extends DocumentHead, AsOf {
  cells: AsyncIterable<CellsLine>
}

/**
 * Shows the cells of a reader in every format. The reader is closed after the last.
 * @param head of the document, whose cells are those of the reader
 * @param total number of cells, if it is known
 */
export function readerOutcome<Head extends DocumentHead>(
  cx: CommandContext,
  head: Head,
  reader: Reader,
  options: CellOptions,
  total?: number | bigint,
): Outcome & { document: Head & CellsHead } {
  const { report, limit } = reader
  const ended = async (arrow = false): Promise<void> => {
    report.tell(cx, arrow)
    await reader.close()
  }
  async function* rows(): AsyncGenerator<CellsLine> {
    try {
      yield* limited(readerRows(reader, cx.style), limit)
    } finally {
      await ended()
    }
  }
  const columns = reader.columns.map(({ name }) => name)
  const document = { ...head, cells: { [Symbol.asyncIterator]: rows } }
  // A narrow terminal hides the last columns.
  const first = reader.columns.filter(({ kind, name }) => kind === 'dimension' || name === PROVENANCE[0].name)
  const shown = [...new Set([...first.map(({ name }) => name), ...columns])]
  return Object.assign(cellsOutcome(cx, document, reader, shown, options, total), {
    document,
    columns: () => columns,
    async cellLines(out, style) {
      const { writeCellLines } = await import('../render/cell-lines.ts')
      const columns = reader.columns.map((column) => ({ column, labels: shownLabels(reader, column, cx.style) }))
      try {
        return await writeCellLines(columns, reader.batches(true), limit, out, { ...cx.style, ...style })
      } finally {
        await ended()
      }
    },
    async arrow(out, file) {
      const { writeFragmentArrow } = await import('./decode-arrow.ts')
      try {
        await writeFragmentArrow(reader, cx.style, out, file)
      } finally {
        await ended(true)
      }
    },
  } satisfies Partial<Outcome>)
}

/**
 * @param columns undefined if rows differ in theirs
 * @param total number of cells, if it is known
 */
export function cellsOutcome(
  cx: CommandContext,
  document: CellsHead,
  { report, faults }: Pick<Reader, 'report' | 'faults'>,
  columns: readonly string[] | undefined,
  options: CellOptions,
  total?: number | bigint,
): Outcome {
  return {
    document,
    rows: document.cells,
    tail: (): CellsTail => ({
      missing_labels: report.result(),
      errors: faults.length === 0 ? undefined : faults.map((error) => errorResult(cx, error)),
    }),
    // Rows cannot say that cells are missing, and an empty field reads as null.
    get incomplete() {
      return options.keepGoing !== true && faults.length > 0
    },
    async table(out) {
      const { cellsTable } = await import('../render/views/cells.ts')
      const as_of = cx.times && document.as_of
      await cellsTable({ ...document, as_of }, columns, out, total, parseLimit(options.limit))
    },
  }
}

export async function* limited<T>(rows: AsyncIterable<T>, limit: number): AsyncGenerator<T> {
  let left = limit
  if (left <= 0) return
  for await (const row of rows) {
    yield row
    if (--left <= 0) return
  }
}

/** The cells of a reader as objects, without the limit. */
export async function* readerRows(reader: Reader, style: ValueStyle): AsyncGenerator<CellsLine> {
  const { columns } = reader
  const values = columns.map((column) => columnValue(column, style, shownLabels(reader, column, style)))
  for await (const batch of reader.batches()) yield* batchRows(batch, columns, values)
}

/** The labels of a column; undefined if it has none, or they are not wanted. */
export function shownLabels(
  { enumerations, report }: Pick<Reader, 'enumerations' | 'report'>,
  { kind, name }: ColumnType,
  style: ValueStyle,
): ShownLabels | undefined {
  const enumeration = kind === 'attribute' ? enumerations.get(name) : undefined
  if (!enumeration) return undefined
  // Names of fragments are no values of the array: `raw` leaves them as they are.
  const { values } = enumerationResult(enumeration, name === PROVENANCE[0].name ? { ...style, raw: false } : style)
  return { values, onMissing: report.missingIn(name, enumeration.name, values) }
}

/** The number of `--limit`; infinity without one. */
export function parseLimit(text: string | undefined): number {
  return parseWhole('--limit', text) ?? Number.POSITIVE_INFINITY
}
