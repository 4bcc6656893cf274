import { writeFileSync } from 'node:fs'
import { expect, test } from '@jest/globals'
import { temporaryFolder } from '../helpers/folders.ts'
import { get } from '../helpers/json.ts'
import { run, runJson } from '../helpers/run.ts'

const folder = temporaryFolder()

test('an empty value has the number of values that TileDB gives for it, in the table too', async () => {
  const put = { text: '', bytes: { base64: '' }, numbers: { type: 'INT64', value: [] }, one: 'a' }
  writeFileSync(`${folder}/steps.json`, JSON.stringify({ steps: [{ step: 'group' }, { step: 'metadata', put }] }))
  await run(['write-sample', `${folder}/group`, '--steps', `${folder}/steps.json`])
  const [document] = (await runJson(['metadata', `${folder}/group`, '--all'])).documents
  // tiledb_group_get_metadata of TileDB 2.30 says 1 for the value without bytes.
  for (const key of Object.keys(put))
    expect([key, get(get(get(document, 'metadata'), key), 'value_num')]).toEqual([key, 1])
  expect((get(document, 'versions') as { value_num: number }[]).map(({ value_num }) => value_num)).toEqual([1, 1, 1, 1])
  const { text } = await run(['metadata', `${folder}/group`])
  expect(text.match(/^\w+ +\w+ +\d/gm)?.map((line) => line.split(/ +/))).toEqual([
    ['bytes', 'BLOB', '1'],
    ['numbers', 'INT64', '1'],
    ['one', 'STRING_UTF8', '1'],
    ['text', 'STRING_UTF8', '1'],
  ])
})
