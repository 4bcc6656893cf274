import { badValue } from '../base/errors.ts'
import {
  POSITIVE_DELTA_WINDOW_BYTES,
  type PositiveDeltaWindow,
  positiveDeltaHead,
  positiveDeltaMetadata,
} from '../format/chunk-metadata.ts'
import { datatypeKind, datatypeSize } from '../format/datatype.ts'
import { highLane, type IntegerType, lanesEach, lanesOf, lowLane, scan, windowType } from './elements.ts'
import { type FilterDefinition, noMore, TYPES_CHECKED_SINCE } from './filter.ts'
import { WINDOW_FACTS, type WindowCodec, windowFilter } from './windows.ts'

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
  ...WINDOW_FACTS,
  mostUndone: noMore,
  metadata: (datatype) => positiveDeltaMetadata(datatypeSize(datatype)),
  suits: (type) => windowType(type, TYPES_CHECKED_SINCE) !== undefined,
  losesEmptyPart: (type, formatVersion) => codec.elementType(type, formatVersion) === undefined,
  load: async () => windowFilter(codec),
}

const codec: WindowCodec<ReturnType<typeof positiveDeltaHead>, PositiveDeltaWindow> = {
  elementType(datatype, formatVersion) {
    const kind = datatypeKind(datatype)
    if (kind === 'bool' || (kind === 'bytes' && datatype !== 'ANY')) return { size: 1, signed: false }
    return windowType(datatype, formatVersion)
  },
  head: positiveDeltaHead,
  metadata: positiveDeltaMetadata,
  entryBytes: POSITIVE_DELTA_WINDOW_BYTES,
  forward(window, type) {
    const whole = window.length % type.size === 0
    if (whole && !rises(window, type)) {
      throw badValue({ expected: 'values that never decrease for POSITIVE_DELTA', found: 'a smaller one' })
    }
    const first = new Uint8Array(type.size)
    first.set(window.subarray(0, type.size))
    return {
      entry: { first_value: first, window_bytes: window.length },
      stored: whole ? scan(window, type.size, false, lowLane(first), highLane(first)) : window,
    }
  },
  storedLength: ({ window_bytes }) => window_bytes,
  dataIs: 'in windows',
  reverse: (stored, { first_value }, { size }) =>
    stored.length % size === 0 ? scan(stored, size, true, lowLane(first_value), highLane(first_value)) : stored,
  kernel: (kernels, { head, table, data }, { size }) =>
    kernels.run('unpositiveDelta', data.length, [table, data], head.window_num, data.length, size),
}

/**
 * Whether no element is smaller than the one before it. Signed values are compared as unsigned values with the sign bit
 * flipped.
 */
function rises(window: Uint8Array, { size, signed }: IntegerType): boolean {
  const lanes = lanesOf(window, size)
  const each = lanesEach(size)
  const signBit = signed ? 2 ** (8 * Math.min(size, 4) - 1) : 0
  let lastLow = 0
  let lastHigh = 0
  for (let i = 0; i < lanes.length; i += each) {
    const low = lanes[i] >>> 0
    const high = (lanes[i + each - 1] ^ signBit) >>> 0
    if (high < lastHigh || (each === 2 && high === lastHigh && low < lastLow)) return false
    lastLow = low
    lastHigh = high
  }
  return true
}
