import { expect, test } from '@jest/globals'
import { localStorage } from '../../src/node/file.ts'
import { conditionFields } from '../../src/read/condition.ts'
import { openAt } from '../../src/read/opening.ts'
import type { OpenedArray } from '../../src/read/query.ts'
import { readSparse } from '../../src/read/sparse.ts'
import { Folder } from '../../src/source/source.ts'
import { InspectArray } from '../../src/store/array.ts'
import { failureOf } from '../helpers/failure.ts'
import { contextFor, FIXTURES } from '../helpers/fixtures.ts'

async function cellNum(opened: OpenedArray): Promise<number> {
  let sum = 0
  for await (const { cell_num, rows } of readSparse(opened, { order: 'global', ranges: new Map() }))
    sum += rows?.length ?? cell_num
  return sum
}

test('a delete by a field that was dropped is an error, as in TileDB, and deletes no cells', async () => {
  const array = new InspectArray(new Folder(localStorage, `${FIXTURES}/22/deletes`), contextFor({ key: undefined }))
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

test('attributes of a sparse array whose cells have another form than the array has now are told, each once', async () => {
  const folder = new Folder(localStorage, `${FIXTURES}/changed_fields/readded`)
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
