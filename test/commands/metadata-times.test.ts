import { cpSync, readdirSync, renameSync } from 'node:fs'
import { expect, test } from '@jest/globals'
import { temporaryFolder } from '../helpers/folders.ts'
import { run } from '../helpers/run.ts'

const METADATA = 'test/fixtures/22/metadata'
const folder = temporaryFolder()

test('each key has the times of the file that its value comes from', async () => {
  const now = JSON.parse((await run(['metadata', '--json', METADATA])).text).metadata
  const then = JSON.parse((await run(['metadata', '--json', '--as-of', '15', METADATA])).text).metadata
  expect(then.changed.timestamp_range).toEqual([10, 10])
  expect(now.changed.timestamp_range).toEqual([20, 20])
  expect(now.ascii.timestamp_range).toEqual([10, 10])
})

test('diff does not ask when a value was written', async () => {
  const array = `${folder}/weather`
  cpSync('examples/arrays/weather', array, { recursive: true })
  const [name] = readdirSync(`${array}/__meta`)
  renameSync(`${array}/__meta/${name}`, `${array}/__meta/${name.replaceAll('1714557601000', '1714557602000')}`)
  expect(await run(['diff', 'examples/arrays/weather', array])).toMatchObject({ code: 0 })
})
