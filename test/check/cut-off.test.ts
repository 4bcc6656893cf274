import { expect, test } from '@jest/globals'
import { EDITED, EditedArray } from '../helpers/edit-array.ts'
import { check, serious } from './findings.ts'

test.each([
  ['emptied', 0, '0: 6 of 6 tiles are cut off'],
  ['short by a byte', -1, '1 of 6 tiles are cut off'],
] as const)('a data file that is %s is one finding, with the number of its tiles', async (_, length, found) => {
  const array = new EditedArray('22/sparse_basic')
  const [path] = array.matching(/\/a0\.tdb$/)
  array.cut(path, length)
  for (const level of ['structure', 'chunks', 'cells'] as const) {
    const { findings } = await check(array.storage(), EDITED, { level })
    expect(serious(findings).map(({ code, file }) => [code, file])).toEqual([['FILE_SHORT', path]])
    expect(findings[0].found).toContain(found)
  }
})
