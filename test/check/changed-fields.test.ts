import { readdirSync } from 'node:fs'
import { describe, expect, test } from '@jest/globals'
import { FIXTURES } from '../helpers/fixtures.ts'
import { serveFolder } from '../helpers/http-server.ts'
import { get, items, parseJson } from '../helpers/json.ts'
import { run, runJson } from '../helpers/run.ts'

const READDED = `${FIXTURES}/changed_fields/readded`
const withIndex = await serveFolder(READDED, { index: true })
const withoutIndex = await serveFolder(READDED)
const [before, after] = readdirSync(`${READDED}/__fragments`)
  .sort()
  .map((name) => `${READDED}/__fragments/${name}`)

// TileDB 2.30 gives other values or none for these. It reads `same` as it was written, and does not know `gone`.
const CHANGED = [
  ['attributes.wider', "INT64 as in the array's schema", 'INT32'],
  ['attributes.narrower', "INT32 as in the array's schema", 'INT64'],
  ['attributes.real', "FLOAT32 as in the array's schema", 'INT32'],
  ['attributes.text', "STRING_UTF8, variable length as in the array's schema", 'INT32'],
  ['attributes.nullable', "INT32, nullable as in the array's schema", 'INT32'],
  ['attributes.pair', "INT32, 2 a cell as in the array's schema", 'INT32'],
]

describe('attributes that were dropped and added again', () => {
  test.each([
    ['the array', READDED],
    ['its old fragment', before],
  ])('are errors of the old fragment where their form changed: %s', async (_, target) => {
    const { documents } = await runJson(['check', target])
    const found = items(get(documents[0], 'findings'))
    expect(found.map((one) => [get(one, 'severity'), get(one, 'code')])).toEqual(
      CHANGED.map(() => ['error', 'FIELD_CHANGED']),
    )
    expect(found.map((one) => ['field', 'expected', 'found'].map((key) => get(one, key)))).toEqual(CHANGED)
    for (const one of found) expect(get(one, 'file')).toBe(`${before}/__fragment_metadata.tdb`)
  })

  test('leave newer fragments healthy', async () => {
    const { code, documents } = await runJson(['check', after])
    expect([code, get(documents[0], 'findings')]).toEqual([0, []])
  })

  test.each([
    ['with index pages', withIndex, true],
    ['without: nobody can list the schemas', withoutIndex, false],
  ])('decode says so over HTTP %s', async (_, { url }, isSaid) => {
    const target = `${url}/__fragments/${before.split('/').at(-1)}`
    const { text, stderr } = await run(['decode', target, '--format', 'ndjson', '--limit', '1'])
    expect(parseJson(text)).toMatchObject({ wider: 1 })
    expect(stderr.includes('TileDB reads these cells wrongly')).toBe(isSaid)
  })

  test('decode shows what was written, and says that TileDB does not', async () => {
    const { text, stderr } = await run(['decode', before, '--format', 'ndjson', '--limit', '1'])
    expect(parseJson(text)).toMatchObject({ wider: 1, narrower: 1, real: 1, text: 1, nullable: 1, pair: 1, same: 1 })
    expect(stderr).toContain('real: shown as written, INT32; TileDB reads these cells wrongly, as FLOAT32')
    expect(stderr).not.toContain('same')
    expect((await run(['decode', before, '--field', 'same', '--format', 'ndjson'])).stderr).toBe('')
    expect((await run(['decode', after, '--format', 'ndjson'])).stderr).toBe('')
  })
})
