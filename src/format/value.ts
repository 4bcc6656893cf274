/**
 * Converts the bytes of a cell to a printable value, and back. Bytes are little-endian, at any alignment.
 *
 * @see tiledb/api/c_api/datatype/datatype_api_enum.h for the datatypes
 */

import { badValue, unexpected } from '../base/errors.ts'
import { limits64 } from '../base/limits64.ts'
import type { CellValNum } from './cell-val-num.ts'
import { type Datatype, datatypeKind, datatypeSize } from './datatype.ts'
import { type DatetimeType, formatDatetime, parseDatetime } from './datetime.ts'
import { decodeUtf8, encodeText } from './text.ts'

export interface ValueStyle {
  /**
   * Values as stored: dates as integers, BOOL as 0 or 1, text as bytes, unusual NaN with their bits ({@link nanText}).
   */
  raw: boolean
}

/** One value. 64-bit integers are bigint, all other numbers are number. Bytes may be a view of the input. */
export type Scalar = number | bigint | string | boolean | Uint8Array

/**
 * A value in the unit of its field: number, text, ISO date, boolean or null; a list where a cell has several values;
 * `{"base64"}` for bytes. "NaN", "Infinity" and "-Infinity" are strings; with --raw a NaN of other bits than
 * 0x7fc00000 and 0x7ff8000000000000 is "NaN:0x" and its 8 or 16 hexadecimal digits.
 */
export type CellValue = Scalar | readonly Scalar[] | null

/** Reads the cell at `bytes[start, end)`. */
export type CellReader = (bytes: Uint8Array, start: number, end: number) => Scalar | Scalar[]

type ElementReader = (view: DataView, at: number) => Scalar

/**
 * Reads one cell. A cell of text or bytes is one value, whatever `cellValNum` is. Text that is invalid in its encoding is
 * returned as bytes. A cell of another type is one value if `cellValNum` is 1, otherwise an array.
 *
 * @throws InspectError BAD_VALUE if the number of bytes does not fit the type and `cellValNum`
 */
export function cellValue(
  type: Datatype,
  cellValNum: CellValNum,
  bytes: Uint8Array,
  style: ValueStyle,
): Scalar | Scalar[] {
  return cellReader(type, cellValNum, style)(bytes, 0, bytes.length)
}

const NO_VIEW: DataView = new DataView(new ArrayBuffer(0))

/** Returns a {@link cellValue} for many cells of one field. It decides once what depends on the type. */
export function cellReader(type: Datatype, cellValNum: CellValNum, style: ValueStyle): CellReader {
  const size = datatypeSize(type)
  const kind = datatypeKind(type)
  const whole = kind === 'text' || kind === 'bytes'
  const length = cellValNum === 'var' ? undefined : size * cellValNum
  const check = (found: number): void => {
    if (length === undefined ? found % size !== 0 && !whole : found !== length) {
      const expected = length === undefined ? `whole values of ${size} bytes` : `${length} bytes`
      throw badValue({ expected: `${expected} for a cell of ${type}`, found: `${found} bytes` })
    }
  }
  if (whole) {
    const decode = kind === 'text' && !style.raw ? decoderOf(type) : undefined
    return (bytes, start, end) => {
      check(end - start)
      return decode?.(bytes, start, end) ?? bytes.subarray(start, end)
    }
  }
  const element = elementReader(type, style)
  let seen: Uint8Array | undefined
  let view = NO_VIEW
  const viewOf = (bytes: Uint8Array): DataView => {
    if (bytes !== seen) {
      seen = bytes
      view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
    }
    return view
  }
  if (cellValNum === 1) {
    return (bytes, start, end) => {
      if (end - start !== size) check(end - start)
      return element(viewOf(bytes), start)
    }
  }
  return (bytes, start, end) => {
    check(end - start)
    const cell = viewOf(bytes)
    const values: Scalar[] = []
    for (let at = start; at < end; at += size) values.push(element(cell, at))
    return values
  }
}

/** Readers of integer types. Types without an entry here or in {@link elementReader} are int64. */
const PLAIN: Partial<Record<Datatype, ElementReader>> = {
  INT8: (view, at) => view.getInt8(at),
  UINT8: (view, at) => view.getUint8(at),
  INT16: (view, at) => view.getInt16(at, true),
  UINT16: (view, at) => view.getUint16(at, true),
  INT32: (view, at) => view.getInt32(at, true),
  UINT32: (view, at) => view.getUint32(at, true),
  UINT64: (view, at) => view.getBigUint64(at, true),
}

function elementReader(type: Datatype, { raw }: ValueStyle): ElementReader {
  if (type === 'FLOAT32') {
    return (view, at) => {
      const value = view.getFloat32(at, true)
      return raw && Number.isNaN(value) ? nanText(4, view, at) : shortestFloat32(value)
    }
  }
  if (type === 'FLOAT64') {
    return (view, at) => {
      const value = view.getFloat64(at, true)
      return raw && Number.isNaN(value) ? nanText(8, view, at) : value
    }
  }
  if (type === 'BOOL') return raw ? (view, at) => view.getUint8(at) : (view, at) => view.getUint8(at) !== 0
  if (isDatetime(type) && !raw) return (view, at) => formatDatetime(type, view.getBigInt64(at, true))
  return PLAIN[type] ?? ((view, at) => view.getBigInt64(at, true))
}

/** Bits of the usual NaN: quiet, positive, no payload. Other NaN may have a meaning, such as R's NA. */
const QUIET_NAN = { 4: 0x7fc00000n, 8: 0x7ff8000000000000n } as const

/** Returns a NaN as `--raw` prints it: NaN for {@link QUIET_NAN}, otherwise its bits, as in `NaN:0x7ff00000000007a2`. */
function nanText(size: 4 | 8, view: DataView, at: number): number | string {
  const bits = size === 4 ? BigInt(view.getUint32(at, true)) : view.getBigUint64(at, true)
  return bits === QUIET_NAN[size] ? Number.NaN : `NaN:0x${bits.toString(16).padStart(2 * size, '0')}`
}

const NAN_TEXT = /^NaN:0x([0-9a-f]{8}|[0-9a-f]{16})$/i

/**
 * Writes a NaN if `value` is a text of {@link nanText}.
 * @returns whether it is
 * @throws InspectError BAD_VALUE if the bits are not those of a NaN of this type
 */
function writeNaN(type: Datatype, view: DataView, at: number, value: unknown): boolean {
  const digits = typeof value === 'string' ? NAN_TEXT.exec(value)?.[1] : undefined
  if (digits === undefined) return false
  const size = datatypeSize(type)
  const bits = BigInt(`0x${digits}`)
  if (digits.length === 2 * size) {
    if (size === 4) view.setUint32(at, Number(bits), true)
    else view.setBigUint64(at, bits, true)
    if (Number.isNaN(size === 4 ? view.getFloat32(at, true) : view.getFloat64(at, true))) return true
  }
  throw unexpected(`the ${2 * size} digits of a NaN for ${type}`, describe(value))
}

/** Whether the type is one of DATETIME_*. */
export function isDatetime(type: Datatype): type is DatetimeType {
  return datatypeKind(type) === 'datetime'
}

/** Powers of ten that a float64 holds exactly. */
const POWERS = Array.from({ length: 23 }, (_, i) => 10 ** i)
const FLOAT32_DIGITS = 9

/**
 * Returns the float64 that prints as the shortest decimal form of a float32, such as 0.1 for the float32 nearest to 0.1. Of
 * several shortest forms it is the nearest. The result rounds back to `x`. NaN, infinities and zeros are returned
 * unchanged.
 */
export function shortestFloat32(x: number): number {
  const size = Math.abs(x)
  // Whole numbers below 2^24 are their own shortest form. NaN and infinities have none.
  if ((size < 2 ** 24 && Math.trunc(size) === size) || !(size < Number.POSITIVE_INFINITY)) return x
  const exponent = Math.floor(Math.log10(size))
  const short = exponent >= -13 && exponent <= 22 ? shortestByScaling(size, exponent) : shortestByPrinting(size)
  return x < 0 ? -short : short
}

/** Scaling is accurate to far more digits than a float32 has. Undoing it is one correctly rounded operation. */
function shortestByScaling(size: number, exponent: number): number {
  // The logarithm may be off by one near a power of ten, so this starts with one digit less.
  for (let digits = 0; digits <= FLOAT32_DIGITS; digits++) {
    const places = digits - 1 - exponent
    const power = POWERS[Math.abs(places)]
    // 10^23 is not exact. Only the first round asks for it, with one digit less than there is.
    if (power === undefined) continue
    const scaled = places < 0 ? size / power : size * power
    let rounded = Math.round(scaled)
    // Halfway between two forms, take the even one.
    if (rounded - scaled === 0.5 && rounded % 2 !== 0) rounded -= 1
    const near = places < 0 ? rounded * power : rounded / power
    if (Math.fround(near) === size) return near
    if (rounded > scaled) continue
    // Above a power of two, float32 are farther apart than below it. So the next form up may round back to `size`
    // though the nearest form does not.
    const next = places < 0 ? (rounded + 1) * power : (rounded + 1) / power
    if (Math.fround(next) === size) return next
  }
  return size
}

function shortestByPrinting(size: number): number {
  for (let digits = 0; digits < FLOAT32_DIGITS; digits++) {
    const printed = size.toExponential(digits)
    const near = Number(printed)
    if (Math.fround(near) === size) return near
    const split = printed.indexOf('e')
    const mantissa = Number(printed.slice(0, split).replace('.', '')) + 1
    const next = Number(`${mantissa}e${Number(printed.slice(split + 1)) - digits}`)
    if (near < size && Math.fround(next) === size) return next
  }
  return size
}

type TextDecode = (bytes: Uint8Array, start: number, end: number) => string | undefined

const utf16 = new TextDecoder('utf-16le', { fatal: true, ignoreBOM: true })

function decoderOf(type: Datatype): TextDecode {
  const size = datatypeSize(type)
  if (size === 1) return decodeUtf8Cell
  return size === 2 ? decodeUtf16 : decodeUtf32
}

/** Upper limit on the bytes of cells for which a loop over ASCII is tried first, because it is faster than the decoder. */
const SHORT_TEXT = 12

function decodeUtf8Cell(bytes: Uint8Array, start: number, end: number): string | undefined {
  if (end - start <= SHORT_TEXT) {
    let text = ''
    let at = start
    for (; at < end; at++) {
      const byte = bytes[at] ?? 0x80
      if (byte >= 0x80) break
      text += String.fromCharCode(byte)
    }
    if (at === end) return text
  }
  return decodeUtf8(bytes.subarray(start, end))
}

function decodeUtf16(bytes: Uint8Array, start: number, end: number): string | undefined {
  try {
    return utf16.decode(bytes.subarray(start, end))
  } catch {
    return undefined
  }
}

function decodeUtf32(bytes: Uint8Array, start: number, end: number): string | undefined {
  if ((end - start) % 4 !== 0) return undefined
  const view = new DataView(bytes.buffer, bytes.byteOffset + start, end - start)
  let text = ''
  for (let at = 0; at < view.byteLength; at += 4) {
    const code = view.getUint32(at, true)
    if (code > 0x10ffff || (code >= 0xd800 && code < 0xe000)) return undefined
    text += String.fromCodePoint(code)
  }
  return text
}

/**
 * Converts a result of {@link cellValue} or parsed JSON to the bytes of a cell. It accepts:
 *
 * - for integers and floats: number, bigint, decimal text; for floats also "NaN", "NaN:0x…" and "Infinity"
 * - for dates: ISO text or counts
 * - for BOOL: true, false, 0 and 1
 * - for text: a string; for text and bytes: `{"base64": …}` or Uint8Array
 *
 * Cells of several values are arrays.
 *
 * @param style with `raw`, decimal text for a date is its count ("19753"), not a year
 * @throws InspectError BAD_VALUE for values of another type, out of range, or too many or too few
 */
export function bytesOf(
  type: Datatype,
  cellValNum: CellValNum,
  value: unknown,
  style: ValueStyle = { raw: false },
): Uint8Array {
  const size = datatypeSize(type)
  const kind = datatypeKind(type)
  if (kind === 'text' || kind === 'bytes') {
    const bytes = wholeBytes(type, value)
    if (cellValNum !== 'var' && bytes.length !== size * cellValNum) {
      throw unexpected(`${size * cellValNum} bytes for a cell of ${type}`, `${bytes.length} bytes`)
    }
    return bytes
  }
  if (cellValNum === 1) return numberBytes(type, style)(value)
  const expected = cellValNum === 'var' ? `an array of ${type} values` : `an array of ${cellValNum} ${type} values`
  if (!Array.isArray(value)) throw unexpected(expected, describe(value))
  if (cellValNum !== 'var' && value.length !== cellValNum) throw unexpected(expected, `an array of ${value.length}`)
  const bytes = new Uint8Array(size * value.length)
  const view = new DataView(bytes.buffer)
  for (const [i, element] of value.entries()) writeElement(type, view, i * size, element, style)
  return bytes
}

/**
 * Returns a {@link bytesOf} for cells of one number that allocates nothing: each call overwrites the same bytes.
 * @throws InspectError BAD_VALUE for a value that does not fit
 */
export function numberBytes(type: Datatype, style: ValueStyle): (value: unknown) => Uint8Array {
  const bytes = new Uint8Array(datatypeSize(type))
  const view = new DataView(bytes.buffer)
  return (value) => {
    writeElement(type, view, 0, value, style)
    return bytes
  }
}

function writeElement(type: Datatype, view: DataView, at: number, value: unknown, style: ValueStyle): void {
  const kind = datatypeKind(type)
  const size = datatypeSize(type)
  if (kind === 'float') {
    if (writeNaN(type, view, at, value)) return
    const number = float(type, value)
    if (size === 8) view.setFloat64(at, number, true)
    else if (Number.isFinite(Math.fround(number)) || !Number.isFinite(number)) view.setFloat32(at, number, true)
    else throw unexpected('a number within FLOAT32', String(number))
  } else if (kind === 'bool') {
    view.setUint8(at, typeof value === 'boolean' ? Number(value) : smallInteger(type, value, 0, 1))
  } else if (size === 8) {
    const [lo, hi] = limits64(kind !== 'uint')
    const dated = isDatetime(type) && typeof value === 'string' && !(style.raw && DECIMAL.test(value))
    view.setBigUint64(at, dated ? parseDatetime(type, value) : bigInteger(type, value, lo, hi), true)
  } else {
    const count = 2 ** (8 * size)
    const lo = kind === 'int' ? -count / 2 : 0
    const integer = smallInteger(type, value, lo, lo + count - 1)
    if (size === 1) view.setUint8(at, integer)
    else if (size === 2) view.setUint16(at, integer, true)
    else view.setUint32(at, integer, true)
  }
}

const DECIMAL = /^[+-]?\d+$/

function smallInteger(type: Datatype, value: unknown, lo: number, hi: number): number {
  const number = typeof value === 'bigint' || (typeof value === 'string' && DECIMAL.test(value)) ? Number(value) : value
  if (typeof number === 'number' && Number.isInteger(number) && number >= lo && number <= hi) return number
  throw unexpected(integerBetween(type, lo, hi), describe(value))
}

function bigInteger(type: Datatype, value: unknown, lo: bigint, hi: bigint): bigint {
  if (typeof value === 'number' && Number.isInteger(value) && !Number.isSafeInteger(value)) {
    throw unexpected(`an integer with all its digits for ${type}`, `${value}, which may have been rounded`)
  }
  const integer =
    (typeof value === 'number' && Number.isInteger(value)) || (typeof value === 'string' && DECIMAL.test(value))
      ? BigInt(value)
      : value
  if (typeof integer === 'bigint' && integer >= lo && integer <= hi) return integer
  throw unexpected(integerBetween(type, lo, hi), describe(value))
}

function integerBetween(type: Datatype, lo: number | bigint, hi: number | bigint): string {
  const kind = datatypeKind(type)
  if (kind === 'bool') return 'true, false, 0 or 1 for BOOL'
  return `${kind === 'datetime' ? 'a date or an' : 'an'} integer from ${lo} to ${hi} for ${type}`
}

const FLOAT = /^[+-]?(?:(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?|Infinity)$/

function float(type: Datatype, value: unknown): number {
  if (typeof value === 'number') return value
  const digits = typeof value === 'bigint' ? String(value) : value
  if (typeof digits === 'string' && (digits === 'NaN' || FLOAT.test(digits))) {
    const number = Number(digits)
    if (Number.isFinite(number) || /[Ny]$/.test(digits)) return number
    throw unexpected(`a number within ${type}`, describe(value))
  }
  throw unexpected(`a number, "NaN", "Infinity" or "-Infinity" for ${type}`, describe(value))
}

/** The bytes of a cell of text or bytes. */
function wholeBytes(type: Datatype, value: unknown): Uint8Array {
  const bytes = value instanceof Uint8Array ? value : bytesFromBase64(value)
  if (bytes !== undefined) return bytes
  if (datatypeKind(type) === 'bytes') throw unexpected(`{"base64": …} for ${type}`, describe(value))
  if (typeof value !== 'string') throw unexpected(`text or {"base64": …} for ${type}`, describe(value))
  if (!value.isWellFormed()) throw unexpected(`well-formed text for ${type}`, 'a lone surrogate')
  const size = datatypeSize(type)
  if (size === 1) return encodeText(value)
  const units =
    size === 2
      ? Uint16Array.from({ length: value.length }, (_, i) => value.charCodeAt(i))
      : Uint32Array.from([...value], (character) => character.codePointAt(0) ?? 0)
  return new Uint8Array(units.buffer)
}

const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/

/** Undefined unless `value` is an object whose only key is `base64`. */
function bytesFromBase64(value: unknown): Uint8Array | undefined {
  if (typeof value !== 'object' || value === null || !('base64' in value) || Object.keys(value).length !== 1)
    return undefined
  const text = value.base64
  if (typeof text !== 'string' || text.length % 4 !== 0 || !BASE64.test(text))
    throw unexpected('base64 with its padding', describe(text))
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0))
}

/**
 * Reads a stored sum of 8 bytes: int64 for signed integers, dates, times and CHAR, uint64 for unsigned integers and BOOL,
 * float64 for floats.
 *
 * @see format_spec/fragment.md, "Tile Sums"; tiledb/sm/tile/tile_metadata_generator.cc
 */
export function sumValue(type: Datatype, bytes: Uint8Array): bigint | number {
  if (bytes.length !== 8) throw unexpected('8 bytes for a sum', `${bytes.length} bytes`)
  return cellValue(sumType(type), 1, bytes, { raw: false }) as bigint | number
}

/** Returns the type of the sums of a field. */
export function sumType(type: Datatype): 'FLOAT64' | 'UINT64' | 'INT64' {
  const kind = datatypeKind(type)
  if (kind === 'float') return 'FLOAT64'
  return kind === 'uint' || kind === 'bool' ? 'UINT64' : 'INT64'
}

/** Describes a value for errors. */
export function describe(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value.length > 40 ? `${value.slice(0, 40)}…` : value)
  if (value instanceof Uint8Array) return `${value.length} bytes`
  if (Array.isArray(value)) return `an array of ${value.length}`
  return typeof value === 'object' && value !== null ? 'an object' : String(value)
}
