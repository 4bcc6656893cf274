import { join } from 'node:path'
import { describe, expect, test } from '@jest/globals'
import type { ReadPlan } from '../../src/explain/plan.ts'
import { localFiles } from '../../src/node/file.ts'
import { metadataSections } from '../../src/objects/metadata-sections.ts'
import type { OpenedArray } from '../../src/read/query.ts'
import type { ByteSource } from '../../src/storage/source.ts'
import { temporaryFolder } from '../helpers/folders.ts'
import { run, runJson } from '../helpers/run.ts'
import { shortTurn } from '../helpers/turn.ts'
import { type Counts, measuredSparse, planOf } from './measured-sparse.ts'

async function countsOf(
  opened: OpenedArray,
  plan: ReadPlan,
): Promise<Omit<Counts, 'cells_found' | 'least_memory_budget'>> {
  const metadata: Record<string, number> = {}
  for (const { fragment, section, slot } of plan.metadata_reads) {
    const stored = await metadataSections(opened.fragments[fragment].fragment)
    const own = stored.find((one) => one.name === section && one.slot === slot)
    metadata[section] = (metadata[section] ?? 0) + (own?.unfiltered_size ?? Number.NaN)
  }
  const tiles_read = plan.tile_reads.reduce((sum, { tiles }) => sum + tiles.length, 0)
  return { tiles_read, cells_read: plan.cells_read, metadata }
}

/** How many fragments and tiles the plans skip, by reason, and how many tiles are inside of the ranges. */
const skipped = { domain: 0, rtree: 0, tiles: 0, inside: 0 }

function countSkipped({ fragments }: ReadPlan): void {
  for (const { passed_over_by, tiles_touched, tiles_dropped, tiles_inside } of fragments) {
    if (passed_over_by === 'domain' || passed_over_by === 'rtree') {
      skipped[passed_over_by]++
      expect(tiles_touched).toBe(0)
    }
    expect(tiles_dropped).toBeLessThanOrEqual(tiles_touched)
    skipped.tiles += tiles_dropped
    skipped.inside += tiles_inside
  }
}

describe.each([...new Set(measuredSparse.map(({ array }) => array))])('%s', (name) => {
  test('a plan has the numbers that TileDB counted', async () => {
    for (const asked of measuredSparse.filter(({ array }) => array === name)) {
      const { tiles_read, cells_read, cells_found, metadata } = asked
      const { opened, plan } = await planOf(asked, true)
      countSkipped(plan)
      const found = { ...(await countsOf(opened, plan)), cells_found: plan.cells_found, asked }
      expect(found).toEqual({ tiles_read, cells_read, cells_found, metadata, asked })
      const memory = plan.least_memory_budget - asked.least_memory_budget
      const near = Math.abs(memory) <= 0.02 * asked.least_memory_budget
      expect({ asked, memory, near }).toEqual({ asked, memory, near: true })
    }
  })

  test('without decoding coordinates, no number is below the one that TileDB counted', async () => {
    for (const asked of shortTurn(
      measuredSparse.filter(({ array }) => array === name),
      3,
    )) {
      const { opened, plan } = await planOf(asked, false)
      const found = await countsOf(opened, plan)
      expect({ ...found, tiles_read: asked.tiles_read }).toEqual({
        tiles_read: asked.tiles_read,
        cells_read: asked.cells_read,
        metadata: asked.metadata,
      })
      expect(found.tiles_read).toBeGreaterThanOrEqual(asked.tiles_read)
      expect(plan.cells_found).toBeNull()
      expect({ asked, ok: plan.least_memory_budget >= 0.98 * asked.least_memory_budget }).toEqual({ asked, ok: true })
    }
  })
})

test('plans tell why fragments and tiles are skipped', () => {
  expect(Math.min(...Object.values(skipped))).toBeGreaterThan(0)
})

const folder = temporaryFolder()

test('--exact reads no cells of a single fragment that has no times: none hides another', async () => {
  const path = join(folder, 'single')
  const sizes = ['--fragments', '1', '--cells', '500', '--capacity', '50']
  const written = await run(['write-sample', path, '--dim', 'x:INT64:0..9999', '--attr', 'a:INT32', ...sizes])
  expect(written.code).toBe(0)
  const opened: string[] = []
  const open = (file: string): ByteSource => {
    if (/\/[ad]\d\.tdb$/.test(file)) opened.push(file)
    return localFiles.open(file)
  }
  const { code, documents } = await runJson(['explain', '--exact', path], { storage: { ...localFiles, open } })
  expect({ code, documents, opened }).toMatchObject({
    code: 0,
    documents: [{ total: { cells_found: 500 } }],
    opened: [],
  })
})
