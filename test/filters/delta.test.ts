import { describe, expect, test } from '@jest/globals'
import { hex } from '../../src/filters/bytes.ts'
import { delta } from '../../src/filters/delta.ts'
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
import { withRandom } from '../helpers/random.ts'

const filter = await loaded(delta)
const config = { name: 'DELTA' } as const

const INT32_VALUES = integers(4, [606, 711, 787, 1221, 1525, 1619, 1928, 1974, 2560])

const VECTORS: Record<string, Vector> = {
  'INT16 of TileDB 2.30': {
    datatype: 'INT16',
    metadata: '0000000001000000120000001a000000',
    data: '0900000000000000 46fe 1001 7f00 0103 f301 e300 6201 ec00 a000',
    unfiltered: integers(2, [-442, -170, -43, 726, 1225, 1452, 1806, 2042, 2202]),
  },
  'UINT64 of TileDB 2.30': {
    datatype: 'UINT64',
    metadata: '00000000010000004800000050000000',
    data: `0900000000000000 7300000000000000 8b00000000000000 b700000000000000 9a00000000000000 ee00000000000000
           0703000000000000 0b00000000000000 7001000000000000 a900000000000000`,
    unfiltered: integers(8, [115, 254, 437, 591, 829, 1604, 1615, 1983, 2152]),
  },
  'FLOAT32 reinterpreted as INT32 of TileDB 2.30': {
    datatype: 'FLOAT32',
    config: { reinterpret_datatype: 'INT32' },
    metadata: '0000000001000000240000002c000000',
    data: '0900000000000000 0000e840 0000c07f 00001c01 0000447f 00005400 00008c7f 0000d87f 0000c680 0000bafd',
    unfiltered: new Uint8Array(Float32Array.of(7.25, -5.25, -24.5, 8.5, 13.75, -7.25, 6, -16.75, -0.75).buffer),
  },
}

describe('DELTA', () => {
  test.each(Object.entries(VECTORS))('reads and writes %s', (_name, vector) => {
    expect(hex(reverseVector(filter, 'DELTA', vector).data)).toBe(hex(vector.unfiltered))
    expect(shown(forwardVector(filter, 'DELTA', vector))).toEqual({
      metadata: vector.metadata,
      data: vector.data.replaceAll(/\s/g, ''),
    })
  })

  test('reads the element too many that TileDB 2.16 stores', () => {
    const vector: Vector = {
      datatype: 'INT32',
      context: { formatVersion: 19 },
      metadata: '00000000010000002400000030000000',
      data: '0900000000000000 5e020000 69000000 4c000000 b2010000 30010000 5e000000 35010000 2e000000 4a020000 ff750000',
      unfiltered: INT32_VALUES,
    }
    expect(hex(reverseVector(filter, 'DELTA', vector).data)).toBe(hex(INT32_VALUES))
  })

  test('refuses more elements too many', () => {
    const data = bytesOf('0100000000000000 05000000 06000000 07000000')
    const error = failure(() => filter.reverse({ metadata: u32(0, 1, 4, 20), data }, config, filterContext('INT32')))
    expect(error.message).toBe('expected 4 bytes of differences, found 12')
  })

  test('reads a part of no elements that has garbage behind it, as TileDB 2.30 writes it', () => {
    const data = bytesOf('0000000000000000 d010ff7f')
    const out = filter.reverse({ metadata: u32(0, 1, 0, 12), data }, config, filterContext('INT32'))
    expect(out.data).toHaveLength(0)
  })

  test('writes no part for no elements: the only form that TileDB 2.30 reads', () => {
    const out = stored(filter.forward({ metadata: [], data: [new Uint8Array(0)] }, config, filterContext('INT32')))
    expect(shown(out)).toEqual({ metadata: '0000000000000000', data: '' })
    expect(filter.reverse(out, config, filterContext('INT32')).data).toHaveLength(0)
  })

  test('stores differences modulo the element size', () => {
    withRandom((random) => {
      for (const datatype of ['INT8', 'UINT8', 'INT16', 'UINT16', 'INT32', 'UINT32', 'INT64', 'UINT64'] as const) {
        const size = datatypeSize(datatype)
        const data = random.integers(size, 200)
        const values = integersOf(data, size, isSignedInteger(datatype))
        const differences = values.map((value, i) => value - (i === 0 ? 0n : values[i - 1]))
        const out = stored(filter.forward({ metadata: [], data: [data] }, config, filterContext(datatype)))
        expect(hex(out.data)).toBe(hex(integers(8, [200])) + hex(integers(size, differences)))
        expect(hex(filter.reverse(out, config, filterContext(datatype)).data)).toBe(hex(data))
      }
    })
  })

  test('keeps the elements of every datatype that is no float', () => {
    withRandom((random) => {
      for (const datatype of DATATYPES.filter((type) => datatypeKind(type) !== 'float')) {
        for (const count of [1, 2, 3, random.below(300)]) {
          const data = [random.integers(datatypeSize(datatype), count)]
          expectRoundTrip(filter, { metadata: [], data }, config, filterContext(datatype))
        }
      }
    })
  })

  test('takes text of any width as single bytes', () => {
    const data = bytesOf('0102030405')
    expectRoundTrip(filter, { metadata: [], data: [data] }, config, filterContext('STRING_UTF32'))
  })

  test('encodes the metadata of earlier filters ahead of the data', () => {
    const parts = { metadata: [u32(1, 8)], data: [integers(4, [5, 7]), integers(4, [9])] }
    const out = stored(filter.forward(parts, config, filterContext('INT32')))
    expect(hex(out.metadata)).toBe(hex(u32(1, 2, 8, 16, 8, 16, 4, 12)))
    expect(hex(out.data)).toBe(hex(u32(2, 0, 1, 7, 2, 0, 5, 2, 1, 0, 9)))
    expectRoundTrip(filter, parts, config, filterContext('INT32'))
  })

  test('reads zeros for what a release dropped behind the last whole element', () => {
    const vector: Vector = {
      datatype: 'INT16',
      metadata: '0000000001000000050000000c000000',
      data: '0200000000000000 0100 0200',
      unfiltered: bytesOf('0100 0300 00'),
    }
    expect(hex(reverseVector(filter, 'DELTA', vector).data)).toBe(hex(vector.unfiltered))
  })

  test('refuses earlier metadata that is no whole number of elements', () => {
    const parts = { metadata: [u32(1, 2, 3)], data: [integers(8, [1])] }
    const error = failure(() => filter.forward(parts, config, filterContext('INT64')))
    expect(error.code).toBe('BAD_VALUE')
    expect(error.message).toBe('expected parts of whole 8-byte elements, found one of 12 bytes')
  })

  test('refuses floats without a reinterpret datatype in both directions', () => {
    for (const reinterpret_datatype of [undefined, 'ANY', 'FLOAT64'] as const) {
      const cx = filterContext('FLOAT64')
      const parts = { metadata: [], data: [new Uint8Array(8)] }
      const options = { ...config, reinterpret_datatype }
      expect(failure(() => filter.forward(parts, options, cx)).code).toBe('BAD_VALUE')
      const bytes = { metadata: u32(0, 1, 8, 16), data: integers(8, [1, 1]) }
      expect(failure(() => filter.reverse(bytes, options, cx)).message).toMatch(/^expected integers, .* found FLOAT64$/)
    }
  })

  test('shows the reinterpret datatype to the next filter unless that is ANY', () => {
    expect(delta.outputType?.('FLOAT32', { ...config, reinterpret_datatype: 'INT32' })).toBe('INT32')
    expect(delta.outputType?.('INT16', { ...config, reinterpret_datatype: 'ANY' })).toBe('INT16')
    expect(delta.outputType?.('INT16', config)).toBe('INT16')
  })

  test('refuses a count that is not that of the original length', () => {
    const data = integers(8, [2 ** 40, 1])
    const error = failure(() => filter.reverse({ metadata: u32(0, 1, 8, 16), data }, config, filterContext('INT64')))
    expect(error.code).toBe('BAD_FILTERED_DATA')
    expect(error.message).toBe('expected 8 bytes of 8-byte elements, found 1099511627776 elements')
  })

  test('refuses damage with InspectError', () => {
    withRandom((random) => {
      const cx = filterContext('INT16', { limit: 4096 })
      const valid = stored(filter.forward({ metadata: [random.bytes(4)], data: [random.bytes(40)] }, config, cx))
      expect(refusals(filter, config, cx, valid, random)).toBeGreaterThan(100)
    })
  })
})
