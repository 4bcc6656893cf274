import { describe, expect, test } from '@jest/globals'
import type { DenseAxis } from '../../src/format/dense-tiles.ts'
import {
  type Block,
  globalWindows,
  orderedWindows,
  type WantedCells,
  type Window,
  wantedCells,
} from '../../src/read/dense-windows.ts'

function axis(low: bigint, high: bigint, extent: bigint): DenseAxis {
  return { type: 'INT64', domainLow: low, domainHigh: high, extent, low, high, firstTile: 0n, tile_num: 0 }
}

function whole(grid: readonly DenseAxis[]): WantedCells {
  return grid.map(({ low, high }) => [{ low, high }])
}

/** Coordinates of a block's cells, in their places. */
function cellsOf({ axes, strides, cell_num }: Block): string[] {
  const values = axes.map(({ segments }) =>
    segments.flatMap(({ low, length }) => Array.from({ length }, (_, i) => low + BigInt(i))),
  )
  return Array.from({ length: cell_num }, (_, cell) =>
    values.map((along, d) => along[Math.floor(cell / strides[d]) % along.length]).join(),
  )
}

function allCells(windows: Iterable<Window>): string[] {
  return [...windows].flatMap(({ blocks, cell_num }) => {
    const cells = blocks.flatMap((block, i) => {
      expect(block.at).toBe(blocks.slice(0, i).reduce((sum, one) => sum + one.cell_num, 0))
      return cellsOf(block)
    })
    expect(cells).toHaveLength(cell_num)
    return cells
  })
}

const GRID = [axis(0n, 9n, 4n), axis(-3n, 8n, 5n), axis(1n, 3n, 2n)]
const SIZES = [1, 7, 12, 40, 400].flatMap((most) => [1, 20].map((usual) => ({ usual: Math.min(usual, most), most })))

describe('windows of a read across tiles', () => {
  const wanted = [
    [{ low: 1n, high: 8n }],
    [
      { low: -3n, high: -1n },
      { low: 4n, high: 6n },
    ],
    [{ low: 2n, high: 3n }],
  ]
  const ys = [1n, 2n, 3n, 4n, 5n, 6n, 7n, 8n]
  const xs = [-3n, -2n, -1n, 4n, 5n, 6n]

  test.each(SIZES)('have every cell once and in order, up to $most cells, and $usual if tiles are small', (sizes) => {
    const rows = ys.flatMap((y) => xs.flatMap((x) => [2n, 3n].map((z) => [y, x, z].join())))
    const columns = [2n, 3n].flatMap((z) => xs.flatMap((x) => ys.map((y) => [y, x, z].join())))
    expect(allCells(orderedWindows(GRID, wanted, [0, 1, 2], sizes))).toEqual(rows)
    expect(allCells(orderedWindows(GRID, wanted, [2, 1, 0], sizes))).toEqual(columns)
    for (const { cell_num } of orderedWindows(GRID, wanted, [0, 1, 2], sizes))
      expect(cell_num).toBeLessThanOrEqual(sizes.most)
  })

  test('belong to one group if they need the same tiles', () => {
    const groups = [...orderedWindows(GRID, whole(GRID), [0, 1, 2], { usual: 36, most: 72 })].map(({ group }) => group)
    // Four coordinates of a tile along the first axis are 144 cells.
    expect(groups).toEqual(['0', '0', '1', '1', '2'])
    const uncut = [...orderedWindows(GRID, whole(GRID), [0, 1, 2], { usual: 36, most: 1000 })]
    expect(uncut.map(({ group }) => group)).toEqual([undefined, undefined, undefined])
  })
})

test('windows of a read in global order have tiles one after another', () => {
  const order = { tileOrder: [1, 0], cellOrder: [0, 1] }
  const grid = [axis(0n, 3n, 2n), axis(0n, 2n, 2n)]
  const cells = ['0,0', '0,1', '1,0', '1,1', '2,0', '2,1', '3,0', '3,1', '0,2', '1,2', '2,2', '3,2']
  for (const usual of [1, 4, 5, 100])
    expect(allCells(globalWindows(grid, whole(grid), order, { usual, most: usual }))).toEqual(cells)
})

test('a box with more cells than a number can count comes window by window', () => {
  const most = 2n ** 64n - 1n
  const grid = [axis(0n, most, 10n), axis(0n, most, 2n ** 60n)]
  const sizes = { usual: 100, most: 1000 }
  const order = { tileOrder: [0, 1], cellOrder: [0, 1] }
  for (const windows of [
    orderedWindows(grid, whole(grid), [0, 1], sizes),
    orderedWindows(grid, whole(grid), [1, 0], sizes),
  ]) {
    const [first, second] = [windows.next().value, windows.next().value]
    expect(first?.cell_num).toBeLessThanOrEqual(1000)
    expect(cellsOf(first?.blocks[0] as Block)[0]).toBe('0,0')
    expect(second?.cell_num).toBeLessThanOrEqual(1000)
  }
  const small = [[{ low: most - 1n, high: most }], [{ low: 2n ** 61n, high: 2n ** 61n + 1n }]]
  expect(allCells(globalWindows(grid, small, order, sizes))).toHaveLength(4)
})

describe('the wanted cells', () => {
  const [grid] = [[axis(0n, 99n, 10n)]]

  test('are those of the fragments, and of open ends', () => {
    const written = [
      [
        { low: 20n, high: 30n },
        { low: 40n, high: 50n },
      ],
    ]
    expect(wantedCells(grid, new Map(), written)).toEqual([[{ low: 20n, high: 50n }]])
    const open = new Map([[0, [{ low: 25, high: undefined }]]])
    expect(wantedCells(grid, open, written)).toEqual([[{ low: 25n, high: 50n }]])
    expect(wantedCells(grid, new Map(), [[]])).toBeUndefined()
    expect(wantedCells(grid, open, [[]])).toBeUndefined()
  })

  test('are ranges in order, united, inside the domain', () => {
    const ranges = new Map([
      [
        0,
        [
          { low: 90, high: 120n },
          { low: 5, high: 9 },
          { low: -7, high: 3 },
          { low: 4, high: 6 },
        ],
      ],
    ])
    expect(wantedCells(grid, ranges, [[]])).toEqual([
      [
        { low: 0n, high: 9n },
        { low: 90n, high: 99n },
      ],
    ])
  })
})
