import { expect, test } from '@jest/globals'
import { UUID } from '../../src/damage/damage.ts'
import { arraySchema } from '../../src/format/array-schema.ts'
import { EDITED, EditedArray } from '../helpers/edit-array.ts'
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
