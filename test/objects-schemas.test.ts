import { expect, test } from '@jest/globals'
import { localFiles } from '../src/node/file.ts'
import { InspectArray } from '../src/objects/array.ts'
import { Folder } from '../src/storage/source.ts'
import { contextFor, fixtureFolders } from './helpers/fixtures.ts'

/** An array of the fixtures. */
function opened(name: string): InspectArray {
  const fixture = fixtureFolders().find((one) => one.name === name)
  if (!fixture) throw new Error(`no fixture ${name}`)
  return new InspectArray(new Folder(localFiles, fixture.path), contextFor(fixture))
}

test('an array that is opened at several times reads a schema once', async () => {
  const array = opened('22/sparse_basic')
  const { file, schema } = await array.newestSchema()
  const later = array.at({ from: 0n, now: array.cx.now + 1n })
  expect(await later.schema(file.name)).toBe(schema)
  expect((await later.newestSchema()).schema).toBe(schema)
})

test('with a key, each of them sees that the array is encrypted', async () => {
  const array = opened('22/encrypted')
  const times = [1n, 2n].map((one) => array.at({ from: 0n, now: array.cx.now + one }))
  for (const { cx } of times) expect([cx.encrypted, cx.keyProven]).toEqual([false, false])
  for (const one of times) await one.newestSchema()
  for (const { cx } of times) expect([cx.encrypted, cx.keyProven]).toEqual([true, true])
})
