import type { Output, Result } from '../base/result.ts'
import type { CellBatch, ColumnData, ColumnType } from '../cells/column.ts'
import { aligned } from '../cells/elements.ts'
import { type ColumnValue, columnValue, type ShownLabels } from '../cells/rows.ts'
import { type Datatype, datatypeKind, datatypeSize } from '../format/datatype.ts'
import { shortestFloat32, type ValueStyle } from '../format/value.ts'
import { type CsvStyle, csvField, csvHeader, LONE_NULL, lineEnd, separator } from './csv.ts'
import { type JsonNotes, type JsonStyle, jsonKey, toJson } from './json.ts'
import { LineBytes, POWERS } from './line-bytes.ts'
import type { RowKernel } from './row-kernel.ts'

export interface CellLineStyle extends ValueStyle {
  format: 'ndjson' | 'csv' | 'tsv'
  int64: JsonStyle['int64']
  /** Whether the output is a terminal: see {@link CsvStyle}. */
  terminal?: boolean | undefined
}

/** The style of CSV or TSV fields; undefined for JSON. */
function csvStyle({ format, int64, terminal }: CellLineStyle): CsvStyle | undefined {
  return format === 'ndjson' ? undefined : { int64, terminal, tabs: format === 'tsv' }
}

/** A column, and its enumeration's values if they are shown in place of the stored indexes. */
export interface ShownColumn {
  column: ColumnType
  labels: ShownLabels | undefined
}

/**
 * Writes cells as lines of NDJSON or CSV. The text equals that of the rows as objects (ndjson.ts, csv.ts). It is written
 * column by column from the cells' bytes. Where the type allows it, no object, string or bigint is made per cell.
 *
 * @param limit largest number of rows
 * @param plainRows rows to write before the module that writes numbers faster is compiled
 */
export async function writeCellLines(
  columns: readonly ShownColumn[],
  batches: AsyncIterable<CellBatch>,
  limit: number,
  out: Output,
  style: CellLineStyle,
  plainRows = PLAIN_ROWS,
): Promise<JsonNotes> {
  const lines = new LineBytes(out)
  const writer = new CellLines(columns, lines, style)
  const csv = csvStyle(style)
  if (csv)
    lines.text(
      csvHeader(
        columns.map(({ column }) => column.name),
        csv,
      ),
    )
  let left = limit
  let plain = plainRows
  let quick: QuickLines | undefined
  if (left > 0) {
    for await (const batch of batches) {
      const count = Math.min(left, batch.rows?.length ?? batch.cell_num)
      plain -= count
      if (quick && !quick.helps) {
        quick.end()
        quick = undefined
        plain = Number.POSITIVE_INFINITY
      }
      if (plain < 0 && !quick) {
        quick = await quickLines(columns, writer, lines, style)
        if (!quick) plain = Number.POSITIVE_INFINITY
      }
      const rows = quick?.begin(batch) ? quick : writer
      if (rows === writer) writer.begin(batch)
      for (let i = 0; i < count; ) {
        i = rows.rows(batch.rows, i, count)
        if (lines.full) await lines.flush()
      }
      left -= count
      if (left <= 0) break
    }
  }
  quick?.end()
  await lines.flush()
  return writer.notes
}

/** This many rows take as long as compiling the module. */
const PLAIN_ROWS = 4096

/** {@link CellLines} for numbers and plain text, with a {@link RowKernel}. */
class QuickLines {
  private readonly kernel: RowKernel
  private readonly other: CellLines
  private readonly lines: LineBytes
  private readonly countsUnsafe: boolean
  private batch: CellBatch | undefined
  /** Whether `other` has begun the batch. */
  private begun = false
  private written = 0
  private declined = 0

  /**
   * @param other writes the rows that the kernel declines
   * @param countsUnsafe whether to note integers that a float64 cannot hold
   */
  constructor(kernel: RowKernel, other: CellLines, lines: LineBytes, countsUnsafe: boolean) {
    this.kernel = kernel
    this.other = other
    this.lines = lines
    this.countsUnsafe = countsUnsafe
  }

  /** False if the kernel declines so many rows that it is slower. */
  get helps(): boolean {
    return this.declined < MANY_DECLINED || this.declined * MOST_DECLINED < this.written
  }

  /** @returns false if no columns are left to show; then all earlier rows are in the lines */
  begin(batch: CellBatch): boolean {
    this.batch = batch
    this.begun = false
    this.kernel.begin(batch)
    if (!this.kernel.writes) this.end()
    return this.kernel.writes
  }

  /** Like {@link CellLines.rows}. */
  rows(rows: Uint32Array | undefined, from: number, to: number): number {
    const next = this.kernel.rows(rows, from, to)
    const { full } = this.kernel
    this.written += next - from
    if (full || next === from) this.lines.ascii(this.kernel.take())
    if (full || next > from) return next
    this.declined++
    if (!this.begun && this.batch) this.other.begin(this.batch)
    this.begun = true
    return this.other.rows(rows, from, from + 1)
  }

  /** Passes on the rows that the kernel still holds. */
  end(): void {
    this.lines.ascii(this.kernel.take())
    if (this.countsUnsafe && this.kernel.sawUnsafe) this.other.notes.rounded = true
  }
}

const MANY_DECLINED = 1000
/** At most one in this many rows may be declined. */
const MOST_DECLINED = 4

/** Undefined if a column holds bytes, or several values per cell. */
async function quickLines(
  shown: readonly ShownColumn[],
  other: CellLines,
  lines: LineBytes,
  style: CellLineStyle,
): Promise<QuickLines | undefined> {
  if (!shown.every((one) => isQuick(one, style))) return undefined
  const [{ RowKernel }, { KERNELS_WASM }] = await Promise.all([
    import('./row-kernel.ts'),
    import('./kernels/binary.ts'),
  ])
  const csv = csvStyle(style)
  const text = (value: Result): Uint8Array => ascii(csv ? csvField(value, csv) : toJson(value, JSON_STYLE, other.notes))
  const before = textsBefore(shown, csv)
  const kernel = RowKernel.make(
    Buffer.from(KERNELS_WASM, 'base64'),
    shown.map(({ column }, c) => ({
      column,
      quoted: !csv && style.int64 === 'string',
      raw: style.raw,
      first: before.first[c],
      later: before.later[c],
    })),
    {
      end: ascii(csv ? lineEnd(csv) : OBJECT_END),
      null: text(null),
      lone: ascii(LONE_NULL),
      nan: text(Number.NaN),
      infinity: text(Number.POSITIVE_INFINITY),
      minusInfinity: text(Number.NEGATIVE_INFINITY),
      minusZero: text(-0),
      csv: csv !== undefined,
    },
  )
  return kernel && new QuickLines(kernel, other, lines, !csv && style.int64 !== 'string')
}

const JSON_STYLE: JsonStyle = { int64: 'number', indent: false }

/** Whether the cells of a column are printed as numbers, dates, BOOL or the stored text. */
function isQuick({ column, labels }: ShownColumn, { raw }: CellLineStyle): boolean {
  if (labels || (column.kind.startsWith('delete') && !raw)) return false
  const kind = datatypeKind(column.type)
  if (kind === 'text') return !raw
  return kind !== 'bytes'
}

/** The text before each column's cells, for the first column of a line and for the others. */
function textsBefore(
  columns: readonly ShownColumn[],
  csv: CsvStyle | undefined,
): { first: Uint8Array[]; later: Uint8Array[] } {
  const before = (mark: string): Uint8Array[] =>
    columns.map(({ column }) => new TextEncoder().encode(`${mark}${jsonKey(column.name)}:`))
  return csv
    ? { first: columns.map(() => ascii('')), later: columns.map(() => ascii(separator(csv))) }
    : { first: before('{'), later: before(',') }
}

const OBJECT_END = '}\n'

/** Writes one cell of a column whose data was passed to {@link begin}. */
interface CellText {
  begin(data: ColumnData): void
  write(cell: number): void
}

class CellLines {
  readonly notes: JsonNotes = { rounded: false }
  private readonly lines: LineBytes
  private readonly cells: readonly CellText[]
  /** The text before the first cell of a line. */
  private readonly first: readonly Uint8Array[]
  /** The text before each other cell of a line. */
  private readonly later: readonly Uint8Array[]
  private readonly csv: boolean
  /** The text before each cell of this batch, and after the last. */
  private before: Uint8Array[] = []
  private texts: CellText[] = []
  private readonly end: Uint8Array

  constructor(columns: readonly ShownColumn[], lines: LineBytes, style: CellLineStyle) {
    this.lines = lines
    const csv = csvStyle(style)
    this.csv = csv !== undefined
    this.cells = columns.map((shown) => cellText(shown, lines, style, this.notes))
    const { first, later } = textsBefore(columns, csv)
    this.first = first
    this.later = later
    this.end = ascii(csv ? lineEnd(csv) : OBJECT_END)
  }

  /** A column that could not be read has no key in JSON, and an empty field in CSV. */
  begin(batch: CellBatch): void {
    this.before = []
    this.texts = []
    for (let c = 0; c < batch.columns.length; c++) {
      const data = batch.columns[c]
      if (!data && !this.csv) continue
      if (data) this.cells[c].begin(data)
      this.before.push(this.texts.length === 0 ? this.first[c] : this.later[c])
      this.texts.push(data ? this.cells[c] : NOTHING)
    }
  }

  /** Writes rows, starting with the i-th, until the buffer is full. @returns the first row that was not written */
  rows(rows: Uint32Array | undefined, from: number, to: number): number {
    const { lines, texts, before, end } = this
    const count = texts.length
    let i = from
    for (; i < to && !lines.full; i++) {
      const cell = rows === undefined ? i : rows[i]
      if (count === 0 && !this.csv) lines.text('{')
      const start = lines.length
      for (let c = 0; c < count; c++) {
        lines.ascii(before[c])
        texts[c].write(cell)
      }
      if (this.csv && lines.length === start) lines.text(LONE_NULL)
      lines.ascii(end)
    }
    return i
  }
}

const NOTHING: CellText = { begin() {}, write() {} }

function ascii(text: string): Uint8Array {
  return new TextEncoder().encode(text)
}

function cellText(shown: ShownColumn, lines: LineBytes, style: CellLineStyle, notes: JsonNotes): CellText {
  const { column, labels } = shown
  const value = columnValue(column, style, labels)
  const other = new AnyText(value, lines, style, notes)
  const text =
    labels || (column.kind.startsWith('delete') && !style.raw) ? other : typedText(column, other, lines, style)
  if (!column.nullable) return text
  return new NullableText(text, lines, ascii(style.format === 'ndjson' ? 'null' : ''))
}

/** The fast writer for a column's type; otherwise `other`. */
function typedText(
  { type, cell_val_num }: ColumnType,
  other: AnyText,
  lines: LineBytes,
  style: CellLineStyle,
): CellText {
  const kind = datatypeKind(type)
  if (kind === 'text') {
    const quick = cell_val_num === 'var' && datatypeSize(type) === 1 && !style.raw
    return quick ? new StringText(other, lines, style.format !== 'ndjson') : other
  }
  if (cell_val_num !== 1) return other
  switch (kind) {
    case 'int':
    case 'uint':
    case 'time':
      return integerText(type, other, lines, style)
    case 'datetime':
      return style.raw ? integerText(type, other, lines, style) : other
    case 'float':
      return new FloatText(other, lines, datatypeSize(type) === 4)
    default:
      return other
  }
}

function integerText(type: Datatype, other: AnyText, lines: LineBytes, style: CellLineStyle): CellText {
  if (datatypeSize(type) < 8) return new Int32Text(type, lines)
  const quoted = style.format === 'ndjson' && style.int64 === 'string'
  return quoted ? other : new Int64Text(type === 'UINT64', other, lines)
}

/** Any value, written through its result. */
class AnyText implements CellText {
  private readonly value: ColumnValue
  private readonly lines: LineBytes
  private readonly json: JsonStyle
  private readonly csv: CsvStyle | undefined
  private readonly notes: JsonNotes
  private data: ColumnData = NO_DATA

  constructor(value: ColumnValue, lines: LineBytes, style: CellLineStyle, notes: JsonNotes) {
    this.value = value
    this.lines = lines
    this.json = { int64: style.int64, indent: false }
    this.csv = csvStyle(style)
    this.notes = notes
  }

  begin(data: ColumnData): void {
    this.data = data
  }

  write(cell: number): void {
    const value = this.value(this.data, cell)
    this.lines.text(this.csv ? csvField(value, this.csv) : toJson(value, this.json, this.notes))
  }
}

const NO_DATA: ColumnData = { data: new Uint8Array(0), starts: undefined, validity: undefined }

class NullableText implements CellText {
  private readonly text: CellText
  private readonly lines: LineBytes
  private readonly nothing: Uint8Array
  private validity: Uint8Array | undefined

  constructor(text: CellText, lines: LineBytes, nothing: Uint8Array) {
    this.text = text
    this.lines = lines
    this.nothing = nothing
  }

  begin(data: ColumnData): void {
    this.validity = data.validity
    this.text.begin(data)
  }

  write(cell: number): void {
    if (this.validity !== undefined && this.validity[cell] === 0) this.lines.ascii(this.nothing)
    else this.text.write(cell)
  }
}

/** Integers of up to 32 bits. */
class Int32Text implements CellText {
  private readonly type: Datatype
  private readonly lines: LineBytes
  private values: Int8Array | Uint8Array | Int16Array | Uint16Array | Int32Array | Uint32Array = new Int32Array(0)

  constructor(type: Datatype, lines: LineBytes) {
    this.type = type
    this.lines = lines
  }

  begin({ data }: ColumnData): void {
    const size = datatypeSize(this.type)
    const { buffer, byteOffset } = aligned(data, size)
    const count = data.length / size
    const signed = datatypeKind(this.type) !== 'uint'
    if (size === 1)
      this.values = signed ? new Int8Array(buffer, byteOffset, count) : new Uint8Array(buffer, byteOffset, count)
    else if (size === 2)
      this.values = signed ? new Int16Array(buffer, byteOffset, count) : new Uint16Array(buffer, byteOffset, count)
    else this.values = signed ? new Int32Array(buffer, byteOffset, count) : new Uint32Array(buffer, byteOffset, count)
  }

  write(cell: number): void {
    this.lines.int32(this.values[cell])
  }
}

/** 64-bit integers as digits. Those beyond 2^53 are written through bigint. */
class Int64Text implements CellText {
  private readonly unsigned: boolean
  private readonly other: AnyText
  private readonly lines: LineBytes
  private words: Int32Array = new Int32Array(0)

  constructor(unsigned: boolean, other: AnyText, lines: LineBytes) {
    this.unsigned = unsigned
    this.other = other
    this.lines = lines
  }

  begin(data: ColumnData): void {
    const { buffer, byteOffset } = aligned(data.data, 8)
    this.words = new Int32Array(buffer, byteOffset, Math.floor(data.data.length / 8) * 2)
    this.other.begin(data)
  }

  write(cell: number): void {
    const low = this.words[2 * cell]
    const high = this.words[2 * cell + 1]
    if (high === 0 && low >= 0) this.lines.int32(low)
    else if (high < EXACT_HIGH && high >= (this.unsigned ? 0 : -EXACT_HIGH)) {
      this.lines.integer(high * 2 ** 32 + (low >>> 0))
    } else this.other.write(cell)
  }
}

/** If the upper half is below this, a 64-bit integer is exact as a float64. */
const EXACT_HIGH = 2 ** 20

/** Largest number of decimal places that is tried. */
const PLACES = 12
/** Up to 15 digits, float64 holds each whole number exactly, and its digits are its shortest form. */
const FIFTEEN_DIGITS = 1e15

/** Floats: the shortest decimal form that reads back as the same value. */
class FloatText implements CellText {
  private readonly other: AnyText
  private readonly lines: LineBytes
  private readonly single: boolean
  private values: Float32Array | Float64Array = new Float64Array(0)
  /** Decimal places of the previous cell; neighbours often have the same number. */
  private places = 0

  constructor(other: AnyText, lines: LineBytes, single: boolean) {
    this.other = other
    this.lines = lines
    this.single = single
  }

  begin(data: ColumnData): void {
    const size = this.single ? 4 : 8
    const { buffer, byteOffset } = aligned(data.data, size)
    const count = Math.floor(data.data.length / size)
    this.values = this.single
      ? new Float32Array(buffer, byteOffset, count)
      : new Float64Array(buffer, byteOffset, count)
    this.other.begin(data)
  }

  write(cell: number): void {
    const stored = this.values[cell]
    const value = this.single ? shortestFloat32(stored) : stored
    if (value === (value | 0) && (value !== 0 || !Object.is(value, -0))) {
      this.lines.int32(value)
      return
    }
    const size = value < 0 ? -value : value
    // Numbers outside this range have an exponent, or need more digits than are tried.
    if (size >= 1e-6 && size < 1e9 && this.decimal(value, size)) return
    this.other.write(cell)
  }

  /**
   * Writes a number of at most 15 digits as a whole number divided by a power of ten. This is one correctly rounded
   * operation, and so is reading its digits.
   */
  private decimal(value: number, size: number): boolean {
    let places = this.places
    let whole = Math.round(size * POWERS[places])
    if (whole / POWERS[places] !== size || whole >= FIFTEEN_DIGITS) {
      places = PLACES
      whole = Math.round(size * POWERS[PLACES])
      if (whole >= FIFTEEN_DIGITS) {
        places = Math.max(0, 14 - Math.floor(Math.log10(size)))
        if (places > PLACES) return false
        whole = Math.round(size * POWERS[places])
      }
      if (whole >= FIFTEEN_DIGITS || whole / POWERS[places] !== size) return false
    }
    while (places > 0 && whole % 10 === 0) {
      whole /= 10
      places--
    }
    this.places = places
    if (value < 0) this.lines.byte(0x2d)
    if (places === 0) this.lines.integer(whole)
    else this.lines.decimal(whole, places)
    return true
  }
}

/** Var-sized text of one byte per character. */
class StringText implements CellText {
  private readonly other: AnyText
  private readonly lines: LineBytes
  private readonly csv: boolean
  private data: ColumnData = NO_DATA

  constructor(other: AnyText, lines: LineBytes, csv: boolean) {
    this.other = other
    this.lines = lines
    this.csv = csv
  }

  begin(data: ColumnData): void {
    this.data = data
    this.other.begin(data)
  }

  write(cell: number): void {
    const { data, starts } = this.data
    const start = starts === undefined ? 0 : starts[cell]
    const end = starts === undefined ? data.length : starts[cell + 1]
    const done = this.csv ? this.lines.plainField(data, start, end) : this.lines.plainString(data, start, end)
    if (!done) this.other.write(cell)
  }
}
