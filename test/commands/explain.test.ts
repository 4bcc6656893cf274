import { cpSync, readdirSync, rmSync, truncateSync } from 'node:fs'
import { describe, expect, test } from '@jest/globals'
import { FIXTURES } from '../helpers/fixtures.ts'
import { temporaryFolder } from '../helpers/folders.ts'
import { get, items, type Json } from '../helpers/json.ts'
import { runJson } from '../helpers/run.ts'

const folder = temporaryFolder()

async function explained(...args: string[]): Promise<{ code: number; document: Json }> {
  const { code, documents } = await runJson(['explain', ...args])
  return { code, document: documents[0] }
}

describe('steps', () => {
  test('their seconds add up to those of the whole read, which undoes filters, too', async () => {
    const { document } = await explained(`${FIXTURES}/22/deletes`, '--exact')
    const total = get(document, 'total')
    expect(get(total, 'unfilter_seconds')).toBeGreaterThan(0)
    for (const key of ['seconds', 'local_seconds']) {
      const all = items(get(document, 'steps')).reduce((sum: number, step) => sum + Number(get(step, key)), 0)
      expect(all).toBeCloseTo(Number(get(total, key)), 5)
    }
  })
})

describe('data files that are not there, or short', () => {
  test.each(['missing', 'short'])('%s: exit code 1 and a finding, if the read needs the file', async (how) => {
    const array = `${folder}/${how}`
    cpSync(`${FIXTURES}/22/sparse_2d_row_row`, array, { recursive: true })
    const file = `${array}/__fragments/${readdirSync(`${array}/__fragments`)[0]}/a0.tdb`
    if (how === 'missing') rmSync(file)
    else truncateSync(file, 3)
    const { code, document } = await explained(array)
    expect(code).toBe(1)
    expect(items(get(document, 'findings'))).toMatchObject([
      { code: how === 'missing' ? 'FILE_MISSING' : 'FILE_SHORT', severity: 'error', field: 'a' },
    ])
    const without = await explained(array, '--field', String(get(items(get(document, 'fields'))[0], 'name')))
    expect([without.code, get(without.document, 'findings')]).toEqual([0, []])
  })
})
