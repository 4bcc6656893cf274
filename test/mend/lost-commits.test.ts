import { readdirSync, renameSync, rmSync } from 'node:fs'
import { expect, test } from '@jest/globals'
import { fragmentNames } from '../helpers/fragments.ts'
import { planFolder, planOf, stepsOf } from '../helpers/plan.ts'
import { run, runJson } from '../helpers/run.ts'

const { copyOf, runSteps } = planFolder()

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
