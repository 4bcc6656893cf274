import type { Output, Result } from '../base/result.ts'
import type { CellBatch, ColumnData, ColumnType } from '../cells/column.ts'
import { columnValue, type ShownLabels } from '../cells/rows.ts'
import { datatypeKind } from '../format/datatype.ts'
import type { ValueStyle } from '../format/value.ts'
import { type CsvStyle, csvField, csvHeader, lineEnd, NULL_LINE, separator } from './csv.ts'
import { type JsonNotes, type JsonStyle, JsonText, jsonKey, toJson } from './json.ts'
import type { RowKernel } from './row-kernel.ts'
import { TextBuffer } from './text-buffer.ts'

export interface CellLineStyle extends ValueStyle {
  format: 'ndjson' | 'csv' | 'tsv'
  int64: JsonStyle['int64']
  /** Whether the output is a terminal: see {@link CsvStyle}. */
  terminal?: boolean | undefined
}

/** Returns the style of CSV or TSV; undefined for JSON. */
function csvStyle({ format, int64, terminal }: CellLineStyle): CsvStyle | undefined {
  return format === 'ndjson' ? undefined : { int64, terminal, format }
}

/** A column to write. */
export interface ShownColumn {
  column: ColumnType
  /** Values of the enumeration, if they are shown in place of the stored indexes. */
  labels?: ShownLabels | undefined
  /** Returns the value of a cell; by default, {@link columnValue}. */
  value?: ((data: ColumnData, cell: number) => Result) | undefined
  /** Whether `value` returns something else than the stored cells. */
  made?: boolean
}

/** Texts around the cells of a line. */
export interface LineTexts {
  /** Text before the cell of each column if it is the first cell of the line. */
  first: readonly Uint8Array[]
  /** Text before the cell of each column otherwise. */
  later: readonly Uint8Array[]
  /** Text after the last cell. */
  end: Uint8Array
}

/** Number of rows that plain code writes in the time in which the WebAssembly module is compiled. */
const PLAIN_ROWS = 1024

/**
 * Writes cells as lines of NDJSON or CSV. The text is the same as if ndjson.ts or csv.ts wrote the rows as objects. The first rows
 * are written value by value, the others by a {@link RowKernel}, which creates no object, string or bigint for a cell.
 *
 * @param limit most rows to write
 * @param plainRows number of rows to write before the module is compiled
 */
export async function writeCellLines(
  columns: readonly ShownColumn[],
  batches: AsyncIterable<CellBatch>,
  out: Output,
  style: CellLineStyle,
  { limit, plainRows = PLAIN_ROWS }: { limit: number; plainRows?: number },
): Promise<JsonNotes> {
  const lines = new TextBuffer(out)
  const rows = new CellLines(columns, lines, style, { plainRows })
  const csv = csvStyle(style)
  if (csv)
    lines.add(
      csvHeader(
        columns.map(({ column }) => column.name),
        csv,
      ),
    )
  try {
    if (limit > 0) {
      for await (const batch of batches) {
        const count = Math.min(limit - rows.written, batch.rows?.length ?? batch.cell_num)
        await rows.write(batch, 0, count)
        if (rows.written >= limit) break
      }
    }
  } finally {
    // The rows before an error are written.
    rows.end()
    await lines.flush()
  }
  return { rounded: rows.rounded }
}

/** Adds lines of cells to a buffer, which is written out whenever it is full. */
export class CellLines {
  /** Number of rows that were added. */
  written = 0
  private readonly columns: readonly ShownColumn[]
  private readonly style: CellLineStyle
  private readonly plainRows: number
  private readonly plain: PlainRows
  private quick: QuickRows | undefined

  /**
   * @param options.texts texts around the cells; by default those of the format
   * @param options.plainRows number of rows to write before the module is compiled
   */
  constructor(
    columns: readonly ShownColumn[],
    lines: TextBuffer,
    style: CellLineStyle,
    { texts = textsOf(columns, style), plainRows = PLAIN_ROWS }: { texts?: LineTexts; plainRows?: number } = {},
  ) {
    this.columns = columns
    this.style = style
    this.plainRows = plainRows
    this.plain = new PlainRows(columns, texts, lines, style)
  }

  /** Adds rows `[from, to)` of a batch. */
  async write(batch: CellBatch, from: number, to: number): Promise<void> {
    const { plain } = this
    this.written += to - from
    if (this.written > this.plainRows) this.quick ??= await quickRows(this.columns, plain, this.style)
    plain.begin(batch)
    const rows = this.quick?.begin(batch) ? this.quick : plain
    for (let i = from; i < to; ) {
      i = rows.rows(batch.rows, i, to)
      if (plain.lines.full) await plain.lines.flush()
    }
  }

  /** Must be called after the last row, and before other text is added to the buffer. More rows may follow. */
  end(): void {
    this.quick?.end()
  }

  /** See {@link JsonNotes}. */
  get rounded(): boolean {
    return !this.plain.csv && this.plain.json.rounded
  }
}

function textsOf(columns: readonly ShownColumn[], style: CellLineStyle): LineTexts {
  const csv = csvStyle(style)
  const before = (mark: string): Uint8Array[] =>
    columns.map(({ column }) => utf8(csv ? '' : `${mark}${jsonKey(column.name)}:`))
  return {
    first: before('{'),
    later: csv ? columns.map(() => utf8(separator(csv))) : before(','),
    end: utf8(csv ? lineEnd(csv) : '}\n'),
  }
}

/** Writes rows value by value. */
class PlainRows {
  readonly lines: TextBuffer
  readonly csv: CsvStyle | undefined
  readonly texts: LineTexts
  readonly json: JsonText
  private readonly values: readonly ((data: ColumnData, cell: number) => Result)[]
  private batch: CellBatch | undefined
  private cell = 0

  constructor(shown: readonly ShownColumn[], texts: LineTexts, lines: TextBuffer, style: CellLineStyle) {
    this.lines = lines
    this.texts = texts
    this.csv = csvStyle(style)
    this.json = new JsonText(lines, { int64: style.int64, indent: false })
    this.values = shown.map(
      ({ column, labels, value }) => value ?? columnValue(column, style, labels && this.reportedOnce(labels)),
    )
  }

  /** Reports a missing label once a cell. A cell is written a second time if it did not fit into the kernel's memory. */
  private reportedOnce({ values, onMissing }: ShownLabels): ShownLabels {
    let batch: CellBatch | undefined
    let last = -1
    return {
      values,
      onMissing: (index) => {
        if (batch === this.batch && this.cell <= last) return
        batch = this.batch
        last = this.cell
        onMissing(index)
      },
    }
  }

  begin(batch: CellBatch): void {
    this.batch = batch
  }

  /** Adds the text of a cell; nothing if its column could not be read. */
  add(column: number, cell: number): void {
    const data = this.batch?.columns[column]
    if (!data) return
    this.cell = cell
    const value = this.values[column](data, cell)
    if (this.csv) this.lines.add(csvField(value, this.csv))
    else this.json.whole(value)
  }

  /**
   * Adds rows `[from, to)` until the buffer is full. A column that could not be read has no key in JSON, and an empty field in
   * CSV. If a cell throws, its row is not added.
   *
   * @returns the first row that was not added
   */
  rows(rows: Uint32Array | undefined, from: number, to: number): number {
    const { lines, csv } = this
    const { first, later, end } = this.texts
    const columns = this.batch?.columns ?? []
    let i = from
    let start = lines.length
    try {
      for (; i < to && !lines.full; i++) {
        start = lines.length
        let before = first
        for (let c = 0; c < columns.length; c++) {
          if (!columns[c] && !csv) continue
          lines.addBytes(before[c])
          this.add(c, rows === undefined ? i : rows[i])
          before = later
        }
        if (lines.length === start) lines.add(csv ? NULL_LINE : '{')
        lines.addBytes(end)
      }
    } catch (error) {
      lines.cutTo(start)
      throw error
    }
    return i
  }
}

/** Number of rows that the kernel may decline because of a column before plain code makes the text of that column. */
const MANY_DECLINED = 200
/** Plain code takes over only if the kernel declines at least one in this many rows. */
const MAX_DECLINED = 4

/** Writes rows by a {@link RowKernel}. Plain code writes the rows that it declines. */
class QuickRows {
  private kernel: RowKernel
  private readonly plain: PlainRows
  private readonly make: (made: ReadonlySet<number>) => RowKernel | undefined
  private readonly made: Set<number>
  private batch: CellBatch | undefined
  private written = 0
  /** Number of rows that the kernel declined, by the column that was the cause. */
  private readonly declined: number[] = []

  /**
   * @param make creates a kernel that gets the text of the columns in `made` from plain code
   * @param made indexes of the columns whose text plain code makes
   */
  constructor(
    kernel: RowKernel,
    plain: PlainRows,
    make: (made: ReadonlySet<number>) => RowKernel | undefined,
    made: Set<number>,
  ) {
    this.kernel = kernel
    this.plain = plain
    this.make = make
    this.made = made
  }

  /** Sets the batch of the next rows. @returns false if none of its columns is shown; the kernel is then empty */
  begin(batch: CellBatch): boolean {
    this.batch = batch
    this.kernel.begin(batch)
    if (!this.kernel.hasColumns) this.end()
    return this.kernel.hasColumns
  }

  /** Like {@link PlainRows.rows}. */
  rows(rows: Uint32Array | undefined, from: number, to: number): number {
    const { kernel, plain } = this
    const next = kernel.rows(rows, from, to)
    const { full } = kernel
    this.written += next - from
    if (full || next === from) plain.lines.addBytes(kernel.take())
    if (full || next > from) return next
    if (kernel.declinedColumn >= 0) this.decline(kernel.declinedColumn)
    return plain.rows(rows, from, from + 1)
  }

  private decline(column: number): void {
    const count = (this.declined[column] ?? 0) + 1
    this.declined[column] = count
    if (this.made.has(column) || count < MANY_DECLINED || count * MAX_DECLINED < this.written) return
    this.made.add(column)
    this.end()
    this.kernel = this.make(this.made) ?? this.kernel
    if (this.batch) this.kernel.begin(this.batch)
  }

  /** Moves the text that is left in the kernel to the buffer. */
  end(): void {
    this.plain.lines.addBytes(this.kernel.take())
    if (this.kernel.sawUnsafe) this.plain.json.rounded = true
  }
}

async function quickRows(
  shown: readonly ShownColumn[],
  plain: PlainRows,
  style: CellLineStyle,
): Promise<QuickRows | undefined> {
  const [{ RowKernel }, { KERNELS_WASM }] = await Promise.all([
    import('./row-kernel.ts'),
    import('./kernels/binary.js'),
  ])
  const { csv, lines, texts } = plain
  const text = (value: Result): Uint8Array =>
    utf8(csv ? csvField(value, csv) : toJson(value, { int64: 'number', indent: false }))
  const madeText = (column: number, cell: number): Uint8Array => {
    const start = lines.length
    plain.add(column, cell)
    return lines.takeFrom(start)
  }
  const make = (made: ReadonlySet<number>): RowKernel | undefined =>
    RowKernel.make(
      Buffer.from(KERNELS_WASM, 'base64'),
      shown.map(({ column }, c) => ({ column, first: texts.first[c], later: texts.later[c], made: made.has(c) })),
      {
        end: texts.end,
        null: text(null),
        emptyLine: utf8(NULL_LINE),
        nan: text(Number.NaN),
        infinity: text(Number.POSITIVE_INFINITY),
        minusInfinity: text(Number.NEGATIVE_INFINITY),
        minusZero: text(-0),
      },
      { csv: csv !== undefined, quoted: !csv && style.int64 === 'string', raw: style.raw, madeText },
    )
  const made = new Set(shown.flatMap((one, c) => (isQuick(one, style) ? [] : [c])))
  const kernel = made.size === shown.length ? undefined : make(made)
  return kernel && new QuickRows(kernel, plain, make, made)
}

/** Whether the kernel can write the cells of a column: numbers, dates, BOOL or the stored text. */
function isQuick({ column, labels, made }: ShownColumn, { raw }: CellLineStyle): boolean {
  if (labels || made || (column.kind.startsWith('delete') && !raw)) return false
  const kind = datatypeKind(column.type)
  return kind === 'text' ? !raw : kind !== 'bytes'
}

function utf8(text: string): Uint8Array {
  return new TextEncoder().encode(text)
}
