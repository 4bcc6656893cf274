import { describe, expect, test } from '@jest/globals'
import { EDITED, EditedArray } from '../helpers/edit-array.ts'
import { run } from '../helpers/run.ts'

/** A fixture whose schema is edited. */
async function edited(name: string, change: Parameters<EditedArray['editSchema']>[0]): Promise<EditedArray> {
  const array = new EditedArray(name)
  await array.editSchema(change)
  return array
}

describe('a schema without dimensions', () => {
  test.each([
    ['22/sparse_basic', ['read']],
    ['22/dense_basic', ['read', '--provenance', '--json']],
    ['22/dense_basic', ['explain', '--exact']],
    ['22/sparse_basic', ['recover', '--to', '/new']],
  ])('%s, %j: one error names the schema', async (name, [command, ...options]) => {
    const array = await edited(name, (schema) => {
      schema.domain.dimensions.length = 0
    })
    const { code, stderr, text } = await run([command, EDITED, ...options], { storage: array.storage() })
    expect(code).toBe(command === 'recover' ? 3 : 1)
    expect(stderr + text).toContain('expected at least one dimension, found none')
    expect(stderr + text).not.toContain('fault of tiledb-inspect')
  })
})

test.each([
  ['explain', '--exact', '--json'],
  ['read', '--provenance', '--json'],
])('an attribute with the name of the times of cells is an attribute: %s %s', async (command, ...options) => {
  const original = new EditedArray('22/sparse_basic')
  const cells = async (array: EditedArray): Promise<number> => {
    const { code, text } = await run([command, EDITED, ...options], { storage: array.storage() })
    expect(code).toBe(0)
    const document = JSON.parse(text)
    return command === 'read' ? document.cell_num : document.total.cells_found
  }
  const renamed = await edited('22/sparse_basic', (schema) => {
    schema.attributes[2].name = '__timestamps'
  })
  expect(await cells(renamed)).toBe(await cells(original))
})

test('the table of metadata ends with the longest list, however many tiles the footer counts', async () => {
  const array = new EditedArray('22/rtree_levels')
  await array.editFooter((footer) => {
    footer.sparse_tile_num = 2 ** 53 - 1
  })
  const { folder } = await array.fragment()
  const { text } = await run(['metadata', folder.path], { storage: array.storage() })
  expect(text.split('\n').length).toBeLessThan(2000)
})
