import { readFileSync } from 'node:fs'
import { expect, test } from '@jest/globals'
import {
  CONSOLIDATION_DEFAULTS,
  type Consolidatable,
  type ConsolidationSettings,
  candidatesBetween,
  leastAmplification,
  nextConsolidated,
} from '../../src/advice/consolidation.ts'
import { FIXTURES } from '../helpers/fixtures.ts'

/** What TileDB consolidated in one step (consolidation.py). */
interface Recorded {
  tile_extent: number
  cases: readonly Case[]
  timed: readonly (Case & { settings: { timestamp_start?: number; timestamp_end?: number } })[]
}

interface Case {
  fragments: readonly { box: [number, number][]; bytes: number }[]
  settings: Partial<ConsolidationSettings>
  merged: number[]
}

const { tile_extent, cases, timed } = JSON.parse(readFileSync(`${FIXTURES}/consolidation.json`, 'utf8')) as Recorded

function consolidatable({ box, bytes }: Case['fragments'][number]): Consolidatable {
  const tiles = box.map(([low, high]) => Math.floor(high / tile_extent) - Math.floor(low / tile_extent) + 1)
  return {
    bytes,
    box: box.map(([low, high]) => [BigInt(low), BigInt(high)]),
    tile_cells: box.length === 0 ? 0 : tiles.reduce((all, one) => all * one * tile_extent, 1),
  }
}

test('the fragments that a step takes are those that TileDB took', () => {
  expect(cases.length).toBeGreaterThan(100)
  for (const { fragments, settings, merged } of cases) {
    const next = nextConsolidated(fragments.map(consolidatable), { ...CONSOLIDATION_DEFAULTS, ...settings })
    const found = next ? Array.from({ length: next.count }, (_, i) => next.first + i) : []
    expect({ fragments, settings, found }).toEqual({ fragments, settings, found: merged })
  }
})

test('the same with settings that limit the times', () => {
  let hidden = 0
  for (const { fragments, settings, merged } of timed) {
    const { timestamp_start = 0, timestamp_end = 99, ...others } = settings
    const every = fragments.map(consolidatable)
    const times = every.map((_, i) => [BigInt(i + 1), BigInt(i + 1)] as const)
    const { candidates, before } = candidatesBetween(every, times, [BigInt(timestamp_start), BigInt(timestamp_end)])
    const some = candidates.map((i) => every[i])
    const next = nextConsolidated(some, { ...CONSOLIDATION_DEFAULTS, ...others }, before)
    const found = next ? candidates.slice(next.first, next.first + next.count) : []
    expect({ fragments, settings, found }).toEqual({ fragments, settings, found: merged })
    if (nextConsolidated(some, { ...CONSOLIDATION_DEFAULTS, ...others })?.count !== next?.count) hidden++
  }
  // Some would hide cells of fragments that begin before.
  expect(hidden).toBeGreaterThan(2)
  expect(timed.filter(({ merged }) => merged.length > 0).length).toBeGreaterThan(10)
})

test('all fragments are merged with the least amplification, but not with a little less', () => {
  let tried = 0
  for (const { fragments } of cases) {
    const all = fragments.map(consolidatable)
    const least = leastAmplification(all)
    const merged = (amplification: number) => nextConsolidated(all, { ...CONSOLIDATION_DEFAULTS, amplification })?.count
    expect(merged(least * 1.001)).toBe(all.length)
    if (least === 0) continue
    expect(merged(least * 0.999)).toBeUndefined()
    tried++
  }
  expect(tried).toBeGreaterThan(50)
})
