import { badValue } from '../base/errors.ts'
import { type Datatype, datatypeKind } from '../format/datatype.ts'
import { decodePrefix, encode } from '../format/io.ts'
import {
  POSITIVE_DELTA_WINDOW_BYTES,
  type PositiveDeltaWindow,
  positiveDeltaHead,
  positiveDeltaMetadata,
} from '../format/positive-delta-metadata.ts'
import { badData, concat } from './bytes.ts'
import {
  differences,
  type ElementSize,
  elementSize,
  highLane,
  type IntegerType,
  lanesEach,
  lanesOf,
  lowLane,
  sums,
  windowType,
} from './elements.ts'
import { type Filter, type FilterDefinition, type FilteredBytes, TYPES_CHECKED_SINCE } from './filter.ts'
import type { Kernels } from './kernels/kernels.ts'
import { windowRefusal, windowsOf } from './windows.ts'

/**
 * POSITIVE_DELTA: stores differences of integers that never decrease, for each window separately.
 *
 *     metadata  u32 windows, then per window T first value, u32 bytes; earlier metadata
 *     data      per window T 0, T in[1]-in[0], T in[2]-in[1]…; unchanged if the window is not a whole number of elements
 *
 * CHAR, text, floats and ANY pass unchanged. Before format version 20, dates and times do too.
 *
 * @see format_spec/tile.md, "Positive Delta Encoding Filter"
 */
export const positiveDelta: FilterDefinition = {
  elementSize: 'shown',
  growth: 8,
  usesKernels: true,
  metadata: (datatype) => positiveDeltaMetadata(elementSize(datatype)),
  typeRefusal: windowRefusal,
  suits: (type) => windowType(type, TYPES_CHECKED_SINCE) !== undefined,
  load: async () => filter,
}

const filter: Filter = {
  forward(parts, config, cx) {
    const type = elementType(cx.datatype, cx.formatVersion)
    if (type === undefined) return parts
    const windows: PositiveDeltaWindow[] = []
    const data: Uint8Array[] = []
    for (const window of windowsOf(parts.data, config.max_window_size, type.size)) {
      const whole = window.length % type.size === 0
      if (whole && !rises(window, type)) {
        throw badValue('expected values that never decrease for POSITIVE_DELTA, found a smaller one')
      }
      const first = new Uint8Array(type.size)
      first.set(window.subarray(0, type.size))
      windows.push({ first_value: first, window_bytes: window.length })
      data.push(whole ? differences(window, type.size, lowLane(first), highLane(first)) : window)
    }
    return {
      metadata: [encode({ windows }, positiveDeltaMetadata(type.size)), ...parts.metadata],
      data: [concat(data)],
    }
  },

  reverse(bytes, _config, cx) {
    const type = elementType(cx.datatype, cx.formatVersion)
    if (type === undefined) return bytes
    const fast = cx.kernels && undoInKernel(bytes, type.size, cx.kernels)
    if (fast) return fast
    const { value, length } = decodePrefix(bytes.metadata, positiveDeltaMetadata(type.size))
    let total = 0
    for (const window of value.windows) total += window.window_bytes
    if (total !== bytes.data.length) {
      throw badData(`expected ${total} bytes in windows, found ${bytes.data.length}`, 'window_bytes')
    }
    const data = new Uint8Array(total)
    let at = 0
    for (const { first_value, window_bytes } of value.windows) {
      const window = bytes.data.subarray(at, at + window_bytes)
      const whole = window_bytes % type.size === 0
      data.set(whole ? sums(window, type.size, lowLane(first_value), highLane(first_value)) : window, at)
      at += window_bytes
    }
    return { metadata: bytes.metadata.subarray(length), data }
  },
}

function elementType(datatype: Datatype, formatVersion: number): IntegerType | undefined {
  const kind = datatypeKind(datatype)
  if (kind === 'bool' || (kind === 'bytes' && datatype !== 'ANY')) return { size: 1, signed: false }
  return windowType(datatype, formatVersion)
}

/** Undoes all windows in a kernel. Undefined if anything is wrong. */
function undoInKernel(
  { metadata, data }: FilteredBytes,
  size: ElementSize,
  kernels: Kernels,
): FilteredBytes | undefined {
  const { value: head, length } = decodePrefix(metadata, positiveDeltaHead)
  const end = length + head.window_num * (size + POSITIVE_DELTA_WINDOW_BYTES)
  if (end > metadata.length) return undefined
  const out = kernels.unpositiveDelta(metadata.subarray(length, end), head.window_num, data, size)
  return out && { metadata: metadata.subarray(end), data: out }
}

/**
 * Whether no element is smaller than the one before it. Signed values are compared as unsigned ones with the sign bit
 * flipped.
 */
function rises(window: Uint8Array, { size, signed }: IntegerType): boolean {
  const lanes = lanesOf(window, size)
  const each = lanesEach(size)
  const signBit = signed ? 2 ** (8 * Math.min(size, 4) - 1) : 0
  let lo = 0
  let hi = 0
  for (let i = 0; i < lanes.length; i += each) {
    const low = lanes[i] >>> 0
    const high = (lanes[i + each - 1] ^ signBit) >>> 0
    if (high < hi || (each === 2 && high === hi && low < lo)) return false
    lo = low
    hi = high
  }
  return true
}
