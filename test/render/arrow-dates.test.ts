import { writeFileSync } from 'node:fs'
import { expect, test } from '@jest/globals'
import { temporaryFolder } from '../helpers/folders.ts'
import { run } from '../helpers/run.ts'

const folder = temporaryFolder()

test("dates beyond Arrow's 32 bits are no damage of the array", async () => {
  const schema = {
    array_type: 'sparse',
    dimensions: [{ name: 'd', type: 'INT32', domain: [0, 9] }],
    attributes: [{ name: 'a', type: 'DATETIME_DAY' }],
  }
  writeFileSync(`${folder}/schema.json`, JSON.stringify(schema))
  writeFileSync(`${folder}/cells.ndjson`, '{"d":1,"a":"1970-01-02"}\n{"d":2,"a":"5881580-07-12"}\n')
  const array = `${folder}/array`
  const written = ['--schema', `${folder}/schema.json`, '--data', `${folder}/cells.ndjson`]
  expect((await run(['write-sample', array, ...written])).stderr).toBe('')
  const { code, stderr } = await run(['read', array, '--format', 'arrow'])
  expect(code).toBe(2)
  expect(stderr).toMatch(/field a: expected days that fit Arrow's 32-bit dates, .*; --raw writes them as integers/)
  expect((await run(['read', array, '--format', 'arrow', '--raw'])).code).toBe(0)
})
