import { cpSync, readdirSync, rmSync, truncateSync } from 'node:fs'
import { describe, expect, test } from '@jest/globals'
import { type LayoutTotals, layoutFindings, WORTH_BYTES } from '../../src/commands/layout-findings.ts'
import { Distribution, SizeTally } from '../../src/commands/size-tally.ts'
import { FIXTURES, fixtureFolders, versionOf } from '../helpers/fixtures.ts'
import { temporaryFolder } from '../helpers/folders.ts'
import { get, items } from '../helpers/json.ts'
import { run, runJson } from '../helpers/run.ts'
import { turnOfFamilies } from '../helpers/turn.ts'

function laid(size: number, unfiltered_size: number, more: Partial<LayoutTotals> = {}): LayoutTotals {
  const tally = new SizeTally()
  const filters = [{ name: 'ZSTD' as const, level: 1 }]
  tally.addFile({ field: 'a', role: 'data', filters, size, unfiltered_size }, new Distribution())
  return { tally, tile_num: 1, cell_num: 1000, metadata_size: 0, ...more }
}

const codes = (one: LayoutTotals): string[] => layoutFindings(one).map(({ code }) => code)

describe('advice on a layout', () => {
  test('stored larger: from 1 MiB and 5 % more on', () => {
    expect(codes(laid(3 * WORTH_BYTES, 2 * WORTH_BYTES))).toEqual(['STORED_LARGER'])
    expect(codes(laid(3 * WORTH_BYTES - 1, 2 * WORTH_BYTES))).toEqual([])
    expect(codes(laid(101 * WORTH_BYTES, 100 * WORTH_BYTES))).toEqual([])
  })

  test('small and large tiles', () => {
    expect(codes(laid(WORTH_BYTES, WORTH_BYTES, { tile_num: 1000 }))).toEqual(['TILES_SMALL'])
    expect(codes(laid(WORTH_BYTES - 1, WORTH_BYTES - 1, { tile_num: 1000 }))).toEqual([])
    expect(codes(laid(WORTH_BYTES, 600 * WORTH_BYTES, { tile_num: 2 }))).toEqual(['TILES_LARGE'])
  })

  test('much metadata', () => {
    expect(codes(laid(WORTH_BYTES, WORTH_BYTES, { metadata_size: WORTH_BYTES }))).toEqual(['METADATA_LARGE'])
    expect(codes(laid(100, 100, { metadata_size: WORTH_BYTES - 1 }))).toEqual([])
  })

  test('is silent on every fixture', async () => {
    const arrays = fixtureFolders().filter(({ kind, key }) => kind === 'array' && key === undefined)
    expect(arrays.length).toBeGreaterThan(100)
    const some = turnOfFamilies(arrays, 4, versionOf).map(({ path }) => path)
    const { documents } = await runJson(['stats', ...some, `${FIXTURES}/22/deletes`])
    expect(documents).toHaveLength(some.length + 1)
    for (const one of documents) expect([get(one, 'path'), get(one, 'findings')]).toEqual([get(one, 'path'), []])
  })
})

describe('stats of data files that are not there, or short', () => {
  const folder = temporaryFolder()
  test.each(['missing', 'short'])('%s: exit code 1, a finding that names it, and no sum has it', async (how) => {
    const array = `${folder}/${how}`
    cpSync(`${FIXTURES}/22/sparse_2d_row_row`, array, { recursive: true })
    const before = await runJson(['stats', array])
    const file = `${array}/__fragments/${readdirSync(`${array}/__fragments`)[0]}/a0.tdb`
    if (how === 'missing') rmSync(file)
    else truncateSync(file, 3)
    const { code, documents } = await runJson(['stats', array])
    expect(code).toBe(1)
    expect(items(get(documents[0], 'findings'))).toMatchObject([
      { code: how === 'missing' ? 'FILE_MISSING' : 'FILE_SHORT', severity: 'error' },
    ])
    const names = (document: (typeof documents)[number]): unknown[] =>
      items(get(document, 'fields')).map((field) => get(field, 'name'))
    expect(names(documents[0])).toEqual(names(before.documents[0]).filter((name) => name !== 'a'))
    const ran = await run(['stats', array])
    expect(ran.stderr).toContain('a0.tdb')
    expect(ran.text).toMatch(/^error: expected the file a0\.tdb/m)
  })
})
