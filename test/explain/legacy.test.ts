import { readFileSync } from 'node:fs'
import { describe, expect, test } from '@jest/globals'
import { planLegacy } from '../../src/explain/legacy.ts'
import type { Buffers } from '../../src/explain/memory/partitions.ts'
import { RELEASE } from '../../src/explain/memory/release.ts'
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

function countedOf(file: string): Counted[] {
  return JSON.parse(readFileSync(`${FIXTURES}/${file}`, 'utf8'))
}

/** Queries of which TileDB reads some ranges again, because it expected too few cells: where it divides them decides its counts. */
const divided = countedOf('explain-splitting.json')
const counted = [...countedOf('explain-legacy.json'), ...divided]

function open({ array, ...query }: Counted): Promise<Omit<ExplainQuery, 'exact'>> {
  return openAsked(`${FIXTURES}/${array}`, fixtureKey(array), query)
}

function tilesRead({ tile_reads }: ReadPlan): number {
  return tile_reads.reduce((sum, { tiles }) => sum + tiles.length, 0)
}

/** Whether TileDB counted something else for some query. */
async function isContradicted(queries: readonly Counted[]): Promise<boolean> {
  for (const query of queries) {
    const plan = await planLegacy({ ...(await open(query)), exact: true }, query.buffers)
    if (tilesRead(plan) !== query.counters.tiles_read) return true
  }
  return false
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

test.each([
  ['multi_range_reduction', 0.05],
  ['max_text_depth', 1],
] as const)('of another %s, some measurement says that it is wrong', async (name, step) => {
  const value = RELEASE.splitting[name]
  for (const other of [value - step, value + step]) {
    Reflect.set(RELEASE.splitting, name, other)
    const contradicted = await isContradicted(divided).finally(() => Reflect.set(RELEASE.splitting, name, value))
    expect({ other, contradicted }).toEqual({ other, contradicted: true })
  }
})
