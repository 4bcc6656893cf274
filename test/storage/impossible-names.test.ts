import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { expect, test } from '@jest/globals'
import { EDITED, EditedArray } from '../helpers/edit-array.ts'
import { temporaryFolder } from '../helpers/folders.ts'
import { get, items } from '../helpers/json.ts'
import { runJson } from '../helpers/run.ts'

const folder = temporaryFolder()

test.each([
  ['with a zero byte', 'a\0b'],
  ['too long for the system', 'x'.repeat(300)],
])('a file that damage names %s is missing, and the rest is examined', async (_, name) => {
  const array = new EditedArray('22/enumerations')
  await array.editSchema(({ enumerations }) => {
    enumerations[0].path_name = name
  })
  const root = `${folder}/${name.length}`
  for (const [path, content] of array.files) {
    const file = root + path.slice(EDITED.length)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, content)
  }
  const { code, documents } = await runJson(['check', root])
  const codes = items(get(documents[0], 'findings')).map((one) => get(one, 'code'))
  expect(codes).toContain('ENUMERATION_MISSING')
  expect(get(documents[0], 'not_examined')).toEqual([])
  expect(code).toBe(1)
})
