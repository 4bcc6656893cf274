import { describe, expect, test } from '@jest/globals'
import type { ArraySchema } from '../../src/format/array-schema.ts'
import { type Datatype, datatypeSize } from '../../src/format/datatype.ts'
import { denseTileGrid, integerOf } from '../../src/format/dense-tiles.ts'
import type { Dimension } from '../../src/format/dimension.ts'
import { failure } from '../helpers/failure.ts'
import { anySchema } from '../helpers/generate.ts'
import { Random } from '../helpers/random.ts'

type Bound = number | bigint

function little(type: Datatype, ...values: Bound[]): Uint8Array {
  const size = datatypeSize(type)
  return Uint8Array.from(
    values.flatMap((value) => {
      const unsigned = BigInt.asUintN(8 * size, BigInt(value))
      return Array.from({ length: size }, (_, i) => Number((unsigned >> BigInt(8 * i)) & 0xffn))
    }),
  )
}

function dimension(type: Datatype, low: Bound, high: Bound, extent: Bound | undefined, name = 'd'): Dimension {
  return {
    name,
    type,
    cell_val_num: 1,
    filters: { max_chunk_size: 0, filters: [] },
    domain: little(type, low, high),
    tile_extent: extent === undefined ? undefined : little(type, extent),
  }
}

function schemaOf(...dimensions: Dimension[]): ArraySchema {
  return { ...anySchema(22, new Random(1)), domain: { type: undefined, dimensions } }
}

function range(type: Datatype, low: Bound, high: Bound): { min: Uint8Array; max: Uint8Array } {
  return { min: little(type, low), max: little(type, high) }
}

/** Returns the grid of one dimension. */
function grid(type: Datatype, domain: [Bound, Bound], extent: Bound | undefined, low: Bound, high: Bound) {
  return denseTileGrid(schemaOf(dimension(type, ...domain, extent)), [range(type, low, high)])
}

describe('integers of dimensions', () => {
  test('are signed or not by their type, dates signed', () => {
    expect(integerOf('INT8', little('INT8', -1))).toBe(-1n)
    expect(integerOf('UINT8', little('UINT8', 255))).toBe(255n)
    expect(integerOf('INT64', little('INT64', -(2n ** 63n)))).toBe(-(2n ** 63n))
    expect(integerOf('UINT64', little('UINT64', 2n ** 64n - 1n))).toBe(2n ** 64n - 1n)
    expect(integerOf('DATETIME_DAY', little('DATETIME_DAY', -1))).toBe(-1n)
    expect(integerOf('TIME_NS', little('TIME_NS', -2))).toBe(-2n)
  })
})

describe('tiles of a dense fragment', () => {
  test('cover its domain rounded out to whole tiles, counted from the low end of the domain', () => {
    expect(grid('INT32', [1, 100], 10, 10, 21)).toMatchObject({ tile_num: 3, cells_per_tile: 10 })
    expect(grid('INT32', [1, 100], 10, 11, 20)).toMatchObject({ tile_num: 1 })
    expect(grid('INT32', [-50, 49], 25, -26, -25).axes[0]).toMatchObject({
      firstTile: 0n,
      tile_num: 2,
      domainLow: -50n,
    })
  })

  test('multiply over dimensions', () => {
    const schema = schemaOf(dimension('UINT8', 0, 99, 10, 'x'), dimension('INT64', -10, 9, 4, 'y'))
    const { tile_num, cells_per_tile, axes } = denseTileGrid(schema, [range('UINT8', 5, 25), range('INT64', -10, 9)])
    expect({ tile_num, cells_per_tile }).toEqual({ tile_num: 15, cells_per_tile: 40 })
    expect(axes.map((axis) => axis.tile_num)).toEqual([3, 5])
  })

  test('without an extent are one', () => {
    expect(grid('INT16', [-5, 14], undefined, 0, 1)).toMatchObject({ tile_num: 1, cells_per_tile: 20 })
  })

  test('are right at the limits of the type, where the rounded-out bound does not fit it', () => {
    expect(grid('INT8', [-128, 126], 100, -128, 126)).toMatchObject({ tile_num: 3 })
    expect(grid('UINT8', [0, 254], 100, 200, 254)).toMatchObject({ tile_num: 1 })
    const low = -(2n ** 63n)
    const high = 2n ** 63n - 11n
    const { axes, tile_num } = grid('INT64', [low, high], 10, high - 5n, high)
    expect(tile_num).toBe(1)
    expect(axes[0].firstTile).toBe((high - low) / 10n)
    expect(grid('DATETIME_NS', [low + 1n, high], 1000, low + 1n, low + 1n).tile_num).toBe(1)
  })

  test('more than 2^53 are refused', () => {
    const high = 2n ** 64n - 3n
    expect(failure(() => grid('UINT64', [0, high], 1, 0, high))).toMatchObject({ code: 'INCONSISTENT' })
    expect(failure(() => grid('UINT64', [0, high], undefined, 0, high))).toMatchObject({ code: 'INCONSISTENT' })
  })

  test.each([
    ['upside down', 20, 10],
    ['below the domain', 0, 10],
    ['above the domain', 10, 101],
  ])('need a non-empty domain inside the domain: %s', (_, low, high) => {
    const error = failure(() => grid('INT32', [1, 100], 10, low, high))
    expect(error).toMatchObject({ code: 'INCONSISTENT', at: { field: 'nonempty_domain.d' } })
    expect(error.message).toContain(`found [${low}, ${high}]`)
  })

  test.each([0, -10])('need a positive extent: %i', (extent) => {
    expect(failure(() => grid('INT32', [1, 100], extent, 1, 2))).toMatchObject({
      code: 'INCONSISTENT',
      at: { field: 'dimensions.d' },
    })
  })
})
