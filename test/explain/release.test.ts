import { readFileSync } from 'node:fs'
import { describe, expect, test } from '@jest/globals'
import type { Bounds } from '../../src/cells/bounds.ts'
import { planRead } from '../../src/explain/explain.ts'
import { RELEASE } from '../../src/explain/memory/release.ts'
import { MEASURED_RELEASE } from '../../src/format/releases.ts'
import { localFiles } from '../../src/node/file.ts'
import { InspectArray } from '../../src/objects/array.ts'
import { openAt } from '../../src/read/opening.ts'
import type { ReadOrder, ReadQuery } from '../../src/read/query.ts'
import { Folder } from '../../src/storage/source.ts'
import { contextFor, FIXTURES } from '../helpers/fixtures.ts'
import { measuredSparse, planOf } from './measured-sparse.ts'

/** What TileDB says of its settings, and how it reads small_tiles/: see test/fixtures/explain_release.py. */
interface Recorded {
  libtiledb: string
  settings: Readonly<Record<string, number>>
  measured: readonly {
    array: string
    order: ReadOrder
    ranges: [low: number, high: number][]
    /** The least `sm.mem.total_budget`, in bytes, with which TileDB takes one round. */
    one_round_budget: number
  }[]
}

/** In bytes. The budgets were measured within 8. */
const TOLERANCE = 32

const recorded: Recorded = JSON.parse(readFileSync(`${FIXTURES}/explain-release.json`, 'utf8'))

function boundsOf([low, high]: readonly [low: number, high: number]): Bounds {
  return { low, high }
}

async function roundNum({ array: name, order, ranges }: Recorded['measured'][number], budget: number): Promise<number> {
  const array = new InspectArray(
    new Folder(localFiles, `${FIXTURES}/small_tiles/${name}`),
    contextFor({ key: undefined }),
  )
  const opened = await openAt(array)
  const query: ReadQuery = { order, ranges: ranges.length > 0 ? new Map([[0, ranges.map(boundsOf)]]) : new Map() }
  const plan = await planRead({ opened, query, exact: true }, budget)
  const calls = plan.tile_reads.flatMap(({ slot, call }) => (slot === 0 ? [call] : []))
  return new Set(calls).size
}

/** Whether the program takes one round with the budget with which TileDB does, and more with a little less. */
async function agrees(one: Recorded['measured'][number]): Promise<boolean> {
  const budget = one.one_round_budget
  return (await roundNum(one, budget)) === 1 && (await roundNum(one, budget - TOLERANCE)) > 1
}

/** Whether some measurement contradicts the numbers of the release as they are now. */
async function isContradicted(): Promise<boolean> {
  for (const one of recorded.measured) if (!(await agrees(one))) return true
  for (const asked of measuredSparse.slice(0, 20)) {
    const { plan } = await planOf(asked, true)
    if (Math.abs(plan.least_memory_budget / asked.least_memory_budget - 1) > 0.02) return true
  }
  return false
}

test('the release is the one that was measured', () => {
  expect(recorded.libtiledb.startsWith(`${MEASURED_RELEASE}.`)).toBe(true)
})

test('the defaults of its settings are those that it says', () => {
  expect(RELEASE.settings).toEqual(recorded.settings)
})

test.each(recorded.measured)('small_tiles/$array is read in one round from the same budget on', async (one) => {
  expect(await agrees(one)).toBe(true)
})

describe('of another size of an object, some measurement says that it is wrong', () => {
  test.each(Object.entries(RELEASE.bytes))('%s', async (name, size) => {
    for (const other of [size - Math.ceil(size / 10), size + Math.ceil(size / 10)]) {
      Reflect.set(RELEASE.bytes, name, other)
      const contradicted = await isContradicted().finally(() => Reflect.set(RELEASE.bytes, name, size))
      expect({ other, contradicted }).toEqual({ other, contradicted: true })
    }
  })

  test('slot_vectors', async () => {
    const size = RELEASE.slot_vectors
    for (const other of [size - 1, size + 1]) {
      Reflect.set(RELEASE, 'slot_vectors', other)
      const contradicted = await isContradicted().finally(() => Reflect.set(RELEASE, 'slot_vectors', size))
      expect({ other, contradicted }).toEqual({ other, contradicted: true })
    }
  })
})
