import { cpSync, readdirSync } from 'node:fs'
import { describe, expect, test } from '@jest/globals'
import { FIXTURES } from '../helpers/fixtures.ts'
import { temporaryFolder } from '../helpers/folders.ts'
import { fragmentNames } from '../helpers/fragments.ts'
import { get, items } from '../helpers/json.ts'
import { run, runJson } from '../helpers/run.ts'

const ARRAY = `${FIXTURES}/22/sparse_basic`
const [NAME] = fragmentNames(ARRAY)
const [SCHEMA] = readdirSync(`${ARRAY}/__schema`).filter((name) => name !== '__enumerations')

const folder = temporaryFolder()
const moved = `${folder}/${NAME}`
cpSync(`${ARRAY}/__fragments/${NAME}`, moved, { recursive: true })

describe('a fragment moved away from its array', () => {
  test('shows of its footer what needs no schema, and which schema it lacks', async () => {
    const { code, documents, stderr } = await runJson(['footer', moved])
    expect(code).toBe(3)
    const [footer] = documents
    const [whole] = (await runJson(['footer', `${ARRAY}/__fragments/${NAME}`])).documents
    for (const key of [
      'format_version',
      'array_schema_name',
      'dense',
      'null_nonempty_domain',
      'footer_offset',
      'footer_size',
    ]) {
      expect([key, get(footer, key)]).toEqual([key, get(whole, key)])
    }
    expect(get(footer, 'array_schema_name')).toBe(SCHEMA)
    expect(items(get(footer, 'not_examined')).length).toBeGreaterThan(0)
    expect(stderr).toMatch(/^error: .*schema/)
    expect(stderr).toContain(SCHEMA)
  })

  test('lists its files with their sizes', async () => {
    const { code, documents } = await runJson(['ls', moved])
    expect(code).toBe(3)
    const names = items(get(documents[0], 'files')).map((file) => get(file, 'name'))
    expect(names.map(String).sort()).toEqual(readdirSync(moved).sort())
    expect(get(documents[0], 'timestamp_range')).toEqual([10, 10])
    expect(get(documents[0], 'format_version')).toBe(22)
  })

  test.each(['rtree', 'metadata', 'decode'])('%s says what is missing: exit 3', async (command) => {
    const ran = await runJson([command, moved])
    expect(ran.code).toBe(3)
    expect(ran.stderr).toContain(SCHEMA)
    expect(get(get(ran.documents.at(-1), 'error'), 'code')).toBe('NO_SCHEMA')
  })

  test('is nothing that verify-checksums calls right', async () => {
    const ran = await runJson(['verify-checksums', moved])
    expect(ran.code).toBe(3)
    expect(items(get(ran.documents[0], 'not_examined')).length).toBeGreaterThan(0)
  })

  test('under another name keeps its footer, but not its timestamps', async () => {
    cpSync(moved, `${folder}/renamed`, { recursive: true })
    const { code, documents } = await runJson(['footer', `${folder}/renamed`])
    expect(code).toBe(3)
    expect(get(documents[0], 'array_schema_name')).toBe(SCHEMA)
    expect((await run(['ls', `${folder}/renamed`])).code).toBe(3)
  })
})
