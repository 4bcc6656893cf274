import type { CellBatch, ColumnType } from '../cells/column.ts'
import { datatypeKind, datatypeSize } from '../format/datatype.ts'

export interface RowColumn {
  column: ColumnType
  /** Text before its cells at the start of a line. */
  first: Uint8Array
  /** Text before its cells elsewhere. */
  later: Uint8Array
  /** Whether {@link KernelRowStyle.madeText} makes the text of all of its cells. */
  made: boolean
}

/** Texts that all columns share. */
export interface RowTexts {
  /** Text after the last cell. */
  end: Uint8Array
  null: Uint8Array
  /** Text of a line that would be empty. */
  emptyLine: Uint8Array
  nan: Uint8Array
  infinity: Uint8Array
  minusInfinity: Uint8Array
  minusZero: Uint8Array
}

export interface KernelRowStyle {
  /** Whether the format is CSV: a column that could not be read has an empty field, and text has no quotes. */
  csv: boolean
  /** Whether 64-bit integers are quoted. */
  quoted: boolean
  /** Whether dates and BOOL are written as the stored integers. */
  raw: boolean
  /** Returns the text of a cell that the kernel cannot write itself. The kernel copies it. */
  madeText(column: number, cell: number): Uint8Array
}

/** Kinds of columns, in the order of their numbers in `kernels/assembly/rows.ts`. */
const KINDS = [
  ...['none', 'i8', 'u8', 'i16', 'u16', 'i32', 'u32', 'i64', 'u64'],
  ...['qi64', 'qu64', 'f32', 'f64', 'json', 'csv', 'bool', 'json date', 'csv date', 'made'],
]
const MADE = 'made'
const MADE_KIND = KINDS.indexOf(MADE)
/** Units of dates, in the order of their numbers in `kernels/assembly/dates.ts`. */
const DATE_UNITS = ['YEAR', 'MONTH', 'WEEK', 'DAY', 'HR', 'MIN', 'SEC', 'MS', 'US', 'NS', 'PS', 'FS', 'AS']
/** Bytes of the record of a column. */
const COLUMN_BYTES = 24
/** Number of bytes after a text or row that the kernel may overwrite. */
const SLACK = 64
/** Most bytes of a number or date. */
const LONGEST_NUMBER = 48
/** Most bytes of a text with its quotes. */
const LONGEST_TEXT = 1026
/** Most bytes of the texts of a column that are copied at once, and of one made text. */
const TEXT_BYTES = 64 * 1024
/** Bytes of text after which the kernel stops. */
const OUT_BYTES = 128 * 1024
/** Largest and smallest number of cells of a column that are copied at once. */
const MAX_CELLS = 4096
const MIN_CELLS = 64
/** Most bytes of the cells of all columns that are copied at once, unless they are fewer than {@link MIN_CELLS}. */
const CELL_BYTES = 512 * 1024
/** Bytes of a page of WebAssembly memory. */
const PAGE = 65_536
/** Most bytes of memory. If rows need more, as with thousands of columns, plain code writes them. */
const MAX_BYTES = 16 * 2 ** 20

interface RowExports {
  memory: WebAssembly.Memory
  heapStart(): number
  setTexts(at: number, exact: boolean): void
  setPowers(at: number): void
  writeRows(
    columns: number,
    columnNum: number,
    rows: number,
    base: number,
    from: number,
    to: number,
    out: number,
    limit: number,
  ): number
  reachedRow(): number
  declinedColumn(): number
  sawUnsafe(): number
}

/** Addresses of a column in memory. */
interface ColumnAddresses {
  kind: number
  /** Bytes of a cell; 0 for texts, including made ones. */
  size: number
  data: number
  /** Address of the starts of texts, including made ones; the unit of dates. */
  more: number
  /** Address of the validity; 0 if no cell can be null. */
  validity: number
  /** Address and length of each text before its cells. */
  first: readonly number[]
  later: readonly number[]
}

/**
 * Writes rows as text, by a WebAssembly module (`kernels/assembly`). The cells of a few thousand rows at a time are copied into its
 * memory. It writes the same digits as `String`.
 */
export class RowKernel {
  private readonly wasm: RowExports
  private readonly heap: Uint8Array
  private readonly words: Uint32Array
  private readonly places: readonly ColumnAddresses[]
  private readonly style: KernelRowStyle
  /** Most cells of a column in memory. */
  private readonly span: number
  /** Address of the records of the columns. */
  private readonly table: number
  /** Address of the positions of rows. */
  private readonly rowsAt: number
  /** Addresses of the start and the end of the written text. */
  private readonly out: number
  private at: number
  /** Whether the batch has each column. */
  private present: readonly boolean[] = []
  /** Addresses of the columns that are shown. */
  private shown: readonly ColumnAddresses[] = []
  private batch: CellBatch | undefined
  /** The column whose cell ended the last call of {@link rows}; -1 for none. */
  declinedColumn = -1
  /** The rows of the batch whose cells are in memory, and the cell number of the first. */
  private loaded = { from: 0, to: 0, base: 0 }

  /** @throws RangeError if rows are very long; another error if WebAssembly or SIMD is missing */
  private constructor(code: BufferSource, columns: readonly RowColumn[], texts: RowTexts, style: KernelRowStyle) {
    const { exports } = new WebAssembly.Instance(new WebAssembly.Module(code))
    const wasm = exports as unknown as RowExports
    this.wasm = wasm
    this.style = style
    let cellBytes = 4
    for (const one of columns)
      cellBytes += (cellSize(kindOf(one, style), one.column) || 4) + (one.column.nullable ? 1 : 0)
    this.span = Math.max(MIN_CELLS, Math.min(MAX_CELLS, Math.floor(CELL_BYTES / cellBytes)))
    // All addresses are assigned before the memory grows, as growing detaches its views.
    let top = roundUp(wasm.heapStart())
    const take = (length: number): number => {
      const at = top
      top = roundUp(at + length + SLACK)
      return at
    }
    const stored: [at: number, bytes: Uint8Array][] = []
    const text = (bytes: Uint8Array): number[] => {
      const at = take(bytes.length)
      stored.push([at, bytes])
      return [at, bytes.length]
    }
    const shared = [
      texts.end,
      texts.null,
      texts.emptyLine,
      texts.nan,
      texts.infinity,
      texts.minusInfinity,
      texts.minusZero,
    ]
    const sharedAt = take(8 * shared.length)
    const sharedTexts = shared.flatMap(text)
    const powersAt = take(POWER_NUM * 16)
    this.table = take(columns.length * COLUMN_BYTES)
    this.rowsAt = take(4 * this.span)
    let row = texts.end.length + texts.emptyLine.length
    this.places = columns.map((one) => {
      const { column, first, later } = one
      const kind = kindOf(one, style)
      const size = cellSize(kind, column)
      const longest = size === 0 ? LONGEST_TEXT : LONGEST_NUMBER
      const most = kind === MADE ? TEXT_BYTES : longest
      row += Math.max(first.length, later.length) + texts.null.length + most
      return {
        kind: KINDS.indexOf(kind),
        size,
        data: take(size === 0 ? TEXT_BYTES : this.span * size),
        more: size === 0 ? take(4 * (this.span + 1)) : Math.max(0, DATE_UNITS.indexOf(column.type.slice(9))),
        validity: column.nullable && kind !== MADE ? take(this.span) : 0,
        first: text(first),
        later: text(later),
      }
    })
    this.out = take(OUT_BYTES + row)
    this.at = this.out
    if (top > MAX_BYTES) throw new RangeError(`rows need ${top} bytes of memory`)
    const missing = top - wasm.memory.buffer.byteLength
    if (missing > 0) wasm.memory.grow(Math.ceil(missing / PAGE))
    this.heap = new Uint8Array(wasm.memory.buffer)
    this.words = new Uint32Array(wasm.memory.buffer)
    for (const [at, bytes] of stored) this.heap.set(bytes, at)
    this.words.set(sharedTexts, sharedAt / 4)
    wasm.setTexts(sharedAt, style.raw)
    if (columns.some(({ column }) => datatypeKind(column.type) === 'float')) {
      new BigUint64Array(wasm.memory.buffer, powersAt, 2 * POWER_NUM).set(powersOfTen())
      wasm.setPowers(powersAt)
    }
  }

  /**
   * Creates a kernel. @param code the code of the module
   * @returns undefined if rows are very long, or if WebAssembly or SIMD is missing
   */
  static make(
    code: BufferSource,
    columns: readonly RowColumn[],
    texts: RowTexts,
    style: KernelRowStyle,
  ): RowKernel | undefined {
    try {
      return new RowKernel(code, columns, texts, style)
    } catch {
      return undefined
    }
  }

  /** Sets the batch of the next rows. */
  begin(batch: CellBatch): void {
    this.batch = batch
    this.loaded.to = 0
    const { columns } = batch
    const same =
      columns.length === this.present.length && this.present.every((is, c) => is === (columns[c] !== undefined))
    if (!same) this.setColumns(columns.map((column) => column !== undefined))
  }

  private setColumns(present: readonly boolean[]): void {
    const { words } = this
    const shown: ColumnAddresses[] = []
    for (const [c, place] of this.places.entries()) {
      if (!present[c] && !this.style.csv) continue
      const { data, more, validity } = place
      const before = shown.length === 0 ? place.first : place.later
      const kind = present[c] ? place.kind : 0
      words.set(
        [kind, data, kind === 0 ? 0 : validity, ...before, more],
        (this.table + shown.length * COLUMN_BYTES) / 4,
      )
      shown.push(place)
    }
    this.present = present
    this.shown = shown
  }

  /** Whether {@link take} must be called before more rows are written. */
  get full(): boolean {
    return this.at - this.out >= OUT_BYTES
  }

  /** Whether any columns of the batch are shown. */
  get hasColumns(): boolean {
    return this.shown.length > 0
  }

  /**
   * Writes some of the rows `[from, to)` of the batch.
   * @returns the first row that was not written. If this is `from` and the kernel is not full, other code must write the row: see
   * {@link declinedColumn}.
   */
  rows(rows: Uint32Array | undefined, from: number, to: number): number {
    const { loaded } = this
    this.declinedColumn = -1
    if (from < loaded.from || from >= loaded.to) {
      loaded.from = from
      loaded.to = this.load(rows, from, to)
      if (loaded.to === from) return from
    }
    this.at = this.wasm.writeRows(
      this.table,
      this.shown.length,
      rows === undefined ? 0 : this.rowsAt,
      loaded.base,
      from - loaded.from,
      Math.min(to, loaded.to) - loaded.from,
      this.at,
      this.out + OUT_BYTES,
    )
    const declined = this.wasm.declinedColumn()
    if (declined >= 0) this.declinedColumn = this.places.indexOf(this.shown[declined])
    return loaded.from + this.wasm.reachedRow()
  }

  /** Copies the cells of as many rows as fit into the memory. @returns the first row that was not copied */
  private load(rows: Uint32Array | undefined, from: number, to: number): number {
    const base = rows === undefined ? from : rows[from]
    let last = Math.min(to, from + this.span) - 1
    if (rows !== undefined) while (rows[last] - base >= this.span) last--
    const columns = this.batch?.columns ?? []
    for (const column of columns) {
      if (!column?.starts) continue
      const { starts } = column
      const most = starts[base] + TEXT_BYTES
      const endOf = (row: number): number => starts[(rows === undefined ? row : rows[row]) + 1]
      while (last >= from && endOf(last) > most) last = last === from ? from - 1 : from + ((last - from) >> 1)
    }
    for (const [c, { kind }] of this.places.entries())
      if (kind === MADE_KIND && columns[c]) last = this.loadMade(c, rows, from, last, base)
    if (last < from) return from
    this.loaded.base = base
    if (rows !== undefined) this.words.set(rows.subarray(from, last + 1), this.rowsAt / 4)
    const end = (rows === undefined ? last : rows[last]) + 1
    for (let c = 0; c < columns.length; c++) {
      const column = columns[c]
      if (!column) continue
      const { kind, data, validity, size } = this.places[c]
      if (kind === MADE_KIND) continue
      if (column.starts) this.loadTexts(column.data, column.starts, base, end, this.places[c])
      else this.heap.set(part(column.data, base * size, end * size), data)
      if (validity === 0) continue
      if (column.validity) this.heap.set(part(column.validity, base, end), validity)
      else this.heap.fill(1, validity, validity + end - base)
    }
    return last + 1
  }

  /**
   * Makes the texts of a column up to the row `last`. If this throws for a later row than the first, the rows before it are kept.
   * @returns the last row whose text fits; `from - 1` if there is none
   */
  private loadMade(column: number, rows: Uint32Array | undefined, from: number, last: number, base: number): number {
    const { words } = this
    const { data, more } = this.places[column]
    let end = 0
    for (let i = from; i <= last; i++) {
      const cell = rows === undefined ? i : rows[i]
      let text: Uint8Array
      try {
        text = this.style.madeText(column, cell)
      } catch (error) {
        if (i > from) return i - 1
        throw error
      }
      if (end + text.length > TEXT_BYTES) return i - 1
      this.heap.set(text, data + end)
      const at = more / 4 + cell - base
      words[at] = end
      end += text.length
      words[at + 1] = end
    }
    return last
  }

  private loadTexts(texts: Uint8Array, starts: Float64Array, base: number, end: number, place: ColumnAddresses): void {
    const { words } = this
    const first = starts[base]
    this.heap.set(part(texts, first, starts[end]), place.data)
    for (let cell = base, at = place.more / 4; cell <= end; cell++, at++) words[at] = starts[cell] - first
  }

  /** Returns the text that was written, and removes it. It must be used before the next rows are written. */
  take(): Uint8Array {
    const text = this.heap.subarray(this.out, this.at)
    this.at = this.out
    return text
  }

  /** Whether an integer of 2^53 or beyond was written, which a float64 may not represent. */
  get sawUnsafe(): boolean {
    return this.wasm.sawUnsafe() !== 0
  }
}

function part(bytes: Uint8Array, from: number, to: number): Uint8Array {
  return from === 0 && to === bytes.length ? bytes : bytes.subarray(from, to)
}

/** Returns the kind of a column, one of {@link KINDS}. */
function kindOf({ column, made }: RowColumn, { csv, quoted, raw }: KernelRowStyle): string {
  const { type, cell_val_num } = column
  const kind = datatypeKind(type)
  const size = datatypeSize(type)
  const isText = kind === 'text' && size === 1 && cell_val_num === 'var'
  if (isText && !made) return csv ? 'csv' : 'json'
  if (kind === 'text' || made || cell_val_num !== 1) return MADE
  if (kind === 'float') return `f${size * 8}`
  if (kind === 'datetime' && !raw) return csv ? 'csv date' : 'json date'
  if (kind === 'bool') return raw ? 'u8' : 'bool'
  return `${size === 8 && quoted ? 'q' : ''}${kind === 'uint' ? 'u' : 'i'}${size * 8}`
}

/** Returns the bytes of a cell in memory; 0 for texts. */
function cellSize(kind: string, { type, cell_val_num }: ColumnType): number {
  return kind === MADE || cell_val_num === 'var' ? 0 : datatypeSize(type)
}

/** Returns the next multiple of 16. */
function roundUp(at: number): number {
  return Math.ceil(at / 16) * 16
}

/** Exponents of the smallest and largest power of ten that the kernel needs. */
const FIRST_POWER = -292
const LAST_POWER = 324
const POWER_NUM = LAST_POWER - FIRST_POWER + 1
const BITS = 128
const WORD = 2n ** 64n

/** Returns the powers of ten: the upper 128 bits of each, rounded up, as two words, low word first. */
function powersOfTen(): BigUint64Array {
  const out = new BigUint64Array(2 * POWER_NUM)
  // With so many bits below the point, even the smallest power has more than 128 bits.
  const one = 1n << 1200n
  let negative = 10n ** BigInt(-FIRST_POWER)
  let positive = 1n
  for (let i = 0; i < POWER_NUM; i++) {
    const below = i < -FIRST_POWER
    const upper = upperBits(below ? (one + negative - 1n) / negative : positive)
    if (below) negative /= 10n
    else positive *= 10n
    out[2 * i] = upper % WORD
    out[2 * i + 1] = upper / WORD
  }
  return out
}

function upperBits(value: bigint): bigint {
  const hex = value.toString(16)
  const shift = BigInt(4 * hex.length + 28 - Math.clz32(Number.parseInt(hex[0], 16)) - BITS)
  return shift > 0n ? (value + (1n << shift) - 1n) >> shift : value << -shift
}
