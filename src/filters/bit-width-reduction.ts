import { type BitWidthWindow, bitWidthMetadata } from '../format/bit-width-metadata.ts'
import type { Datatype } from '../format/datatype.ts'
import { decodePrefix, encode } from '../format/io.ts'
import { badData, checkLimit, concat, viewOf } from './bytes.ts'
import { type ElementSize, elementOf, highLane, type IntegerType, lowLane, u16, u32, windowType } from './elements.ts'
import type { FilterContext, FilteredBytes, FilterFactory } from './filter.ts'
import { windowsOf } from './windows.ts'

/**
 * BIT_WIDTH_REDUCTION: integers relative to the smallest of their window, as narrower integers.
 *
 *     metadata  u32 original bytes, u32 windows, then per window T value offset, u8 bits, u32 original bytes; earlier metadata
 *     data      per window value - offset as integers of `bits` (of T's sign); as it is where `bits` is T's full width or the
 *               window is no whole number of elements
 *
 * `bits` has to hold largest - smallest + 1. Where that does not fit in T, `bits` is the full width and TileDB leaves the
 * offset uninitialised; here it is 0 then. Releases before 2.30 may give more bits than T has, to the same effect.
 * Passes on unchanged: types of one byte, text, floats; dates and times before version 20.
 *
 * @see format_spec/tile.md, "Bit Width Reduction Filter"
 */
export const bitWidthReduction: FilterFactory = async () => ({
  usesKernels: true,
  forward(parts, config, cx) {
    const type = elementType(cx.datatype, cx.formatVersion)
    if (type === undefined) return parts
    const { size } = type
    const windows: BitWidthWindow[] = []
    const data: Uint8Array[] = []
    let original_bytes = 0
    for (const window of windowsOf(parts.data, config.max_window_size, size)) {
      const range = size === 8 ? range64(u32(window), type.signed) : rangeOf(window, type)
      windows.push({
        value_offset: elementOf(size, range.low, range.high),
        bits: range.bits,
        window_bytes: window.length,
      })
      const reduced = range.bits < 8 * size && window.length % size === 0
      data.push(reduced ? reduce(window, size, range) : window)
      original_bytes += window.length
    }
    const own = encode({ original_bytes, windows }, bitWidthMetadata(size))
    return { metadata: [own, ...parts.metadata], data: [concat(data)] }
  },

  reverse(bytes, _config, cx) {
    const type = elementType(cx.datatype, cx.formatVersion)
    if (type === undefined) return bytes
    const fast = undo(bytes, type, cx)
    if (fast) return fast
    const { size } = type
    const { value, length } = decodePrefix(bytes.metadata, bitWidthMetadata(size))
    let total = 0
    let stored = 0
    for (const window of value.windows) {
      const bits = storedBits(window, size)
      if (bits !== 8 && bits !== 16 && bits !== 32 && bits !== 64) {
        throw badData(`expected 8, 16, 32 or 64 bits, found ${bits}`, 'bits')
      }
      total += window.window_bytes
      stored += (window.window_bytes / size) * (bits / 8)
    }
    if (total !== value.original_bytes) {
      throw badData(`expected ${value.original_bytes} bytes in windows, found ${total}`, 'original_bytes')
    }
    if (stored !== bytes.data.length) {
      throw badData(`expected ${stored} bytes of data for the windows, found ${bytes.data.length}`, 'window_bytes')
    }
    checkLimit(total, cx.limit, 'original_bytes')
    const data = new Uint8Array(total)
    let from = 0
    let to = 0
    for (const window of value.windows) {
      const bits = storedBits(window, size)
      const end = from + (window.window_bytes / size) * (bits / 8)
      const input = bytes.data.subarray(from, end)
      if (bits === 8 * size) data.set(input, to)
      else restore(input, bits / 8, data, to, window, type)
      from = end
      to += window.window_bytes
    }
    return { metadata: bytes.metadata.subarray(length), data }
  },
})

function elementType(datatype: Datatype, formatVersion: number): IntegerType | undefined {
  const type = windowType(datatype, formatVersion)
  return type?.size === 1 ? undefined : type
}

/** All windows at once; undefined where anything is wrong. */
function undo(
  { metadata, data }: FilteredBytes,
  { size, signed }: IntegerType,
  { kernels, limit }: FilterContext,
): FilteredBytes | undefined {
  if (!kernels || metadata.length < HEAD) return undefined
  const view = viewOf(metadata)
  const originalBytes = view.getUint32(0, true)
  const windows = view.getUint32(4, true)
  const end = HEAD + windows * (size + WINDOW_BYTES)
  if (end > metadata.length || originalBytes > limit) return undefined
  const out = kernels.widen(metadata.subarray(HEAD, end), windows, data, originalBytes, size, signed)
  return out && { metadata: metadata.subarray(end), data: out }
}

/** Of the metadata: original bytes and number of windows; then of each window its bits and bytes, behind the value. */
const HEAD = 8
const WINDOW_BYTES = 5

/** Bits of a value in the data: the full width where the window is stored as it is. */
function storedBits(window: BitWidthWindow, size: ElementSize): number {
  return window.window_bytes % size !== 0 ? 8 * size : Math.min(window.bits, 8 * size)
}

/** Lanes of a window's smallest value, and the bits of what is left when it is subtracted. */
interface Range {
  low: number
  high: number
  bits: number
}

/** Largest difference + 1 that 8, 16 and 32 bits take. */
const UNSIGNED_ROOM = [2 ** 8 - 1, 2 ** 16 - 1, 2 ** 32 - 1]
const SIGNED_ROOM = [2 ** 7 - 1, 2 ** 15 - 1, 2 ** 31 - 1]

/** `span` is largest - smallest + 1, and has to be below 2^53 or approximate there. */
function bitsFor(span: number, signed: boolean): number {
  const room = signed ? SIGNED_ROOM : UNSIGNED_ROOM
  return span <= room[0] ? 8 : span <= room[1] ? 16 : span <= room[2] ? 32 : 64
}

/** Values of 2 and 4 bytes. No whole element counts as overflow, as in TileDB. */
function rangeOf(window: Uint8Array, { size, signed }: IntegerType): Range {
  const values = size === 2 ? u16(window) : u32(window)
  const width = 8 * size
  const turn = signed ? 2 ** (width - 1) : 0
  if (values.length === 0) return { low: 0, high: 0, bits: width }
  let smallest = (values[0] ^ turn) >>> 0
  let largest = smallest
  for (let i = 1; i < values.length; i++) {
    const value = (values[i] ^ turn) >>> 0
    if (value < smallest) smallest = value
    else if (value > largest) largest = value
  }
  const span = largest - smallest + 1
  if (span > 2 ** (signed ? width - 1 : width) - 1) return { low: 0, high: 0, bits: width }
  return { low: smallest ^ turn, high: 0, bits: bitsFor(span, signed) }
}

function range64(lanes: Uint32Array, signed: boolean): Range {
  const turn = signed ? 0x80000000 : 0
  let smallLo = 0xffffffff
  let smallHi = 0xffffffff
  let largeLo = 0
  let largeHi = 0
  for (let i = 0; i + 1 < lanes.length; i += 2) {
    const lo = lanes[i]
    const hi = (lanes[i + 1] ^ turn) >>> 0
    if (hi < smallHi || (hi === smallHi && lo < smallLo)) {
      smallLo = lo
      smallHi = hi
    }
    if (hi > largeHi || (hi === largeHi && lo > largeLo)) {
      largeLo = lo
      largeHi = hi
    }
  }
  const borrow = largeLo < smallLo ? 1 : 0
  const high = largeHi - smallHi - borrow
  const low = (largeLo - smallLo) >>> 0
  // Largest - smallest + 1 fits unless the difference is T's maximum or more.
  const maximum = signed ? 0x7fffffff : 0xffffffff
  if (lanes.length < 2 || high > maximum || (high === maximum && low === 0xffffffff))
    return { low: 0, high: 0, bits: 64 }
  return { low: smallLo, high: smallHi ^ turn, bits: bitsFor(high * 2 ** 32 + low + 1, signed) }
}

function reduce(window: Uint8Array, size: ElementSize, range: Range): Uint8Array {
  const values = size === 2 ? u16(window) : u32(window)
  // What is left fits in 32 bits, so the low lanes alone give it.
  const stride = size === 8 ? 2 : 1
  const count = values.length / stride
  const low = range.low
  const output =
    range.bits === 8 ? new Uint8Array(count) : range.bits === 16 ? new Uint16Array(count) : new Uint32Array(count)
  for (let i = 0, j = 0; i < count; i++, j += stride) output[i] = values[j] - low
  return new Uint8Array(output.buffer)
}

/** Adds the offset to the integers of `width` bytes in `input`; all modulo the element size. */
function restore(
  input: Uint8Array,
  width: number,
  data: Uint8Array,
  to: number,
  window: BitWidthWindow,
  { size, signed }: IntegerType,
): void {
  // Windows lie on whole elements except behind one that is none.
  const aligned = to % size === 0
  const output = aligned ? data.subarray(to, to + window.window_bytes) : new Uint8Array(window.window_bytes)
  const low = lowLane(window.value_offset)
  if (size === 2) restore16(input, u16(output), low, signed)
  else if (size === 4) restore32(input, width, u32(output), low, signed)
  else restore64(input, width, u32(output), low, highLane(window.value_offset), signed)
  if (!aligned) data.set(output, to)
}

function restore16(input: Uint8Array, output: Uint16Array, low: number, signed: boolean): void {
  const shift = signed ? 24 : 0
  for (let i = 0; i < output.length; i++) output[i] = ((input[i] << shift) >> shift) + low
}

function restore32(input: Uint8Array, width: number, output: Uint32Array, low: number, signed: boolean): void {
  if (width === 1) {
    const shift = signed ? 24 : 0
    for (let i = 0; i < output.length; i++) output[i] = ((input[i] << shift) >> shift) + low
  } else {
    const shift = signed ? 16 : 0
    for (let i = 0, j = 0; i < output.length; i++, j += 2) {
      output[i] = (((input[j] | (input[j + 1] << 8)) << shift) >> shift) + low
    }
  }
}

function restore64(
  input: Uint8Array,
  width: number,
  output: Uint32Array,
  low: number,
  high: number,
  signed: boolean,
): void {
  const count = output.length / 2
  const offset = low >>> 0
  for (let i = 0, j = 0; i < count; i++, j += width) {
    let value = input[j]
    if (width === 1) {
      if (signed) value = (value << 24) >> 24
    } else {
      value |= input[j + 1] << 8
      if (width === 2) {
        if (signed) value = (value << 16) >> 16
      } else {
        value |= (input[j + 2] << 16) | (input[j + 3] << 24)
      }
    }
    const sum = (value >>> 0) + offset
    const above = signed ? value >> 31 : 0
    output[2 * i] = sum
    output[2 * i + 1] = high + above + (sum > 0xffffffff ? 1 : 0)
  }
}
