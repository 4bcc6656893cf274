import { describe, expect, test } from '@jest/globals'
import { bitWidthReduction } from '../../src/filters/bit-width-reduction.ts'
import { hex } from '../../src/filters/bytes.ts'
import { DATATYPES, datatypeSize, isSignedInteger } from '../../src/format/datatype.ts'
import { failure } from '../helpers/failure.ts'
import {
  bytesOf,
  expectRoundTrip,
  filterContext,
  forwardVector,
  integers,
  integersOf,
  loaded,
  refusals,
  reverseVector,
  shown,
  stored,
  u32,
  type Vector,
} from '../helpers/filter-context.ts'
import { withRandom } from '../helpers/random.ts'

const filter = await loaded(bitWidthReduction)
const config = { name: 'BIT_WIDTH_REDUCTION', max_window_size: 256 } as const

const DATES = integers(8, [118, 345, 398, 581, 828, 872, 937, 1083, 1134, 1162, 1301, 1346, 1561, 1630, 1650, 1690])

const FULL_WIDTH = `
           dd92970cbd20f0dc04cb8cebb7861b47787c38d41455854e0000000000000000
           beba037624530b6000000000000000001500000000000000ffffffffffffffff
           ac9c2ea876baefe0000000000000000000000000000000003000000000000000
           070000000000000028ef7794c2b323c4000000000000000007cc1160e7ba7fb7`

const VECTORS: Record<string, Vector> = {
  'INT16 in 8 bits of TileDB 2.30': {
    datatype: 'INT16',
    config: { max_window_size: 256 },
    metadata: '20000000 01000000 19fc 08 20000000',
    data: '192138353a313835340926080b32000e',
    unfiltered: integers(
      2,
      [-974, -966, -943, -946, -941, -950, -943, -946, -947, -990, -961, -991, -988, -949, -999, -985],
    ),
  },
  'UINT32 in 8 bits of TileDB 2.30': {
    datatype: 'UINT32',
    config: { max_window_size: 256 },
    metadata: '40000000 01000000 00000000 08 40000000',
    data: '351a070413020015350903110e141201',
    unfiltered: integers(4, [53, 26, 7, 4, 19, 2, 0, 21, 53, 9, 3, 17, 14, 20, 18, 1]),
  },
  'INT64 in windows of two elements of TileDB 2.30': {
    datatype: 'INT64',
    config: { max_window_size: 16 },
    metadata: `80000000 08000000
      c909000000000000 08 10000000  cf09000000000000 08 10000000  d309000000000000 08 10000000  d709000000000000 08 10000000
      db09000000000000 08 10000000  d809000000000000 08 10000000  da09000000000000 08 10000000  de09000000000000 08 10000000`,
    data: '0004 0000 0001 0002 0000 0004 0004 0100',
    unfiltered: integers(
      8,
      [2505, 2509, 2511, 2511, 2515, 2516, 2519, 2521, 2523, 2523, 2520, 2524, 2522, 2526, 2527, 2526],
    ),
  },
  'UINT64 at full width of TileDB 2.30': {
    datatype: 'UINT64',
    config: { max_window_size: 32 },
    metadata: `80000000 04000000 0000000000000000 40 20000000 0000000000000000 40 20000000
               0000000000000000 40 20000000 0000000000000000 40 20000000`,
    data: FULL_WIDTH,
    unfiltered: bytesOf(FULL_WIDTH),
  },
  'dates at version 20': {
    datatype: 'DATETIME_MS',
    config: { max_window_size: 256 },
    context: { formatVersion: 20 },
    metadata: '80000000 01000000 7600000000000000 10 80000000',
    data: '0000e3001801cf01c602f2023303c503f80314049f04cc04a305e805fc052406',
    unfiltered: DATES,
  },
  'dates before version 20, where they pass unchanged': {
    datatype: 'DATETIME_MS',
    config: { max_window_size: 256 },
    context: { formatVersion: 19 },
    metadata: '',
    data: hex(DATES),
    unfiltered: DATES,
  },
}

/** Returns the bits for a window of whole elements, by the rule in exact arithmetic. */
function bitsOf(values: readonly bigint[], size: number, signed: boolean): number {
  let smallest = values[0]
  let largest = values[0]
  for (const value of values) {
    if (value < smallest) smallest = value
    if (value > largest) largest = value
  }
  const span = largest - smallest + 1n
  for (const bits of [8, 16, 32]) if (bits < 8 * size && span < 1n << BigInt(signed ? bits - 1 : bits)) return bits
  return 8 * size
}

describe('BIT_WIDTH_REDUCTION', () => {
  test.each(Object.entries(VECTORS))('reads and writes %s', (_name, vector) => {
    expect(hex(reverseVector(filter, 'BIT_WIDTH_REDUCTION', vector).data)).toBe(hex(vector.unfiltered))
    expect(shown(forwardVector(filter, 'BIT_WIDTH_REDUCTION', vector))).toEqual({
      metadata: vector.metadata.replaceAll(/\s/g, ''),
      data: vector.data.replaceAll(/\s/g, ''),
    })
  })

  test('reads the garbage that TileDB leaves as offset of a window at full width', () => {
    const vector: Vector = {
      datatype: 'INT32',
      metadata: '08000000 01000000 b97f0000 20 08000000',
      data: '00000080 ffffff7f',
      unfiltered: bytesOf('00000080ffffff7f'),
    }
    expect(hex(reverseVector(filter, 'BIT_WIDTH_REDUCTION', vector).data)).toBe('00000080ffffff7f')
    expect(hex(forwardVector(filter, 'BIT_WIDTH_REDUCTION', { ...vector, config }).metadata)).toBe(
      '0800000001000000000000002008000000',
    )
  })

  test('reads more bits than the type has as full width, as older releases store them', () => {
    const vector: Vector = {
      datatype: 'UINT16',
      context: { formatVersion: 1 },
      metadata: '08000000 01000000 f204 20 08000000',
      data: 'f204f20473c773c7',
      unfiltered: bytesOf('f204f20473c773c7'),
    }
    expect(hex(reverseVector(filter, 'BIT_WIDTH_REDUCTION', vector).data)).toBe(hex(vector.unfiltered))
  })

  test.each([
    ['INT64', 125n, 8],
    ['INT64', 127n, 16],
    ['INT64', 2n ** 15n - 2n, 16],
    ['INT64', 2n ** 15n - 1n, 32],
    ['INT64', 2n ** 31n - 2n, 32],
    ['INT64', 2n ** 31n - 1n, 64],
    ['UINT64', 254n, 8],
    ['UINT64', 255n, 16],
    ['UINT64', 2n ** 32n - 2n, 32],
    ['UINT64', 2n ** 32n - 1n, 64],
    ['INT32', 126n, 8],
    ['INT32', 127n, 16],
    ['INT16', 126n, 8],
    ['UINT16', 254n, 8],
    ['UINT16', 255n, 16],
  ] as const)('stores a difference of %s %i in %i bits', (datatype, difference, bits) => {
    const size = datatypeSize(datatype)
    const data = integers(size, [3n, 3n + difference])
    const cx = filterContext(datatype)
    const out = stored(filter.forward({ metadata: [], data: [data] }, config, cx))
    expect(out.metadata[8 + size]).toBe(bits)
    expect(out.data).toHaveLength((2 * bits) / 8)
    expect(hex(filter.reverse(out, config, cx).data)).toBe(hex(data))
  })

  test('chooses the bits of every window by its own range', () => {
    withRandom((random) => {
      for (const datatype of ['INT16', 'UINT16', 'INT32', 'UINT32', 'INT64', 'UINT64', 'TIME_NS'] as const) {
        const size = datatypeSize(datatype)
        const signed = isSignedInteger(datatype)
        for (let i = 0; i < 60; i++) {
          const data = random.integers(size, 1 + random.below(20))
          for (let j = random.below(size); j > 0; j--) {
            for (let at = size - j; at < data.length; at += size) data[at] = data[size - 1] & 0x80 ? 0xff : 0
          }
          const out = stored(filter.forward({ metadata: [], data: [data] }, config, filterContext(datatype)))
          expect(out.metadata[8 + size]).toBe(bitsOf(integersOf(data, size, signed), size, signed))
          expect(hex(filter.reverse(out, config, filterContext(datatype)).data)).toBe(hex(data))
        }
      }
    })
  })

  test('keeps the bytes of every datatype and length, in windows that do not cross parts', () => {
    withRandom((random) => {
      for (const datatype of DATATYPES) {
        const size = datatypeSize(datatype)
        for (const max_window_size of [8, 13, 256]) {
          const lengths = [0, 1, size, 3 * size, 3 * size + 1, 700 + random.below(300)]
          const data = lengths.map((length) => random.integers(size, Math.ceil(length / size)).subarray(0, length))
          for (const part of data) {
            expectRoundTrip(
              filter,
              { metadata: [], data: [part] },
              { ...config, max_window_size },
              filterContext(datatype),
            )
          }
          const parts = { metadata: [random.bytes(3), random.bytes(4)], data }
          expectRoundTrip(filter, parts, { ...config, max_window_size }, filterContext(datatype))
        }
      }
    })
  })

  test('stores nothing as no window, which TileDB 2.30 reads though it cannot write it', () => {
    const out = stored(filter.forward({ metadata: [], data: [bytesOf('')] }, config, filterContext('INT32')))
    expect(shown(out)).toEqual({ metadata: hex(u32(0, 0)), data: '' })
    expect(filter.reverse(out, config, filterContext('INT32')).data).toHaveLength(0)
  })

  test.each(['INT8', 'CHAR', 'BOOL', 'BLOB', 'ANY', 'STRING_UTF16', 'FLOAT32', 'FLOAT64'] as const)(
    'passes %s on unchanged',
    (datatype) => {
      const parts = { metadata: [u32(7)], data: [bytesOf('0102030405060708')] }
      expect(filter.forward(parts, config, filterContext(datatype))).toEqual(parts)
    },
  )

  test('refuses to write windows that are smaller than an element', () => {
    const parts = { metadata: [], data: [new Uint8Array(16)] }
    const error = failure(() => filter.forward(parts, { ...config, max_window_size: 7 }, filterContext('INT64')))
    expect(error.code).toBe('BAD_VALUE')
    expect(error.at.field).toBe('max_window_size')
  })

  test.each([
    [
      'bits that are no integer',
      '08000000 01000000 00000000 0c 08000000',
      '0000',
      'expected 8, 16, 32 or 64 bits, found 12',
    ],
    [
      'windows beyond the original length',
      '08000000 01000000 00000000 08 0c000000',
      '000000',
      'expected 8 bytes in windows, found 12',
    ],
    [
      'windows beyond the data',
      '08000000 01000000 00000000 08 08000000',
      '00',
      'expected 2 bytes of data for the windows, found 1',
    ],
    [
      'windows beyond the limit',
      '00000080 01000000 00000000 08 00000080',
      '00',
      'expected 536870912 bytes of data for the windows, found 1',
    ],
    [
      'more windows than there are bytes',
      '08000000 ffffffff 00000000 08 08000000',
      '00',
      'expected 4294967295 elements, found data that ends after 9 bytes',
    ],
  ])('refuses %s', (_name, metadata, data, message) => {
    const bytes = { metadata: bytesOf(metadata), data: bytesOf(data) }
    expect(failure(() => filter.reverse(bytes, config, filterContext('INT32'))).message).toBe(message)
  })

  test('refuses an output beyond the limit', () => {
    const out = stored(filter.forward({ metadata: [], data: [new Uint8Array(512)] }, config, filterContext('INT64')))
    const error = failure(() => filter.reverse(out, config, filterContext('INT64', { limit: 511 })))
    expect(error.code).toBe('BAD_FILTERED_DATA')
    expect(error.at.field).toBe('original_bytes')
  })

  test('refuses damage with InspectError', () => {
    withRandom((random) => {
      for (const datatype of ['INT16', 'UINT32', 'INT64'] as const) {
        const cx = filterContext(datatype, { limit: 4096 })
        const parts = { metadata: [], data: [random.integers(datatypeSize(datatype), 20), random.bytes(11)] }
        const valid = stored(filter.forward(parts, { ...config, max_window_size: 24 }, cx))
        expect(refusals(filter, config, cx, valid, random)).toBeGreaterThan(100)
      }
    })
  })
})
