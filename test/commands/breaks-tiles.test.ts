import { readdirSync, truncateSync, writeFileSync } from 'node:fs'
import { describe, expect, test } from '@jest/globals'
import { temporaryFolder } from '../helpers/folders.ts'
import { get, items } from '../helpers/json.ts'
import { run, runJson } from '../helpers/run.ts'

const folder = temporaryFolder()
let count = 0

type Box = readonly (readonly [low: number, high: number])[]

const WARNING = 'do not run tiledb.consolidate: TileDB 2.30 breaks this array by it, or crashes'

/** Writes a dense array with tiles of 16 cells along each dimension: one fragment a box. */
async function written(
  low: number,
  current: Box | undefined,
  boxes: readonly Box[],
  more: object[] = [],
): Promise<string> {
  const path = `${folder}/${count++}`
  const names = boxes[0].map((_, d) => 'xyz'[d])
  const dimensions = names.map((name) => ({ name, type: 'INT32', domain: [low, 999], tile_extent: 16 }))
  const current_domain = current && Object.fromEntries(names.map((name, d) => [name, current[d]]))
  const steps: object[] = [
    {
      step: 'create',
      schema: {
        format_version: 22,
        array_type: 'dense',
        dimensions,
        attributes: [{ name: 'a', type: 'INT32' }],
        current_domain,
      },
    },
    ...boxes.map((box) => ({ step: 'write', cells: cellsOf(names, box) })),
    ...more,
  ]
  writeFileSync(`${path}.json`, JSON.stringify(steps))
  const { code, stderr } = await run(['write-sample', path, '--steps', `${path}.json`])
  expect([code, stderr]).toEqual([0, ''])
  return path
}

function cellsOf(names: readonly string[], box: Box): Record<string, number>[] {
  let cells: Record<string, number>[] = [{ a: 7 }]
  for (const [d, [low, high]] of box.entries())
    cells = cells.flatMap((cell) =>
      Array.from({ length: high - low + 1 }, (_, i) => ({ ...cell, [names[d]]: low + i })),
    )
  return cells
}

const TWICE = (box: Box): Box[] => [box, box]

// As tiledb.consolidate of TileDB 2.30 did it, and a read after it.
test.each<[breaks: boolean, low: number, current: Box | undefined, boxes: Box[]]>([
  [true, 0, [[0, 39]], TWICE([[0, 39]])],
  [false, 0, undefined, TWICE([[0, 39]])],
  [false, 0, [[0, 39]], [[[0, 39]]]],
  [false, 0, [[0, 47]], TWICE([[0, 47]])],
  [false, 0, [[0, 39]], TWICE([[0, 31]])],
  [true, 0, [[0, 47]], [[[0, 10]], [[3, 9]]]],
  [false, 0, [[0, 47]], [[[0, 20]], [[5, 31]]]],
  [true, 0, [[5, 47]], TWICE([[5, 47]])],
  [false, 5, [[5, 52]], [[[5, 20]], [[6, 20]]]],
  [true, 5, [[5, 52]], TWICE([[5, 31]])],
  [
    true,
    0,
    [
      [0, 47],
      [0, 47],
    ],
    TWICE([
      [0, 15],
      [0, 9],
    ]),
  ],
  [
    true,
    0,
    [
      [0, 47],
      [0, 47],
    ],
    TWICE([
      [0, 9],
      [0, 15],
    ]),
  ],
  [
    false,
    0,
    [
      [0, 39],
      [0, 39],
    ],
    TWICE([
      [0, 15],
      [16, 31],
    ]),
  ],
])('breaks: %j, domain from %j, current domain %j, fragments %j', async (breaks, low, current, boxes) => {
  const path = await written(low, current, boxes)
  const { documents } = await runJson(['explain', path])
  expect(get(get(documents[0], 'consolidation'), 'breaks_tiles')).toBe(breaks)
  const { text } = await run(['explain', path])
  expect([text.includes(WARNING), text.includes('tiledb.consolidate merges')]).toEqual([
    breaks,
    !breaks && boxes.length > 1,
  ])
  const tried = await run(['whatif', path, '--tile-extent', 'x=8'])
  expect(/^consolidated /m.test(tried.text)).toBe(!breaks && boxes.length > 1)
})

describe('what advises to consolidate', () => {
  const many = (box: Box): Box[] => Array.from({ length: 12 }, () => box)

  test.each([
    [[[0, 39]], /^tiledb-inspect explain .* {2}# do not consolidate: TileDB 2\.30 breaks this array/, 1],
    [[[0, 31]], /^tiledb\.consolidate\(/, 2],
  ] as const)('a finding about fragments of %j: %s', async (box, line, lines) => {
    const { documents } = await runJson(['explain', await written(0, [[0, 39]], many(box))])
    const findings = items(get(documents[0], 'findings'))
    const advice = findings.flatMap((one) => (get(one, 'code') === 'FRAGMENTS_MANY' ? items(get(one, 'advice')) : []))
    expect(advice[0]).toMatch(line)
    expect(advice).toHaveLength(lines)
  })

  test.each([
    [[[0, 39]], 'do not consolidate: TileDB 2.30 breaks this array'],
    [[[0, 31]], 'consolidate them once more'],
  ] as const)('a plan for a damaged consolidated fragment of %j: %s', async (box, words) => {
    const path = await written(0, [[0, 39]], TWICE(box), [{ step: 'consolidate' }])
    const [list = ''] = readdirSync(`${path}/__commits`).filter((name) => name.endsWith('.vac'))
    truncateSync(`${path}/__fragments/${list.replace('.vac', '')}/a0.tdb`, 40)
    const { text } = await run(['check', '--plan', path])
    expect(text.replace(/\s+/g, ' ')).toContain(`fragments that were consolidated: ${words}`)
  })
})
