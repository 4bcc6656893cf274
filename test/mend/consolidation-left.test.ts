import { readdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { expect, test } from '@jest/globals'
import { codesOf, content, fileOf, planFolder, planOf, stepsOf } from '../helpers/plan.ts'
import { run } from '../helpers/run.ts'

const { folder, runSteps, mendAndUndo } = planFolder()
/** Name of a fragment that was made of others: its first time is not its last. */
const MERGED = /^__(\d+)_(?!\1_)/

interface Advised {
  code: string
  advice: string[]
}

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

test('no vacuum is advised while the consolidated fragment is damaged', async () => {
  const path = `${folder}/pending`
  const fields = ['--dim', 'x:INT32:0..9999:10', '--attr', 'a:INT32', '--cells', '400', '--fragments', '10']
  await run(['write-sample', path, ...fields, '--consolidate', 'fragments', '--quiet'])
  const advised = async (): Promise<string[]> =>
    (JSON.parse((await run(['explain', path, '--json'])).text) as { findings: Advised[] }).findings
      .filter(({ code }) => code === 'VACUUM_PENDING')
      .flatMap(({ advice }) => advice)
  expect((await advised()).map((code) => code.split(/[ (]/, 2).join(' '))).toEqual([
    'tiledb-inspect check',
    expect.stringMatching(/^tiledb.vacuum/),
  ])
  truncateSync(`${fileOf(`${path}/__fragments`, MERGED)}/a0.tdb`, 20)
  expect(await advised()).toEqual([expect.stringMatching(/^tiledb-inspect check --level chunks/)])
})

test('a consolidation that takes a fragment dated ahead is not advised', async () => {
  const path = `${folder}/ahead`
  const fields = ['--dense', '--dim', 'x:INT32:0..99:10', '--attr', 'a:INT32', '--fragments', '12']
  await run(['write-sample', path, ...fields, '--timestamp', '10', '--quiet'])
  writeFileSync(`${path}.ndjson`, '{"x":5,"a":1}\n')
  await run(['write-sample', path, '--append', '--timestamp', '2200-01-01', '--data', `${path}.ndjson`])
  const { text } = await run(['explain', path])
  expect(text).toContain('do not run tiledb.consolidate yet: it also takes 1 fragment dated ahead\n')
  expect(text).not.toMatch(/^tiledb\.(?:consolidate|vacuum)/m)
  expect(JSON.parse((await run(['explain', path, '--json'])).text).consolidation.takes_later).toBe(1)
})

test('a dense fragment within the times of a merged one is not to be committed: it would hide newer cells', async () => {
  const path = `${folder}/below`
  const fields = ['--dense', '--dim', 'x:INT32:0..99:10', '--attr', 'a:INT32', '--fragments', '3']
  const times = ['10', '20', '30'].flatMap((time) => ['--timestamp', time])
  await run([
    'write-sample',
    path,
    ...fields,
    ...times,
    '--consolidate',
    'fragments',
    '--vacuum',
    'fragments',
    '--quiet',
  ])
  writeFileSync(`${path}.ndjson`, '{"x":5,"a":-1}\n')
  await run(['write-sample', path, '--append', '--timestamp', '20', '--data', `${path}.ndjson`])
  rmSync(`${path}/__commits/${readdirSync(`${path}/__commits`).find((name) => name.startsWith('__20_20_'))}`)
  const { plans } = await planOf(path)
  expect(plans).toMatchObject([{ findings: [{ code: 'FRAGMENT_UNCOMMITTED' }], instead: [] }])
})

test('with all commits delete conditions may be lost', async () => {
  const path = `${folder}/no commits`
  const fields = ['--dim', 'x:INT32:0..99:10', '--attr', 'a:INT32', '--delete', 'x < 50']
  await run(['write-sample', path, ...fields, '--quiet'])
  rmSync(`${path}/__commits`, { recursive: true })
  const { plans } = await planOf(path)
  expect(plans).toMatchObject([{ outcome: 'loses', lost: [expect.stringMatching(/^perhaps delete conditions/)] }])
  expect(plans[0].steps.at(-1)?.command).toMatch(/^tiledb-inspect check --level cells/)
})
