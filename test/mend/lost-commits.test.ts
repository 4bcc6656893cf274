import { readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { describe, expect, test } from '@jest/globals'
import { fragmentNames } from '../helpers/fragments.ts'
import { BEFORE, fileOf, planFolder, planOf, stepsOf } from '../helpers/plan.ts'
import { run, runJson } from '../helpers/run.ts'

const { copyOf, mendAndUndo, runSteps } = planFolder()

async function why(path: string): Promise<{ delete: string; reason: string }> {
  return (await runJson(['why', path])).documents[0] as { delete: string; reason: string }
}

test('a renamed fragment gets the name back that its commit has', async () => {
  const path = copyOf('22/sparse_basic', 'renamed')
  const before = (await run(['read', path, '--format', 'ndjson'])).text
  const [name] = fragmentNames(path)
  const other = name.replace(/^__\d+_\d+_/, '__3500_3500_')
  renameSync(`${path}/__fragments/${name}`, `${path}/__fragments/${other}`)
  expect(await why(`${path}/__fragments/${other}`)).toMatchObject({ delete: 'no' })
  expect(await why(`${path}/__commits/${name}.wrt`)).toMatchObject({
    delete: 'no',
    reason: expect.stringMatching(/renamed|name that the folder had/),
  })
  const { plans } = await planOf(path)
  const plan = plans.find(({ findings }) => findings.some(({ code }) => code === 'COMMIT_DANGLING'))
  expect(plan).toMatchObject({
    outcome: 'mends',
    lost: ['nothing: the folder of the fragment was renamed, and its commit has the old name'],
  })
  runSteps(stepsOf(plans).filter(({ command }) => !command?.startsWith('tiledb-inspect')))
  expect((await run(['read', path, '--format', 'ndjson'])).text).toBe(before)
})

test.each([
  // All of them: the array reads empty.
  ['22/sparse_basic', /TileDB reads no fragment of the array/],
  // Consolidated fragment metadata has the footers.
  ['22/fragment_metadata_consolidated', /consolidated fragment metadata has its footer/],
])('fragments of %s whose commits are lost are not to be deleted', async (name, reason) => {
  const path = copyOf(name, `lost of ${name.replace('/', ' ')}`)
  for (const file of readdirSync(`${path}/__commits`)) rmSync(`${path}/__commits/${file}`)
  for (const one of fragmentNames(path))
    expect(await why(`${path}/__fragments/${one}`)).toMatchObject({
      delete: 'no',
      reason: expect.stringMatching(reason),
    })
})

test('what proves that fragments had commits is not to be deleted, either', async () => {
  const path = copyOf('22/fragment_metadata_consolidated', 'proof')
  for (const file of readdirSync(`${path}/__commits`)) rmSync(`${path}/__commits/${file}`)
  const [file] = readdirSync(`${path}/__fragment_meta`)
  expect(await why(`${path}/__fragment_meta/${file}`)).toMatchObject({ delete: 'no' })
})

test('a consolidated fragment that lost its commit is not to be deleted: a vacuum file is named after it', async () => {
  const path = copyOf('22/vacuum_left', 'unlisted')
  const name = fragmentNames(path).find((one) => one.startsWith('__10_30_'))
  rmSync(`${path}/__commits/${name}.wrt`)
  expect(await why(`${path}/__fragments/${name}`)).toMatchObject({
    delete: 'no',
    reason: expect.stringMatching(/a vacuum file is named after it/),
  })
})

describe('a line of consolidated commits nearly names a fragment', () => {
  const listOf = (path: string): string => fileOf(`${path}/__commits`, /con$/)

  test.each([
    ['it ends before it begins', '__20_20_', '__20_10_'],
    ['it is of another time than the list', '__10_10_', '__00_10_'],
    ['it ends in the future', '__30_30_7', '__30_97_7'],
  ])('%s: the line is written as it was', async (what, from, to) => {
    const path = copyOf('22/commits_consolidated', `line, ${what}`)
    const before = readFileSync(listOf(path), 'latin1')
    writeFileSync(listOf(path), before.replace(from, to), 'latin1')
    const { plans } = await planOf(path)
    expect(plans[0]).toMatchObject({ outcome: 'mends', lost: ['nothing: its cells are still there'], instead: [] })
    const [name] = fragmentNames(path).filter((one) => !before.replace(from, to).includes(one) && !/^__40_/.test(one))
    for (const part of [`__fragments/${name}`, listOf(path).slice(path.length + 1)])
      expect(await why(`${path}/${part}`)).toMatchObject({
        delete: 'no',
        reason: expect.stringMatching(/^a line of a list of commits names its fragment, but for a few characters/),
        needed_by: [{ what: 'the array, which misses its cells now' }],
      })
    expect(await mendAndUndo(path)).toEqual(BEFORE)
    runSteps(stepsOf(plans))
    expect(readFileSync(listOf(path), 'latin1')).toBe(before)
  })

  test('a fragment with a commit of its own, too, is not lost', async () => {
    const path = copyOf('22/commits_consolidated', 'line and commit')
    const before = readFileSync(listOf(path), 'latin1')
    const [line] = before.split('\n')
    writeFileSync(`${path}/${line}`, '')
    writeFileSync(listOf(path), before.replace('_10_', '_00_'), 'latin1')
    const { plans } = await planOf(path)
    expect(plans[0]).toMatchObject({ outcome: 'mends', lost: ['nothing: its cells are still there'] })
    expect(await mendAndUndo(path)).toEqual(BEFORE)
  })

  test('nothing tells which of two UUIDs is right', async () => {
    const path = copyOf('22/commits_consolidated', 'uuid')
    const before = readFileSync(listOf(path), 'latin1')
    writeFileSync(listOf(path), before.replace('47900e0dd5a20a96', '47900e0dd4a20a96'), 'latin1')
    const { plans } = await planOf(path)
    expect(plans[0]).toMatchObject({ outcome: 'mends', lost: [expect.stringMatching(/^nothing: either the line/)] })
    runSteps(stepsOf(plans))
    expect(readFileSync(listOf(path), 'latin1')).toBe(before)
  })

  test.each([
    // The list begins and ends with the times of its first and last line.
    ['__30_30_', '__30_31_', /^nothing: the folder of the fragment was renamed/, []],
    ['__20_20_', '__21_21_', /^nothing: either the line or the name of the folder/, [{ text: 'if the line is right' }]],
  ])('the folder of %s has the name %s', async (from, to, lost, instead) => {
    const path = copyOf('22/commits_consolidated', `folder ${to}`)
    const folder = fileOf(`${path}/__fragments`, new RegExp(`^${from}`))
    renameSync(folder, folder.replace(from, to))
    const { plans } = await planOf(path)
    expect(plans[0]).toMatchObject({ outcome: 'mends', lost: [expect.stringMatching(lost)], instead })
    expect(await mendAndUndo(path)).toEqual(BEFORE)
  })
})

test.each([
  [false, /^nothing: the fragments that it replaced/],
  [true, /^all cells of the fragment __10_30_/],
])('a consolidated fragment is lost, and one that it replaced: %s', async (isOneLost, lost) => {
  const path = copyOf('22/vacuum_left', `consolidated, ${isOneLost}`)
  rmSync(fileOf(`${path}/__fragments`, /^__10_30_/), { recursive: true })
  if (isOneLost) rmSync(fileOf(`${path}/__fragments`, /^__20_20_/), { recursive: true })
  const { plans } = await planOf(path)
  const plan = plans.find(({ findings }) => findings.some(({ file }) => /\/__10_30_.*\.wrt$/.test(file)))
  expect(plan).toMatchObject({ lost: [expect.stringMatching(lost)] })
})
