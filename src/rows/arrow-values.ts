import type { DataType, IntBitWidth, IntType, TimeUnit_ } from '@uwdata/flechette'
import { bool, dateDay, duration, float32, float64, int, timestamp } from '@uwdata/flechette/src/data-types.js'
import { usage } from '../base/errors.ts'
import type { ColumnKind } from '../cells/column.ts'
import { aligned, unsignedArray } from '../cells/elements.ts'
import { type Datatype, datatypeKind, datatypeSize } from '../format/datatype.ts'
import { cellReader } from '../format/value.ts'

/** Values as Arrow stores them. */
export interface ArrowValues {
  bytes: Uint8Array
  /** One byte per value, 0 for null; undefined if there are no nulls. */
  validity: Uint8Array | undefined
}

/** Returns the name of the cell with a value, for messages. */
export type NameCell = (index: number) => string

/** Type and conversion of numbers, dates and BOOLs. */
export interface ArrowElements {
  type: DataType
  /** Whether values that are not null in TileDB may be null in Arrow. */
  nullable: boolean
  /** Converts the stored values; undefined if Arrow stores the same bytes. */
  convert?: (values: ArrowValues, count: number, name: NameCell) => ArrowValues
}

const UNITS = ['SEC', 'MS', 'US', 'NS']
const WORDS_OF_NAT = { low: 0, high: -(2 ** 31) }
const WORDS_OF_NOT_DELETED = { low: -1, high: -1 }

/**
 * Returns the Arrow type of numbers, dates or BOOLs.
 *
 * Times in units that Arrow lacks stay integers. In dates that Arrow supports, the smallest int64, numpy's "NaT", becomes null:
 * Arrow has no such date, and its readers fail on the value. The delete timestamps of cells that were never deleted become null,
 * too.
 */
export function arrowElements(type: Datatype, kind: ColumnKind, raw: boolean): ArrowElements {
  const size = datatypeSize(type)
  if (kind.startsWith('delete') && !raw)
    return { type: integer(8, false), nullable: true, convert: nullWhere(WORDS_OF_NOT_DELETED) }
  switch (datatypeKind(type)) {
    case 'float':
      return { type: size === 4 ? float32() : float64(), nullable: false }
    case 'uint':
      return { type: integer(size, false), nullable: false }
    case 'bool':
      return raw ? { type: integer(1, false), nullable: false } : { type: bool(), nullable: false, convert: packed }
    case 'datetime':
    case 'time':
      return raw ? { type: integer(8, true), nullable: false } : timeElements(type, kind)
    default:
      return { type: integer(size, true), nullable: false }
  }
}

/** @param size in bytes */
function integer(size: number, signed: boolean): IntType {
  return int((size * 8) as IntBitWidth, signed)
}

function timeElements(type: Datatype, kind: ColumnKind): ArrowElements {
  const unit = UNITS.indexOf(type.slice(type.indexOf('_') + 1)) as TimeUnit_ | -1
  if (unit !== -1 && datatypeKind(type) === 'time') return { type: duration(unit), nullable: false }
  // Coordinates are inside a domain, so none of them is NaT.
  const nullable = kind !== 'dimension'
  const dated = nullable ? nullWhere(WORDS_OF_NAT) : (values: ArrowValues) => values
  if (unit !== -1) return { type: timestamp(unit), nullable, convert: dated }
  if (type === 'DATETIME_DAY')
    return {
      type: dateDay(),
      nullable,
      convert: (values, count, name) => daysAsInt32(dated(values, count), count, name),
    }
  return { type: integer(8, true), nullable: false }
}

/** Returns a conversion that marks 64-bit values with the given bits as null. */
function nullWhere({ low, high }: { low: number; high: number }): (values: ArrowValues, count: number) => ArrowValues {
  return (values, count) => {
    const words = wordsOf(values.bytes)
    let { validity } = values
    for (let i = 0; i < count; i++) {
      if (words[2 * i + 1] !== high || words[2 * i] !== low) continue
      if (validity === undefined || validity === values.validity) validity = ownValidity(values, count)
      validity[i] = 0
    }
    return { bytes: values.bytes, validity }
  }
}

function daysAsInt32({ bytes, validity }: ArrowValues, count: number, name: NameCell): ArrowValues {
  const words = wordsOf(bytes)
  const days = new Int32Array(count)
  for (let i = 0; i < count; i++) {
    if (validity?.[i] === 0) continue
    const low = words[2 * i]
    if (words[2 * i + 1] !== low >> 31) {
      // The array is whole, so this is no error about it.
      throw usage({
        expected: "days that fit Arrow's 32-bit dates",
        found: `others in ${name(i)}; --raw writes them as integers`,
      })
    }
    days[i] = low
  }
  return { bytes: underlyingBytes(days), validity }
}

/** Packs BOOL bytes into bits. */
function packed({ bytes, validity }: ArrowValues, count: number): ArrowValues {
  return { bytes: bitmap(bytes, count).bits, validity }
}

/**
 * Returns the type and conversion of indexes of an enumeration. An index without a value becomes null, and is stored as 0 for
 * Arrow's readers.
 * @param labelNum number of values in the enumeration
 * @param onMissing called once per index without a value
 */
export function arrowIndexes(
  type: Datatype,
  labelNum: number,
  onMissing: (index: number | bigint) => void,
): ArrowElements & { type: IntType } {
  const size = datatypeSize(type)
  const signed = datatypeKind(type) === 'int'
  const read = cellReader(type, 1, { raw: true })
  return {
    type: integer(size, signed),
    nullable: true,
    convert: (values, count) => {
      const outside = size === 8 ? outsideOf64(values.bytes, labelNum) : outsideOf(values.bytes, size, signed, labelNum)
      let { bytes, validity } = values
      for (let i = 0; i < count; i++) {
        if (!outside(i)) continue
        if (values.validity?.[i] !== 0) onMissing(read(values.bytes, i * size, (i + 1) * size) as number | bigint)
        if (validity === undefined || validity === values.validity) {
          bytes = new Uint8Array(bytes)
          validity = ownValidity(values, count)
        }
        bytes.fill(0, i * size, (i + 1) * size)
        validity[i] = 0
      }
      return { bytes, validity }
    },
  }
}

function outsideOf(bytes: Uint8Array, size: number, signed: boolean, end: number): (index: number) => boolean {
  const { buffer, byteOffset, length } = aligned(bytes, size)
  // Negative numbers are read as large unsigned ones, which no signed type can reach.
  const values = new (unsignedArray(size))(buffer, byteOffset, length / size)
  const last = Math.min(end, signed ? 2 ** (size * 8 - 1) : Number.POSITIVE_INFINITY)
  return (i) => values[i] >= last
}

function outsideOf64(bytes: Uint8Array, end: number): (index: number) => boolean {
  const words = wordsOf(bytes)
  return (i) => words[2 * i + 1] !== 0 || words[2 * i] >>> 0 >= end
}

/** Packs a byte for each value into a bit for each value, lowest bit first. `ones` is the number of set bits. */
export function bitmap(bytes: Uint8Array, count: number): { bits: Uint8Array; ones: number } {
  const bits = new Uint8Array(Math.ceil(count / 8))
  let ones = 0
  const whole = count >>> 3
  const words = wordsOf(bytes)
  for (let at = 0; at < whole; at++) {
    const low = words[2 * at]
    const high = words[2 * at + 1]
    // Other bytes than 0 and 1 are not packed four at once.
    const byte =
      ((low | high) & ~EACH_ONE) === 0
        ? (Math.imul(low, GATHER) >>> 28) | ((Math.imul(high, GATHER) >>> 28) << 4)
        : packedByte(bytes, 8 * at, 8)
    bits[at] = byte
    ones += ONES_OF_NIBBLE[byte & 15] + ONES_OF_NIBBLE[byte >> 4]
  }
  if (8 * whole < count) {
    const byte = packedByte(bytes, 8 * whole, count - 8 * whole)
    bits[whole] = byte
    ones += ONES_OF_NIBBLE[byte & 15] + ONES_OF_NIBBLE[byte >> 4]
  }
  return { bits, ones }
}

/** Four bytes of 1. */
const EACH_ONE = 0x01010101
/** The product of four bytes of 0 or 1 with this number has them as its four highest bits. */
const GATHER = 0x10204080
const ONES_OF_NIBBLE = Uint8Array.of(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4)

function packedByte(bytes: Uint8Array, at: number, count: number): number {
  let byte = 0
  for (let i = 0; i < count; i++) if (bytes[at + i] !== 0) byte |= 1 << i
  return byte
}

/** Returns 64-bit values as 32-bit words, low word first. */
function wordsOf(bytes: Uint8Array): Int32Array {
  const { buffer, byteOffset, length } = aligned(bytes, 4)
  return new Int32Array(buffer, byteOffset, Math.floor(length / 4))
}

/** Returns a copy of the validity that may be changed. */
function ownValidity({ validity }: ArrowValues, count: number): Uint8Array {
  return validity ? new Uint8Array(validity) : new Uint8Array(count).fill(1)
}

/** The bytes of numbers, which they share. */
export function underlyingBytes(values: ArrayBufferView): Uint8Array {
  return new Uint8Array(values.buffer, values.byteOffset, values.byteLength)
}
