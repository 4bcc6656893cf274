import { describe, expect, test } from '@jest/globals'
import { planDense } from '../../src/explain/dense.ts'
import { cutsInOrder, gridAxis } from '../../src/explain/dense-grid.ts'
import type { ReadPlan } from '../../src/explain/plan.ts'
import type { OpenedArray, ReadOrder, ReadQuery } from '../../src/read/query.ts'
import { type MeasuredDense, measuredDense, openFixture, queryOf, rangeSets } from './measured-dense.ts'

function tilesRead({ tile_reads }: ReadPlan): number {
  return tile_reads.reduce((sum, { tiles }) => sum + tiles.length, 0)
}

/** Unfiltered bytes of the sections that are loaded, by name. */
async function metadataBytes(
  { fragments }: OpenedArray,
  { metadata_reads }: ReadPlan,
): Promise<MeasuredDense['metadata']> {
  const sums: MeasuredDense['metadata'] = {}
  for (const { fragment, section, slot } of metadata_reads) {
    const tile = await fragments[fragment].fragment.pagedSection(section, slot)
    sums[section] = (sums[section] ?? 0) + (tile?.length ?? 0)
  }
  return sums
}

describe('a plan for the DenseReader has the numbers that TileDB 2.30 counted', () => {
  test.each(measuredDense.map((one) => [`${one.array} ${one.order} ${JSON.stringify(one.ranges)}`, one] as const))(
    '%s',
    async (_, one) => {
      const opened = await openFixture(one.array, one.to)
      const plan = await planDense({ opened, query: queryOf(one), exact: true })
      expect(tilesRead(plan)).toBe(one.tiles_read)
      expect(await metadataBytes(opened, plan)).toEqual(one.metadata)
      expect([plan.cells_read, plan.cells_found]).toEqual([0, 0])
      expect(Math.abs(plan.least_memory_budget / one.least_memory_budget - 1)).toBeLessThan(0.05)
    },
  )
})

describe('fragments', () => {
  // Fragments: y -2..3, x 1..6; y 1..5, x 3..8; y 2, x 5; y 4..6, x 7..9. Tiles: y from -2 by 4, x from 1 by 3.
  const plan = async (ranges: [number, number][][], order: ReadOrder = 'row-major'): Promise<ReadPlan> =>
    planDense({
      opened: await openFixture('dense_reads/merged'),
      query: { order, ranges: rangeSets(ranges) },
      exact: false,
    })

  test('fragments that the ranges miss are skipped', async () => {
    const { fragments } = await plan([[[5, 6]], [[9, 10]]])
    expect(fragments.map(({ passed_over_by }) => passed_over_by)).toEqual(['domain', 'domain', 'domain', null])
  })

  test('a tile that a newer fragment covers is dropped', async () => {
    const { fragments, tile_reads } = await plan([[[2, 3]], [[4, 6]]])
    expect(fragments[0]).toMatchObject({
      passed_over_by: 'covered',
      tiles_touched: 1,
      tiles_inside: 1,
      tiles_dropped: 1,
    })
    expect(tile_reads.every(({ fragment }) => fragment !== 0)).toBe(true)
  })

  test('a tile counts as inside if everything that the fragment wrote of it is in the ranges', async () => {
    const { fragments } = await plan([[[1, 3]], [[1, 6]]])
    expect(fragments.map(({ tiles_touched, tiles_inside }) => [tiles_touched, tiles_inside])).toEqual([
      [4, 2],
      [4, 2],
      [1, 1],
      [0, 0],
    ])
  })
})

describe('lots', () => {
  test('little memory divides the tiles', async () => {
    const opened = await openFixture('dense_reads/merged')
    const query: ReadQuery = { order: 'global', ranges: new Map(), fields: ['a', 'n'] }
    const whole = await planDense({ opened, query, exact: false })
    expect(new Set(whole.tile_reads.map(({ call }) => call)).size).toBe(2)
    const memory = { total_budget: whole.least_memory_budget, tile_upper_memory_limit: 2 ** 30 }
    const divided = await planDense({ opened, query, exact: false }, memory)
    expect(new Set(divided.tile_reads.map(({ call }) => call)).size).toBe(14)
    expect(tilesRead(divided)).toBe(tilesRead(whole))
    expect(divided.least_memory_budget).toBe(whole.least_memory_budget)
  })

  // TileDB 2.30 crashes with 1,000 bytes and any budget, as measured.
  test('if lots do not follow each other, var-sized cells need all tiles in one lot', async () => {
    const opened = await openFixture('dense_reads/merged')
    const least = async (order: ReadOrder, tile_upper_memory_limit: number): Promise<number> => {
      const query: ReadQuery = { order, ranges: new Map(), fields: ['s'] }
      const memory = { total_budget: 10 * 2 ** 30, tile_upper_memory_limit }
      return (await planDense({ opened, query, exact: false }, memory)).least_memory_budget
    }
    expect(await least('row-major', 1000)).toBe(Number.POSITIVE_INFINITY)
    expect(await least('row-major', 10_000)).toBeGreaterThan(await least('global', 10_000))
    expect(await least('global', 1000)).toBe(await least('global', 10_000))
  })

  test('cutsInOrder finds after which tiles the result has no gap', () => {
    const wanted = [{ low: 1n, high: 4n }]
    const sides = { domainLow: 0n, domainHigh: 8n, extent: 2n, low: 0n, high: 8n, firstTile: 0n, tile_num: 5 }
    // Coordinates 1, 2 to 3, and 4.
    const axis = gridAxis({ type: 'INT32', ...sides }, wanted, wanted)
    expect([...cutsInOrder([axis], [0], [0])]).toEqual([1, 1, 1, 1])
    // The first row of tiles has one row of cells, in which they follow each other.
    expect([...cutsInOrder([axis, axis], [0, 1], [0, 1])]).toEqual([1, 1, 1, 1, 0, 0, 1, 1, 1, 1])
    expect([...cutsInOrder([axis, axis], [1, 0], [0, 1])]).toEqual([1, 1, 0, 0, 0, 0, 0, 0, 0, 1])
  })
})
