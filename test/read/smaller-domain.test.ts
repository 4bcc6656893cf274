import { expect, test } from '@jest/globals'
import { UUID } from '../../src/damage/damage.ts'
import { arraySchema } from '../../src/format/array-schema.ts'
import { openGenericTile } from '../../src/objects/generic-tile.ts'
import { EDITED, EditedArray } from '../helpers/edit-array.ts'
import { contextFor } from '../helpers/fixtures.ts'
import { run } from '../helpers/run.ts'

/** An array whose newest schema has a smaller domain: 0 to `end` in the first dimension. */
async function smaller(fixture: string, end: number): Promise<EditedArray> {
  const array = new EditedArray(fixture)
  const newer = `__schema/__1899999999999_1899999999999_${UUID}`
  array.add(newer, array.get(array.matching(/__schema\/__\d/).at(-1) ?? ''))
  await array.rewrite(`${EDITED}/${newer}`, arraySchema, ({ domain: { dimensions } }) => {
    const { domain } = dimensions[0]
    new DataView(domain.buffer, domain.byteOffset).setInt32(4, end, true)
  })
  return array
}

// TileDB 2.30 reads ranges inside the smaller domain, and refuses others: Range [0, 50] is out of domain bounds [0, 5].
test.each([
  [undefined, 0],
  ['0..5', 0],
  ['3..50', 1],
  ['7..8', 1],
])('a read of %s where the domain became smaller', async (range, code) => {
  const array = await smaller('22/evolved_sparse', 5)
  const options = range === undefined ? [] : ['--range', `x=${range}`]
  const read = await run(['read', EDITED, ...options], {
    storage: array.storage(),
    env: { TILEDB_INSPECT_NOW: '1900000000000' },
  })
  expect(read.code).toBe(code)
  if (code === 0) expect(read.stderr).toBe('')
  else
    expect(read.stderr).toMatch(/^error: .*nonempty_domain\.x: TileDB 2\.30 cannot read these cells \(Subarray: Cannot/)
})

test('a range that leaves the domain in which everything was written', async () => {
  const { code, stderr } = await run(['read', EDITED, '--range', 'x=50..500'], {
    storage: new EditedArray('22/evolved_sparse').storage(),
  })
  expect([code, stderr]).toEqual([0, ''])
})

// TileDB 2.30 does not open the array: Invalid current domain API version on disk.
test.each([[], ['read'], ['explain'], ['check']])('a current domain of an unknown version: %s', async (...args) => {
  const array = new EditedArray('22/sparse_basic')
  const path = array.find(/__schema\/__\d/)
  const { payload } = await openGenericTile(array.get(path), contextFor({ key: undefined }), { file: path, offset: 0 })
  // A schema ends with the version, of four bytes, and a byte that says that there is no current domain.
  const content: Uint8Array = payload.slice()
  content[content.length - 5] = 1
  array.files.set(path, await array.genericTile({ content }, (io) => ({ content: io.rest('content', 'a schema') })))
  const { code, text, stderr } = await run([...args, EDITED], { storage: array.storage() })
  expect([code, `${text}${stderr}`]).toEqual([3, expect.stringContaining('expected current domain version 0, found 1')])
})
