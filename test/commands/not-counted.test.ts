import { cpSync, rmSync } from 'node:fs'
import { expect, test } from '@jest/globals'
import { FIXTURES } from '../helpers/fixtures.ts'
import { temporaryFolder } from '../helpers/folders.ts'
import { firstFragment } from '../helpers/fragments.ts'
import { run, runJson } from '../helpers/run.ts'

const ARRAY = `${FIXTURES}/22/sparse_basic`
const folder = temporaryFolder()

test('tiles: nulls of var-sized text are not counted by TileDB, and zeros are not shown as if they were', async () => {
  const fragment = firstFragment(ARRAY)
  const { documents } = await runJson(['tiles', fragment, '--field', 't', '--field', 'n'])
  const [{ tiles }] = documents as [{ tiles: { fields: { name: string; null_count: number | null }[] }[] }]
  for (const { fields } of tiles) {
    expect(fields.find(({ name }) => name === 't')?.null_count ?? null).toBeNull()
    expect(fields.find(({ name }) => name === 'n')?.null_count).toEqual(expect.any(Number))
  }
  const { text } = await run(['tiles', fragment, '--field', 't'])
  expect(text).not.toContain('nulls')
})

test('metadata: nulls that TileDB did not count are no zeros, of tiles and of the fragment', async () => {
  const fragment = firstFragment(ARRAY)
  const { documents } = await runJson(['metadata', fragment])
  const [{ fields }] = documents as [
    { fields: { name: string; null_count: number | null; tile_null_counts?: number[] }[] },
  ]
  const [t, n] = ['t', 'n'].map((name) => fields.find((field) => field.name === name))
  expect([t?.null_count, t?.tile_null_counts]).toEqual([null, undefined])
  expect([n?.null_count, n?.tile_null_counts]).toEqual([expect.any(Number), expect.any(Array)])
  const { text } = await run(['metadata', fragment])
  expect(text).toMatch(/^t .* -$/m)
  expect(text).toMatch(/^n .* \d+$/m)
  const [ofTiles] = text.match(/tiles of t\n.*/) ?? []
  expect(ofTiles).not.toContain('nulls')
})

test('recover: a file that is gone is not said to be expected with 0 bytes', async () => {
  const from = `${folder}/gone`
  cpSync(ARRAY, from, { recursive: true })
  rmSync(`${firstFragment(from)}/a2.tdb`)
  const { text, stderr } = await run(['recover', from, '--to', `${folder}/to`, '--drop-damaged'])
  expect(text + stderr).toMatch(
    /expected a file of (tiles|[1-9]\d* bytes), which the metadata lists; found no such file/,
  )
  expect(text + stderr).not.toContain('a file of 0 bytes')
})
