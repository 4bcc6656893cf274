import { expect, test } from '@jest/globals'
import { EDITED, EditedArray } from '../helpers/edit-array.ts'
import { check } from './findings.ts'

test.each([/\.con$/, /\.ign$/])('an entry of %s whose folder is damaged is found', async (file) => {
  const array = new EditedArray('22/commits_ignored')
  const path = array.find(file)
  // Changes a letter of "__commits/". The tool looks only at the last part of the path.
  array.flip(path, 6)
  const { findings } = await check(array.storage(), EDITED)
  expect(findings.filter(({ code }) => code === 'COMMIT_WRONG_FOLDER')).toMatchObject([{ file: path, offset: 0 }])
})

test('the name of a delete condition in a .con file that is no such name is found', async () => {
  const array = new EditedArray('22/commits_consolidated')
  const path = array.find(/\.con$/)
  const start = new TextDecoder().decode(array.get(path)).indexOf('__commits/__25_25_')
  // Changes the second underscore. TileDB can still read the times.
  array.flip(path, start + '__commits/_'.length)
  const { findings } = await check(array.storage(), EDITED)
  const ofNames = findings.filter(({ code }) => code === 'COMMIT_NAME_INVALID')
  expect(ofNames).toMatchObject([{ code: 'COMMIT_NAME_INVALID', severity: 'warning', file: path, offset: start }])
})
