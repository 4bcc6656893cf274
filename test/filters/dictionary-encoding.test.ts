import { describe, expect, test } from '@jest/globals'
import { concat } from '../../src/base/bytes.ts'
import { hex } from '../../src/filters/bytes.ts'
import { dictionaryEncoding } from '../../src/filters/dictionary-encoding.ts'
import type { FilteredBytes } from '../../src/filters/filter.ts'
import { stageMetadata } from '../../src/filters/stage-metadata.ts'
import { failure } from '../helpers/failure.ts'
import {
  bytesOf,
  filterContext,
  forwardVector,
  loaded,
  refusals,
  reverseVector,
  shown,
  stored,
  u32,
  type Vector,
} from '../helpers/filter-context.ts'
import { withRandom } from '../helpers/random.ts'

const filter = await loaded(dictionaryEncoding)
const config = { name: 'DICTIONARY_ENCODING' } as const
const STRINGS = filterContext('STRING_ASCII', { stringOffsets: true })

const text = (value: string): Uint8Array => new TextEncoder().encode(value)

const VECTORS: Record<string, Vector> = {
  'repeated strings of TileDB 2.30': {
    datatype: 'STRING_ASCII',
    context: { stringOffsets: true },
    metadata: `00000000 01000000 1d000000 0a000000 50000000 01 01 21000000
               017a 0462657461 065a6574612039 05616c706861 0564656c7461 00 0567616d6d61`,
    data: '00010002030405060000',
    unfiltered: text('zbetazZeta 9alphadeltagammazz'),
    offsets: [0, 1, 5, 6, 12, 17, 22, 22, 27, 28],
  },
  'different strings of TileDB 2.30': {
    datatype: 'STRING_ASCII',
    context: { stringOffsets: true },
    metadata: `00000000 01000000 53000000 0a000000 50000000 01 01 5d000000
               0175 057935323536 037a3439 026735 023371 0176 0131 032f776a 03757638
               3e5a3275322f202d5a316b6b5f2e412e332d767158336a582f7332203930306f6c5a34396443796f69647463783974702075667775336b786672393038795a`,
    data: '00010203040506070809',
    unfiltered: text('uy5256z49g53qv1/wjuv8Z2u2/ -Z1kk_.A.3-vqX3jX/s2 900olZ49dCyoidtcx9tp ufwu3kxfr908yZ'),
    offsets: [0, 1, 6, 9, 11, 13, 14, 15, 18, 21],
  },
}

function roundTrip(cells: readonly string[]): FilteredBytes {
  const encoded = cells.map(text)
  const data = concat(encoded)
  let at = 0
  const offsets = Float64Array.from(encoded, (cell) => {
    at += cell.length
    return at - cell.length
  })
  const out = stored(filter.forward({ metadata: [], data: [data], offsets }, config, STRINGS))
  const back = filter.reverse(out, config, STRINGS)
  expect(hex(back.data)).toBe(hex(data))
  expect([...(back.offsets ?? [])]).toEqual([...offsets])
  return out
}

describe('DICTIONARY_ENCODING', () => {
  test.each(Object.entries(VECTORS))('reads and writes %s', (_name, vector) => {
    const read = reverseVector(filter, 'DICTIONARY_ENCODING', vector)
    expect(hex(read.data)).toBe(hex(vector.unfiltered))
    expect(read.offsets && [...read.offsets]).toEqual(vector.offsets)
    expect(shown(forwardVector(filter, 'DICTIONARY_ENCODING', vector))).toEqual({
      metadata: vector.metadata.replaceAll(/\s/g, ''),
      data: vector.data,
    })
  })

  test.each([
    [255, 1],
    [256, 2],
    [65535, 2],
    [65536, 4],
  ])('takes the id size from the number of cells, equal or not: %i cells, %i bytes', (cells, size) => {
    const out = roundTrip(Array.from({ length: cells }, () => 'same'))
    expect(out.metadata[20]).toBe(size)
    expect(out.data).toHaveLength(cells * size)
    expect(hex(out.metadata.subarray(22))).toBe('050000000473616d65')
  })

  test('takes the length size from the longest string', () => {
    expect(roundTrip(['a', 'b'.repeat(255)]).metadata[21]).toBe(1)
    expect(roundTrip(['a', 'b'.repeat(256)]).metadata[21]).toBe(2)
    expect(roundTrip(['a', 'b'.repeat(65536)]).metadata[21]).toBe(4)
  })

  test('stores empty strings as an entry of no bytes', () => {
    expect(shown(roundTrip(['', '', '']))).toEqual({
      metadata: `${hex(u32(0, 1, 0, 3, 24))}0101${hex(u32(1))}00`,
      data: '000000',
    })
  })

  test('keeps any strings, many of them different', () => {
    withRandom((random) => {
      for (const [count, kinds] of [
        [1, 1],
        [40, 5],
        [1000, 900],
        [3000, 100000],
      ]) {
        const cells = Array.from({ length: count }, () => {
          const kind = random.below(kinds)
          return kind % 7 === 0 ? '' : 'é'.repeat(kind % 5) + String(kind).repeat(1 + (kind % 30))
        })
        const out = roundTrip(cells)
        expect(out.data).toHaveLength(count * (count < 256 ? 1 : 2))
      }
    })
  })

  test('reads sizes that are larger than needed', () => {
    const dictionary = bytesOf('0000000000000001 61 0000000000000000')
    const data = bytesOf('00000001 00000000 00000000')
    const metadata = concat([u32(0, 1, 2, 12, 24), bytesOf('0408'), u32(dictionary.length), dictionary])
    const out = filter.reverse({ metadata, data }, config, STRINGS)
    expect([hex(out.data), ...(out.offsets ?? [])]).toEqual(['6161', 0, 0, 1])
  })

  test('refuses anything but var-sized strings', () => {
    const cx = filterContext('INT32')
    const parts = { metadata: [], data: [new Uint8Array(4)] }
    expect(failure(() => filter.forward(parts, config, cx)).code).toBe('BAD_VALUE')
    const bytes = { metadata: u32(0, 1, 4, 4), data: new Uint8Array(4) }
    expect(failure(() => filter.reverse(bytes, config, cx)).code).toBe('BAD_FILTERED_DATA')
  })

  test('refuses to be anything but the first filter', () => {
    const parts = { metadata: [u32(1)], data: [text('a')], offsets: Float64Array.of(0) }
    expect(failure(() => filter.forward(parts, config, STRINGS)).code).toBe('BAD_VALUE')
  })

  test.each([
    ['an id without entry', '0101', '0161', '01', 'expected an id below 1, found 1'],
    ['an entry beyond the dictionary', '0101', '0561', '00', 'expected an entry of 1 + 5 bytes, found 2'],
    ['part of an entry length', '0104', '0161', '00', 'expected an entry of 4 + 0 bytes, found 2'],
    ['other id sizes than 1, 2, 4, 8', '0301', '0161', '00', 'expected a size of 1, 2, 4 or 8, found 3'],
    ['other length sizes than 1, 2, 4, 8', '0100', '0161', '00', 'expected a size of 1, 2, 4 or 8, found 0'],
    ['ids that are not the cells', '0201', '0161', '00', 'expected 1 id of 2 bytes, found 1 byte'],
    ['another original length', '0101', '026161', '00', 'expected 1 byte of strings, found 2'],
  ])('refuses %s', (_name, sizes, entries, data, message) => {
    const dictionary = bytesOf(entries)
    const metadata = concat([u32(0, 1, 1, 1, 8), bytesOf(sizes), u32(dictionary.length), dictionary])
    const error = failure(() => filter.reverse({ metadata, data: bytesOf(data) }, config, STRINGS))
    expect(error.code).toBe('BAD_FILTERED_DATA')
    expect(error.message).toBe(message)
  })

  test('refuses an id of 8 bytes beyond all numbers', () => {
    const metadata = concat([u32(0, 1, 1, 8, 8), bytesOf('0801'), u32(2), bytesOf('0161')])
    const error = failure(() => filter.reverse({ metadata, data: bytesOf('ff'.repeat(8)) }, config, STRINGS))
    expect(error.message).toBe('expected an id below 1, found 4294967295')
  })

  test('refuses strings beyond the limit', () => {
    const metadata = concat([u32(0, 1, 12, 6, 48), bytesOf('0101'), u32(3), bytesOf('026161')])
    const bytes = { metadata, data: new Uint8Array(6) }
    const error = failure(() => filter.reverse(bytes, config, { ...STRINGS, limit: 11 }))
    expect(error.message).toBe('expected at most 11 bytes of output, found a declared 12')
  })

  test('refuses damage with InspectError', () => {
    withRandom((random) => {
      const cx = { ...STRINGS, limit: 4096 }
      const valid = roundTrip(['abc', 'abc', '', 'de', 'de', 'f'.repeat(40), 'abc'])
      expect(refusals(filter, config, cx, valid, random)).toBeGreaterThan(100)
    })
  })
})

test('without strings it reads nothing but a tile of nothing, which TileDB 2.12 stores as a frame without parts', () => {
  const other = filterContext('CHAR', { stringOffsets: false })
  const reverse = (metadata: string, data: string) =>
    filter.reverse({ metadata: bytesOf(metadata), data: bytesOf(data) }, config, other)
  const nothing = '0000000000000000'
  expect(reverse(`${nothing}0102`, '')).toEqual({ metadata: Uint8Array.of(1, 2), data: new Uint8Array(0) })
  const input = { metadata: bytesOf(nothing), data: new Uint8Array(0) }
  const output = { metadata: new Uint8Array(0), data: new Uint8Array(0) }
  expect(stageMetadata({ config, datatype: 'CHAR', stringOffsets: false, input, output })).toEqual({
    metadata_parts: [],
    data_parts: [],
  })
  for (const [metadata, data] of [
    [nothing, '00'],
    ['0000000000000001', ''],
    ['00000000000000', ''],
  ])
    expect(failure(() => reverse(metadata, data)).message).toContain('expected var-sized strings')
})
