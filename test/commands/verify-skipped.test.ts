import { readdirSync, rmSync } from 'node:fs'
import { beforeAll, describe, expect, test } from '@jest/globals'
import { temporaryFolder } from '../helpers/folders.ts'
import { get, parseJson } from '../helpers/json.ts'
import { run } from '../helpers/run.ts'

const folder = temporaryFolder()

/** Three fragments with checksums, of which commits name so many. */
async function written(name: string, committed: number): Promise<string> {
  const array = `${folder}/${name}`
  const { code } = await run(['write-sample', array, '--filters', 'zstd,sha256', '--cells', '60', '--fragments', '3'])
  expect(code).toBe(0)
  for (const commit of readdirSync(`${array}/__commits`).slice(committed)) rmSync(`${array}/__commits/${commit}`)
  if (committed === 0) rmSync(`${array}/__commits`, { recursive: true })
  return array
}

let none = ''
let one = ''
beforeAll(async () => {
  none = await written('none', 0)
  one = await written('one', 1)
})

async function verified(array: string, ...options: readonly string[]): Promise<unknown> {
  const { code, text } = await run(['verify-checksums', array, '--json', ...options])
  const document = parseJson(text)
  const of = (key: string): unknown => get(document, key)
  return [code, of('verdict'), of('ok'), of('fragment_num'), of('skipped_fragment_num')]
}

describe('verify-checksums counts the fragments that it skips', () => {
  test.each([[[]], [['--jobs', '2']]])(
    'and does not pass with --require-checksums if these are all %j',
    async (jobs) => {
      expect(await verified(none, ...jobs)).toEqual([0, 'nothing-to-verify', true, 0, 3])
      expect(await verified(none, '--require-checksums', ...jobs)).toEqual([1, 'nothing-to-verify', false, 0, 3])
      expect(await verified(none, '--all', ...jobs)).toEqual([0, 'partly', true, 3, 0])
      expect(await verified(one, ...jobs)).toEqual([0, 'partly', true, 1, 2])
    },
  )

  test('once among shards', async () => {
    expect(await verified(none, '--require-checksums', '--shard', '1/2')).toEqual([1, 'nothing-to-verify', false, 0, 3])
    expect(await verified(none, '--require-checksums', '--shard', '2/2')).toEqual([0, 'nothing-to-verify', true, 0, 0])
  })

  test('in words', async () => {
    const { text } = await run(['verify-checksums', none])
    expect(text).toContain('NOTHING TO VERIFY: TileDB reads no fragment\n')
    expect(text).toContain('3 fragments that TileDB does not read were skipped; --all verifies them.\n')
    const some = await run(['verify-checksums', one])
    expect(some.text).toContain('VERIFIED: every checksum fits')
    expect(some.text).toContain('2 fragments that TileDB does not read were skipped; --all verifies them.\n')
  })
})
