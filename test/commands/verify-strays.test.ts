import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { beforeAll, describe, expect, test } from '@jest/globals'
import { temporaryFolder } from '../helpers/folders.ts'
import { firstFragment } from '../helpers/fragments.ts'
import { get, items, parseJson } from '../helpers/json.ts'
import { run } from '../helpers/run.ts'

const array = `${temporaryFolder()}/array`
let fragment = ''

beforeAll(async () => {
  const { code } = await run(['write-sample', array, '--filters', 'zstd,sha256', '--cells', '200', '--fragments', '2'])
  expect(code).toBe(0)
  fragment = firstFragment(array)
  const bytes = readFileSync(`${fragment}/a0.tdb`)
  bytes[60] ^= 0xff
  writeFileSync(`${fragment}/a0.tdb`, bytes)
})

/** Names by which arrays and groups are known. */
const STRAYS = ['__group', '__tiledb_group.tdb', '__schema', '__array_schema.tdb']

describe.each(STRAYS)('%s in the folder of a damaged fragment', (name) => {
  test.each([[], ['--deep']])('does not keep verify-checksums from looking %j', async (...more) => {
    const stray = `${fragment}/${name}`
    if (name.endsWith('.tdb')) writeFileSync(stray, '')
    else mkdirSync(stray)
    try {
      for (const target of [array, fragment]) {
        const { code, text } = await run(['verify-checksums', target, '--json', ...more])
        const document = parseJson(text)
        expect({ code, verdict: get(document, 'verdict') }).toEqual({ code: 1, verdict: 'damaged' })
        expect(items(get(document, 'failures'))).toHaveLength(1)
      }
      const { code, text } = await run(['decode', fragment, '--format', 'csv', '--field', 'name'])
      expect({ code, rows: text.split('\n').length > 2 }).toEqual({ code: 0, rows: true })
    } finally {
      rmSync(stray, { recursive: true })
    }
  })
})
