import { readFileSync } from 'node:fs'
import { describe, expect, test } from '@jest/globals'
import { planLegacy } from '../../src/explain/legacy.ts'
import type { Buffers } from '../../src/explain/memory/partitions.ts'
import type { ExplainQuery, ReadPlan } from '../../src/explain/plan.ts'
import { type AskedRead, openAsked } from '../helpers/asked-reads.ts'
import { FIXTURES, fixtureKey } from '../helpers/fixtures.ts'

/** A query of an array, and what TileDB counted: test/fixtures/README.md says how it is spelled. */
interface Counted extends Omit<AskedRead, 'cell_num' | 'answer'> {
  array: string
  /** Undefined: room for all. */
  buffers?: Buffers
  counters: { tiles_read: number; cells_read: number; cells_found: number }
  metadata: Record<string, number>
}

const counted: Counted[] = JSON.parse(readFileSync(`${FIXTURES}/explain-legacy.json`, 'utf8'))

function open({ array, ...query }: Counted): Promise<Omit<ExplainQuery, 'exact'>> {
  return openAsked(`${FIXTURES}/${array}`, fixtureKey(array), query)
}

function tilesRead({ tile_reads }: ReadPlan): number {
  return tile_reads.reduce((sum, { tiles }) => sum + tiles.length, 0)
}

/** Unfiltered bytes of the sections that are loaded, by kind. */
async function metadataOf({ opened }: Pick<ExplainQuery, 'opened'>, plan: ReadPlan): Promise<Record<string, number>> {
  const sizes: Record<string, number> = {}
  for (const { fragment, section, slot } of plan.metadata_reads) {
    const tile = await opened.fragments[fragment].fragment.pagedSection(section, slot)
    sizes[section] = (sizes[section] ?? 0) + (tile?.length ?? 0)
  }
  return sizes
}

describe('a plan for the legacy reader has the numbers that TileDB counted', () => {
  test.each(counted)('$array $order $ranges $between $buffers', async (query) => {
    const asked = await open(query)
    const plan = await planLegacy({ ...asked, exact: true }, query.buffers)
    const { cells_read, cells_found } = plan
    expect({ tiles_read: tilesRead(plan), cells_read, cells_found }).toEqual(query.counters)
    expect(await metadataOf(asked, plan)).toEqual(query.metadata)
    expect(plan.least_memory_budget).toBe(0)
  })

  // How much is read again for small buffers depends on the cells.
  test.each(counted.filter(({ buffers }) => !buffers))('$array $order $ranges $between: at most', async (query) => {
    const bound = await planLegacy({ ...(await open(query)), exact: false })
    expect(bound.cells_found).toBeNull()
    expect(tilesRead(bound)).toBeGreaterThanOrEqual(query.counters.tiles_read)
    expect(bound.cells_read).toBeGreaterThanOrEqual(query.counters.cells_read)
  })
})

test('halving a range in Hilbert order ends, even if its bucket is rounded to the end of the range', async () => {
  const query = counted.find(({ array, order }) => array === '14/hilbert_ties' && order === 'row-major') as Counted
  const plan = await planLegacy({ ...(await open(query)), exact: true }, { cells: 3, var_bytes: 16 })
  expect(plan.cells_found).toBeGreaterThanOrEqual(query.counters.cells_found)
})
