import { expect, test } from '@jest/globals'
import { EDITED, EditedArray } from '../helpers/edit-array.ts'
import { check } from './findings.ts'

test.each([/\.con$/, /\.ign$/])('an entry of %s whose folder is damaged is found', async (file) => {
  const array = new EditedArray('22/commits_ignored')
  const path = array.find(file)
  // A letter of "__commits/", whose last part is what the tool goes by.
  array.flip(path, 6)
  const { findings } = await check(array.storage(), EDITED)
  expect(findings.filter(({ code }) => code === 'COMMIT_WRONG_FOLDER')).toMatchObject([{ file: path, offset: 0 }])
})
