/**
 * Elements of filtered data as typed arrays. Values of 8 bytes are pairs of uint32 lanes, low lane first: no bigint is made for
 * an element, and all sums and differences are modulo 2^64.
 */

import { InspectError } from '../base/errors.ts'
import { type Datatype, datatypeKind, datatypeSize, isSignedInteger } from '../format/datatype.ts'

if (new Uint8Array(new Uint16Array([1]).buffer)[0] !== 1) throw new TypeError('this machine is not little-endian')

/** Bytes of an element. */
export type ElementSize = 1 | 2 | 4 | 8

export interface IntegerType {
  size: ElementSize
  signed: boolean
}

/** A datatype's bytes as the integers of that size. */
export function elementSize(datatype: Datatype): ElementSize {
  const size = datatypeSize(datatype)
  return size === 8 || size === 4 || size === 2 ? size : 1
}

/** The integers of the window filters; undefined where those pass data on unchanged. Dates and times count since version 20. */
export function windowType(datatype: Datatype, formatVersion: number): IntegerType | undefined {
  const kind = datatypeKind(datatype)
  const dated = kind === 'datetime' || kind === 'time'
  if (dated ? formatVersion < 20 : kind !== 'int' && kind !== 'uint') return undefined
  return { size: elementSize(datatype), signed: isSignedInteger(datatype) }
}

/**
 * The integers that DELTA and DOUBLE_DELTA work on: those of the reinterpret type unless that is ANY, otherwise the field's.
 * Text, bytes and truth values of any width are single bytes.
 *
 * @throws InspectError BAD_VALUE for floats, which both filters refuse
 */
export function deltaType(datatype: Datatype, reinterpret: Datatype | undefined): IntegerType {
  const seen = deltaDatatype(datatype, reinterpret)
  const kind = datatypeKind(seen)
  if (kind === 'float') {
    const message = `expected integers, or a reinterpret datatype, for delta encoding; found ${seen}`
    throw new InspectError('BAD_VALUE', message, { field: 'reinterpret_datatype' })
  }
  if (kind === 'text' || kind === 'bytes' || kind === 'bool') return { size: 1, signed: seen === 'CHAR' }
  return { size: elementSize(seen), signed: isSignedInteger(seen) }
}

/** Element type behind DELTA and DOUBLE_DELTA. */
export function deltaDatatype(datatype: Datatype, reinterpret: Datatype | undefined): Datatype {
  return reinterpret === undefined || reinterpret === 'ANY' ? datatype : reinterpret
}

/** @throws InspectError BAD_VALUE unless a part to be written is a whole number of elements */
export function checkWhole(part: Uint8Array, size: number): void {
  if (part.length % size !== 0) {
    throw new InspectError(
      'BAD_VALUE',
      `expected parts of whole ${size}-byte elements, found one of ${part.length} bytes`,
    )
  }
}

/** The bytes as uint16; a copy where they do not lie on an even address. Odd bytes at the end are left out. */
export function u16(bytes: Uint8Array): Uint16Array {
  const from = bytes.byteOffset % 2 === 0 ? bytes : bytes.slice()
  return new Uint16Array(from.buffer, from.byteOffset, from.length >>> 1)
}

/** The bytes as uint32; a copy where they do not lie on a multiple of four. Odd bytes at the end are left out. */
export function u32(bytes: Uint8Array): Uint32Array {
  const from = bytes.byteOffset % 4 === 0 ? bytes : bytes.slice()
  return new Uint32Array(from.buffer, from.byteOffset, from.length >>> 2)
}

/** One little-endian element's low lane. */
export function lowLane(bytes: Uint8Array): number {
  let lane = 0
  for (let i = Math.min(bytes.length, 4) - 1; i >= 0; i--) lane = (lane << 8) | bytes[i]
  return lane
}

/** One little-endian element's high lane: 0 below 8 bytes. */
export function highLane(bytes: Uint8Array): number {
  return bytes.length === 8 ? lowLane(bytes.subarray(4)) : 0
}

/** Bytes of a new element of `size`. */
export function elementOf(size: ElementSize, low: number, high: number): Uint8Array {
  const lanes = new Uint32Array([low, high])
  return new Uint8Array(lanes.buffer, 0, size)
}

/** Running sums: `start` + in[0], that + in[1]… modulo the element size. As many bytes as `input`. */
export function sums(input: Uint8Array, size: ElementSize, low = 0, high = 0): Uint8Array {
  const output = new Uint8Array(input.length)
  if (size === 1) sums8(input, output, low)
  else if (size === 2) sums16(u16(input), u16(output), low)
  else if (size === 4) sums32(u32(input), u32(output), low)
  else sums64(u32(input), u32(output), low, high)
  return output
}

function sums8(input: Uint8Array, output: Uint8Array, start: number): void {
  let sum = start
  for (let i = 0; i < input.length; i++) {
    sum = (sum + input[i]) | 0
    output[i] = sum
  }
}

function sums16(input: Uint16Array, output: Uint16Array, start: number): void {
  let sum = start
  for (let i = 0; i < input.length; i++) {
    sum = (sum + input[i]) | 0
    output[i] = sum
  }
}

function sums32(input: Uint32Array, output: Uint32Array, start: number): void {
  let sum = start | 0
  for (let i = 0; i < input.length; i++) {
    sum = (sum + (input[i] | 0)) | 0
    output[i] = sum
  }
}

function sums64(input: Uint32Array, output: Uint32Array, low: number, high: number): void {
  let lo = low | 0
  let hi = high | 0
  for (let i = 0; i + 1 < input.length; i += 2) {
    const add = input[i] | 0
    const sum = (lo + add) | 0
    const carry = ((lo & add) | ((lo | add) & ~sum)) >>> 31
    hi = (hi + (input[i + 1] | 0) + carry) | 0
    lo = sum
    output[i] = lo
    output[i + 1] = hi
  }
}

/** Differences: in[0] - `start`, in[1] - in[0]… modulo the element size. As many bytes as `input`. */
export function differences(input: Uint8Array, size: ElementSize, low = 0, high = 0): Uint8Array {
  const output = new Uint8Array(input.length)
  if (size === 1) differences8(input, output, low)
  else if (size === 2) differences16(u16(input), u16(output), low)
  else if (size === 4) differences32(u32(input), u32(output), low)
  else differences64(u32(input), u32(output), low, high)
  return output
}

function differences8(input: Uint8Array, output: Uint8Array, start: number): void {
  let before = start
  for (let i = 0; i < input.length; i++) {
    const value = input[i]
    output[i] = value - before
    before = value
  }
}

function differences16(input: Uint16Array, output: Uint16Array, start: number): void {
  let before = start
  for (let i = 0; i < input.length; i++) {
    const value = input[i]
    output[i] = value - before
    before = value
  }
}

function differences32(input: Uint32Array, output: Uint32Array, start: number): void {
  let before = start | 0
  for (let i = 0; i < input.length; i++) {
    const value = input[i] | 0
    output[i] = (value - before) | 0
    before = value
  }
}

function differences64(input: Uint32Array, output: Uint32Array, low: number, high: number): void {
  let beforeLo = low | 0
  let beforeHi = high | 0
  for (let i = 0; i + 1 < input.length; i += 2) {
    const lo = input[i] | 0
    const hi = input[i + 1] | 0
    const difference = (lo - beforeLo) | 0
    const borrow = ((~lo & beforeLo) | (~(lo ^ beforeLo) & difference)) >>> 31
    output[i] = difference
    output[i + 1] = (hi - beforeHi - borrow) | 0
    beforeLo = lo
    beforeHi = hi
  }
}
