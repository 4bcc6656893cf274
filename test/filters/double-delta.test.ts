import { describe, expect, test } from '@jest/globals'
import { hex } from '../../src/filters/bytes.ts'
import { doubleDelta } from '../../src/filters/double-delta.ts'
import { DATATYPES, datatypeKind, datatypeSize, isSignedInteger } from '../../src/format/datatype.ts'
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

const filter = await loaded(doubleDelta)
const config = { name: 'DOUBLE_DELTA' } as const

const UINT32_VALUES = integers(
  4,
  [
    238, 754, 799, 842, 889, 1144, 1289, 1330, 1489, 1546, 1592, 1652, 1755, 1922, 2031, 2174, 2292, 2316, 2500, 2529,
    2623,
  ],
)

const VECTORS: Record<string, Vector> = {
  'INT16 at bit size 3 of TileDB 2.30': {
    datatype: 'INT16',
    metadata: '00000000010000002a0000001d000000',
    data: '03 1500000000000000 c409 c409 6c0d92519c05f914 000000000000b01a',
    unfiltered: integers(
      2,
      [
        2500, 2500, 2501, 2506, 2504, 2501, 2498, 2500, 2501, 2498, 2500, 2503, 2505, 2509, 2513, 2512, 2517, 2518,
        2520, 2520, 2517,
      ],
    ),
  },
  'UINT8 at full width of TileDB 2.30': {
    datatype: 'UINT8',
    metadata: '0000000001000000150000001e000000',
    data: '07 1500000000000000 2220231624101606101a3116100f2235271f381336',
    unfiltered: integers(1, [34, 32, 35, 22, 36, 16, 22, 6, 16, 26, 49, 22, 16, 15, 34, 53, 39, 31, 56, 19, 54]),
  },
  'equal INT32 of TileDB 2.30': {
    datatype: 'INT32',
    metadata: '00000000010000005400000019000000',
    data: '01 1500000000000000 faffffff faffffff 0000000000000000',
    unfiltered: integers(
      4,
      Array.from({ length: 21 }, () => -6),
    ),
  },
  'UINT32, whose first difference needs the most bits, of TileDB 2.30': {
    datatype: 'UINT32',
    metadata: '00000000010000005400000031000000',
    data: '0a 1500000000000000 ee000000 f2020000 1add080d0208f0ba 841538608166b403 12145ecca0087408 000000000080206c',
    unfiltered: UINT32_VALUES,
  },
  'INT64 at bit size 57 of TileDB 2.30': {
    datatype: 'INT64',
    metadata: '0000000001000000a8000000a9000000',
    data: `39 1500000000000000 bddbfdc906c44900 3f1f5c8643622a00
           6d4a754aa708941667b139c475d57d9b7c13bdad73228b239160cd082141680133b9188d6d3a53b8b9bcfd5d9c31163e
           eaa9e3ad31a1d6dbeae858689494229d5fa52cd904a42d543f9e357fcc6de034442a6d0055002127e6a5e134ca03f9f1
           f996c95ba5e8004b58649ac8352dde3ce60e05b2237659946494e829055398e2d012d6ec6cb2d4fe0000000000002458`,
    unfiltered: integers(8, [
      20763206737583037n,
      11929991178362687n,
      28517633118975978n,
      -16176956167942918n,
      -35599396173722247n,
      22520127901839104n,
      -6479356765428015n,
      23502893046694331n,
      -25186491141101827n,
      12165185887758689n,
      26346161223090805n,
      -20905110283893354n,
      19693992211591238n,
      -22778308732375604n,
      12374791239892696n,
      20958536080390696n,
      904060829542406n,
      24307063600925703n,
      -8607175214985540n,
      -18266153513271620n,
      15768590624294085n,
    ]),
  },
  'INT64 reinterpreted as INT32 of TileDB 2.30': {
    datatype: 'INT64',
    config: { reinterpret_datatype: 'INT32' },
    metadata: '0000000001000000a800000051000000',
    data: `0b 2a00000000000000 23fcffff ffffffff 97f76ab7f66c27f9 f87867f774e7f788 9647f99297f9a0c7 c7faa6d7fab457fa
           f9a057faaae7fab2 94f7f76ac7f78e77 47fbbab7fa9c87f9 00000000cee7fbae`,
    unfiltered: integers(
      8,
      [
        -989, -951, -950, -965, -955, -957, -977, -970, -972, -987, -980, -986, -982, -977, -968, -950, -971, -975,
        -990, -984, -1000,
      ],
    ),
  },
}

/** Encodes one part as upstream's page describes it, in exact arithmetic. */
function encoded(values: readonly bigint[], size: number): { data: string; bitSize: number } {
  const deltas = values.slice(1).map((value, i) => value - values[i])
  const doubles = deltas.slice(1).map((difference, i) => difference - deltas[i])
  const counted = values.length > 2 ? [deltas[0], ...doubles] : []
  const bitSize = values.length > 2 ? Math.max(...counted.map((one) => (one < 0n ? -one : one).toString(2).length)) : 0
  const head = hex(Uint8Array.of(bitSize)) + hex(integers(8, [values.length]))
  if (bitSize >= 8 * size - 1) return { data: head + hex(integers(size, values)), bitSize }
  let bits = ''
  for (const one of doubles) bits += (one < 0n ? '1' : '0') + (one < 0n ? -one : one).toString(2).padStart(bitSize, '0')
  const words: bigint[] = []
  for (let at = 0; at < bits.length; at += 64) words.push(BigInt(`0b${bits.slice(at, at + 64).padEnd(64, '0')}`))
  return { data: head + hex(integers(size, values.slice(0, 2))) + hex(integers(8, words)), bitSize }
}

/** Makes elements that start anywhere and change by up to 2^bits at each step. */
function walk(random: Random, count: number, bits: number, size: number, signed: boolean): bigint[] {
  const low = signed ? -(1n << BigInt(8 * size - 1)) : 0n
  const high = low + (1n << BigInt(8 * size)) - 1n
  const step = 1n << BigInt(bits)
  const out = [(low + high) / 2n]
  while (out.length < count) {
    const move = (BigInt(random.bits()) * 2n ** 32n + BigInt(random.bits())) % (2n * step)
    const next = out[out.length - 1] + move - step
    out.push(next < low ? low : next > high ? high : next)
  }
  return out
}

describe('DOUBLE_DELTA', () => {
  test.each(Object.entries(VECTORS))('reads and writes %s', (_name, vector) => {
    expect(hex(reverseVector(filter, 'DOUBLE_DELTA', vector).data)).toBe(hex(vector.unfiltered))
    expect(shown(forwardVector(filter, 'DOUBLE_DELTA', vector))).toEqual({
      metadata: vector.metadata,
      data: vector.data.replaceAll(/\s/g, ''),
    })
  })

  test('reads the smaller bit size of releases that do not count the first difference', () => {
    const vector: Vector = {
      datatype: 'UINT32',
      context: { formatVersion: 8 },
      metadata: '00000000010000005400000029000000',
      data: '09 1500000000000000 ee000000 f2020000 81a69bd01020e0f5 8e40ace0c08266da 04b129285e662882',
      unfiltered: UINT32_VALUES,
    }
    expect(hex(reverseVector(filter, 'DOUBLE_DELTA', vector).data)).toBe(hex(UINT32_VALUES))
  })

  test('reads a part that is no number of whole elements, as TileDB 2.30 wrote 15 bytes of BIT_WIDTH_REDUCTION metadata', () => {
    const vector: Vector = {
      datatype: 'INT16',
      metadata: '00000000010000000f0000001d000000',
      data: '0e 0700000000000000 1c000000 8fc0090008003b00 0000000000000002',
      unfiltered: bytesOf('1c000000 01000000 0000 08 1c000000'),
    }
    expect(hex(reverseVector(filter, 'DOUBLE_DELTA', vector).data)).toBe(hex(vector.unfiltered))
  })

  test('of a chunk of another type than its tile says what a release lost behind the last whole element', () => {
    const vector = { datatype: 'INT16', context: { otherType: true }, unfiltered: new Uint8Array(5) } as const
    const lost = { ...vector, data: '00 0200000000000000 0100 0200', metadata: '0000000001000000050000000d000000' }
    expect(failure(() => reverseVector(filter, 'DOUBLE_DELTA', lost)).message).toBe(
      'expected 5 bytes, found 2 elements: the release that wrote it lost the rest',
    )
    // Elements that are stored unchanged keep all bytes.
    const kept = { ...vector, data: '0f 0200000000000000 0100 0200 07', metadata: '0000000001000000050000000e000000' }
    expect(hex(reverseVector(filter, 'DOUBLE_DELTA', kept).data)).toBe('0100020007')
  })

  test('packs every bit size of every element size as the page draws it', () => {
    withRandom((random) => {
      const seen = new Set<number>()
      for (const datatype of ['INT8', 'UINT8', 'INT16', 'UINT16', 'INT32', 'UINT32', 'INT64', 'UINT64'] as const) {
        const size = datatypeSize(datatype)
        for (let bits = 0; bits < Math.min(8 * size, 61); bits++) {
          const values = walk(random, 1 + random.below(150), bits, size, isSignedInteger(datatype))
          const expected = encoded(values, size)
          const data = integers(size, values)
          const out = stored(filter.forward({ metadata: [], data: [data] }, config, filterContext(datatype)))
          expect(hex(out.data)).toBe(expected.data)
          expect(hex(filter.reverse(out, config, filterContext(datatype)).data)).toBe(hex(data))
          if (size === 8) seen.add(expected.bitSize)
        }
      }
      expect(seen.size).toBeGreaterThan(50)
    })
  })

  test('keeps the elements of every datatype that is no float', () => {
    withRandom((random) => {
      for (const datatype of DATATYPES.filter((type) => datatypeKind(type) !== 'float')) {
        const size = datatypeSize(datatype)
        for (const count of [1, 2, 3, random.below(300)]) {
          const data = random.integers(size, count)
          // Values are below 2^60, so that differences of differences fit in 64 bits.
          if (size === 8) for (let i = 7; i < data.length; i += 8) data[i] &= 0x0f
          expectRoundTrip(filter, { metadata: [], data: [data] }, config, filterContext(datatype))
        }
      }
    })
  })

  test('keeps differences of exactly 2^63 - 1 and -2^63, and refuses larger ones', () => {
    const cx = filterContext('INT64')
    const top = 2n ** 63n - 1n
    expectRoundTrip(filter, { metadata: [], data: [integers(8, [0, top, top])] }, config, cx)
    expectRoundTrip(filter, { metadata: [], data: [integers(8, [1, -top, -top - 1n])] }, config, cx)
    const falling = [integers(8, [top + 2n, 1, 0])]
    expectRoundTrip(filter, { metadata: [], data: falling }, config, filterContext('UINT64'))
    for (const values of [
      [-1n, top, 0n],
      [top, -2n, 0n],
      [0n, top, 0n],
    ]) {
      const error = failure(() => filter.forward({ metadata: [], data: [integers(8, values)] }, config, cx))
      expect(error.code).toBe('BAD_VALUE')
    }
    const unsigned = { metadata: [], data: [integers(8, [0, 2n ** 63n, 2n ** 63n])] }
    expect(failure(() => filter.forward(unsigned, config, filterContext('UINT64'))).code).toBe('BAD_VALUE')
  })

  test('reads a part of no elements that has garbage behind it, as TileDB 2.30 writes it', () => {
    const data = bytesOf('00 0000000000000000 202600107f7f0000 906801107f7f0000')
    const out = filter.reverse({ metadata: u32(0, 1, 0, 25), data }, config, filterContext('INT64'))
    expect(out.data).toHaveLength(0)
  })

  test('writes no part for no elements: the only form that TileDB 2.30 reads', () => {
    const out = stored(filter.forward({ metadata: [], data: [new Uint8Array(0)] }, config, filterContext('INT32')))
    expect(shown(out)).toEqual({ metadata: '0000000000000000', data: '' })
  })

  test('encodes the metadata of earlier filters ahead of the data', () => {
    const parts = { metadata: [u32(1, 8)], data: [integers(4, [5, 7]), integers(4, [9])] }
    const out = stored(filter.forward(parts, config, filterContext('INT32')))
    expect(hex(out.metadata)).toBe(hex(u32(1, 2, 8, 17, 8, 17, 4, 13)))
    expectRoundTrip(filter, parts, config, filterContext('INT32'))
  })

  test('refuses floats without a reinterpret datatype', () => {
    const cx = filterContext('FLOAT32')
    const parts = { metadata: [], data: [new Uint8Array(8)] }
    expect(failure(() => filter.forward(parts, config, cx)).code).toBe('BAD_VALUE')
    expectRoundTrip(filter, parts, { ...config, reinterpret_datatype: 'INT32' }, cx)
  })

  test('shows the reinterpret datatype to the next filter unless that is ANY', () => {
    expect(doubleDelta.outputType?.('FLOAT32', { ...config, reinterpret_datatype: 'INT32' })).toBe('INT32')
    expect(doubleDelta.outputType?.('INT16', { ...config, reinterpret_datatype: 'ANY' })).toBe('INT16')
  })

  test('takes a bit size beyond 64 as full width, and refuses other lengths than its own', () => {
    const whole = bytesOf('ff 0300000000000000 01000000 02000000 05000000')
    const cx = filterContext('INT32')
    expect(hex(filter.reverse({ metadata: u32(0, 1, 12, 21), data: whole }, config, cx).data)).toBe(hex(u32(1, 2, 5)))
    const packed = bytesOf('1e 0300000000000000 01000000 02000000 05000000')
    const error = failure(() => filter.reverse({ metadata: u32(0, 1, 12, 21), data: packed }, config, cx))
    expect(error.code).toBe('BAD_FILTERED_DATA')
    expect(error.message).toBe('expected 25 bytes for 3 elements at bit size 30, found 21')
  })

  test('reads a bit size of 0 for many elements as signs alone', () => {
    const data = bytesOf('00 0400000000000000 0a 0c 00000000000000ff')
    const out = filter.reverse({ metadata: u32(0, 1, 4, 19), data }, config, filterContext('INT8'))
    expect([...out.data]).toEqual([10, 12, 14, 16])
  })

  test('refuses damage with InspectError', () => {
    withRandom((random) => {
      for (const datatype of ['UINT8', 'INT16', 'INT32', 'INT64'] as const) {
        const size = datatypeSize(datatype)
        const cx = filterContext(datatype, { limit: 4096 })
        const values = walk(random, 20, 5, size, true)
        expect(integersOf(integers(size, values), size, true)).toEqual(values)
        const valid = stored(filter.forward({ metadata: [u32(1, 8)], data: [integers(size, values)] }, config, cx))
        expect(refusals(filter, config, cx, valid, random)).toBeGreaterThan(100)
      }
    })
  })
})
