import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { expect, test } from '@jest/globals'
import { temporaryFolder } from '../helpers/folders.ts'
import { run } from '../helpers/run.ts'

const path = `${temporaryFolder()}/array`

test('a fault that a command meets several times is told once', async () => {
  const dimension = ['--dim', 'x:INT32:0..99:10', '--attr', 'a:INT32']
  await run(['write-sample', path, ...dimension, '--fragments', '3', '--metadata', 'k=1', '--quiet'])
  const [name] = readdirSync(`${path}/__meta`)
  const [first, second] = [`${path}/__meta/${name}`, `${path}/__meta/__9_9_${'5'.repeat(32)}`]
  writeFileSync(second, readFileSync(first).subarray(0, -3))
  const { code, stderr } = await run(['why', first])
  expect([code, stderr.match(/^error: /gm)?.length]).toEqual([1, 1])
})
