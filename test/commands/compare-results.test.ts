import { describe, expect, test } from '@jest/globals'
import type { Result } from '../../src/base/result.ts'
import { differences } from '../../src/calls/compare-results.ts'

const all = (a: Result, b: Result) => [...differences('', a, b)]

describe('differences', () => {
  test('are found by key, whatever the order of the keys', () => {
    expect(all({ x: 1, y: 'a', z: null }, { z: null, y: 'b', x: 1 })).toEqual([{ path: 'y', a: 'a', b: 'b' }])
  })

  test('are none between values that are written in two ways', () => {
    const bytes = Uint8Array.of(1, 2)
    expect(all([1, Number.NaN, 5n, bytes], [1, Number.NaN, 5, bytes.slice()])).toEqual([])
    expect(all(Float64Array.of(1, 2), [1, 2])).toEqual([])
    expect(all({ a: undefined }, {})).toEqual([])
  })

  test('tell 0 from -0, a number from its text, and bytes by one of them', () => {
    expect(all({ v: 0 }, { v: -0 })).toHaveLength(1)
    expect(all({ v: 5n }, { v: '5' })).toHaveLength(1)
    expect(all({ v: Uint8Array.of(1, 2) }, { v: Uint8Array.of(1, 3) })).toHaveLength(1)
  })

  test('of a list of values are its first one and the number of the others', () => {
    expect(all({ offsets: [0, 10, 20, 30] }, { offsets: Float64Array.of(0, 11, 21) })).toEqual([
      { path: 'offsets[1]', a: 10, b: 11, more: 2 },
    ])
  })

  test('of lists of named things are found by their names, and so is another order', () => {
    const lat = { name: 'lat', type: 'FLOAT64' }
    const lon = { name: 'lon', type: 'FLOAT64' }
    expect(all({ dimensions: [lat, lon] }, { dimensions: [lon, { ...lat, type: 'INT32' }] })).toEqual([
      { path: 'dimensions.lat.type', a: 'FLOAT64', b: 'INT32' },
      { path: 'dimensions in order', a: ['lat', 'lon'], b: ['lon', 'lat'] },
    ])
    expect(all([lat], [lat, lon])).toEqual([{ path: 'lon', a: null, b: lon }])
  })

  test('of filters are those of the whole pipeline: their order is what they do', () => {
    const [zstd, shuffle] = [{ name: 'ZSTD', level: 3 }, { name: 'BYTESHUFFLE' }]
    expect(all({ filters: [shuffle, zstd] }, { filters: [zstd, shuffle] })).toEqual([
      { path: 'filters', a: [shuffle, zstd], b: [zstd, shuffle] },
    ])
    expect(all({ filters: [zstd] }, { filters: [{ ...zstd }] })).toEqual([])
  })

  test('of boxes name the box, the dimension and the end', () => {
    expect(
      all(
        {
          mbrs: [
            [
              [0, 1],
              [2, 3],
            ],
          ],
        },
        {
          mbrs: [
            [
              [0, 1],
              [2, 4],
            ],
          ],
        },
      ),
    ).toEqual([{ path: 'mbrs[0][1][1]', a: 3, b: 4 }])
  })

  test('quote what would be misread in a path', () => {
    expect(all({ 'a.b': 1 }, { 'a.b': 2 })[0].path).toBe('"a.b"')
  })
})
