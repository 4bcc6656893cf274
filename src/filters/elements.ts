/**
 * Elements of filtered data as typed arrays. To avoid bigint, an element of 8 bytes is a pair of int32 lanes, low lane
 * first. All sums and differences are modulo 2^64.
 */

import { badValue } from '../base/errors.ts'
import { type Datatype, datatypeKind, datatypeSize, type ElementSize, isSignedInteger } from '../format/datatype.ts'

if (new Uint8Array(new Uint16Array([1]).buffer)[0] !== 1) throw new TypeError('this machine is not little-endian')

export function isElementSize(size: number): size is ElementSize {
  return size === 1 || size === 2 || size === 4 || size === 8
}

export interface IntegerType {
  size: ElementSize
  signed: boolean
}

export function signedInteger(size: ElementSize): Datatype {
  return `INT${(8 * size) as 8 | 16 | 32 | 64}`
}

/**
 * Returns the integer type that the window filters use for a datatype. Undefined if they pass it unchanged, as they do
 * with dates and times before format version 20.
 */
export function windowType(datatype: Datatype, formatVersion: number): IntegerType | undefined {
  const kind = datatypeKind(datatype)
  const dated = kind === 'datetime' || kind === 'time'
  if (dated ? formatVersion < 20 : kind !== 'int' && kind !== 'uint') return undefined
  return { size: datatypeSize(datatype), signed: isSignedInteger(datatype) }
}

/**
 * Returns the integer type that DELTA and DOUBLE_DELTA use: the reinterpret datatype, or the field's if that is ANY. Text,
 * bytes and booleans count as single bytes, whatever their size.
 *
 * @throws InspectError BAD_VALUE for floats, which both filters refuse
 */
export function deltaType(datatype: Datatype, reinterpret: Datatype | undefined): IntegerType {
  const seen = deltaDatatype(datatype, reinterpret)
  const kind = datatypeKind(seen)
  if (kind === 'float') {
    const message = `expected integers, or a reinterpret datatype, for delta encoding; found ${seen}`
    throw badValue(message, { field: 'reinterpret_datatype' })
  }
  if (kind === 'text' || kind === 'bytes' || kind === 'bool') return { size: 1, signed: seen === 'CHAR' }
  return { size: datatypeSize(seen), signed: isSignedInteger(seen) }
}

/** Returns the datatype that DELTA and DOUBLE_DELTA use, and that the next filter sees. */
export function deltaDatatype(datatype: Datatype, reinterpret: Datatype | undefined): Datatype {
  return reinterpret === undefined || reinterpret === 'ANY' ? datatype : reinterpret
}

/** Checks that a part to be written is a whole number of elements. @throws InspectError BAD_VALUE */
export function checkWhole(part: Uint8Array, size: number): void {
  if (part.length % size !== 0) {
    throw badValue({ expected: `parts of whole ${size}-byte elements`, found: `one of ${part.length} bytes` })
  }
}

/** Elements as numbers: one lane each, or two for 8 bytes, low lane first. Lanes of 1 and 2 bytes are unsigned. */
export type Lanes = Uint8Array | Uint16Array | Int32Array

/** Returns bytes as lanes; a copy if they are not aligned. Bytes after the last whole lane are left out. */
export function lanesOf(bytes: Uint8Array, size: ElementSize): Lanes {
  if (size === 1) return bytes
  const { buffer, byteOffset, length } = bytes.byteOffset % Math.min(size, 4) === 0 ? bytes : bytes.slice()
  return size === 2
    ? new Uint16Array(buffer, byteOffset, length >>> 1)
    : new Int32Array(buffer, byteOffset, length >>> 2)
}

/** Returns the number of bits by which to shift a lane left and then right (`>>`), so that it has the sign of its type. */
export function signShift({ size, signed }: IntegerType): number {
  return signed && size < 4 ? 32 - 8 * size : 0
}

/** Returns the number of lanes of an element. */
export function lanesEach(size: ElementSize): 1 | 2 {
  return size === 8 ? 2 : 1
}

/** Returns the carry of the sum of two low lanes, 0 or 1. All three are int32. */
export function carry(a: number, b: number, sum: number): number {
  return ((a & b) | ((a | b) & ~sum)) >>> 31
}

/** Returns the borrow of the difference of low lanes `a - b`, 0 or 1. All three are int32. */
export function borrow(a: number, b: number, difference: number): number {
  return ((~a & b) | (~(a ^ b) & difference)) >>> 31
}

/** Returns the low lane of one little-endian element. */
export function lowLane(bytes: Uint8Array): number {
  let lane = 0
  for (let i = Math.min(bytes.length, 4) - 1; i >= 0; i--) lane = (lane << 8) | bytes[i]
  return lane
}

/** Returns the high lane of one little-endian element; 0 if the element is shorter than 8 bytes. */
export function highLane(bytes: Uint8Array): number {
  return bytes.length === 8 ? lowLane(bytes.subarray(4)) : 0
}

/** Returns the little-endian bytes of an element, from its lanes. */
export function elementOf(size: ElementSize, low: number, high: number): Uint8Array {
  const lanes = new Uint32Array([low, high])
  return new Uint8Array(lanes.buffer, 0, size)
}

/**
 * Returns the running sums of `input` when reading, and when writing their inverse: in[0] - start, in[1] - in[0]… Both are
 * modulo the element size, and have as many bytes as `input`. `low` and `high` are the lanes of the start value.
 */
export function scan(input: Uint8Array, size: ElementSize, reading: boolean, low = 0, high = 0): Uint8Array {
  const output = new Uint8Array(input.length)
  const from = lanesOf(input, size)
  const to = lanesOf(output, size)
  const each = lanesEach(size)
  // The sums are the output when reading, and the input when writing.
  const sums = reading ? to : from
  let lo = low | 0
  let hi = high | 0
  for (let i = 0; i < from.length; i += each) {
    const value = from[i]
    const next = (reading ? value + lo : value - lo) | 0
    to[i] = next
    if (each === 2) {
      const top = from[i + 1]
      to[i + 1] = reading ? top + hi + carry(lo, value, next) : top - hi - borrow(value, lo, next)
      hi = sums[i + 1]
    }
    lo = sums[i]
  }
  return output
}
