import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from '@jest/globals'
import { MemoryStorage } from '../../src/storage/memory.ts'
import { filePaths } from '../anatomy/anatomy.ts'
import { FIXTURES } from '../helpers/fixtures.ts'
import { temporaryFolder } from '../helpers/folders.ts'
import { run, runJson } from '../helpers/run.ts'

const temporary = temporaryFolder()

test('an error in fragment metadata names the section and what was read in it', async () => {
  const array = `${FIXTURES}/22/sparse_2d_row_row`
  const files = new Map(filePaths(array).map((path) => [path, Uint8Array.from(readFileSync(path))]))
  const path = [...files.keys()].find((one) => one.endsWith('__fragment_metadata.tdb')) ?? ''
  const fragment = path.slice(0, path.lastIndexOf('/'))
  const { documents } = await runJson(['footer', fragment])
  const fields = JSON.parse(JSON.stringify(documents[0])).fields
  const [{ offsets }] = fields.filter(({ name }: { name: string }) => name === 'a')
  const bytes = files.get(path)
  // The last byte before the next section: in the checksum that ends the GZIP stream.
  if (bytes) bytes[offsets.tile_offsets + 113] ^= 0xff
  const { code, stderr } = await run(['metadata', fragment], { storage: new MemoryStorage(files) })
  expect(code).toBe(1)
  expect(stderr).toMatch(/field tile_offsets\.a\.chunks\.0\.GZIP/)
})

test.each([
  [
    'SCHEMA_FILL_VALUE',
    '__schema',
    /^attributes\.\w+\.fill_value$/,
    'expected 4 bytes for a cell of INT32, found 3 bytes',
  ],
  ['ENUMERATION_VALUES', '__schema/__enumerations', /^offsets\.0$/, 'expected an offset of at most 13, found 1000000'],
])('an error in a value of a schema names its file and field: %s', async (damage, folder, field, message) => {
  const array = `${temporary}/${damage}`
  expect((await run(['write-sample', array, '--damage', damage])).code).toBe(0)
  const [name] = readdirSync(`${array}/${folder}`).filter((one) => one !== '__enumerations')
  const [schemaName] = readdirSync(`${array}/__schema`).filter((one) => one !== '__enumerations')
  for (const call of [
    ['schema', array],
    ['schema', `${array}/__schema/${schemaName}`],
    ['diff', array, array],
  ]) {
    const { code, documents } = await runJson(call)
    expect(code).toBe(1)
    expect(documents[0]).toMatchObject({
      error: { file: `${array}/${folder}/${name}`, field: expect.stringMatching(field), message },
    })
  }
})
