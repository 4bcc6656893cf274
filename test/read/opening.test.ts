import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from '@jest/globals'
import { localFiles } from '../../src/node/file.ts'
import { InspectArray } from '../../src/objects/array.ts'
import { deletePlaces } from '../../src/objects/deletes.ts'
import { openAt } from '../../src/read/opening.ts'
import type { OpenedArray } from '../../src/read/query.ts'
import { Folder } from '../../src/storage/source.ts'
import { CountedStorage } from '../helpers/counted-storage.ts'
import { EDITED, EditedArray } from '../helpers/edit-array.ts'
import { contextFor, fixtureFolders } from '../helpers/fixtures.ts'
import { openEdited } from '../helpers/open-edited.ts'

/** What TileDB loaded between two times: each file was made unreadable in turn, to see whether it failed then. */
interface Opened {
  between: readonly [string, string]
  /** Attributes of the schema. */
  schema: readonly string[]
  fragments: readonly string[]
  /** Names of commits, without suffix. */
  deletes: readonly string[]
  /** Keys. */
  metadata: readonly string[]
}

const { libtiledb, fixtures }: { libtiledb: string; fixtures: Readonly<Record<string, readonly Opened[]>> } =
  JSON.parse(readFileSync(fileURLToPath(new URL('opening.json', import.meta.url)), 'utf8'))

function opened(name: string): InspectArray {
  const folder = fixtureFolders().find((one) => one.name === name)
  if (!folder) throw new Error(`no fixture ${name}`)
  return new InspectArray(new Folder(localFiles, folder.path), contextFor(folder))
}

describe(`openAt loads what libtiledb ${libtiledb} loads`, () => {
  test.each(Object.keys(fixtures))('%s', async (name) => {
    const array = opened(name)
    for (const expected of fixtures[name]) {
      const [from, to] = expected.between.map(BigInt)
      const { array: then, between, schema, fragments, deletes } = await openAt(array, { from, to })
      const places = await deletePlaces(then)
      expect({
        between: between.map(String),
        schema: schema.attributes.map((one) => one.name),
        fragments: fragments.map(({ fragment }) => fragment.folder.path.slice(array.folder.path.length + 1)).sort(),
        // Without fragments TileDB reads no condition.
        deletes: fragments.length === 0 ? [] : places.map((one) => one.name).sort(),
        metadata: [...(await then.metadata()).keys()].sort(),
      }).toEqual({ ...expected, deletes: [...expected.deletes].sort() })
      expect(deletes.map(({ time, path }) => [time, path])).toEqual(places.map(({ time, path }) => [time, path]))
      const times = fragments.map(({ time }) => time)
      expect(times).toEqual([...times].sort((a, b) => Number(a - b)))
    }
  })
})

test('without times, it opens the array at the time of its context', async () => {
  const array = opened('22/deletes')
  const now = await openAt(array)
  expect([now.between, now.fragments.length, now.deletes.length]).toEqual([[0n, array.cx.now], 2, 2])
  const before = await openAt(array.at({ from: 11n, now: 20n }))
  expect([before.between, before.fragments.length, before.deletes.length]).toEqual([[11n, 20n], 1, 1])
})

test('a fragment that a commit names and whose folder is gone is an error, at the times when it counts', async () => {
  const edited = new EditedArray('22/deletes')
  for (const file of [...edited.files.keys()]) if (file.includes('__fragments/__10_10_')) edited.files.delete(file)
  const array = await openEdited(edited)
  await expect(openAt(array)).rejects.toMatchObject({
    code: 'MISSING_FILE',
    message: expect.stringContaining('the fragment that a commit names'),
    at: { file: expect.stringContaining('/__fragments/__10_10_') },
  })
  expect((await openAt(array, { from: 15n })).fragments).toHaveLength(1)
})

/** Measured with TileDB 2.30, which then does not open the array. */
test('a fragment whose folder lies beside the folder of fragments is missing, too', async () => {
  const edited = new EditedArray('22/deletes')
  for (const [file, bytes] of [...edited.files]) {
    if (!file.includes('__fragments/__10_10_')) continue
    edited.files.delete(file)
    edited.files.set(file.replace('__fragments/', ''), bytes)
  }
  await expect(openAt(await openEdited(edited))).rejects.toMatchObject({
    code: 'MISSING_FILE',
    at: { file: expect.stringContaining('/__fragments/__10_10_') },
  })
})

test('before version 12 a commit of a fragment whose folder is gone means nothing', async () => {
  const edited = new EditedArray('5/sparse_basic')
  const { fragments } = await openAt(await openEdited(edited))
  const { name } = fragments[0].fragment
  for (const file of [...edited.files.keys()]) if (file.includes(`/${name}/`)) edited.files.delete(file)
  const left = await openAt(await openEdited(edited))
  expect(left.fragments.map((one) => one.fragment.name)).toEqual(fragments.slice(1).map((one) => one.fragment.name))
})

test('a fragment that cannot be read is an error that names it', async () => {
  const edited = new EditedArray('22/deletes')
  const file = [...edited.files.keys()].find((one) => /__fragments\/__20_20_.*__fragment_metadata.tdb/.test(one)) ?? ''
  edited.files.set(file, new Uint8Array(1))
  const array = await openEdited(edited)
  await expect(openAt(array)).rejects.toMatchObject({ at: { file: expect.stringContaining('/__20_20_') } })
  expect((await openAt(array, { to: 19n })).fragments).toHaveLength(1)
})

/** Measured with TileDB 2.30: an ignore file takes back writes, but no deletes. */
test('a delete condition in a consolidated commits file counts even if an ignore file names it', async () => {
  const edited = new EditedArray('22/deletes')
  const name = [...edited.files.keys()].find((one) => one.endsWith('.del')) ?? ''
  const tile = edited.files.get(name) ?? new Uint8Array()
  const line = new TextEncoder().encode(`${name.slice(EDITED.length + 1)}\n`)
  const length = new Uint8Array(new BigUint64Array([BigInt(tile.length)]).buffer)
  edited.files.delete(name)
  edited.files.set(name.replace(/del$/, 'con'), Buffer.concat([line, length, tile]))
  edited.files.set(name.replace(/del$/, 'ign'), line)
  const { deletes } = await openAt(await openEdited(edited))
  expect(deletes.map(({ path }) => path.slice(-4))).toEqual(['.con', '.del'])
})

test('over a network, footers come from consolidated fragment metadata', async () => {
  const array = opened('22/fragment_metadata_consolidated')
  const storage = Object.assign(new CountedStorage(localFiles), { isRemote: () => true })
  const remote = await openAt(new InspectArray(new Folder(storage, array.folder.path), array.cx))
  const local = await openAt(array)
  expect(storage.of('__fragment_metadata.tdb').read_num).toBe(0)
  const shown = ({ fragments }: OpenedArray) =>
    fragments.map(({ fragment, info, time }) => [fragment.name, time, info.nonempty_domain, info.footer])
  expect(shown(remote)).toEqual(shown(local))
  expect(local.fragments.length).toBeGreaterThan(1)
})

test('commits are read once for all times', async () => {
  const storage = new CountedStorage(localFiles)
  const { folder, cx } = opened('22/vacuum_left')
  const array = new InspectArray(new Folder(storage, folder.path), cx)
  for (const to of [10n, 20n, 30n]) await openAt(array, { to })
  expect(storage.of('.vac').read_num).toBe(1)
})
