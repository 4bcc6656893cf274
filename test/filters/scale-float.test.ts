import { describe, expect, test } from '@jest/globals'
import { hex } from '../../src/filters/bytes.ts'
import { scaleFloat } from '../../src/filters/scale-float.ts'
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

const filter = await loaded(scaleFloat)
const config = { name: 'SCALE_FLOAT', scale: 1, offset: 0, byte_width: 4 } as const

function float32(...values: number[]): Uint8Array {
  return new Uint8Array(Float32Array.from(values).buffer)
}

function float64(...values: number[]): Uint8Array {
  return new Uint8Array(Float64Array.from(values).buffer)
}

const VECTORS: Record<string, Vector> = {
  'FLOAT32 in one byte of TileDB 2.30': {
    datatype: 'FLOAT32',
    config: { scale: 0.25, offset: 0, byte_width: 1 },
    metadata: '0100000009000000',
    data: '16d04502001cecb7df',
    unfiltered: float32(5.5, -12, 17.25, 0.5, 0, 7, -5, -18.25, -8.25),
  },
  'FLOAT32 in eight bytes of TileDB 2.30': {
    datatype: 'FLOAT32',
    config: { scale: 0.25, offset: 0, byte_width: 8 },
    metadata: '0100000048000000',
    data: `1900000000000000c5ffffffffffffffd7ffffffffffffffe3ffffffffffffffe9ffffffffffffff
           b1ffffffffffffff1700000000000000f3ffffffffffffffb3ffffffffffffff`,
    unfiltered: float32(6.25, -14.75, -10.25, -7.25, -5.75, -19.75, 5.75, -3.25, -19.25),
  },
  'FLOAT64 with an offset in two bytes of TileDB 2.30': {
    datatype: 'FLOAT64',
    config: { scale: 0.25, offset: 1.5, byte_width: 2 },
    metadata: '0100000012000000',
    data: '3700d6ffa1ffd2ff3700eaffb3ff0d00e6ff',
    unfiltered: float64(15.25, -9, -22.25, -10, 15.25, -4, -17.75, 4.75, -5),
  },
  'INT32, whose bits TileDB 2.30 takes for floats': {
    datatype: 'INT32',
    config: { scale: 1, offset: 0, byte_width: 2 },
    metadata: '0100000012000000',
    data: '000000000000000000000000000000000000',
    unfiltered: new Uint8Array(36),
  },
}

describe('SCALE_FLOAT', () => {
  test.each(Object.entries(VECTORS))('reads and writes %s', (_name, vector) => {
    expect(hex(reverseVector(filter, 'SCALE_FLOAT', vector).data)).toBe(hex(vector.unfiltered))
    expect(shown(forwardVector(filter, 'SCALE_FLOAT', vector))).toEqual({
      metadata: vector.metadata,
      data: vector.data.replaceAll(/\s/g, ''),
    })
  })

  test('rounds halves away from zero, and nothing below a half', () => {
    const data = [float64(0.5, 1.5, 2.5, -0.5, -1.5, 0.49999999999999994, -0.49999999999999994, -0.2)]
    const out = filter.forward({ metadata: [], data }, config, filterContext('FLOAT64'))
    expect(hex(out.data[0])).toBe(hex(integers(4, [1, 2, 3, -1, -2, 0, 0, 0])))
  })

  test('computes in float32 when it writes float32', () => {
    // The offset is not a float32. It becomes 16777216, so that nothing is left of the value.
    const options = { ...config, offset: 16777217 }
    const single = filter.forward({ metadata: [], data: [float32(16777216)] }, options, filterContext('FLOAT32'))
    expect(hex(single.data[0])).toBe(hex(integers(4, [0])))
    const double = filter.forward({ metadata: [], data: [float64(16777216)] }, options, filterContext('FLOAT64'))
    expect(hex(double.data[0])).toBe(hex(integers(4, [-1])))
  })

  test('computes in float64 and narrows when it reads float32', () => {
    const bytes = { metadata: u32(1, 8), data: integers(4, [16777217, 3]) }
    const out = filter.reverse(bytes, { ...config, scale: 0.1, offset: 0.7 }, filterContext('FLOAT32'))
    expect(hex(out.data)).toBe(hex(float32(0.1 * 16777216 + 0.7, 0.1 * 3 + 0.7)))
  })

  test('rounds an int64 to float32 once', () => {
    // By way of float64 the first would be a tie, and round down.
    const values = [
      2n ** 62n + 2n ** 38n + 1n,
      -(2n ** 62n) - 2n ** 38n - 1n,
      2n ** 62n + 2n ** 38n,
      2n ** 53n + 1n,
      -(2n ** 63n),
    ]
    const options = { ...config, byte_width: 8 }
    const bytes = { metadata: u32(1, 40), data: integers(8, values) }
    const out = filter.reverse(bytes, options, filterContext('FLOAT32'))
    expect([...new Float32Array(out.data.slice().buffer)]).toEqual([
      2 ** 62 + 2 ** 39,
      -(2 ** 62) - 2 ** 39,
      2 ** 62,
      2 ** 53,
      -(2 ** 63),
    ])
  })

  test('keeps floats that are whole multiples, for both floats and all widths', () => {
    withRandom((random) => {
      for (const byte_width of [1, 2, 4, 8]) {
        for (const count of [0, 1, 2, 300]) {
          const values = Array.from({ length: count }, () => (random.below(256) - 128) * 0.5 + 3)
          const options = { ...config, byte_width, scale: 0.5, offset: 3 }
          const metadata = [random.bytes(3)]
          expectRoundTrip(filter, { metadata, data: [float32(...values)] }, options, filterContext('FLOAT32'))
          expectRoundTrip(
            filter,
            { metadata, data: [float64(...values), float64(3)] },
            options,
            filterContext('FLOAT64'),
          )
        }
      }
    })
  })

  test('keeps the extremes of every width', () => {
    for (const byte_width of [1, 2, 4, 8]) {
      const end = 2 ** (8 * byte_width - 1)
      const largest = byte_width === 8 ? end - 1024 : end - 1
      expectRoundTrip(
        filter,
        { metadata: [], data: [float64(-end, largest, -1, 0)] },
        { ...config, byte_width },
        filterContext('FLOAT64'),
      )
      for (const value of [end, -end - (byte_width === 8 ? 2048 : 1), Number.NaN, Number.POSITIVE_INFINITY]) {
        const parts = { metadata: [], data: [float64(value)] }
        const error = failure(() => filter.forward(parts, { ...config, byte_width }, filterContext('FLOAT64')))
        expect(error.code).toBe('BAD_VALUE')
      }
    }
  })

  test.each([
    [1, 'INT8'],
    [2, 'INT16'],
    [4, 'INT32'],
    [8, 'INT64'],
  ] as const)('shows integers of %i bytes to the next filter since version 20', (byte_width, datatype) => {
    expect(scaleFloat.outputType?.('FLOAT64', { ...config, byte_width })).toBe(datatype)
  })

  test('refuses widths that are no integer, missing options, and elements that are no float', () => {
    const parts = { metadata: [], data: [new Uint8Array(8)] }
    const cases = [
      { ...config, byte_width: 3 },
      { name: 'SCALE_FLOAT', scale: 1, byte_width: 4 },
      { name: 'SCALE_FLOAT', offset: 1, byte_width: 4 },
    ] as const
    for (const options of cases) {
      expect(failure(() => filter.forward(parts, options, filterContext('FLOAT64'))).code).toBe('BAD_VALUE')
      const bytes = { metadata: u32(1, 12), data: new Uint8Array(12) }
      expect(failure(() => filter.reverse(bytes, options, filterContext('FLOAT64'))).code).toBe('BAD_VALUE')
    }
    expect(failure(() => filter.forward(parts, config, filterContext('INT16'))).code).toBe('BAD_VALUE')
  })

  test('refuses part of an integer, and an output beyond the limit', () => {
    const cx = filterContext('FLOAT64', { limit: 15 })
    const part = { metadata: u32(1, 3), data: bytesOf('010203') }
    expect(failure(() => filter.reverse(part, { ...config, byte_width: 2 }, cx)).code).toBe('BAD_FILTERED_DATA')
    const large = { metadata: u32(1, 2), data: bytesOf('0102') }
    expect(failure(() => filter.reverse(large, { ...config, byte_width: 1 }, cx)).message).toBe(
      'expected at most 15 bytes of output, found a declared 16',
    )
  })

  test('refuses damage with InspectError', () => {
    withRandom((random) => {
      const cx = filterContext('FLOAT32', { limit: 4096 })
      const options = { ...config, byte_width: 2 }
      const valid = stored(filter.forward({ metadata: [random.bytes(4)], data: [float32(1, 2, 3, 4)] }, options, cx))
      expect(refusals(filter, options, cx, valid, random)).toBeGreaterThan(100)
    })
  })
})
