import { readFileSync } from 'node:fs'
import { describe, expect, test } from '@jest/globals'
import { type Bounds, comparable } from '../../src/cells/bounds.ts'
import type { ReadPlan } from '../../src/explain/plan.ts'
import { planSparseGlobal, planSparseUnordered } from '../../src/explain/sparse.ts'
import type { ComparisonOp, ConditionNode } from '../../src/format/delete-condition.ts'
import { localStorage } from '../../src/node/file.ts'
import { InspectArray } from '../../src/objects/array.ts'
import { metadataSections } from '../../src/objects/metadata-sections.ts'
import { openAt } from '../../src/read/opening.ts'
import type { OpenedArray } from '../../src/read/query.ts'
import { Folder } from '../../src/storage/source.ts'
import { contextFor, FIXTURES } from '../helpers/fixtures.ts'

type Where = ['and' | 'or', Where, Where] | [field: string, op: string, hex: string]

interface Counts {
  tiles_read: number
  cells_read: number
  cells_found: number
  /** Unfiltered bytes of sections, by name. */
  metadata: Record<string, number>
  least_memory_budget: number
}

/** A query, and what TileDB 2.30 counted: test/fixtures/README.md says how it is spelled. */
interface Explained extends Counts {
  array: string
  key?: string
  between: [from: number, to: number]
  order: 'global' | 'unordered'
  ranges: ([low: string, high: string][] | null)[]
  fields: string[] | null
  where: Where | null
}

const explained: Explained[] = JSON.parse(readFileSync(`${FIXTURES}/explain-sparse.json`, 'utf8'))
const OPS: Record<string, ComparisonOp> = { '<': 'LT', '<=': 'LE', '>': 'GT', '>=': 'GE', '==': 'EQ', '!=': 'NE' }

function condition(where: Where): ConditionNode {
  if (where[0] === 'and' || where[0] === 'or') {
    const children = (where.slice(1) as Where[]).map(condition)
    return { node: 'expression', op: where[0] === 'and' ? 'AND' : 'OR', children }
  }
  const [field, op, hex] = where as [string, string, string]
  return { node: 'value', field, op: OPS[op], value: bytes(hex), offsets: undefined }
}

function bytes(hex: string): Uint8Array {
  return Uint8Array.from(Buffer.from(hex, 'hex'))
}

async function planOf(asked: Explained, exact: boolean): Promise<{ opened: OpenedArray; plan: ReadPlan }> {
  const { array: name, key, order, fields, where } = asked
  const array = new InspectArray(new Folder(localStorage, `${FIXTURES}/${name}`), contextFor({ key }))
  const opened = await openAt(array, { from: BigInt(asked.between[0]), to: BigInt(asked.between[1]) })
  const { dimensions } = opened.schema.domain
  const ranges = new Map<number, Bounds[]>()
  asked.ranges.forEach((pairs, d) => {
    const end = (hex: string) => comparable(dimensions[d].type, bytes(hex))
    const own = pairs?.map(([low, high]) => ({ low: end(low), high: end(high) }))
    if (own) ranges.set(d, own)
  })
  const query = { order, ranges, fields: fields ?? undefined, where: where ? condition(where) : undefined }
  const unordered = order === 'unordered' && opened.schema.allows_duplicates
  return {
    opened,
    plan: await (unordered ? planSparseUnordered : planSparseGlobal)({ opened, query, exact }),
  }
}

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

describe.each([...new Set(explained.map(({ array }) => array))])('%s', (name) => {
  test('a plan has the numbers that TileDB counted', async () => {
    for (const asked of explained.filter(({ array }) => array === name)) {
      const { tiles_read, cells_read, cells_found, metadata } = asked
      const { opened, plan } = await planOf(asked, true)
      const found = { ...(await countsOf(opened, plan)), cells_found: plan.cells_found, asked }
      expect(found).toEqual({ tiles_read, cells_read, cells_found, metadata, asked })
      const memory = plan.least_memory_budget - asked.least_memory_budget
      const near = Math.abs(memory) <= 0.02 * asked.least_memory_budget
      expect({ asked, memory, near }).toEqual({ asked, memory, near: true })
    }
  })

  test('without decoding coordinates, no number is below the one that TileDB counted', async () => {
    for (const asked of explained.filter(({ array }) => array === name)) {
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

test('a plan tells why fragments and tiles are skipped', async () => {
  const dropped = { domain: 0, rtree: 0, tiles: 0, inside: 0 }
  for (const asked of explained) {
    const { plan } = await planOf(asked, true)
    for (const one of plan.fragments) {
      if (one.passed_over_by === 'domain' || one.passed_over_by === 'rtree') {
        dropped[one.passed_over_by]++
        expect(one.tiles_touched).toBe(0)
      }
      expect(one.tiles_dropped).toBeLessThanOrEqual(one.tiles_touched)
      dropped.tiles += one.tiles_dropped
      dropped.inside += one.tiles_inside
    }
  }
  expect(Math.min(...Object.values(dropped))).toBeGreaterThan(0)
})
