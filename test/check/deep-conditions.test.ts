import { expect, test } from '@jest/globals'
import { concat, NO_BYTES } from '../../src/base/bytes.ts'
import { u64Bytes } from '../../src/damage/bytes.ts'
import type { Io } from '../../src/format/io.ts'
import { EDITED, EditedArray } from '../helpers/edit-array.ts'
import { run } from '../helpers/run.ts'

/** An array with a delete condition of nested ANDs. It is not written level by level, which would fill the stack. */
async function nested(depth: number): Promise<EditedArray> {
  const array = new EditedArray('22/deletes')
  const path = array.find(/__15_15_.*\.del$/)
  let leaf: Uint8Array = NO_BYTES
  await array.rewriteContent(path, (content) => {
    leaf = content.slice()
  })
  const both = concat([Uint8Array.of(0, 0), u64Bytes(2), leaf])
  const whole = concat([...Array.from({ length: depth }, () => both), leaf])
  const bytes = (io: Io<{ whole: Uint8Array }>) => ({ whole: io.rest('whole', 'the condition') })
  array.files.set(path, await array.genericTile({ whole }, bytes))
  return array
}

// TileDB 2.30 reads conditions of 30,000, and ends with a signal on 100,000. So deep ones are no damage, and no reason to fail without words.
test('a delete condition that is nested too deep is not called damaged', async () => {
  const array = await nested(2100)
  for (const args of [['read'], ['check'], ['commits']]) {
    const { code, text, stderr } = await run([...args, EDITED], { storage: array.storage() })
    expect([...args, code]).toEqual([...args, 3])
    expect(`${text}${stderr}`).toContain('at most 2000 nested conditions')
    expect(`${text}${stderr}`).not.toContain('children.1.children.1')
  }
})

// TileDB 2.30 reads the same cells.
test.each([190, 300, 1990])('one that is nested %d deep is read', async (depth) => {
  const storage = (await nested(depth)).storage()
  const before = await run(['read', EDITED], { storage: new EditedArray('22/deletes').storage() })
  expect(await run(['read', EDITED], { storage })).toEqual(before)
  for (const args of [
    ['check'],
    ['check', '--level', 'cells'],
    ['commits'],
    ['commits', '--json'],
    ['explain'],
    ['explain', '--exact'],
    ['stats', '--read'],
    [],
  ]) {
    const { code, stderr } = await run([...args, EDITED], { storage })
    expect([...args, code, stderr]).toEqual([...args, 0, ''])
  }
})

test('a fault that lies deep is told', async () => {
  const array = await nested(1500)
  const path = array.find(/__15_15_.*\.del$/)
  await array.rewriteContent(path, (content) => void content.fill(9, content.length / 2))
  const { code, text } = await run(['check', EDITED], { storage: array.storage() })
  expect(code).toBe(1)
  expect(text).toContain('DELETE_')
})
