import { cpSync, rmSync, truncateSync } from 'node:fs'
import { describe, expect, test } from '@jest/globals'
import { FIXTURES, fixtureFolders, versionOf } from '../helpers/fixtures.ts'
import { temporaryFolder } from '../helpers/folders.ts'
import { firstFragment, fragmentNames } from '../helpers/fragments.ts'
import { get, items } from '../helpers/json.ts'
import { run, runJson } from '../helpers/run.ts'
import { turnOfFamilies } from '../helpers/turn.ts'

const folder = temporaryFolder()

describe('what makes reads slow', () => {
  test('stands below the tables', async () => {
    const array = `${folder}/many`
    await run(['write-sample', array, '--fragments', '30'])
    const { documents } = await runJson(['stats', array])
    const findings = items(get(documents[0], 'findings'))
    expect(findings.map((one) => [get(one, 'code'), get(one, 'severity')])).toEqual([
      ['FRAGMENTS_MANY', 'warning'],
      ['FRAGMENTS_OVERLAP', 'warning'],
      ['METADATA_NOT_CONSOLIDATED', 'note'],
    ])
    expect((await run(['stats', array])).text).toMatch(/^warning: 30 fragments with /m)
    const [first] = fragmentNames(array)
    const { documents: alone } = await runJson(['stats', `${array}/__fragments/${first}`])
    expect(get(alone[0], 'findings')).toEqual([])
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
  test.each(['missing', 'short'])('%s: exit code 1, a finding that names it, and no sum has it', async (how) => {
    const array = `${folder}/${how}`
    cpSync(`${FIXTURES}/22/sparse_2d_row_row`, array, { recursive: true })
    const before = await runJson(['stats', array])
    const file = `${firstFragment(array)}/a0.tdb`
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
