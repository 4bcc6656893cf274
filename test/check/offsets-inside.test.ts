import { readdirSync, rmSync, truncateSync } from 'node:fs'
import { beforeEach, expect, test } from '@jest/globals'
import { localStorage } from '../../src/node/file.ts'
import { temporaryFolder } from '../helpers/folders.ts'
import { run } from '../helpers/run.ts'
import { check } from './findings.ts'

const folder = temporaryFolder()
const array = `${folder}/strings`
let offsets: string

beforeEach(async () => {
  rmSync(array, { recursive: true, force: true })
  const shape = ['--sparse', '--cells', '40', '--capacity', '20', '--fragments', '1']
  // RLE keeps the offsets of strings with their values, in a0_var.tdb.
  await run(['write-sample', array, ...shape, '--attr', 's:STRING_ASCII', '--filters', 'rle'])
  const [name] = readdirSync(`${array}/__fragments`)
  offsets = `${array}/__fragments/${name}/a0.tdb`
})

/** Code and file of each finding of check, and file of each failure of verify-checksums. */
async function reported(): Promise<{ found: string[]; failed: string[] }> {
  const { findings } = await check(localStorage, array)
  const { text } = await run(['verify-checksums', '--deep', '--json', array])
  const { failures } = JSON.parse(text) as { failures: { file: string }[] }
  const last = (file: string) => file.slice(file.lastIndexOf('/') + 1)
  return {
    found: findings.map(({ code, file }) => `${code} ${last(file)}`),
    failed: failures.map((one) => last(one.file)),
  }
}

test('values that hold their offsets are not called lost if the file of the offsets is missing', async () => {
  rmSync(offsets)
  expect(await reported()).toEqual({ found: ['FILE_MISSING a0.tdb'], failed: ['a0.tdb', 'a0.tdb'] })
})

test('nor if it is cut short', async () => {
  truncateSync(offsets, 4)
  const found = ['FILE_SHORT a0.tdb', 'TILE_UNREADABLE a0.tdb', 'TILE_UNREADABLE a0.tdb']
  expect(await reported()).toEqual({ found, failed: ['a0.tdb', 'a0.tdb'] })
})
