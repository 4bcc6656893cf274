import { writeFileSync } from 'node:fs'
import { expect, test } from '@jest/globals'
import { temporaryFolder } from '../helpers/folders.ts'
import { run } from '../helpers/run.ts'

/** Documents and cells of any size and depth end in words, and soon. */
const folder = temporaryFolder()
const FIELDS = ['--dim', 'x:INT32:0..99:10', '--attr', 'a:STRING_ASCII']
const DIGITS = '1'.repeat(5_000_000)
const DEEP = '['.repeat(100_000)

test.each([
  ['digits', `{"x":${DIGITS},"a":"b"}`, 'expected an integer of at most 400 digits in JSON at character 5'],
  ['depth', `{"x":1,"a":${DEEP}}`, 'expected at most 500 levels in JSON at character'],
  ['a key', `{"${'k'.repeat(1_000_000)}":1}`, `field ${'k'.repeat(100)}: line 1: expected a field of the schema`],
])('--data with %s', async (name, line, says) => {
  const file = `${folder}/${name}.ndjson`
  writeFileSync(file, `${line}\n`)
  const { code, stderr } = await run(['write-sample', `${folder}/${name}`, ...FIELDS, '--data', file])
  expect([code, stderr]).toEqual([2, expect.stringContaining(says)])
  expect(stderr.length).toBeLessThan(1000)
})

test.each(['--steps', '--schema'])('%s with many digits', async (option) => {
  const file = `${folder}/${option}.json`
  writeFileSync(file, `{"capacity":${DIGITS}}`)
  const { code, stderr } = await run(['write-sample', `${folder}/${option}`, option, file])
  expect([code, stderr]).toEqual([2, expect.stringContaining('expected an integer of at most 400 digits')])
})

test.each(['--schema', '--steps', '--data'])('%s with more than --memory has room for', async (option) => {
  const file = `${folder}/large${option}.ndjson`
  const line = '{"x":1,"a":"b"}\n'
  writeFileSync(file, line.repeat(100_000))
  const own = option === '--data' ? FIELDS : []
  const call = ['write-sample', `${folder}/large${option}`, ...own, option, file, '--memory', '2M']
  const { code, stderr } = await run(call)
  expect(stderr).toMatch(
    /expected at most \d+ bytes of the (?:text|rows) of --\w+ \(1\/\d of --memory\), found \d+ or more/,
  )
  expect([code, stderr.match(/^error: /gm)?.length]).toEqual([3, 1])
  expect(stderr).toContain(file)
})
