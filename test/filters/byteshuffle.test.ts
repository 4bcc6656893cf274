import { describe, expect, test } from '@jest/globals'
import { concat } from '../../src/base/bytes.ts'
import { hex } from '../../src/filters/bytes.ts'
import { byteshuffle } from '../../src/filters/byteshuffle.ts'
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

const filter = await loaded(byteshuffle)
const config = { name: 'BYTESHUFFLE' } as const

const VECTORS: Record<string, Vector> = {
  'INT16 of TileDB 2.30': {
    datatype: 'INT16',
    metadata: '0100000030000000',
    data: '928e5e3a4c3eb9e388ff5caca1bf0088f7f9792b1d1bfbe9 8e51f97a00a8ff78e27f00ff0f5500c3ff978800000018ff',
    unfiltered: integers(
      2,
      [
        -29038, 20878, -1698, 31290, 76, -22466, -71, 30947, -7544, 32767, 92, -84, 4001, 21951, 0, -15480, -9, -26631,
        -30599, 43, 29, 27, 6395, -23,
      ],
    ),
  },
  'INT32 of TileDB 2.30': {
    datatype: 'INT32',
    metadata: '0100000060000000',
    data: `22b69be6f07fa049054eeef9de16195f94f7379800ea32b9 caff89c1ff989500b31cc51cff00fb007533a4cb006000ff
           e3ff9e22ff6da80078234f13ff00d500f3bf9a3200ce00ff 37ff5399ff0a69004a20b41dff00d9005782c0c2807e00ff`,
    unfiltered: integers(
      4,
      [
        937675298, -74, 1402898843, -1725775386, -16, 174954623, 1772656032, 73, 1249424133, 539171918, -1269840402,
        487791865, -34, 22, -640287975, 95, 1475573140, -2101398537, -1063607241, -1036858472, -2147483648, 2127454442,
        50, -71,
      ],
    ),
  },
  'bytes behind the last whole element, by hand': {
    datatype: 'INT64',
    metadata: '0100000013000000',
    data: '0111 0212 0313 0414 0515 0616 0717 0818 aabbcc',
    unfiltered: bytesOf('0102030405060708 1112131415161718 aabbcc'),
  },
  'no data of TileDB 2.30': { datatype: 'INT32', metadata: '01000000 00000000', data: '', unfiltered: bytesOf('') },
}

describe('BYTESHUFFLE', () => {
  test.each(Object.entries(VECTORS))('reads and writes %s', (_name, vector) => {
    expect(hex(reverseVector(filter, 'BYTESHUFFLE', vector).data)).toBe(hex(vector.unfiltered))
    expect(shown(forwardVector(filter, 'BYTESHUFFLE', vector))).toEqual({
      metadata: vector.metadata.replaceAll(' ', ''),
      data: vector.data.replaceAll(/\s/g, ''),
    })
  })

  test('keeps the bytes of every datatype and length', () => {
    withRandom((random) => {
      for (const datatype of DATATYPES) {
        const size = datatypeSize(datatype)
        for (const length of [0, 1, size, size + 1, 2 * size, 7 * size - 1, random.below(3000)]) {
          expectRoundTrip(filter, { metadata: [], data: [random.bytes(length)] }, config, filterContext(datatype))
        }
      }
    })
  })

  test('shuffles each part alone and puts its lengths in front of earlier metadata', () => {
    const parts = {
      metadata: [bytesOf('0a'), bytesOf('0b0c')],
      data: [integers(2, [0x0102, 0x0304]), integers(2, [0x0506])],
    }
    const out = filter.forward(parts, config, filterContext('INT16'))
    expect(hex(concat(out.metadata))).toBe(`${hex(u32(2, 4, 2))}0a0b0c`)
    expect(out.metadata).toHaveLength(3)
    expect(hex(concat(out.data))).toBe('020401030605')
    expectRoundTrip(filter, parts, config, filterContext('INT16'))
  })

  test('refuses part lengths that are not those of the data', () => {
    const bytes = { metadata: u32(2, 4, 4), data: new Uint8Array(7) }
    const error = failure(() => filter.reverse(bytes, config, filterContext('INT16')))
    expect(error.code).toBe('BAD_FILTERED_DATA')
    expect(error.message).toBe('expected 8 bytes of data, found 7')
  })

  test('refuses damage with InspectError', () => {
    withRandom((random) => {
      const cx = filterContext('INT32')
      const valid = stored(filter.forward({ metadata: [], data: [random.bytes(30), random.bytes(9)] }, config, cx))
      expect(refusals(filter, config, cx, valid, random)).toBeGreaterThan(100)
    })
  })
})
