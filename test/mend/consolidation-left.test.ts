import { readdirSync, rmSync } from 'node:fs'
import { expect, test } from '@jest/globals'
import { codesOf, content, fileOf, planFolder, planOf, stepsOf } from '../helpers/plan.ts'
import { run } from '../helpers/run.ts'

const { folder, runSteps, mendAndUndo } = planFolder()
/** Name of a fragment that was made of others: its first time is not its last. */
const MERGED = /^__(\d+)_(?!\1_)/

/** An array that allows duplicates, with a consolidated fragment, those that it was made of, and its vacuum file. */
async function consolidated(name: string): Promise<string> {
  const path = `${folder}/${name}`
  const fields = [
    '--dim',
    'x:INT32:0..999:10',
    '--attr',
    'a:INT32',
    '--attr',
    'f:FLOAT64',
    '--attr',
    's:STRING_ASCII:var',
  ]
  const how = ['--duplicates', '--cells', '60', '--fragments', '3', '--consolidate', 'fragments']
  expect((await run(['write-sample', path, ...fields, ...how, '--quiet'])).stderr).toBe('')
  return path
}

const linesOf = async (path: string): Promise<string[]> =>
  (await run(['read', path, '--format', 'ndjson'])).text.split('\n').sort()
const commitOf = (path: string, end: string): string => {
  const name = readdirSync(`${path}/__commits`).find((one) => MERGED.test(one) && one.endsWith(end))
  return `${path}/__commits/${name}`
}

test('without the vacuum file cells are read twice: the merged fragments are moved out', async () => {
  const path = await consolidated('twice')
  const before = await linesOf(path)
  rmSync(commitOf(path, '.vac'))
  expect((await linesOf(path)).length).toBe(2 * before.length - 1)
  const explained = JSON.parse((await run(['explain', path, '--json'])).text)
  expect(explained.findings).toMatchObject([{ code: 'FRAGMENTS_REPEATED' }])
  const { plans } = await planOf(path)
  expect(plans).toMatchObject([
    { outcome: 'mends', lost: [expect.stringMatching(/^nothing: readers get each cell twice/)] },
  ])
  expect(await mendAndUndo(path)).toEqual([])
  runSteps(stepsOf(plans).filter(({ command }) => !command?.startsWith('tiledb-inspect')))
  expect(await linesOf(path)).toEqual(before)
})

test('a consolidation that broke off is not to be committed', async () => {
  const path = await consolidated('broken off')
  const before = await linesOf(path)
  rmSync(commitOf(path, '.vac'))
  rmSync(commitOf(path, '.wrt'))
  const { plans } = await planOf(path)
  expect(plans).toMatchObject([{ outcome: 'mends', instead: [], findings: [{ code: 'FRAGMENT_UNCOMMITTED' }] }])
  runSteps(stepsOf(plans))
  expect(await linesOf(path)).toEqual(before)
})

test('the commit of a lost fragment stays while its vacuum file hides what it was made of', async () => {
  const path = await consolidated('lost')
  const before = await linesOf(path)
  rmSync(fileOf(`${path}/__fragments`, MERGED), { recursive: true })
  expect(JSON.parse((await run(['why', commitOf(path, '.wrt'), '--json'])).text)).toMatchObject({ delete: 'no' })
  const { text } = await run(['check', path, '--json'])
  expect(text).not.toContain('TileDB opens the array')
  const kept = content(path)
  runSteps(stepsOf((await planOf(path)).plans))
  expect(await codesOf(path)).toEqual([])
  expect(await linesOf(path)).toEqual(before)
  expect(content(path)).not.toEqual(kept)
})
