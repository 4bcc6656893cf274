import '../helpers/realm.ts'
import { readFileSync } from 'node:fs'
import { expect, test } from '@jest/globals'
import { MemoryStorage } from '../../src/source/memory.ts'
import { filePaths } from '../anatomy/anatomy.ts'
import { FIXTURES } from '../helpers/fixtures.ts'
import { run, runJson } from '../helpers/run.ts'

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
