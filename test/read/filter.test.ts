import { expect, test } from '@jest/globals'
import { allRows } from '../../src/cells/column.ts'
import { localFiles } from '../../src/node/file.ts'
import { InspectArray } from '../../src/objects/array.ts'
import { conditionFields } from '../../src/read/condition.ts'
import { openAt } from '../../src/read/opening.ts'
import type { OpenedArray } from '../../src/read/query.ts'
import { readSparse } from '../../src/read/sparse.ts'
import { parseWhere } from '../../src/read/where.ts'
import { Folder } from '../../src/storage/source.ts'
import { floats, ints, madeArray } from '../advice/made-array.ts'
import { failureOf } from '../helpers/failure.ts'
import { contextFor, FIXTURES } from '../helpers/fixtures.ts'

async function cellNum(opened: OpenedArray): Promise<number> {
  let sum = 0
  for await (const { cell_num, rows } of readSparse(opened, { order: 'global', ranges: new Map() }))
    sum += rows?.length ?? cell_num
  return sum
}

test('a delete by a field that was dropped is an error, as in TileDB, and deletes no cells', async () => {
  const array = new InspectArray(new Folder(localFiles, `${FIXTURES}/22/deletes`), contextFor({ key: undefined }))
  const opened = await openAt(array)
  expect(await cellNum(opened)).toBeGreaterThan(0)
  const { schema, deletes } = opened
  const dropped = deletes
    .flatMap(({ stays }) => [...conditionFields(stays)])
    .find((name) => schema.attributes.some((one) => one.name === name))
  const attributes = schema.attributes.filter(({ name }) => name !== dropped)
  const { code, message, at } = await failureOf(() => cellNum({ ...opened, schema: { ...schema, attributes } }))
  expect(code).toBe('INCONSISTENT')
  expect(message).toContain(`a delete condition is about ${JSON.stringify(dropped)}`)
  expect(at.file).toMatch(/deletes\/__commits\/.*\.del$/)
})

/** As TileDB 2.30 reads such an array: a comparison of a field that a fragment lacks is met by none of its cells. */
test('a condition is evaluated by fragment if older fragments lack one of its fields', async () => {
  const array = await madeArray({
    dimensions: [['x', 0, 99, 100]],
    attributes: { a: [], b: [] },
    fragments: [
      { x: ints(10, (i) => 2 * i), a: floats(10, (i) => i), b: floats(10, () => 9) },
      { x: ints(7, (i) => 3 * i), a: floats(7, (i) => 100 + i), b: floats(7, (i) => i) },
    ],
  })
  const [old, newer] = array.fragments
  const slots = old.info.slots.map((slot) => (slot.name === 'b' ? { ...slot, name: 'gone' } : slot))
  const opened = { ...array, fragments: [{ ...old, info: { ...old.info, slots } }, newer] }
  const found = async (text: string): Promise<number[]> => {
    const cells: number[] = []
    const where = parseWhere(text, opened.schema)
    for await (const { cell_num, rows, columns } of readSparse(opened, { order: 'global', ranges: new Map(), where })) {
      const x = new Int32Array(columns[0]?.data.slice().buffer ?? [])
      for (const row of rows ?? allRows(cell_num)) cells.push(x[row])
    }
    return cells
  }
  expect(await found('b > 2')).toEqual([9, 12, 15, 18])
  expect(await found('not b > 2')).toEqual([0, 3, 6])
  // In an OR, only what comes after the field that is lacking counts.
  expect(await found('a > 3 or b > 2')).toEqual([0, 3, 6, 9, 12, 15, 18])
  expect(await found('b > 2 or a > 3')).toEqual([0, 3, 6, 8, 9, 10, 12, 14, 15, 16, 18])
  expect(await found('x > 4 and b < 5')).toEqual([6, 9, 12])
})

test('a remark is made once for each attribute of a sparse array whose cells have another form than now', async () => {
  const folder = new Folder(localFiles, `${FIXTURES}/changed_fields/readded`)
  const opened = await openAt(new InspectArray(folder, contextFor({ key: undefined })))
  const remarks: string[][] = []
  const onRemark = (field: string, remark: string) => remarks.push([field, remark])
  const fields = ['wider', 'real']
  for await (const _ of readSparse(opened, { order: 'global', ranges: new Map(), fields, onRemark }));
  expect(remarks).toEqual([
    ['wider', expect.stringMatching(/^cells that were written as INT32 .* as INT64$/)],
    ['real', expect.stringMatching(/^cells that were written as INT32 .* as FLOAT32$/)],
  ])
})
