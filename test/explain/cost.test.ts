import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from '@jest/globals'
import { Batches } from '../../src/explain/batches.ts'
import { RELEASE } from '../../src/explain/memory/release.ts'
import { openingCost } from '../../src/explain/opening-cost.ts'
import type { MetadataRead, ReadPlan, TileRead } from '../../src/explain/plan.ts'
import { type ReadCost, readCost } from '../../src/explain/read-cost.ts'
import { emptyStep, type StepCost, secondsOf } from '../../src/explain/step-cost.ts'
import { localFiles } from '../../src/node/file.ts'
import { InspectArray } from '../../src/objects/array.ts'
import { openAt } from '../../src/read/opening.ts'
import type { OpenedArray } from '../../src/read/query.ts'
import { Folder } from '../../src/storage/source.ts'
import { contextFor, FIXTURES, fixtureKey } from '../helpers/fixtures.ts'
import { Random } from '../helpers/random.ts'

/** What TileDB counted: see test/fixtures/README.md. */
interface Recorded {
  libtiledb: string
  openings: Readonly<Record<string, readonly (readonly [time: number, reads: number, bytes: number, sizes: number])[]>>
  whole: Readonly<Record<string, readonly [tiles: number, unfiltered: number, reads: number, bytes: number]>>
}

const file = fileURLToPath(new URL('../fixtures/explain-cost.json', import.meta.url))
const { libtiledb, openings, whole }: Recorded = JSON.parse(readFileSync(file, 'utf8'))

function arrayOf(name: string): InspectArray {
  return new InspectArray(new Folder(localFiles, `${FIXTURES}/${name}`), contextFor({ key: fixtureKey(name) }))
}

function sum(
  steps: readonly StepCost[],
  key: 'reads' | 'bytes' | 'sizes' | 'requests' | 'list_requests' | 'head_requests',
): number {
  return steps.reduce((total, step) => total + step[key], 0)
}

describe(`openingCost is what libtiledb ${libtiledb} counts`, () => {
  test.each(Object.keys(openings))('%s', async (name) => {
    const array = arrayOf(name)
    const counted: unknown[] = []
    for (const [time] of openings[name]) {
      const steps = await openingCost(await openAt(array, { to: BigInt(time) }))
      expect(steps.find((step) => step.name === 'listings')).toMatchObject({ listings: 5, reads: 0, bytes: 0 })
      counted.push([time, sum(steps, 'reads'), sum(steps, 'bytes'), sum(steps, 'sizes')])
    }
    expect(counted).toEqual(openings[name])
  })
})

/** Every tile of every field: coordinates, times, then attributes. */
function wholePlan({ fragments, schema }: OpenedArray): ReadPlan {
  const metadata_reads: MetadataRead[] = []
  const tile_reads: TileRead[] = []
  for (const [fragment, { info }] of fragments.entries()) {
    const tiles = Uint32Array.from({ length: info.tile_num }, (_, i) => i)
    metadata_reads.push({ fragment, section: 'rtree' })
    for (const [slot, { kind, phantom, varSized, nullable }] of info.slots.entries()) {
      if (phantom || kind.startsWith('delete') || (kind === 'timestamps' && schema.allows_duplicates)) continue
      tile_reads.push({ fragment, slot, tiles, call: kind === 'attribute' ? 2 : kind === 'timestamps' ? 1 : 0 })
      metadata_reads.push({ fragment, slot, section: 'tile_offsets' })
      if (varSized) metadata_reads.push({ fragment, slot, section: 'tile_var_offsets' })
      if (varSized) metadata_reads.push({ fragment, slot, section: 'tile_var_sizes' })
      if (nullable) metadata_reads.push({ fragment, slot, section: 'tile_validity_offsets' })
    }
  }
  return {
    reader: 'SparseUnorderedWithDupsReader',
    fragments: [],
    tile_reads,
    metadata_reads,
    cells_read: 0,
    cells_found: null,
    least_memory_budget: 0,
  }
}

function costOf(opened: OpenedArray, plan: ReadPlan): Promise<ReadCost> {
  return readCost({ opened, query: { order: 'unordered', ranges: new Map() }, exact: true }, plan)
}

/** The same tiles, each in a part of its own: then places come from the lists, not from the sizes of files. */
function inHalves(reads: readonly TileRead[]): TileRead[] {
  return reads.flatMap((read) => {
    const middle = read.tiles.length >> 1
    return [
      { ...read, tiles: read.tiles.subarray(0, middle) },
      { ...read, tiles: read.tiles.subarray(middle) },
    ]
  })
}

describe(`readCost of reading all tiles is what libtiledb ${libtiledb} counts`, () => {
  test.each(Object.keys(whole))('%s', async (name) => {
    const opened = await openAt(arrayOf(name))
    const plan = wholePlan(opened)
    const { steps, tiles } = await costOf(opened, plan)
    expect([tiles.tiles, tiles.unfiltered_bytes, sum(steps, 'reads'), sum(steps, 'bytes')]).toEqual(whole[name])
    const { tiles: halves } = await costOf(opened, { ...plan, tile_reads: inHalves(plan.tile_reads) })
    expect(halves).toMatchObject({ tiles: tiles.tiles, unfiltered_bytes: tiles.unfiltered_bytes })
    expect(halves.stored_bytes).toBe(tiles.stored_bytes)
    expect(halves.step.bytes).toBe(tiles.step.bytes)
    const fields = tiles.fields.flatMap(({ parts }) => parts)
    expect(fields.reduce((bytes, part) => bytes + part.stored_bytes, 0)).toBe(tiles.stored_bytes)
    expect([...tiles.fragments.values()].reduce((all, one) => all + one.tiles, 0)).toBe(tiles.tiles)
  })
})

describe('requests are what libtiledb 2.30.0 sent to an S3 server', () => {
  // To open the array: LIST, HEAD and GET; and then to read all tiles: GET.
  test.each([
    ['1/filt_strings', [5, 5, 2], 9],
    ['4/sparse_consolidated', [5, 4, 2], 5],
    ['8/string_dim', [5, 3, 3], 7],
    ['22/commits_consolidated', [5, 5, 10], 24],
    ['22/deletes', [5, 2, 5], 14],
    ['22/fragment_metadata_consolidated', [5, 0, 2], 18],
    ['22/sparse_basic', [5, 1, 3], 13],
    ['merged/later_than_named', [5, 5, 9], 22],
  ] as const)('%s', async (name, toOpen, toRead) => {
    const opened = await openAt(arrayOf(name))
    const { steps, opening } = await costOf(opened, wholePlan(opened))
    const kinds = (some: readonly StepCost[]): number[] => {
      const [requests, list_requests, head_requests] = (['requests', 'list_requests', 'head_requests'] as const).map(
        (key) => sum(some, key),
      )
      return [list_requests, head_requests, requests - list_requests - head_requests]
    }
    expect(kinds(opening)).toEqual(toOpen)
    expect(kinds(steps.slice(opening.length))).toEqual([0, 0, toRead])
  })
})

const {
  'vfs.min_batch_size': MIN_BATCH_BYTES,
  'vfs.max_batch_size': MAX_BATCH_BYTES,
  'vfs.min_batch_gap': MIN_BATCH_GAP,
} = RELEASE.settings

describe('tiles are read together', () => {
  const reads = (...places: readonly (readonly [start: number, end: number])[]): unknown => {
    const batches = new Batches()
    for (const [start, end] of places) batches.add(start, end)
    batches.finish()
    const { ranges, stored_bytes, reads: count, bytes } = batches
    return { ranges, stored_bytes, reads: count, bytes }
  }

  test('within the minimum batch size, whatever lies between them', () => {
    expect(reads([0, 10], [MIN_BATCH_BYTES - 10, MIN_BATCH_BYTES])).toEqual({
      ranges: 2,
      stored_bytes: 20,
      reads: 1,
      bytes: MIN_BATCH_BYTES,
    })
    expect(reads([0, 10], [MIN_BATCH_BYTES - 10, MIN_BATCH_BYTES + 1])).toMatchObject({ reads: 2, bytes: 21 })
  })

  test('above it, across short gaps', () => {
    const first = [0, MIN_BATCH_BYTES] as const
    const at = MIN_BATCH_BYTES + MIN_BATCH_GAP
    expect(reads(first, [at, at + 10])).toMatchObject({ ranges: 2, reads: 1, bytes: at + 10 })
    expect(reads(first, [at + 1, at + 11])).toMatchObject({
      ranges: 2,
      reads: 2,
      bytes: MIN_BATCH_BYTES + 10,
    })
  })

  test('in no more reads and bytes than the upper bound for any choice of them', () => {
    const source = new Random(7)
    const random = (): number => source.bits() / 2 ** 32
    const sum = (places: readonly (readonly [number, number])[], exact: boolean): Batches => {
      const batches = new Batches(exact)
      for (const [start, end] of places) batches.add(start, end)
      batches.finish()
      return batches
    }
    for (let round = 0; round < 500; round++) {
      let end = 0
      const length = [1e4, 1e6, 3e7][round % 3]
      const places = Array.from({ length: 40 }, () => {
        const start = end + (random() < 0.5 ? 0 : Math.floor(random() * length))
        end = start + 1 + Math.floor(random() * 3e6)
        return [start, end] as const
      })
      const foretold = sum(places, false)
      const read = sum(
        places.filter(() => random() < 0.3),
        true,
      )
      expect(foretold.reads).toBeGreaterThanOrEqual(read.reads)
      expect(foretold.bytes).toBeGreaterThanOrEqual(read.bytes)
      expect(foretold.requests).toBeGreaterThanOrEqual(read.requests)
    }
    // Fewer tiles may take more reads, and more bytes.
    const five = [0, 10e6, 20e6, 30e6, 40e6].map((start) => [start, start + 10e6] as const)
    expect([sum(five, true).reads, sum([five[0], five[2], five[4]], true).reads]).toEqual([1, 3])
    expect(sum(five, false).reads).toBeGreaterThanOrEqual(3)
    const three = [0, 1e6, 21e6].map((start) => [start, start + 10] as const)
    expect([sum(three, true).bytes, sum(three.slice(1), true).bytes]).toEqual([1_000_020, 20_000_010])
    expect(sum(three, false).bytes).toBe(21_000_010)
  })

  test('up to the maximum batch size, which a single tile may exceed', () => {
    expect(reads([0, 10], [10, MAX_BATCH_BYTES])).toMatchObject({ ranges: 1, reads: 1 })
    expect(reads([0, 10], [10, MAX_BATCH_BYTES + 1])).toMatchObject({
      ranges: 1,
      reads: 2,
      bytes: MAX_BATCH_BYTES + 1,
    })
    expect(reads([5, MAX_BATCH_BYTES + 9])).toMatchObject({
      reads: 1,
      bytes: MAX_BATCH_BYTES + 4,
    })
  })
})

test('seconds are rounds of requests, then bytes', () => {
  const step = { ...emptyStep('footers'), sizes: 10, reads: 20, requests: 30, chain: 3, bytes: 5_000_000 }
  const rates = { latency_ms: 100, megabytes_per_second: 10, at_once: 8, reads_ahead: true }
  expect(secondsOf(step, rates)).toBeCloseTo(4 * 0.1 + 0.5)
  expect(secondsOf({ ...step, requests: 8 }, rates)).toBeCloseTo(3 * 0.1 + 0.5)
  expect(secondsOf(step, { ...rates, at_once: 1, reads_ahead: false })).toBeCloseTo(30 * 0.1 + 0.5)
})
