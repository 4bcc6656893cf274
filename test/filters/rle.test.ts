import { describe, expect, test } from '@jest/globals'
import { concat } from '../../src/base/bytes.ts'
import { hex } from '../../src/filters/bytes.ts'
import type { FilterParts } from '../../src/filters/filter.ts'
import { rle } from '../../src/filters/rle.ts'
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
import { type Random, withRandom } from '../helpers/random.ts'

const filter = await loaded(rle)
const config = { name: 'RLE' } as const
const STRINGS = filterContext('STRING_ASCII', { stringOffsets: true })

const PAIR = [503054485679560081n, 10639792565983224486n]

const VECTORS: Record<string, Vector> = {
  'INT32 of TileDB 2.30': {
    datatype: 'INT32',
    metadata: '0000000001000000540000002a000000',
    data: '93dad606 0001 3e0c44bf 0002 77213da4 0005 3e0c44bf 0002 5bab6507 0002 3e0c44bf 0004 77213da4 0005',
    unfiltered: integers(
      4,
      [
        114743955, -1086059458, -1086059458, -1539497609, -1539497609, -1539497609, -1539497609, -1539497609,
        -1086059458, -1086059458, 124103515, 124103515, -1086059458, -1086059458, -1086059458, -1086059458, -1539497609,
        -1539497609, -1539497609, -1539497609, -1539497609,
      ],
    ),
  },
  'cells of two UINT64, as TileDB 2.30 writes them': {
    datatype: 'UINT64',
    context: { cellSize: 16 },
    metadata: '0000000001000000 40000000 24000000',
    data: `91d598b16335fb06 91d598b16335fb06 0003
           91d598b16335fb06 a6a2457bf722a893 0001`,
    unfiltered: integers(8, [PAIR[0], PAIR[0], PAIR[0], PAIR[0], PAIR[0], PAIR[0], PAIR[0], PAIR[1]]),
  },
  'validity of TileDB': {
    datatype: 'UINT8',
    metadata: '0000000001000000 03000000 03000000',
    data: '01 0003',
    unfiltered: bytesOf('010101'),
  },
  'no data of TileDB 2.30': {
    datatype: 'INT32',
    metadata: '0000000001000000 00000000 00000000',
    data: '',
    unfiltered: bytesOf(''),
  },
  'STRING_ASCII of TileDB 2.30': {
    datatype: 'STRING_ASCII',
    context: { stringOffsets: true },
    metadata: '00000000 01000000 1e000000 09000000 50000000 01 01',
    data: '06 05 67616d6d61 04 00',
    unfiltered: new TextEncoder().encode('gamma'.repeat(6)),
    offsets: [0, 5, 10, 15, 20, 25, 30, 30, 30, 30],
  },
  'STRING_UTF8 of TileDB 2.30': {
    datatype: 'STRING_UTF8',
    context: { stringOffsets: true },
    metadata: '00000000 01000000 11000000 0f000000 50000000 01 01',
    data: '03 04 62657461 01 05 67616d6d61 06 00',
    unfiltered: new TextEncoder().encode('betabetabetagamma'),
    offsets: [0, 4, 8, 12, 17, 17, 17, 17, 17, 17],
  },
}

/** Returns the bytes of strings, and the start of each. */
function strings(...cells: string[]): FilterParts & { offsets: Float64Array } {
  const encoded = cells.map((cell) => new TextEncoder().encode(cell))
  let at = 0
  const offsets = Float64Array.from(encoded, (cell) => {
    at += cell.length
    return at - cell.length
  })
  return { metadata: [], data: [concat(encoded)], offsets }
}

function expectStrings(parts: FilterParts & { offsets: Float64Array }): { metadata: Uint8Array; data: Uint8Array } {
  const out = stored(filter.forward(parts, config, STRINGS))
  const back = filter.reverse(out, config, STRINGS)
  expect(hex(back.data)).toBe(hex(parts.data[0]))
  expect([...(back.offsets ?? [])]).toEqual([...parts.offsets])
  expect(back.metadata).toHaveLength(0)
  return out
}

function randomRuns(random: Random, size: number, cells: number): Uint8Array {
  const out = new Uint8Array(size * cells)
  for (let cell = 0; cell < cells; ) {
    const value = random.bytes(size)
    for (let run = 1 + random.below(random.pick([1, 3, 80])); run > 0 && cell < cells; run--)
      out.set(value, size * cell++)
  }
  return out
}

describe('RLE', () => {
  test.each(Object.entries(VECTORS))('reads and writes %s', (_name, vector) => {
    const read = reverseVector(filter, 'RLE', vector)
    expect(hex(read.data)).toBe(hex(vector.unfiltered))
    expect(read.offsets && [...read.offsets]).toEqual(vector.offsets)
    expect(shown(forwardVector(filter, 'RLE', vector))).toEqual({
      metadata: vector.metadata.replaceAll(' ', ''),
      data: vector.data.replaceAll(/\s/g, ''),
    })
  })

  test('keeps the cells of every datatype and size, each part alone, with metadata in front', () => {
    withRandom((random) => {
      for (const datatype of DATATYPES) {
        for (const values of [1, 2, 3, 7]) {
          const cellSize = values * datatypeSize(datatype)
          const cx = filterContext(datatype, { cellSize })
          const data = [0, 1, 2, 150].map((cells) => randomRuns(random, cellSize, cells))
          for (const part of data) expectRoundTrip(filter, { metadata: [], data: [part] }, config, cx)
          expectRoundTrip(filter, { metadata: [new Uint8Array(2 * cellSize)], data }, config, cx)
        }
      }
    })
  })

  test.each([1, 2, 4, 8, 12])('cuts runs at 65,535 cells of %i bytes', (cellSize) => {
    const cells = 2 * 65535 + 7
    const cx = filterContext('UINT8', { cellSize, limit: cells * cellSize })
    const data = new Uint8Array(cells * cellSize).fill(9)
    const out = stored(filter.forward({ metadata: [], data: [data] }, config, cx))
    const run = '09'.repeat(cellSize)
    expect(hex(out.data)).toBe(`${run}ffff${run}ffff${run}0007`)
    expect(Buffer.compare(filter.reverse(out, config, cx).data, data)).toBe(0)
  })

  test('refuses parts of no whole cells', () => {
    const parts = { metadata: [u32(1, 2, 3)], data: [new Uint8Array(8)] }
    const error = failure(() => filter.forward(parts, config, filterContext('INT64')))
    expect(error.code).toBe('BAD_VALUE')
    expect(error.message).toBe('expected parts of whole 8-byte cells for RLE, found one of 12 bytes')
  })

  test('refuses runs that are not the original length, before giving room to them', () => {
    const cx = filterContext('UINT8', { limit: 100 })
    const bytes = { metadata: u32(0, 1, 99, 3), data: bytesOf('01ffff') }
    expect(failure(() => filter.reverse(bytes, config, cx)).message).toBe(
      'expected runs of 99 bytes in all, found 65535 cells of 1',
    )
    const large = { metadata: u32(0, 1, 0xffffffff, 3), data: bytesOf('01ffff') }
    expect(failure(() => filter.reverse(large, config, cx)).message).toBe(
      'expected at most 100 bytes of output, found a declared 4294967295',
    )
  })

  test('says what TileDB dropped of parts that are no whole cells', () => {
    const bytes = { metadata: u32(0, 1, 10, 6), data: bytesOf('070000000002') }
    expect(failure(() => filter.reverse(bytes, config, filterContext('INT32'))).message).toBe(
      'expected 10 bytes in whole cells of 4, found 2 cells: TileDB dropped the 2 bytes after the last when it wrote',
    )
  })

  test('refuses damage with InspectError', () => {
    withRandom((random) => {
      for (const cellSize of [1, 4, 6]) {
        const cx = filterContext('UINT8', { cellSize, limit: 4096 })
        const valid = stored(filter.forward({ metadata: [], data: [randomRuns(random, cellSize, 40)] }, config, cx))
        expect(refusals(filter, config, cx, valid, random)).toBeGreaterThan(100)
      }
    })
  })
})

describe('RLE of var-sized strings', () => {
  test('counts the last run for the size of string lengths, unlike TileDB', () => {
    const parts = strings('a', 'b', 'x'.repeat(300))
    const { metadata, data } = expectStrings(parts)
    expect(hex(metadata)).toBe(hex(concat([u32(0, 1, 302, 311, 24), bytesOf('0102')])))
    expect(hex(data)).toBe(`01000161 01000162 01012c${'78'.repeat(300)}`.replaceAll(' ', ''))
  })

  test('takes two and four bytes for longer runs', () => {
    for (const [run, size] of [
      [255, 1],
      [256, 2],
      [65535, 2],
      [65536, 4],
    ]) {
      const { metadata } = expectStrings(strings(...Array.from({ length: run }, () => 'ab'), 'c'))
      expect(metadata[20]).toBe(size)
    }
  })

  test('takes four bytes for strings beyond 65,535', () => {
    const { metadata } = expectStrings(strings('', 'é'.repeat(40000), 'é'.repeat(40000), ''))
    expect(metadata[21]).toBe(4)
  })

  test('keeps any strings', () => {
    withRandom((random) => {
      const words = ['', 'a', 'b', 'ab', 'äöü', 'longer than most of them, and then some more']
      for (let i = 0; i < 50; i++) {
        const cells: string[] = []
        while (cells.length < 1 + random.below(60)) {
          const word = random.pick(words)
          for (let run = random.below(5); run >= 0; run--) cells.push(word)
        }
        const { data } = expectStrings(strings(...cells))
        expect(data.length).toBeGreaterThan(0)
      }
      expectStrings(strings(''))
    })
  })

  test('reads sizes that are larger than needed', () => {
    const data = bytesOf('0000000000000002 00000001 61')
    const bytes = { metadata: concat([u32(0, 1, 2, data.length, 16), bytesOf('0804')]), data }
    const out = filter.reverse(bytes, config, STRINGS)
    expect([hex(out.data), ...(out.offsets ?? [])]).toEqual(['6161', 0, 1])
  })

  test('refuses to be anything but the first filter', () => {
    const parts = { ...strings('a'), metadata: [u32(1)] }
    expect(failure(() => filter.forward(parts, config, STRINGS)).code).toBe('BAD_VALUE')
    expect(failure(() => filter.forward({ metadata: [], data: [] }, config, STRINGS)).code).toBe('BAD_VALUE')
  })

  test('refuses offsets that do not cut the data into cells', () => {
    for (const offsets of [[], [1], [0, 3, 2], [0, 4], [Number.NaN]]) {
      const parts = { metadata: [], data: [bytesOf('616263')], offsets: Float64Array.from(offsets) }
      expect(failure(() => filter.forward(parts, config, STRINGS)).code).toBe('BAD_VALUE')
    }
  })

  test.each([
    ['a string beyond the data', [0, 1, 300, 4, 24], '0101', '01ff6161', 'expected a string of 255 bytes, found 2'],
    ['part of a run', [0, 1, 1, 4, 8], '0101', '01016101', 'expected 2 bytes of a run, found 1'],
    ['other sizes than 1, 2, 4, 8', [0, 1, 1, 3, 8], '0301', '010161', 'expected a size of 1, 2, 4 or 8, found 3'],
    ['more cells than offsets', [0, 1, 2, 3, 8], '0101', '020161', 'expected runs of 1 cell in all, found 2'],
    ['part of an offset', [0, 1, 2, 3, 9], '0101', '020161', 'expected 8 bytes a cell, found 9'],
    ['another original length', [0, 1, 3, 3, 16], '0101', '020161', 'expected 3 bytes of strings, found 2'],
    ['another data length', [0, 1, 2, 4, 16], '0101', '020161', 'expected 4 bytes of data, found 3'],
    ['a metadata part', [1, 1, 2, 3, 16], '0101', '020161', 'expected no metadata part, found 1'],
    ['two data parts', [0, 2, 2, 3, 16], '0101', '020161', 'expected one data part, found 2'],
    [
      'metadata behind its own',
      [0, 1, 2, 3, 16],
      '010100',
      '020161',
      'expected no metadata after that of the strings, found 1 byte',
    ],
    [
      'strings beyond the limit',
      [0, 1, 2 ** 21, 6, 2 ** 24],
      '0401',
      '002000000161',
      'expected at most 1048576 bytes of output, found a declared 2097152',
    ],
    [
      'billions of empty strings',
      [0, 1, 0, 5, 0xfffffff8],
      '0401',
      '1fffffff00',
      'expected at most 268435456 bytes of output, found a declared 4294967288',
    ],
  ])('refuses %s', (_name, head, sizes, data, message) => {
    const bytes = { metadata: concat([u32(...head), bytesOf(sizes)]), data: bytesOf(data) }
    expect(failure(() => filter.reverse(bytes, config, STRINGS)).message).toBe(message)
  })

  test('refuses damage with InspectError', () => {
    withRandom((random) => {
      const cx = { ...STRINGS, limit: 4096 }
      const valid = stored(filter.forward(strings('abc', 'abc', '', 'de', 'de', 'f'.repeat(40)), config, cx))
      expect(refusals(filter, config, cx, valid, random)).toBeGreaterThan(100)
    })
  })
})
