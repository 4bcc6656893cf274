import { expect, test } from '@jest/globals'
import { EDITED, EditedArray } from '../helpers/edit-array.ts'
import { run } from '../helpers/run.ts'

// The header of such a file is right, so only reading all of it tells.
test('the overview and explain tell of metadata that cannot be read, as check and metadata do', async () => {
  const array = new EditedArray('22/metadata')
  // The length of the first key then leaves the file.
  await array.rewriteContent(array.matching(/\/__meta\/__\d[^/]*$/)[0], (content) => void content.fill(255, 0, 3))
  const storage = array.storage()
  for (const args of [[], ['check'], ['explain']]) {
    const { code, text } = await run([...args, EDITED], { storage })
    expect([...args, code]).toEqual([...args, 1])
    expect(text).toContain('METADATA_UNREADABLE')
  }
  expect((await run(['metadata', EDITED], { storage })).code).toBe(1)
})
