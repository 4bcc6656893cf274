import { writeFileSync } from 'node:fs'
import { describe, expect, test } from '@jest/globals'
import { diffTable } from '../../src/render/views/diff.ts'
import { FIXTURES } from '../helpers/fixtures.ts'
import { temporaryFolder } from '../helpers/folders.ts'
import { firstFragment } from '../helpers/fragments.ts'
import { get, items } from '../helpers/json.ts'
import { run, runJson } from '../helpers/run.ts'
import { drawn } from '../helpers/views.ts'

const folder = temporaryFolder()

/** A sample array of several overlapping fragments. The same options give the same cells. */
async function sample(name: string, ...options: string[]): Promise<string> {
  const path = `${folder}/${name}`
  expect((await run(['write-sample', path, '--fragments', '3', '--cells', '60', ...options])).code).toBe(0)
  return path
}

/** An array with one attribute `a` beside `x`, and these cells. */
async function written(name: string, cells: object[], ...options: string[]): Promise<string> {
  const [path, data] = [`${folder}/${name}`, `${folder}/${name}.ndjson`]
  writeFileSync(data, cells.map((cell) => `${JSON.stringify(cell)}\n`).join(''))
  const fields = options.includes('--append') ? [] : ['--dim', 'x:INT32:0..99:10', '--attr', 'a:INT32']
  const args = ['write-sample', path, ...fields, '--data', data, ...options]
  expect((await run(args)).code).toBe(0)
  return path
}

describe('diff --read', () => {
  test.each([
    ['sparse', ['--dim', 'x:INT32:0..49:10']],
    ['Hilbert', ['--cell-order', 'hilbert']],
    ['duplicates', ['--dim', 'x:INT32:0..49:10', '--duplicates']],
    // Consolidation pads with fill values, which TileDB refuses for DOUBLE_DELTA of INT64.
    ['dense', ['--dense', '--dim', 'x:INT32:0..49:10', '--dim', 'y:INT32:0..9:4', '--filters', 'zstd']],
  ])('finds a %s array and its consolidated copy the same for readers', async (name, options) => {
    const original = await sample(name, ...options)
    const copy = await sample(`${name}-copy`, ...options, '--consolidate', 'fragments', '--vacuum', 'fragments')
    const { code, documents } = await runJson(['diff', '--read', original, copy])
    const cells = items(get((await runJson(['read', original])).documents[0], 'cells')).length
    expect(code).toBe(0)
    expect(cells).toBeGreaterThan(0)
    expect(documents[0]).toMatchObject({ equal: true, cell_num: cells, differences: [] })
    expect(get(documents[0], 'reader_cells')).toEqual({
      cells_same: cells,
      cells_changed: 0,
      cells_only_a: 0,
      cells_only_b: 0,
    })
    expect((await run(['diff', original, copy])).code).toBe(1)
    const { text } = await run(['diff', '--read', original, copy])
    expect(text).toContain(`EQUAL: readers see the same ${cells} cells`)
  })

  test('finds the cells that a later time adds, changes and deletes', async () => {
    const array = `${FIXTURES}/22/deletes`
    const at = async (time: string): Promise<Map<string, string>> => {
      const { documents } = await runJson(['read', array, '--as-of', time])
      const cells = items(get(documents[0], 'cells'))
      return new Map(cells.map((cell) => [`${get(cell, 'x')},${get(cell, 'y')}`, JSON.stringify(cell)]))
    }
    const [a, b] = [await at('10'), await at('20')]
    const both = [...a].filter(([place]) => b.has(place))
    const same = both.filter(([place, cell]) => b.get(place) === cell).length
    const { code, documents } = await runJson(['diff', '--read', array, array, '--as-of', '10', '--as-of', '20'])
    expect(code).toBe(1)
    expect(get(documents[0], 'reader_cells')).toEqual({
      as_of: [0, 10],
      other_as_of: [0, 20],
      cells_same: same,
      cells_changed: both.length - same,
      cells_only_a: a.size - both.length,
      cells_only_b: b.size - both.length,
    })
    expect((await run(['diff', '--read', array, array, '--as-of', '10'])).code).toBe(0)
  })

  test('names a changed value by the coordinates of its cell', async () => {
    const a = await written('changed-a', [
      { x: 1, a: 7 },
      { x: 5, a: 1 },
    ])
    const b = await written('changed-b', [
      { x: 1, a: 7 },
      { x: 5, a: 2 },
    ])
    const { documents } = await runJson(['diff', '--read', a, b])
    const found = items(get(documents[0], 'differences')).filter((one) => !String(get(one, 'path')).startsWith('meta'))
    expect(found).toEqual([{ path: 'cells[x=5].a', a: 1, b: 2 }])
    expect(get(documents[0], 'reader_cells')).toEqual({
      cells_same: 1,
      cells_changed: 1,
      cells_only_a: 0,
      cells_only_b: 0,
    })
  })

  test('pairs equal cells where duplicates are allowed, whatever their order', async () => {
    const cellsOf = (values: number[]): object[] => values.map((a) => ({ x: 1, a }))
    const a = await written('several-a', cellsOf([1, 2, 2, 3]), '--duplicates')
    const b = await written('several-b', cellsOf([3, 2, 4]), '--duplicates')
    const { documents } = await runJson(['diff', '--read', a, b])
    expect(get(documents[0], 'reader_cells')).toEqual({
      cells_same: 2,
      cells_changed: 1,
      cells_only_a: 1,
      cells_only_b: 0,
    })
  })

  test('tells 0 and negative zero apart also among duplicates', async () => {
    const data = `${folder}/zeros.ndjson`
    writeFileSync(data, '{"x":1,"a":-0.0}\n{"x":1,"a":0}\n')
    const array = `${folder}/zeros`
    const shape = ['--dim', 'x:INT32:0..99:10', '--attr', 'a:FLOAT64', '--duplicates']
    expect((await run(['write-sample', array, ...shape, '--data', data])).code).toBe(0)
    const { code, documents } = await runJson(['diff', '--read', array, array])
    expect([code, get(documents[0], 'reader_cells')]).toEqual([
      0,
      { cells_same: 2, cells_changed: 0, cells_only_a: 0, cells_only_b: 0 },
    ])
  })

  test('lists every cell that differs: changed, removed and added', async () => {
    const cellsOf = (from: number, factor: number): object[] =>
      Array.from({ length: 50 }, (_, i) => ({ x: from + i, a: factor * (from + i + 1) }))
    const a = await written('many-a', cellsOf(0, 1))
    const b = await written('many-b', cellsOf(25, -1))
    const { documents } = await runJson(['diff', '--read', a, b])
    const found = items(get(documents[0], 'differences'))
    expect(get(documents[0], 'reader_cells')).toEqual({
      cells_same: 0,
      cells_changed: 25,
      cells_only_a: 25,
      cells_only_b: 25,
    })
    expect(found).toHaveLength(75)
    expect(found.slice(0, 25)).toEqual(
      cellsOf(0, 1)
        .slice(0, 25)
        .map((row, x) => ({ path: `cells[x=${x}]`, a: row, b: null })),
    )
    expect(found[25]).toEqual({ path: 'cells[x=25].a', a: 26, b: -26 })
    expect(found[74]).toEqual({ path: 'cells[x=74]', a: null, b: { x: 74, a: -75 } })
    const { text } = await run(['diff', '--read', '--full', a, b])
    expect(text).toMatch(/^75 differences$/m)
    expect(text.match(/^cells\[x=\d+\]/gm)).toHaveLength(75)
  })

  test('counts the cells beyond 100,000 lines', async () => {
    const shape = ['--dense', '--dim', 'x:INT32:1..102000:10000', '--attr', 'a:FLOAT64', '--cells', '102000']
    const [a, b] = [`${folder}/large-a`, `${folder}/large-b`]
    for (const [path, seed] of Object.entries({ [a]: 'one', [b]: 'other' }))
      expect((await run(['write-sample', path, ...shape, '--seed', seed])).code).toBe(0)
    const document = JSON.parse((await run(['diff', '--read', a, b, '--json'])).text)
    const { cells_changed: changed } = document.reader_cells
    expect(document.differences).toHaveLength(100_000)
    expect(document.unlisted_cell_num).toBe(changed - 100_000)
    expect(await drawn((out) => diffTable(document, true, out))).toContain(
      `100,000 differences, and ${(changed - 100_000).toLocaleString('en')} cells that are only counted`,
    )
  })

  test('compares no cells where the dimensions differ', async () => {
    const { code, documents } = await runJson(['diff', '--read', `${FIXTURES}/22/string_dim`, `${FIXTURES}/22/deletes`])
    expect(code).toBe(1)
    expect(documents[0]).toMatchObject({ equal: false, cells_compared: false, reader_cells: {} })
  })

  test('takes groups, too, but no options of the other comparison', async () => {
    const array = `${FIXTURES}/22/deletes`
    expect((await run(['diff', '--read', '--cells', array, array])).code).toBe(2)
    expect((await run(['diff', '--as-of', '10', array, array])).code).toBe(2)
    const group = `${FIXTURES}/22/group`
    expect((await run(['diff', '--read', group, group])).code).toBe(0)
    expect((await run(['diff', '--read', '--as-of', '10', group, group])).code).toBe(2)
    const fragment = firstFragment(array)
    expect((await run(['diff', '--read', fragment, fragment])).code).toBe(2)
  })
})

test('diff --cells compares what readers see where only one array has a fragment', async () => {
  const a = await written('unpaired-a', [{ x: 1, a: 1 }], '--timestamp', '10')
  const b = await written('unpaired-b', [{ x: 1, a: 1 }], '--timestamp', '10')
  expect((await run(['diff', '--cells', a, b])).code).toBe(0)
  await written('unpaired-b', [{ x: 1, a: 2 }], '--timestamp', '20', '--append')
  for (const [pair, values] of [
    [[a, b], { a: 1, b: 2 }],
    [[b, a], { a: 2, b: 1 }],
  ] as const) {
    const { documents } = await runJson(['diff', '--cells', ...pair])
    expect(documents[0]).toMatchObject({ verdict: 'different', reader_cells: { cells_same: 0, cells_changed: 1 } })
    expect(get(documents[0], 'differences')).toContainEqual({ path: 'cells[x=1].a', ...values })
  }
})

test('diff --cells calls nothing different that memory had no room for', async () => {
  const path = `${folder}/large`
  const cells = ['--dim', 'x:INT32:0..999999:1000000', '--attr', 'a:INT32', '--cells', '80000', '--capacity', '80000']
  expect((await run(['write-sample', path, '--fragments', '1', '--seed', '1', ...cells])).code).toBe(0)
  const compared = (memory: string) => runJson(['diff', '--cells', '--memory', memory, path, `${path}/`])
  const { code, documents, stderr } = await compared('3M')
  expect([code, get(documents[0], 'verdict')]).toEqual([3, 'not-compared'])
  expect(stderr).toContain('--memory')
  expect(await compared('30M')).toMatchObject({ code: 0, documents: [{ verdict: 'equal' }] })
})
