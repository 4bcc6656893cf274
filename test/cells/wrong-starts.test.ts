import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { expect, test } from '@jest/globals'
import { EDITED, EditedArray } from '../helpers/edit-array.ts'
import { temporaryFolder } from '../helpers/folders.ts'
import { type Ran, run } from '../helpers/run.ts'

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

test('a wrong start of padding is passed over, unless a written cell ends there', async () => {
  // The written cells of tile 0 are 9 to 11 and 13 to 15.
  const read = async (cell: number | undefined): Promise<Ran[]> => {
    const array = new EditedArray('22/fill_values')
    if (cell !== undefined) await array.editTile('s', 'offsets', 0, (data) => data.fill(0xff, 8 * cell, 8 * cell + 8))
    const storage = array.storage()
    const fragment = array.fragmentPath()
    const calls = [
      ['read', EDITED],
      ['decode', fragment],
      ['decode', '--fill', fragment],
    ]
    return Promise.all(calls.map((args) => run(args, { storage })))
  }
  const [cells, decoded] = await read(undefined)
  const passed = await read(8)
  expect(passed.slice(0, 2)).toEqual([cells, decoded])
  expect(passed[2]).toMatchObject({ code: 1, stderr: expect.stringMatching(/expected cell 8 to start between/) })
  for (const { code, stderr } of await read(12)) {
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringMatching(/expected cell 12 to start between/) })
  }
})
