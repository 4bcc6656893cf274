import { describe, expect, test } from '@jest/globals'
import { hex } from '../../src/filters/bytes.ts'
import { positiveDelta } from '../../src/filters/positive-delta.ts'
import { DATATYPES, type Datatype, datatypeKind, datatypeSize } from '../../src/format/datatype.ts'
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
import { type Random, withRandom } from '../helpers/random.ts'

const filter = await loaded(positiveDelta)
const config = { name: 'POSITIVE_DELTA', max_window_size: 1024 } as const

const DAYS = integers(8, [174, 208, 488, 555, 591])

const VECTORS: Record<string, Vector> = {
  'INT8 of TileDB 2.30': {
    datatype: 'INT8',
    metadata: '01000000 00 15000000',
    data: '000001010102010001030302010305030602010104',
    unfiltered: integers(1, [0, 0, 1, 2, 3, 5, 6, 6, 7, 10, 13, 15, 16, 19, 24, 27, 33, 35, 36, 37, 41]),
  },
  'UINT16 of TileDB 2.30': {
    datatype: 'UINT16',
    metadata: '01000000 e000 2a000000',
    data: '00000700be000700df002e00350111001a00010092000d0092003a0069000300130047013c0018001a00',
    unfiltered: integers(
      2,
      [
        224, 231, 421, 428, 651, 697, 1006, 1023, 1049, 1050, 1196, 1209, 1355, 1413, 1518, 1521, 1540, 1867, 1927,
        1951, 1977,
      ],
    ),
  },
  'INT64 in windows of eight elements of TileDB 2.30': {
    datatype: 'INT64',
    config: { max_window_size: 64 },
    metadata: '03000000 1500000000000000 40000000 c001000000000000 40000000 d703000000000000 28000000',
    data: `00000000000000005a000000000000000b000000000000000b000000000000006a000000000000001600000000000000
           34000000000000000100000000000000000000000000000065000000000000000500000000000000390000000000000
           09d000000000000001e000000000000000e000000000000004e000000000000000000000000000000a4000000000000
           00af0000000000000013000000000000005400000000000000`,
    unfiltered: integers(
      8,
      [21, 111, 122, 133, 239, 261, 313, 314, 448, 549, 554, 611, 768, 798, 812, 890, 983, 1147, 1322, 1341, 1425],
    ),
  },
  'dates at version 20': {
    datatype: 'DATETIME_DAY',
    context: { formatVersion: 20 },
    metadata: '01000000 ae00000000000000 28000000',
    data: '0000000000000000 2200000000000000 1801000000000000 4300000000000000 2400000000000000',
    unfiltered: DAYS,
  },
  'dates before version 20, where they pass unchanged': {
    datatype: 'DATETIME_DAY',
    context: { formatVersion: 19 },
    metadata: '',
    data: hex(DAYS),
    unfiltered: DAYS,
  },
}

/** Returns elements that never decrease, from the smallest to the largest of the type. */
function rising(random: Random, datatype: Datatype, count: number): Uint8Array {
  const size = datatypeSize(datatype)
  const signed =
    datatypeKind(datatype) !== 'uint' && datatypeKind(datatype) !== 'bool' && datatypeKind(datatype) !== 'bytes'
  const values = integersOf(random.integers(size, count), size, signed)
  return integers(
    size,
    values.sort((a, b) => (a < b ? -1 : a > b ? 1 : 0)),
  )
}

describe('POSITIVE_DELTA', () => {
  test.each(Object.entries(VECTORS))('reads and writes %s', (_name, vector) => {
    const set = { ...vector, config: { max_window_size: 1024, ...vector.config } }
    expect(hex(reverseVector(filter, 'POSITIVE_DELTA', set).data)).toBe(hex(vector.unfiltered))
    expect(shown(forwardVector(filter, 'POSITIVE_DELTA', set))).toEqual({
      metadata: vector.metadata.replaceAll(' ', ''),
      data: vector.data.replaceAll(/\s/g, ''),
    })
  })

  test('keeps the elements of every datatype, in windows that do not cross parts', () => {
    withRandom((random) => {
      for (const datatype of DATATYPES) {
        const cx = filterContext(datatype)
        for (const max_window_size of [8, 13, 1024]) {
          const data = [0, 1, 2, 50, 400].map((count) => rising(random, datatype, count))
          const options = { ...config, max_window_size }
          for (const part of data) expectRoundTrip(filter, { metadata: [], data: [part] }, options, cx)
          expectRoundTrip(filter, { metadata: [random.bytes(2), random.bytes(9)], data }, options, cx)
        }
      }
    })
  })

  test('stores the bytes behind the last whole element as they are', () => {
    const data = bytesOf('01000000 02000000 0504')
    const out = stored(filter.forward({ metadata: [], data: [data] }, config, filterContext('INT32')))
    expect(shown(out)).toEqual({
      metadata: '02000000 01000000 08000000 05040000 02000000'.replaceAll(' ', ''),
      data: '00000000010000000504',
    })
    expect(hex(filter.reverse(out, config, filterContext('INT32')).data)).toBe(hex(data))
  })

  test('stores nothing as no window, which TileDB 2.30 reads though it cannot write it', () => {
    const out = stored(filter.forward({ metadata: [], data: [bytesOf('')] }, config, filterContext('INT32')))
    expect(shown(out)).toEqual({ metadata: hex(u32(0)), data: '' })
  })

  test.each([
    ['INT8', [-1, -2]],
    ['UINT8', [200, 100]],
    ['INT16', [1, -1]],
    ['UINT32', [2 ** 31, 1]],
    ['INT64', [5, 4]],
    ['INT64', [0, -1]],
    ['UINT64', [2n ** 63n, 1]],
  ] as const)('refuses to write %s that decrease', (datatype, values) => {
    const parts = { metadata: [], data: [integers(datatypeSize(datatype), values)] }
    expect(failure(() => filter.forward(parts, config, filterContext(datatype))).code).toBe('BAD_VALUE')
  })

  test.each([
    ['INT8', [-2, 1]],
    ['UINT8', [100, 200]],
    ['INT64', [-(2n ** 63n), 2n ** 63n - 1n]],
    ['UINT64', [1, 2n ** 63n]],
  ] as const)('takes %s across the sign bit', (datatype, values) => {
    const parts = { metadata: [], data: [integers(datatypeSize(datatype), values)] }
    expectRoundTrip(filter, parts, config, filterContext(datatype))
  })

  test.each(['CHAR', 'STRING_ASCII', 'STRING_UTF32', 'ANY', 'FLOAT32', 'FLOAT64'] as const)(
    'passes %s on unchanged',
    (datatype) => {
      const parts = { metadata: [u32(7)], data: [bytesOf('0807060504030201')] }
      expect(filter.forward(parts, config, filterContext(datatype))).toEqual(parts)
    },
  )

  test('refuses windows that are not the data', () => {
    const bytes = { metadata: bytesOf('01000000 00000000 08000000'), data: new Uint8Array(9) }
    const error = failure(() => filter.reverse(bytes, config, filterContext('INT32')))
    expect(error.code).toBe('BAD_FILTERED_DATA')
    expect(error.message).toBe('expected 8 bytes in windows, found 9')
  })

  test('refuses damage with InspectError', () => {
    withRandom((random) => {
      for (const datatype of ['UINT8', 'INT16', 'INT64'] as const) {
        const cx = filterContext(datatype)
        const parts = { metadata: [], data: [rising(random, datatype, 20), bytesOf('010203')] }
        const valid = stored(filter.forward(parts, { ...config, max_window_size: 24 }, cx))
        expect(refusals(filter, config, cx, valid, random)).toBeGreaterThan(100)
      }
    })
  })
})
