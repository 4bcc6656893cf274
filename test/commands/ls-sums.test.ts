import { cpSync, readdirSync, readFileSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { describe, expect, test } from '@jest/globals'
import { FIXTURES } from '../helpers/fixtures.ts'
import { temporaryFolder } from '../helpers/folders.ts'
import { fragmentNames } from '../helpers/fragments.ts'
import { get, items, type Json } from '../helpers/json.ts'
import { run, runJson } from '../helpers/run.ts'

const folder = temporaryFolder()
let copies = 0

/** A copy of a fixture, to be changed. */
function copyOf(fixture: string): string {
  const path = `${folder}/${copies++}`
  cpSync(`${FIXTURES}/${fixture}`, path, { recursive: true })
  return path
}

const column = (rows: Json | undefined, key: string): unknown[] => items(rows).map((row) => get(row, key))
const fragmentOf = (array: string, start: string): string =>
  `${array}/__fragments/${fragmentNames(array).find((name) => name.startsWith(start))}`

describe('what TileDB reads and what is on disk besides', () => {
  test('are summed up apart', async () => {
    const { documents } = await runJson(['ls', `${FIXTURES}/22/vacuum_left`])
    expect(get(documents[0], 'read')).toMatchObject({ fragment_num: 1, cell_num: 24, tile_num: 4 })
    expect(get(documents[0], 'unread')).toMatchObject({ fragment_num: 3, cell_num: 24, tile_num: 6 })
    const { text } = await run(['ls', `${FIXTURES}/22/vacuum_left`])
    expect(text).toContain('read by TileDB: 1 fragment, 24 cells')
    expect(text).toContain('on disk besides: 3 fragments, 24 cells')
  })

  test('have the cells of fragments that say they have more than 2^53', async () => {
    const array = copyOf('22/sparse_basic')
    const metadata = `${fragmentOf(array, '__')}/__fragment_metadata.tdb`
    const bytes = readFileSync(metadata)
    // sparse_tile_num and last_tile_cell_num
    const at = bytes.indexOf(Buffer.from('06000000000000000500000000000000', 'hex'))
    bytes.writeBigUInt64LE(2n ** 60n, at + 8)
    writeFileSync(metadata, bytes)
    const { documents } = await runJson(['ls', array])
    expect(get(documents[0], 'read')).toMatchObject({ cell_num: 2n ** 60n, cells_in_domain: 2n ** 60n })
  })

  test('a list without the fragment it is named after: its fragments are hidden, and nobody is told to delete them', async () => {
    const array = copyOf('22/vacuum_left')
    rmSync(fragmentOf(array, '__10_30_'), { recursive: true })
    rmSync(`${array}/__commits/${readdirSync(`${array}/__commits`).find((name) => /^__10_30_.*wrt$/.test(name))}`)
    const { documents } = await runJson(['ls', array])
    expect(column(get(documents[0], 'fragments'), 'state')).toEqual(['hidden', 'hidden', 'hidden'])
    expect(column(get(documents[0], 'fragments'), 'visible')).toEqual([false, false, false])
    const { text } = await run(['ls', array])
    expect(text).toContain('hidden (3)')
    expect(text).toContain('do not vacuum or delete')
    expect(text).not.toContain('anew')
    expect(text).toContain('TileDB finds no cell in this array')
    const check = await run(['check', array])
    expect(check.code).toBe(1)
    expect(check.text).toContain('Do not vacuum')
  })

  test('fragments dated ahead, by the clock of the computer', async () => {
    const array = copyOf('22/sparse_basic')
    const ahead = Date.now() + 3_600_000
    const name = fragmentNames(array)[0]
    const dated = name.replace(/^__\d+_\d+/, `__${ahead}_${ahead}`)
    renameSync(`${array}/__fragments/${name}`, `${array}/__fragments/${dated}`)
    renameSync(`${array}/__commits/${name}.wrt`, `${array}/__commits/${dated}.wrt`)
    const set = process.env.TILEDB_INSPECT_NOW
    delete process.env.TILEDB_INSPECT_NOW
    try {
      const { documents } = await runJson(['ls', array])
      expect(column(get(documents[0], 'fragments'), 'state')).toEqual(['future'])
    } finally {
      process.env.TILEDB_INSPECT_NOW = set
    }
    const { documents } = await runJson(['ls', array])
    expect(column(get(documents[0], 'fragments'), 'state')).toEqual([ahead < 1_900_000_000_000 ? 'live' : 'future'])
  })

  test('key-value metadata dated ahead does not count yet', async () => {
    const array = copyOf('22/metadata')
    const keys = async (): Promise<string[]> =>
      Object.keys(get((await runJson(['metadata', array])).documents[0], 'metadata') ?? {})
    const before = await keys()
    const last = readdirSync(`${array}/__meta`).sort().at(-1) ?? ''
    renameSync(
      `${array}/__meta/${last}`,
      `${array}/__meta/${last.replace(/^__\d+_\d+/, '__9999999999999_9999999999999')}`,
    )
    // The second file deletes a key of the first.
    expect((await keys()).sort()).toEqual([...before, 'gone'].sort())
  })

  test('--range counts overlaps among the fragments that it shows', async () => {
    const array = copyOf('22/deletes')
    const all = await runJson(['ls', array])
    expect(get(all.documents[0], 'overlap_pair_num')).toBe(1)
    const domains = column(get(all.documents[0], 'fragments'), 'nonempty_domain')
    const d = items(items(domains as Json)[0])
    // A range that only the first touches, where there is one: else none.
    const { documents } = await runJson(['ls', array, '--range', 'x=999999..'])
    expect(get(documents[0], 'fragments')).toEqual([])
    expect(get(documents[0], 'overlap_pair_num')).toBe(0)
    expect(get(documents[0], 'overlap_pairs')).toEqual([])
    expect(d.length).toBeGreaterThan(0)
  })
})

describe('data files that are not there, or short', () => {
  test.each(['missing', 'short'])('%s: exit code 1, the file is named, no ratio', async (how) => {
    const array = copyOf('22/sparse_2d_row_row')
    const fragment = fragmentOf(array, '__')
    const whole = await runJson(['ls', array])
    expect(column(get(whole.documents[0], 'fragments'), 'ratio')[0]).not.toBeNull()
    if (how === 'missing') rmSync(`${fragment}/a0.tdb`)
    else truncateSync(`${fragment}/a0.tdb`, 5)
    for (const target of [array, fragment]) {
      const { code, text, stderr } = await run(['ls', target])
      expect(code).toBe(1)
      expect(stderr).toContain('a0.tdb')
      expect(text).toContain(target === array ? 'incomplete' : 'a0.tdb')
    }
    const { documents } = await runJson(['ls', array])
    const [first] = items(get(documents[0], 'fragments'))
    expect(get(first, 'ratio')).toBeNull()
    expect(get(first, 'unfiltered_size')).toBeNull()
    expect(column(get(first, 'damaged_files'), 'name')).toEqual(['a0.tdb'])
    const alone = await runJson(['ls', fragment])
    expect(column(get(alone.documents[0], 'files'), 'state')).toContain(how)
  })

  test('a file that no cell needs may be missing', async () => {
    const array = copyOf('22/sparse_basic')
    writeFileSync(`${fragmentOf(array, '__')}/extra.txt`, 'x')
    expect((await run(['ls', array])).code).toBe(0)
  })
})
