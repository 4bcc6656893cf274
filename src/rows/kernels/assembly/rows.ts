import { writeDate } from './dates'
import { lastPlaces, MAX_PLACES, writeF32, writeF64, writeShort } from './decimal'
import { writeU64 } from './digits'

/** Kinds of columns; 0 for a column that could not be read. */
const I8: u32 = 1
const U8: u32 = 2
const I16: u32 = 3
const U16: u32 = 4
const I32: u32 = 5
const U32: u32 = 6
const I64: u32 = 7
const U64: u32 = 8
const QUOTED_I64: u32 = 9
const QUOTED_U64: u32 = 10
const F32: u32 = 11
const F64: u32 = 12
const JSON_TEXT: u32 = 13
const CSV_TEXT: u32 = 14
const BOOL: u32 = 15
const JSON_DATE: u32 = 16
const CSV_DATE: u32 = 17
/** Text that the caller made. */
const MADE: u32 = 18

/**
 * Bytes of the record of a column: kind, data, validity or 0, text before its cells, length of that text, and one more word. For
 * floats this word is the number of decimal places of the last cell. For texts it is the address of the starts of the cells in the
 * data, as u32, with the end of the last cell. For dates it is the unit.
 */
const COLUMN_BYTES: usize = 24

/** Address of the texts of {@link setTexts}. */
let texts: usize = 0
const END: usize = 0
const NULL: usize = 8
const EMPTY_LINE: usize = 16
const NOT_A_NUMBER: usize = 24
const INFINITE: usize = 32
const MINUS_INFINITE: usize = 40
const MINUS_ZERO: usize = 48

/** Whether rows with an unusual NaN are declined. */
let exactNaN: bool = false

/**
 * Sets the texts that all columns share.
 * @param at address and length of each text: the end of a line, null, a line without cells, NaN, Infinity, -Infinity, -0
 * @param exact whether to decline rows with an unusual NaN. The usual one has the bits of 0 / 0, without a sign.
 */
export function setTexts(at: usize, exact: bool): void {
  texts = at
  exactNaN = exact
}

let reached: u32 = 0
let declined: bool = false
let unsafe: bool = false
let culprit: i32 = -1

/** Returns the first row that {@link writeRows} did not write. */
export function reachedRow(): u32 {
  return reached
}

/** Returns the index of the column that cannot be written in the row {@link reachedRow}; -1 if no row was declined. */
export function declinedColumn(): i32 {
  return culprit
}

/** Whether an integer of 2^53 or beyond was written, which a float64 may not represent. */
export function sawUnsafe(): bool {
  return unsafe
}

/**
 * Writes the rows `[from, to)`. Stops when `out` passes `limit`, or before a row that it declines. Row i shows cell i; if `rows` is
 * not 0, it shows cell rows[i] - base.
 * @returns the end of the written text
 */
export function writeRows(
  columns: usize,
  columnNum: u32,
  rows: usize,
  base: u32,
  from: u32,
  to: u32,
  out: usize,
  limit: usize,
): usize {
  const columnsEnd = columns + (columnNum as usize) * COLUMN_BYTES
  const end = load<u32>(texts + END) as usize
  const endLength = load<u32>(texts + END, 4) as usize
  let row = from
  culprit = -1
  for (; row < to && out < limit; row++) {
    const cell = (rows === 0 ? row : load<u32>(rows + ((row as usize) << 2)) - base) as usize
    const start = out
    for (let column = columns; column < columnsEnd; column += COLUMN_BYTES) {
      out = written(out, load<u32>(column, 12) as usize, load<u32>(column, 16) as usize)
      out = writeCell(column, cell, out)
      if (declined) {
        culprit = ((column - columns) / COLUMN_BYTES) as i32
        break
      }
    }
    if (declined) {
      declined = false
      out = start
      break
    }
    if (out === start) out = textAt(EMPTY_LINE, out)
    out = written(out, end, endLength)
  }
  reached = row
  return out
}

/** Copies a text. Up to 15 bytes after it are overwritten. */
function written(out: usize, text: usize, length: usize): usize {
  v128.store(out, v128.load(text))
  if (length > 16) memory.copy(out, text, length)
  return out + length
}

function textAt(text: usize, out: usize): usize {
  return written(out, load<u32>(texts + text) as usize, load<u32>(texts + text, 4) as usize)
}

function signed(out: usize, value: i64): usize {
  store<u8>(out, 0x2d)
  const negative = value < 0
  return writeU64(out + (negative ? 1 : 0), (negative ? 0 - value : value) as u64)
}

const SAFE: u64 = 1 << 53

function signed64(out: usize, value: i64): usize {
  if (((value < 0 ? 0 - value : value) as u64) >= SAFE) unsafe = true
  return signed(out, value)
}

function unsigned64(out: usize, value: u64): usize {
  if (value >= SAFE) unsafe = true
  return writeU64(out, value)
}

function quote(out: usize): usize {
  store<u8>(out, 0x22)
  return out + 1
}

function writeCell(column: usize, cell: usize, out: usize): usize {
  const validity = load<u32>(column, 8) as usize
  if (validity !== 0 && load<u8>(validity + cell) === 0) return textAt(NULL, out)
  const kind = load<u32>(column)
  const data = load<u32>(column, 4) as usize
  if (kind === I64) return signed64(out, load<i64>(data + (cell << 3)))
  if (kind === F64) return float64(column, load<u64>(data + (cell << 3)), out)
  if (kind === I32) return signed(out, load<i32>(data + (cell << 2)) as i64)
  if (kind === U64) return unsigned64(out, load<u64>(data + (cell << 3)))
  if (kind === JSON_TEXT || kind === CSV_TEXT)
    return writeText(kind, data, (load<u32>(column, 20) as usize) + (cell << 2), out)
  if (kind === MADE) return copyText(data, (load<u32>(column, 20) as usize) + (cell << 2), out)
  if (kind === JSON_DATE || kind === CSV_DATE) return date(column, load<i64>(data + (cell << 3)), out)
  return writeOther(kind, data, cell, out)
}

/** @param starts address of two numbers: where the text starts in `data`, and where the next text starts */
function copyText(data: usize, starts: usize, out: usize): usize {
  const from = load<u32>(starts) as usize
  return written(out, data + from, (load<u32>(starts, 4) as usize) - from)
}

/** Most bytes of a text. Longer texts are declined, as there must be room for a whole row. */
const LONGEST_TEXT: usize = 1024

/** `base64:`, the mark of bytes in CSV. A text that starts with it is declined. */
const MARK: u64 = 0x3a343665736162
const MARK_BYTES: u64 = 0x00ffffffffffffff

/** Whether a spreadsheet takes text with this first character for a formula. Such text is quoted. */
function beginsFormula(first: u8): bool {
  return first === 0x3d || first === 0x2b || first === 0x2d || first === 0x40
}

/** Copies a text of printable ASCII that needs no escapes and no quotes inside. Other texts are declined. */
function writeText(kind: u32, data: usize, starts: usize, out: usize): usize {
  const from = data + (load<u32>(starts) as usize)
  const length = data + (load<u32>(starts, 4) as usize) - from
  if (length > LONGEST_TEXT) {
    declined = true
    return out
  }
  const json = kind !== CSV_TEXT
  // The bytes after the text belong to the next text, or are free.
  if (!json && length >= 7 && (load<u64>(from) & MARK_BYTES) === MARK) declined = true
  const quotes = json || length === 0 || beginsFormula(load<u8>(from))
  if (quotes) out = quote(out)
  const special = i8x16.splat(json ? 0x5c : 0x2c)
  for (let i: usize = 0; i < length; i += 16) {
    const bytes = v128.load(from + i)
    v128.store(out + i, bytes)
    // Bytes beyond ASCII are negative as signed numbers, so they are below 0x20, too.
    const control = v128.or(i8x16.lt_s(bytes, i8x16.splat(0x20)), i8x16.eq(bytes, i8x16.splat(0x7f)))
    const marks = v128.or(i8x16.eq(bytes, i8x16.splat(0x22)), i8x16.eq(bytes, special))
    const left = length - i
    const counted = left < 16 ? (1 << (left as i32)) - 1 : 0xffff
    if (i8x16.bitmask(v128.or(control, marks)) & counted) declined = true
  }
  out += length
  return quotes ? quote(out) : out
}

function writeOther(kind: u32, data: usize, cell: usize, out: usize): usize {
  switch (kind) {
    case I8:
      return signed(out, load<i8>(data + cell) as i64)
    case U8:
      return writeU64(out, load<u8>(data + cell) as u64)
    case I16:
      return signed(out, load<i16>(data + (cell << 1)) as i64)
    case U16:
      return writeU64(out, load<u16>(data + (cell << 1)) as u64)
    case U32:
      return writeU64(out, load<u32>(data + (cell << 2)) as u64)
    case QUOTED_I64:
      return quote(signed(quote(out), load<i64>(data + (cell << 3))))
    case QUOTED_U64:
      return quote(writeU64(quote(out), load<u64>(data + (cell << 3))))
    case F32:
      return float32(load<u32>(data + (cell << 2)), out)
    case BOOL:
      return word(load<u8>(data + cell) !== 0, out)
    default:
      return out
  }
}

function word(value: bool, out: usize): usize {
  // "true", or "false" without its last letter.
  store<u32>(out, value ? 0x65757274 : 0x736c6166)
  store<u8>(out, 0x65, 4)
  return out + (value ? 4 : 5)
}

function date(column: usize, count: i64, out: usize): usize {
  const json = load<u32>(column) === JSON_DATE
  if (json) out = quote(out)
  const end = writeDate(out, load<u32>(column, 20), count)
  if (end === 0) {
    declined = true
    return out
  }
  return json ? quote(end) : end
}

function float64(column: usize, bits: u64, out: usize): usize {
  const size = bits & 0x7fffffffffffffff
  if (size === 0 || size >= 0x7ff0000000000000)
    return special(size === 0, bits >> 63 !== 0, size > 0x7ff0000000000000, bits !== 0x7ff8000000000000, out)
  store<u8>(out, 0x2d)
  out += (bits >> 63) as usize
  const places = load<i32>(column, 20)
  // Numbers below 1e-6 are written with an exponent.
  if (places <= MAX_PLACES && size >= reinterpret<u64>(1e-6)) {
    const end = writeShort(out, reinterpret<f64>(size), places)
    if (end !== 0) return end
  }
  const end = writeF64(out, size)
  store<i32>(column, lastPlaces(), 20)
  return end
}

function float32(bits: u32, out: usize): usize {
  const size = bits & 0x7fffffff
  if (size === 0 || size >= 0x7f800000)
    return special(size === 0, bits >> 31 !== 0, size > 0x7f800000, bits !== 0x7fc00000, out)
  store<u8>(out, 0x2d)
  return writeF32(out + ((bits >> 31) as usize), size)
}

function special(zero: bool, negative: bool, notANumber: bool, odd: bool, out: usize): usize {
  if (notANumber) {
    if (odd && exactNaN) declined = true
    return textAt(NOT_A_NUMBER, out)
  }
  if (!zero) return textAt(negative ? MINUS_INFINITE : INFINITE, out)
  if (negative) return textAt(MINUS_ZERO, out)
  store<u8>(out, 0x30)
  return out + 1
}
