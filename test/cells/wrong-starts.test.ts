import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { expect, test } from '@jest/globals'
import { EditedArray } from '../helpers/edit-array.ts'
import { temporaryFolder } from '../helpers/folders.ts'
import { run } from '../helpers/run.ts'

const folder = temporaryFolder()

test('a wrong start of a value is shown exactly, even above 2^53', async () => {
  const array = new EditedArray('22/sparse_basic')
  const wrong = 2n ** 60n + 1n
  await array.editTile(
    's',
    'offsets',
    0,
    (data) => void new DataView(data.buffer, data.byteOffset).setBigUint64(8, wrong, true),
  )
  for (const [path, bytes] of array.files) {
    mkdirSync(dirname(`${folder}${path}`), { recursive: true })
    writeFileSync(`${folder}${path}`, bytes)
  }
  const { text } = await run(['check', '--level', 'cells', `${folder}/array`])
  expect(text).toMatch(/error CELL_OFFSETS .*\n.*, found 1152921504606846977\n/)
  const { stderr } = await run(['read', `${folder}/array`])
  expect(stderr).toMatch(/expected cell 1 to start between 0 and \d+, found 1152921504606846977\n/)
})
