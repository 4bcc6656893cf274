import { Type } from '@uwdata/flechette/src/constants.js'
import type { ParquetType } from 'hyparquet'
import { usage } from '../base/errors.ts'
import { aligned, uint32LanesOf } from '../cells/elements.ts'
import { copyBytes } from '../filters/bytes.ts'
import { underlyingBytes } from './arrow-values.ts'
import { type ArrowArray, intsOf } from './parquet-entries.ts'

/**
 * Values as Parquet stores them in the encoding PLAIN. Fixed-sized ones lie back to back, BOOLEAN has a byte for each, and `ends` are
 * the ends of byte arrays, after a 0. No value is read as a float, so that NaN keeps its bits.
 */
export interface StoredValues {
  bytes: Uint8Array
  ends: Int32Array | undefined
  /** Bytes of a fixed-sized value. */
  size: number
}

/**
 * The values of an array, in the type of Parquet's column. Integers of less than 32 bits become 32 bits long, and seconds milliseconds.
 * @throws InspectError USAGE for a time that does not fit 64 bits in milliseconds
 */
export function storedValues(array: ArrowArray, physical: ParquetType): StoredValues {
  const { type, buffers, length } = array
  const [first, second] = buffers
  if (physical === 'BYTE_ARRAY') return { bytes: second, ends: intsOf(first), size: 0 }
  if (physical === 'BOOLEAN') {
    const bytes = new Uint8Array(length)
    for (let i = 0; i < length; i++) bytes[i] = (first[i >> 3] >> (i & 7)) & 1
    return { bytes, ends: undefined, size: 1 }
  }
  if (type.typeId === Type.Int && type.bitWidth < 32) {
    const { buffer, byteOffset } = aligned(first, type.bitWidth / 8)
    const narrow = new type.values(buffer as ArrayBuffer, byteOffset, length)
    return { bytes: underlyingBytes(Int32Array.from(narrow as ArrayLike<number>)), ends: undefined, size: 4 }
  }
  const size = physical === 'INT32' || physical === 'FLOAT' ? 4 : 8
  const isSeconds = type.typeId === Type.Timestamp && type.unit === 0
  return { bytes: isSeconds ? milliseconds(array) : first, ends: undefined, size }
}

function milliseconds({ buffers: [seconds], length, validity }: ArrowArray): Uint8Array {
  const { buffer, byteOffset } = aligned(seconds, 8)
  const from = new BigInt64Array(buffer, byteOffset, length)
  const to = new BigInt64Array(length)
  for (let i = 0; i < length; i++) {
    if (validity && ((validity[i >> 3] >> (i & 7)) & 1) === 0) continue
    const value = from[i] * 1000n
    if (value !== BigInt.asIntN(64, value)) {
      // The fault is the format's, not the array's.
      throw usage({
        expected: "times that fit Parquet's milliseconds, as it has no seconds",
        found: `${from[i]} seconds; --raw writes them as integers`,
      })
    }
    to[i] = value
  }
  return underlyingBytes(to)
}

/** Bytes of the page that value `slot` fills. */
export function slotSize({ ends, size }: StoredValues, slot: number): number {
  return ends ? 4 + ends[slot + 1] - ends[slot] : size
}

/**
 * The values as they stand in a page, in the encoding PLAIN.
 * @param slots which values; those below 0 stand for none. Undefined for values `[from, to)`
 */
export function plainValues(
  values: StoredValues,
  physical: ParquetType,
  slots: Int32Array | undefined,
  [from, to]: readonly [number, number],
): Uint8Array {
  if (physical === 'BOOLEAN') return bitsOf(values.bytes, slots, from, to)
  if (values.ends) return byteArrays(values.bytes, values.ends, slots, from, to)
  const { bytes, size } = values
  if (!slots) return bytes.subarray(from * size, to * size)
  const lanes = uint32LanesOf(bytes)
  const out = new Uint32Array(((to - from) * size) / 4)
  let at = 0
  for (let i = from; i < to; i++) {
    const slot = slots[i]
    if (slot < 0) continue
    if (size === 4) out[at++] = lanes[slot]
    else {
      out[at++] = lanes[2 * slot]
      out[at++] = lanes[2 * slot + 1]
    }
  }
  return new Uint8Array(out.buffer, 0, 4 * at)
}

function bitsOf(bytes: Uint8Array, slots: Int32Array | undefined, from: number, to: number): Uint8Array {
  const out = new Uint8Array(Math.ceil((to - from) / 8))
  let count = 0
  for (let i = from; i < to; i++) {
    const slot = slots ? slots[i] : i
    if (slot < 0) continue
    out[count >> 3] |= bytes[slot] << (count & 7)
    count++
  }
  return out.subarray(0, Math.ceil(count / 8))
}

function byteArrays(
  bytes: Uint8Array,
  ends: Int32Array,
  slots: Int32Array | undefined,
  from: number,
  to: number,
): Uint8Array {
  let total = 0
  for (let i = from; i < to; i++) {
    const slot = slots ? slots[i] : i
    if (slot >= 0) total += 4 + ends[slot + 1] - ends[slot]
  }
  const out = new Uint8Array(total)
  let at = 0
  for (let i = from; i < to; i++) {
    const slot = slots ? slots[i] : i
    if (slot < 0) continue
    const length = ends[slot + 1] - ends[slot]
    out[at] = length
    out[at + 1] = length >> 8
    out[at + 2] = length >> 16
    out[at + 3] = length >> 24
    at = copyBytes(bytes, ends[slot], ends[slot + 1], out, at + 4)
  }
  return out
}
