import { expect, test } from '@jest/globals'
import { type ConditionNode, deleteCondition } from '../../src/format/delete-condition.ts'
import { EDITED, EditedArray } from '../helpers/edit-array.ts'
import { run } from '../helpers/run.ts'

/** An array with a delete condition of nested ANDs. */
async function nested(depth: number): Promise<EditedArray> {
  const array = new EditedArray('22/deletes')
  await array.rewrite(array.find(/__15_15_.*\.del$/), deleteCondition, (leaf) => {
    let node: ConditionNode = leaf
    for (let i = 0; i < depth; i++) node = { node: 'expression', op: 'AND', children: [leaf, node] }
    return node
  })
  return array
}

// TileDB 2.30 reads conditions of 2,000, and ends with a signal on 100,000. So deep ones are no damage, and no reason to fail without words.
test('a delete condition that is nested too deep is not called damaged', async () => {
  const array = await nested(300)
  for (const args of [['read'], ['check'], ['commits']]) {
    const { code, text, stderr } = await run([...args, EDITED], { storage: array.storage() })
    expect([...args, code]).toEqual([...args, 3])
    expect(`${text}${stderr}`).toContain('at most 256 nested conditions')
    expect(`${text}${stderr}`).not.toContain('children.1.children.1')
  }
})

test('one that is nested less deep is read', async () => {
  const before = await run(['read', EDITED], { storage: new EditedArray('22/deletes').storage() })
  expect(await run(['read', EDITED], { storage: (await nested(200)).storage() })).toEqual(before)
})
