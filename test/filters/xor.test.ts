import { describe, expect, test } from '@jest/globals'
import { hex } from '../../src/filters/bytes.ts'
import { xor } from '../../src/filters/xor.ts'
import { DATATYPES, datatypeSize } from '../../src/format/datatype.ts'
import { failure } from '../helpers/failure.ts'
import {
  bytesOf,
  expectRoundTrip,
  filterContext,
  forwardVector,
  integers,
  loaded,
  refusals,
  reverseVector,
  shown,
  stored,
  u32,
  type Vector,
} from '../helpers/filter-context.ts'
import { withRandom } from '../helpers/random.ts'

const filter = await loaded(xor)
const config = { name: 'XOR' } as const

const VECTORS: Record<string, Vector> = {
  'INT8 of TileDB 2.30': {
    datatype: 'INT8',
    metadata: '0100000010000000',
    data: '415d9ce86c06f91daf49ba00b309d709',
    unfiltered: integers(1, [65, 28, -128, 104, 4, 2, -5, -26, 73, 0, -70, -70, 9, 0, -41, -34]),
  },
  'INT16 of TileDB 2.30': {
    datatype: 'INT16',
    metadata: '0100000020000000',
    data: '00805d8094c95df550c36e00afff0847a2b828573a77e150ae0ea60c624c00c1',
    unfiltered: integers(
      2,
      [-32768, 93, -13879, 15508, -60, -86, 5, 18189, -81, -22393, -8259, -28836, -32270, -29356, -16074, 54],
    ),
  },
  'INT32 of TileDB 2.30': {
    datatype: 'INT32',
    metadata: '0100000040000000',
    data: `afffffff3bcc8780be33787fd6ffffffbbffffffa6ffffff50874008ad78bff7
           31000000aac4aad287c4aad23068f02a2e68f02a550000009f36d51df67a870a`,
    unfiltered: integers(
      4,
      [-81, 2138583956, 42, -4, 71, -31, -138446671, 28, 45, -760560505, 0, 720398384, 30, 75, 500512468, 391269410],
    ),
  },
  'UINT64 of TileDB 2.30': {
    datatype: 'UINT64',
    metadata: '0100000080000000',
    data: `d1badc0c217e52175bd6b8befd3986813dd165b6377084f8b7bd0104eb37506e5b9eb866c00983e9f839ea33c5bb8ff7
           95a7525505b20c1e0aeaaf69e3bc26cf18eaaf69e3bc26cf19000000000000003d00000000000000f9b805315ed9336a
           c4b805315ed9336a08000000000000003500000000000000fc99e983926c19bc`,
    unfiltered: integers(8, [
      1680544291377429201n,
      10868390813963152522n,
      7948914824832990647n,
      0,
      16826303354748051035n,
      2165301256834426787n,
      54,
      14926825699882822204n,
      36,
      61,
      0,
      7652699190405216505n,
      61,
      53,
      0,
      13553983930082367996n,
    ]),
  },
  'no data of TileDB 2.30': { datatype: 'INT32', metadata: '01000000 00000000', data: '', unfiltered: bytesOf('') },
}

describe('XOR', () => {
  test.each(Object.entries(VECTORS))('reads and writes %s', (_name, vector) => {
    expect(hex(reverseVector(filter, 'XOR', vector).data)).toBe(hex(vector.unfiltered))
    expect(shown(forwardVector(filter, 'XOR', vector))).toEqual({
      metadata: vector.metadata.replaceAll(' ', ''),
      data: vector.data.replaceAll(/\s/g, ''),
    })
  })

  test('keeps the elements of every datatype, each part alone, with metadata in front', () => {
    withRandom((random) => {
      for (const datatype of DATATYPES) {
        const size = datatypeSize(datatype)
        const data = [0, 1, 2, 3 + random.below(500)].map((count) => random.integers(size, count))
        expectRoundTrip(filter, { metadata: [random.bytes(5)], data }, config, filterContext(datatype))
        for (const part of data)
          expectRoundTrip(filter, { metadata: [], data: [part] }, config, filterContext(datatype))
      }
    })
  })

  test('says what TileDB dropped of parts that are no whole elements', () => {
    const undo = (data: string): string => {
      const bytes = { metadata: u32(2, 5, 6), data: bytesOf(data) }
      return failure(() => filter.reverse(bytes, config, filterContext('INT32'))).message
    }
    expect(undo('0102030405060708')).toBe(
      'expected 11 bytes of data, found 8: TileDB dropped what is after the last whole element when it wrote',
    )
    expect(undo('01020304050607')).toBe('expected 11 bytes of data, found 7')
  })

  test.each([
    ['CHAR', 'INT8'],
    ['UINT16', 'INT16'],
    ['FLOAT32', 'INT32'],
    ['DATETIME_DAY', 'INT64'],
  ] as const)('shows %s to the next filter as %s', (input, output) => {
    expect(xor.outputType?.(input, config)).toBe(output)
  })

  test('refuses part of an element in both directions', () => {
    const cx = filterContext('INT32')
    const data = new Uint8Array(6)
    expect(failure(() => filter.forward({ metadata: [], data: [data] }, config, cx)).code).toBe('BAD_VALUE')
    const error = failure(() => filter.reverse({ metadata: u32(1, 6), data }, config, cx))
    expect(error.code).toBe('BAD_FILTERED_DATA')
    expect(error.message).toBe('expected whole 4-byte elements, found 6 bytes')
  })

  test('refuses damage with InspectError', () => {
    withRandom((random) => {
      const cx = filterContext('INT64')
      const valid = stored(filter.forward({ metadata: [], data: [random.bytes(64)] }, config, cx))
      expect(refusals(filter, config, cx, valid, random)).toBeGreaterThan(100)
    })
  })
})
