import {
  BIT_WIDTH_WINDOW_BYTES,
  type BitWidthWindow,
  bitWidthHead,
  bitWidthMetadata,
} from '../format/chunk-metadata.ts'
import { datatypeSize, type ElementSize } from '../format/datatype.ts'
import { badData } from './bytes.ts'
import {
  carry,
  elementOf,
  highLane,
  type IntegerType,
  isElementSize,
  lanesEach,
  lanesOf,
  lowLane,
  signShift,
  windowType,
} from './elements.ts'
import type { FilterDefinition } from './filter.ts'
import { isWindowed, WINDOW_FACTS, type WindowCodec, windowFilter } from './windows.ts'

/**
 * BIT_WIDTH_REDUCTION: subtracts the smallest integer of a window from all of them, and stores the results as narrower
 * integers.
 *
 *     metadata  u32 original bytes, u32 windows, then per window T value offset, u8 bits, u32 original bytes; earlier metadata
 *     data      per window value - offset as integers of `bits` (of T's sign); unchanged if `bits` is T's full width or the
 *               window is not a whole number of elements
 *
 * `bits` has to hold largest - smallest + 1. If that does not fit in T, `bits` is the full width, and TileDB leaves the
 * offset uninitialised; here it is written as 0. Releases before 2.30 may store more bits than T has, which means the
 * same. Types of one byte, text and floats pass unchanged. Before format version 20, dates and times do too.
 *
 * @see format_spec/tile.md, "Bit Width Reduction Filter"
 */
export const bitWidthReduction: FilterDefinition = {
  ...WINDOW_FACTS,
  // Elements of 8 bytes in 1.
  mostUndone: (stored) => 8 * stored,
  metadata: (datatype) => bitWidthMetadata(datatypeSize(datatype)),
  suits: isWindowed,
  losesEmptyPart: (type, formatVersion) => codec.elementType(type, formatVersion) === undefined,
  load: async () => windowFilter(codec),
}

const codec: WindowCodec<ReturnType<typeof bitWidthHead>, BitWidthWindow> = {
  elementType(datatype, formatVersion) {
    const type = windowType(datatype, formatVersion)
    return type?.size === 1 ? undefined : type
  },
  head: bitWidthHead,
  metadata: bitWidthMetadata,
  entryBytes: BIT_WIDTH_WINDOW_BYTES,
  forward(window, type) {
    const { size } = type
    const range = rangeOf(window, type)
    const { low, high, bits } = range
    return {
      entry: { value_offset: elementOf(size, low, high), bits, window_bytes: window.length },
      stored: bits < 8 * size && window.length % size === 0 ? reduce(window, size, range) : window,
    }
  },
  storedLength: (window, size) => (window.window_bytes / size) * storedWidth(window, size),
  dataIs: 'of data for the windows',
  check(total, { original_bytes }) {
    if (total === original_bytes) return
    throw badData({ expected: `${original_bytes} bytes in windows`, found: total }, 'original_bytes')
  },
  reverse(stored, window, type) {
    const width = storedWidth(window, type.size)
    return width === type.size ? stored : restore(stored, width, window, type)
  },
  kernel(kernels, { head: { window_num, original_bytes: length }, table, data }, { size, signed }, limit) {
    if (length > limit) return undefined
    return kernels.run('widen', length, [table, data], window_num, data.length, length, size, Number(signed))
  },
}

/** Returns the bytes of a value in the data: the full width if the window is stored unchanged. */
function storedWidth({ window_bytes, bits }: BitWidthWindow, size: ElementSize): ElementSize {
  if (window_bytes % size !== 0 || bits >= 8 * size) return size
  const width = bits / 8
  if (isElementSize(width)) return width
  throw badData({ expected: '8, 16, 32 or 64 bits', found: bits }, 'bits')
}

/** Lanes of a window's smallest value, and the bits that the values need after it is subtracted. */
interface WindowRange {
  low: number
  high: number
  bits: number
}

/** Largest span (see {@link bitsFor}) that fits in 8, 16 and 32 bits. */
const UNSIGNED_ROOM = [2 ** 8 - 1, 2 ** 16 - 1, 2 ** 32 - 1]
const SIGNED_ROOM = [2 ** 7 - 1, 2 ** 15 - 1, 2 ** 31 - 1]

/** Returns the bits that hold a span. @param span largest - smallest + 1. Above 2^53 it may be inexact. */
function bitsFor(span: number, signed: boolean): number {
  const room = signed ? SIGNED_ROOM : UNSIGNED_ROOM
  if (span <= room[0]) return 8
  if (span <= room[1]) return 16
  return span <= room[2] ? 32 : 64
}

/**
 * Finds the smallest value of a window, and the bits that it needs. As in TileDB, the bits are the full width for a window
 * without a whole element. Signed values are compared as unsigned ones with the sign bit flipped.
 */
function rangeOf(window: Uint8Array, { size, signed }: IntegerType): WindowRange {
  const lanes = lanesOf(window, size)
  const each = lanesEach(size)
  const full = { low: 0, high: 0, bits: 8 * size }
  if (lanes.length < each) return full
  const signBit = signed ? 2 ** (8 * Math.min(size, 4) - 1) : 0
  // The top lane is compared first: the only lane, or the high one of two.
  let smallTop = (lanes[each - 1] ^ signBit) >>> 0
  let largeTop = smallTop
  let smallLow = lanes[0] >>> 0
  let largeLow = smallLow
  for (let i = each; i + each <= lanes.length; i += each) {
    const top = (lanes[i + each - 1] ^ signBit) >>> 0
    const low = lanes[i] >>> 0
    if (top < smallTop || (each === 2 && top === smallTop && low < smallLow)) {
      smallTop = top
      smallLow = low
    } else if (top > largeTop || (each === 2 && top === largeTop && low > largeLow)) {
      largeTop = top
      largeLow = low
    }
  }
  const most = 2 ** (8 * Math.min(size, 4) - (signed ? 1 : 0)) - 1
  if (each === 1) {
    const spread = largeTop - smallTop
    return spread >= most ? full : { low: smallTop ^ signBit, high: 0, bits: bitsFor(spread + 1, signed) }
  }
  const high = largeTop - smallTop - (largeLow < smallLow ? 1 : 0)
  const low = (largeLow - smallLow) >>> 0
  // Largest - smallest + 1 fits unless the difference is the type's maximum or more.
  if (high > most || (high === most && low === 0xffffffff)) return full
  return { low: smallLow, high: smallTop ^ signBit, bits: bitsFor(high * 2 ** 32 + low + 1, signed) }
}

/** Subtracts the smallest value, and stores the differences with `range.bits` bits each. */
function reduce(window: Uint8Array, size: ElementSize, range: WindowRange): Uint8Array {
  const lanes = lanesOf(window, size)
  // The differences fit in 32 bits, so the low lanes are enough.
  const each = lanesEach(size)
  const width = (range.bits / 8) as ElementSize
  const bytes = new Uint8Array((lanes.length / each) * width)
  const output = lanesOf(bytes, width)
  for (let i = 0, j = 0; i < output.length; i++, j += each) output[i] = lanes[j] - range.low
  return bytes
}

/** Adds the offset to the integers of `width` bytes in `input`, modulo the element size. `width` is below that size. */
function restore(
  input: Uint8Array,
  width: ElementSize,
  { value_offset }: BitWidthWindow,
  type: IntegerType,
): Uint8Array {
  const { size, signed } = type
  const values = lanesOf(input, width)
  const each = lanesEach(size)
  const bytes = new Uint8Array((input.length / width) * size)
  const output = lanesOf(bytes, size)
  const shift = signShift({ size: width, signed })
  const low = lowLane(value_offset)
  const high = highLane(value_offset)
  for (let i = 0, to = 0; i < values.length; i++, to += each) {
    const value = (values[i] << shift) >> shift
    const sum = (value + low) | 0
    output[to] = sum
    if (each === 2) output[to + 1] = high + (signed ? value >> 31 : 0) + carry(value, low, sum)
  }
  return bytes
}
