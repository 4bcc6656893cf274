import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { describe, expect, test } from '@jest/globals'
import { FIXTURES } from '../helpers/fixtures.ts'
import { temporaryFolder } from '../helpers/folders.ts'
import { firstFragment } from '../helpers/fragments.ts'
import { get, items, type Json } from '../helpers/json.ts'
import { run, runJson } from '../helpers/run.ts'

const folder = temporaryFolder()
const CELLS = Array.from({ length: 60 }, (_, x) => JSON.stringify({ x: x + 1, a: x % 7, s: `text ${x % 5}` }))
let written = 0

/** Writes an array of one dimension with these cells, in one fragment for each list. */
async function array(path: string, cells: readonly (readonly string[])[], ...options: string[]): Promise<string> {
  mkdirSync(dirname(`${folder}/${path}`), { recursive: true })
  for (const [i, lines] of cells.entries()) {
    const data = `${folder}/${written++}.ndjson`
    writeFileSync(data, `${lines.join('\n')}\n`)
    const how = i === 0 ? ['--attr', 'a:INT32', '--attr', 's:STRING_UTF8', ...options] : ['--append']
    const at = ['--timestamp', String(10 * (i + 1))]
    const { code, stderr } = await run(['write-sample', `${folder}/${path}`, ...how, ...at, '--data', data])
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  }
  return `${folder}/${path}`
}

const DIMENSION = ['--dim', 'x:INT32:1..100:10']

function copy(from: string, to: string): string {
  cpSync(from, `${folder}/${to}`, { recursive: true })
  return `${folder}/${to}`
}

async function compared(...args: string[]): Promise<{ code: number; document: Json }> {
  const { code, documents } = await runJson(['diff', ...args])
  return { code, document: documents[0] ?? null }
}

function members(document: Json): Json[] {
  return items(get(document, 'members')).map((one) => [
    get(one, 'name') ?? null,
    get(one, 'state') ?? null,
    get(one, 'differs') ?? null,
  ])
}

describe('diff of datasets', () => {
  test('goes by member: only in one, equal, or what differs', async () => {
    const a = `${folder}/a`
    mkdirSync(`${a}/deep`, { recursive: true })
    const one = await array('a/one', [CELLS], ...DIMENSION)
    for (const name of ['same', 'cells', 'schema', 'more', 'left']) copy(one, `a/${name}`)
    copy(one, 'a/deep/one')
    const b = copy(a, 'b')
    rmSync(`${b}/left`, { recursive: true })
    copy(one, 'b/right')
    rmSync(`${b}/deep/one`, { recursive: true })
    for (const name of ['cells', 'schema', 'deep/one']) rmSync(`${b}/${name}`, { recursive: true, force: true })
    const other = [...CELLS.slice(0, -1), JSON.stringify({ x: 60, a: 99, s: 'text 4' })]
    await array('b/cells', [other], ...DIMENSION)
    await array('b/schema', [CELLS], '--dim', 'x:INT32:1..200:10')
    await array('b/deep/one', [other], ...DIMENSION)
    rmSync(`${b}/more`, { recursive: true })
    await array('b/more', [CELLS, [CELLS[0]]], ...DIMENSION)
    const { code, document } = await compared('--cells', '--recursive', a, b)
    expect(code).toBe(1)
    expect(get(document, 'verdict')).toBe('different')
    const states = new Map(members(document).map((line) => [items(line)[0], items(line).slice(1)]))
    expect(states.get('same')).toEqual(['equal', []])
    expect(states.get('one')).toEqual(['equal', []])
    expect(states.get('more')).toEqual(['same-cells', ['storage']])
    expect(states.get('left')).toEqual(['only-a', ['listing']])
    expect(states.get('right')).toEqual(['only-b', ['listing']])
    expect(states.get('cells')).toMatchObject(['different', ['storage', 'cells']])
    expect(states.get('schema')).toMatchObject(['different', expect.arrayContaining(['schema'])])
    // The names of folders below tell apart what has the same name.
    expect(states.get('deep/one')).toMatchObject(['different', expect.arrayContaining(['cells'])])
  })

  test('of the same dataset finds every member equal', async () => {
    const { code, document } = await compared('--cells', `${FIXTURES}/22/group`, copy(`${FIXTURES}/22/group`, 'group'))
    expect([code, get(document, 'verdict')]).toEqual([0, 'equal'])
    const states = members(document).map((line) => items(line)[1])
    expect(states.length).toBeGreaterThan(2)
    expect(new Set(states)).toEqual(new Set(['equal']))
    const { text } = await run(['diff', `${FIXTURES}/22/group`, `${folder}/group`])
    expect(text).toContain(`members: ${states.length} equal\nEQUAL`)
  })

  test('shows the members that are not equal, with what differs', async () => {
    const a = `${folder}/shown-a`
    mkdirSync(a)
    await array('shown-a/x', [CELLS], ...DIMENSION)
    const b = copy(a, 'shown-b')
    await array('shown-b/y', [CELLS], ...DIMENSION)
    const { text, code } = await run(['diff', a, b])
    expect(code).toBe(1)
    expect(text).toMatch(/^y +array +only in b +listing$/m)
    expect(text).toContain('members: 1 equal, 1 only in b')
  })
})

describe('diff --schema-only', () => {
  test('compares nothing but schemas, of arrays and of datasets', async () => {
    const a = await array('schemas/a/x', [CELLS], ...DIMENSION)
    const b = await array('schemas/b/x', [CELLS.slice(0, 5), CELLS.slice(5)], ...DIMENSION)
    expect((await run(['diff', a, b])).code).toBe(1)
    for (const pair of [
      [a, b],
      [`${folder}/schemas/a`, `${folder}/schemas/b`],
    ])
      expect(await compared('--schema-only', ...pair)).toMatchObject({ code: 0, document: { verdict: 'equal' } })
    const c = await array('schemas/c/x', [CELLS], '--dim', 'x:INT32:1..100:20')
    const { code, document } = await compared('--schema-only', `${folder}/schemas/a`, `${folder}/schemas/c`)
    expect(code).toBe(1)
    expect(get(document, 'differences')).toEqual([{ path: 'members.x.schema.dimensions.x.tile_extent', a: 10, b: 20 }])
    expect(get((await compared('--schema-only', a, c)).document, 'differences')).toEqual([
      { path: 'schema.dimensions.x.tile_extent', a: 10, b: 20 },
    ])
    expect((await run(['diff', '--schema-only', '--cells', a, b])).code).toBe(2)
  })
})

describe('same cells, other layout', () => {
  const layouts: readonly (readonly [string, string[], string[][]])[] = [
    ['tile extent', ['--dim', 'x:INT32:1..100:7'], [CELLS]],
    ['filters', [...DIMENSION, '--filters', 'gzip'], [CELLS]],
    ['capacity', [...DIMENSION, '--capacity', '3'], [CELLS]],
    ['fragments', DIMENSION, [CELLS.slice(30), CELLS.slice(0, 30)]],
    ['order of writes', DIMENSION, [CELLS, [CELLS[3]]]],
  ]
  test.each(layouts)('is said of arrays that differ in %s', async (name, options, cells) => {
    const a = await array(`layouts/${name}/a`, [CELLS], ...DIMENSION)
    const b = await array(`layouts/${name}/b`, cells, ...options)
    const { code, document } = await compared('--cells', a, b)
    expect([code, get(document, 'verdict'), get(document, 'equal')]).toEqual([1, 'same-cells', false])
    expect((await run(['diff', '--cells', a, b])).text).toContain('SAME CELLS, OTHER LAYOUT')
    expect(get((await compared(a, b)).document, 'verdict')).toBe('different')
    expect(await compared('--read', a, b)).toMatchObject({ code: 0, document: { verdict: 'equal' } })
    const both = [`${folder}/layouts/${name}`, copy(`${folder}/layouts/${name}`, `layouts/${name} copy`)] as const
    rmSync(`${both[1]}/a`, { recursive: true })
    copy(b, `layouts/${name} copy/a`)
    const whole = await compared('--cells', ...both)
    expect([whole.code, get(whole.document, 'verdict')]).toEqual([1, 'same-cells'])
    expect(members(whole.document).map((line) => items(line)[1])).toEqual(['same-cells', 'equal'])
    expect((await compared('--read', ...both)).code).toBe(0)
  })

  test('is not said if one cell, the domain or a key of the metadata differs', async () => {
    const a = await array('other/a', [CELLS], ...DIMENSION)
    const cell = await array(
      'other/b',
      [[...CELLS.slice(1), JSON.stringify({ x: 1, a: 9, s: '' })]],
      '--dim',
      'x:INT32:1..100:7',
    )
    const domain = await array('other/c', [CELLS], '--dim', 'x:INT32:1..120:10')
    for (const one of [cell, domain]) {
      const { code, document } = await compared('--cells', a, one)
      expect([code, get(document, 'verdict')]).toEqual([1, 'different'])
    }
    const { document } = await compared('--cells', a, cell)
    expect(get(document, 'reader_cells')).toMatchObject({ cells_same: 59, cells_changed: 1 })
    expect(get(document, 'differences')).toContainEqual({ path: 'cells[x=1].a', a: 0, b: 9 })
  })
})

describe('offsets that differ because something before them is longer', () => {
  test('are one difference, in fragments and in files of metadata', async () => {
    const [a, b] = [
      await array('shift/a', [CELLS], ...DIMENSION),
      await array('shift/b', [CELLS.slice(0, 20)], ...DIMENSION),
    ].map((path) => firstFragment(path))
    for (const pair of [
      [a, b],
      [`${a}/__fragment_metadata.tdb`, `${b}/__fragment_metadata.tdb`],
    ]) {
      const { code, document } = await compared(...pair)
      expect(code).toBe(1)
      const shifted = items(get(document, 'differences')).filter((one) => get(one, 'shifted_by') !== undefined)
      expect(shifted).toHaveLength(1)
      expect(Number(get(shifted[0], 'more'))).toBeGreaterThan(10)
      const paths = items(get(document, 'differences')).map((one) => String(get(one, 'path')))
      expect(paths.filter((path) => path.includes('.offsets.') || path.endsWith('_offset'))).toHaveLength(1)
      expect((await run(['diff', ...pair])).text).toMatch(/and after: \d+ offsets shifted by -?\d+ to -?\d+/)
    }
  })
})
