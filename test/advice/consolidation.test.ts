import { readFileSync } from 'node:fs'
import { expect, test } from '@jest/globals'
import {
  CONSOLIDATION_DEFAULTS,
  type Consolidatable,
  type ConsolidationSettings,
  leastAmplification,
  nextConsolidated,
} from '../../src/advice/consolidation.ts'
import { FIXTURES } from '../helpers/fixtures.ts'

/** What TileDB consolidated in one step (consolidation.py). */
interface Recorded {
  tile_extent: number
  cases: readonly {
    fragments: readonly { box: [number, number][]; bytes: number }[]
    settings: Partial<ConsolidationSettings>
    merged: number[]
  }[]
}

const { tile_extent, cases } = JSON.parse(readFileSync(`${FIXTURES}/consolidation.json`, 'utf8')) as Recorded

function consolidatable({ box, bytes }: Recorded['cases'][number]['fragments'][number]): Consolidatable {
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

test('the least amplification is one with which all become one, and a little less is none', () => {
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
