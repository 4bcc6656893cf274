import { describe, expect, test } from '@jest/globals'
import type { AdvisedFinding } from '../../src/advice/findings.ts'
import { arrayFindings, queryFindings } from '../../src/advice/findings.ts'
import { lineText } from '../../src/advice/line.ts'
import { countsOfRead } from '../../src/advice/remedies.ts'
import type { RangeSets } from '../../src/cells/bounds.ts'
import { planRead } from '../../src/explain/explain.ts'
import { readCost } from '../../src/explain/read-cost.ts'
import type { OpenedArray } from '../../src/read/query.ts'
import { defaultOrder } from '../../src/read/read.ts'
import { floats, ints, type Made, type MadeDimension, madeArray, noise, ZSTD } from './made-array.ts'

const PLANE: Made = {
  dimensions: [
    ['x', 0, 999, 1000],
    ['y', 0, 999, 1000],
  ],
  attributes: { v: [ZSTD] },
  capacity: 1000n,
  fragments: [],
}

/** Cells all over the plane, each place once. */
function plane(count: number, seed: number): Record<string, Int32Array | Float64Array> {
  const place = (i: number): number => (i * 7_919 + seed) % 1_000_000
  return {
    x: ints(count, (i) => Math.floor(place(i) / 1000)),
    y: ints(count, (i) => place(i) % 1000),
    v: floats(count, (i) => Math.round(noise(i) * 100)),
  }
}

/** Six fragments, each all over the plane. */
const SIX: Made = { ...PLANE, fragments: Array.from({ length: 6 }, (_, i) => plane(60_000, i)) }

/** A box of the same ends along each dimension. */
async function found(opened: OpenedArray, low: number, high: number, exact: boolean): Promise<AdvisedFinding[]> {
  const ranges = new Map(opened.schema.domain.dimensions.map((_, d) => [d, [{ low, high }]]))
  const asked = { opened, query: { order: defaultOrder(opened), ranges }, exact, computesRemedies: exact }
  const plan = await planRead(asked)
  return queryFindings(asked, plan, await readCost(asked, plan))
}

describe('findings of a query', () => {
  test('a box that is in every fragment, and in long tiles: what consolidation and another order would give', async () => {
    const opened = await madeArray(SIX)
    const findings = await found(opened, 100, 149, true)
    expect(findings.map(({ code }) => code)).toEqual(['FRAGMENTS_OVERLAP', 'TILE_SHAPE'])
    const [overlap, shape] = findings
    expect(overlap.remedies?.[0]).toMatchObject({ change: 'consolidated', basis: 'computed' })
    expect(shape.remedies?.[0]).toMatchObject({ change: 'cells in hilbert order, written anew', basis: 'computed' })
    for (const { before, after } of [...(overlap.remedies ?? []), ...(shape.remedies ?? [])]) {
      expect(after.reads).toBeLessThan(before.reads)
      expect(after.cells_read).toBeGreaterThan(0)
    }
    for (const { before, after } of shape.remedies ?? []) expect(after.tiles_read).toBeLessThan(before.tiles_read)
    expect(shape.advice.map(lineText).join('\n')).toContain('cell_order="hilbert"')
  })

  test('an array without fragments has no findings about tiles', async () => {
    expect(await found(await madeArray(PLANE), 100, 149, true)).toEqual([])
  })

  test('without decoding coordinates, nothing is promised of a consolidation or of another order', async () => {
    const opened = await madeArray(SIX)
    const findings = await found(opened, 100, 149, false)
    expect(findings.map(({ code, remedies }) => [code, remedies])).toEqual([
      ['FRAGMENTS_OVERLAP', undefined],
      ['TILE_SHAPE', undefined],
    ])
  })

  test('the best shape is told for full tiles, not for the small tiles of the fragments', async () => {
    const opened = await madeArray({
      ...PLANE,
      attributes: { u: [], v: [], w: [] },
      fragments: Array.from({ length: 60 }, (_, i) => {
        const { x, y, v } = plane(200, 13 * i)
        return { x, y, u: v, v, w: v }
      }),
    })
    const [shape] = (await found(opened, 100, 299, false)).filter(({ code }) => code === 'TILE_SHAPE')
    const [, best] = /it could be about (\d+)/.exec(shape.message) ?? []
    expect(Number(best)).toBeGreaterThan(2500)
  })

  test('the reads after a rewrite are those of explain for the array that is written so, also if they are estimated', async () => {
    const fragment = { v: floats(1_000_000, (i) => Math.round(noise(i) * 100)) }
    const large = { ...PLANE, dense: true, fragments: [fragment, fragment, fragment] }
    const [finding] = (await found(await madeArray(large), 5, 15, false)).filter(({ code }) => code === 'TILES_LARGE')
    const small: Made = {
      ...large,
      dimensions: [
        ['x', 0, 999, 316],
        ['y', 0, 999, 316],
      ],
      fragments: [fragment],
    }
    const opened = await madeArray(small)
    const ranges = new Map([0, 1].map((d) => [d, [{ low: 5, high: 15 }]]))
    const asked = { opened, query: { order: defaultOrder(opened), ranges }, exact: false }
    const { counts } = await countsOfRead(asked)
    expect(finding.remedies).toMatchObject([
      { basis: 'estimated', after: { reads: counts.reads, tiles_read: counts.tiles_read } },
    ])
    expect(finding.remedies?.[0].change).toContain('x 316, y 316')
  })

  test('padding: the tiles after a rewrite are counted, and stored bytes are estimated by the cells that are no padding', async () => {
    const made = (y: MadeDimension, x: MadeDimension, side: number): Promise<OpenedArray> =>
      madeArray({
        ...PLANE,
        dense: true,
        dimensions: [x, y],
        box: [
          [100, 100 + side - 1],
          [300, 300 + side - 1],
        ],
        fragments: [{ v: floats(side * side, (i) => Math.round(noise(i) * 100)) }],
      })
    const opened = await made(['y', 0, 2999, 1500], ['x', 0, 2999, 1500], 500)
    const query = { order: defaultOrder(opened), ranges: new Map([0, 1].map((d) => [d, [{ low: 320, high: 360 }]])) }
    const asked = { opened, query, exact: false }
    const plan = await planRead(asked)
    const [finding] = await queryFindings(asked, plan, await readCost(asked, plan))
    // Of 2,250,000 cells in the tile 250,000 are no padding. New tiles have a tenth of these.
    expect(finding).toMatchObject({ code: 'TILES_LARGE', remedies: [{ basis: 'estimated' }] })
    expect(finding.remedies?.[0].change).toBe('tile extents x 158, y 158, written anew')
    const { counts } = await countsOfRead({
      ...asked,
      opened: await made(['y', 0, 2999, 158], ['x', 0, 2999, 158], 500),
    })
    const { stored_bytes, ...rest } = finding.remedies?.[0].after ?? { stored_bytes: 0 }
    expect(counts).toMatchObject(rest)
    expect(Math.abs(stored_bytes / counts.stored_bytes - 1)).toBeLessThan(0.1)
  })

  test('what larger tiles make of the stored bytes of small ones is not estimated', async () => {
    const opened = await madeArray({
      ...PLANE,
      dense: true,
      dimensions: [['t', 0, 29_999, 10]],
      fragments: [{ v: floats(30_000, (i) => Math.round(noise(i) * 100)) }],
    })
    const [finding] = (await found(opened, 200, 2400, false)).filter(({ code }) => code === 'TILES_SMALL')
    expect(finding.remedies).toBe(undefined)
  })

  const HILBERT: Made = { ...PLANE, cell_order: 'hilbert', attributes: { u: [], v: [], w: [] }, fragments: [] }
  const ROWS: RangeSets = new Map([[0, [{ low: 498, high: 501 }]]])

  /** The finding about the shape of tiles. */
  async function shapeFinding(opened: OpenedArray, ranges: RangeSets, exact: boolean): Promise<AdvisedFinding> {
    const asked = { opened, query: { order: defaultOrder(opened), ranges }, exact, computesRemedies: exact }
    const plan = await planRead(asked)
    const findings = await queryFindings(asked, plan, await readCost(asked, plan))
    const [finding] = findings.filter(({ code }) => code === 'TILE_SHAPE')
    return finding
  }

  test('tiles in Hilbert order get extents in the proportions of the ranges, and not the order that they have', async () => {
    const { x, y, v } = plane(200_000, 1)
    const opened = await madeArray({ ...HILBERT, fragments: [{ x, y, u: v, v, w: v }] })
    const { advice, remedies } = await shapeFinding(opened, ROWS, false)
    expect(remedies).toBe(undefined)
    expect(advice.map(lineText).join('\n')).toContain('tile={"x": 4, "y": 512}')
    expect(advice.map(lineText).join('\n')).toContain('cell_order="row-major"')
    const [{ before, after }] = (await shapeFinding(opened, ROWS, true)).remedies ?? []
    expect(after.cells_read).toBeLessThan(0.2 * before.cells_read)
  })

  test('cells in a crowd are estimated from the boxes of tiles', async () => {
    const { x, y, v } = plane(200_000, 1)
    // A quarter of all cells is in a hundredth of the plane.
    const crowded = (ends: Int32Array | Float64Array): Int32Array =>
      ints(ends.length, (i) => (i % 4 === 0 ? 450 + Math.floor(ends[i] / 10) : ends[i]))
    const cells = { x: crowded(x), y: crowded(y), u: v, v, w: v }
    const opened = await madeArray({ ...HILBERT, allows_duplicates: true, fragments: [cells] })
    const ranges: RangeSets = new Map([...ROWS, [1, [{ low: 460, high: 540 }]]])
    const found = async (exact: boolean): Promise<number> =>
      Number(/for (?:about )?(\d+) in the ranges/.exec((await shapeFinding(opened, ranges, exact)).message)?.[1])
    expect(Math.abs((await found(false)) / (await found(true)) - 1)).toBeLessThan(0.2)
  })

  test('a domain far larger than the box around its cells: extents follow the box, as Hilbert order would not', async () => {
    const dimensions: MadeDimension[] = [
      ['x', 0, 2_000_000_000, 2_000_000_000],
      ['y', 0, 999, 1000],
    ]
    const opened = await madeArray({ ...PLANE, dimensions, capacity: 200n, fragments: [plane(200_000, 1)] })
    const [{ code, advice }] = await arrayFindings(opened)
    expect(code).toBe('TILE_SHAPE')
    expect(advice.map(lineText).join('\n')).toContain('tile={"x": 32, "y": 32}')
    expect(advice.map(lineText).join('\n')).not.toContain('hilbert')
  })

  test('consolidation that joins small tiles has no estimate, but can be computed', async () => {
    const opened = await madeArray({ ...PLANE, fragments: Array.from({ length: 30 }, (_, i) => plane(100, i)) })
    const consolidated = async (exact: boolean): Promise<unknown[]> =>
      (await found(opened, 0, 999, exact)).flatMap(({ remedies = [] }) => remedies.map(({ basis }) => basis))
    expect(await consolidated(false)).toEqual([])
    expect(await consolidated(true)).toContain('computed')
  })

  test('tile extents across the box', async () => {
    const opened = await madeArray({
      ...PLANE,
      dense: true,
      dimensions: [
        ['x', 0, 999, 1000],
        ['y', 0, 999, 1],
      ],
      fragments: [{ v: floats(1_000_000, (i) => Math.round(noise(i) * 100)) }],
    })
    const [finding] = await found(opened, 100, 149, true)
    expect(finding).toMatchObject({ code: 'TILE_SHAPE', remedies: [{ basis: 'computed' }] })
    const { before, after } = finding.remedies?.[0] ?? {}
    expect(before?.unfiltered_bytes).toBe(50 * 1000 * 8)
    expect(after?.unfiltered_bytes).toBeLessThan(100 * 100 * 8)
    expect(finding.advice.map(lineText).join('\n')).toMatch(/tile=\{"x": 32, "y": 32\}/)
  })

  test('a large tile around a small box', async () => {
    const opened = await madeArray({
      ...PLANE,
      dense: true,
      fragments: [{ v: floats(1_000_000, (i) => Math.round(noise(i) * 100)) }],
    })
    const [finding] = await found(opened, 100, 149, true)
    expect(finding).toMatchObject({ code: 'TILES_LARGE', remedies: [{ basis: 'computed' }] })
  })

  test('requests after consolidation count the times of cells, which the new fragment has', async () => {
    const opened = await madeArray(SIX)
    const [overlap] = await found(opened, 100, 149, false)
    // Metadata in four requests, and a file of each of x, y and v; then __timestamps, too.
    expect(overlap.message).toContain('takes about 42 requests to S3, with one fragment about 8')
  })

  test('a range in which nothing was found is not said to hold cells', async () => {
    const even = (numbers: Int32Array | Float64Array): Int32Array => ints(numbers.length, (i) => 2 * numbers[i])
    const cells = plane(200_000, 1)
    const opened = await madeArray({
      ...PLANE,
      dimensions: [
        ['x', 0, 1999, 2000],
        ['y', 0, 1999, 2000],
      ],
      attributes: { u: [], v: [], w: [] },
      capacity: 50_000n,
      fragments: [{ x: even(cells.x), y: even(cells.y), u: cells.v, v: cells.v, w: cells.v }],
    })
    const about = (await found(opened, 1001, 1001, false)).map(({ message }) => message).join()
    expect(about).toMatch(/cells are read for about \d+ in the ranges/)
    const counted = (await found(opened, 1001, 1001, true)).map(({ message }) => message).join()
    expect(counted).toContain('cells are read for 0 in the ranges')
  })

  test('none for a box in tiles of its own size', async () => {
    const opened = await madeArray({
      ...PLANE,
      dimensions: [
        ['x', 0, 999, 50],
        ['y', 0, 999, 50],
      ],
      fragments: [plane(100_000, 1)],
    })
    expect(await found(opened, 100, 149, true)).toEqual([])
  })
})
