import { describe, expect, test } from '@jest/globals'
import { concat } from '../../src/base/bytes.ts'
import { bitshuffle } from '../../src/filters/bitshuffle.ts'
import { hex } from '../../src/filters/bytes.ts'
import { DATATYPES, datatypeSize } from '../../src/format/datatype.ts'
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

const filter = await loaded(bitshuffle)
const config = { name: 'BITSHUFFLE' } as const

const VECTORS: Record<string, Vector> = {
  'UINT8 of TileDB 2.30': {
    datatype: 'UINT8',
    metadata: '0100000018000000',
    data: '9a9024fa40a5dac2ac9070a82a400ab92022d0c18800f000',
    unfiltered: integers(
      1,
      [32, 23, 0, 55, 111, 50, 70, 111, 64, 4, 0, 0, 137, 168, 222, 197, 2, 48, 7, 92, 0, 47, 0, 78],
    ),
  },
  'INT16 of TileDB 2.30': {
    datatype: 'INT16',
    metadata: '0100000030000000',
    data: '23d0fabbec5918c77d124b5f973e908b21fd32dbe281d4ed 05d0ad11c92d85c3ed07c02d07c8fd83cfbd17cdbd81c17d',
    unfiltered: integers(
      2,
      [
        -77, 30843, 23824, 38, 16990, 67, 0, -23374, -6548, 9308, 24726, 29274, 465, 50, -49, -57, -82, 73, -84, -81,
        -4033, -27, -27409, 30193,
      ],
    ),
  },
  'INT32 of TileDB 2.30': {
    datatype: 'INT32',
    metadata: '0100000060000000',
    data: `6d7095546e0db37acf3b11ec2168804f005ca01f12381094 28069c58489418089c686ab458129c5c0cbc4870b43c6e9c
           2800b4587894382e944826941834bc680cb4580e9c680ab4 0c3cb44c74941c0c9c38129c4c02b43c529c4c5abc7c869c`,
    unfiltered: integers(
      4,
      [
        61, 44, -150953949, -87, -1403603314, -1465546275, -756385245, 68, 72, -120809146, -2021875390, 1172745814,
        1796362445, 52348951, 1644349975, -2147483648, 7, 68, -81, -330255058, -31, 1370581000, 44, -99,
      ],
    ),
  },
  'elements behind the last eight, by hand': {
    datatype: 'INT64',
    metadata: u32Hex(1, 40),
    data: '0100000000000000 0200000000000000 0300000000000000 0400000000000000 0500000000000000',
    unfiltered: integers(8, [1, 2, 3, 4, 5]),
  },
  'four bytes, split into nothing and themselves': {
    datatype: 'INT32',
    metadata: u32Hex(2, 0, 4),
    data: '01020304',
    unfiltered: bytesOf('01020304'),
  },
  'no data of TileDB 2.30': { datatype: 'INT32', metadata: u32Hex(1, 0), data: '', unfiltered: bytesOf('') },
}

function u32Hex(...values: number[]): string {
  return hex(u32(...values))
}

/** Shuffles one block bit by bit, as upstream's page describes it. */
function transposed(block: Uint8Array, size: number): Uint8Array {
  const elements = Math.floor(block.length / size / 8) * 8
  const out = block.slice()
  out.fill(0, 0, elements * size)
  for (let byte = 0; byte < size; byte++) {
    for (let bit = 0; bit < 8; bit++) {
      const row = ((byte * 8 + bit) * elements) / 8
      for (let e = 0; e < elements; e++) out[row + (e >> 3)] |= ((block[e * size + byte] >> bit) & 1) << (e & 7)
    }
  }
  return out
}

describe('BITSHUFFLE', () => {
  test.each(Object.entries(VECTORS))('reads and writes %s', (_name, vector) => {
    expect(hex(reverseVector(filter, 'BITSHUFFLE', vector).data)).toBe(hex(vector.unfiltered))
    expect(shown(forwardVector(filter, 'BITSHUFFLE', vector))).toEqual({
      metadata: vector.metadata.replaceAll(' ', ''),
      data: vector.data.replaceAll(/\s/g, ''),
    })
  })

  test('transposes blocks of 8,192 bytes, each alone', () => {
    withRandom((random) => {
      for (const datatype of ['INT8', 'INT16', 'INT32', 'INT64'] as const) {
        const size = datatypeSize(datatype)
        const part = random.bytes(2 * 8192 + 8 * random.below(1000))
        const blocks: Uint8Array[] = []
        for (let at = 0; at < part.length; at += 8192) blocks.push(transposed(part.subarray(at, at + 8192), size))
        const out = filter.forward({ metadata: [], data: [part] }, config, filterContext(datatype))
        expect(hex(concat(out.data))).toBe(hex(concat(blocks)))
      }
    })
  })

  test('keeps the bytes of every datatype and length', () => {
    withRandom((random) => {
      for (const datatype of DATATYPES) {
        const size = datatypeSize(datatype)
        for (const length of [0, 1, 7, 8, size, 8 * size, 8 * size + 8, 12 * size - 1, 8192 + random.below(3000)]) {
          expectRoundTrip(filter, { metadata: [], data: [random.bytes(length)] }, config, filterContext(datatype))
        }
      }
    })
  })

  test('gives one data part, with earlier metadata behind its own', () => {
    const parts = { metadata: [bytesOf('0a0b')], data: [new Uint8Array(16), new Uint8Array(13)] }
    const out = filter.forward(parts, config, filterContext('INT16'))
    expect(out.metadata.map((part) => hex(part))).toEqual([u32Hex(3, 16, 8, 5), '0a0b'])
    expect(out.data).toHaveLength(1)
    expectRoundTrip(filter, parts, config, filterContext('INT16'))
  })

  test('refuses damage with InspectError', () => {
    withRandom((random) => {
      const cx = filterContext('INT32')
      const valid = stored(filter.forward({ metadata: [], data: [random.bytes(64), random.bytes(37)] }, config, cx))
      expect(refusals(filter, config, cx, valid, random)).toBeGreaterThan(100)
    })
  })
})
