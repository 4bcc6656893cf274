import { copyFileSync, cpSync, rmSync } from 'node:fs'
import { expect, test } from '@jest/globals'
import { FIXTURES } from '../helpers/fixtures.ts'
import { get, items } from '../helpers/json.ts'
import { codesOf, fileOf, planFolder, planOf, stepsOf } from '../helpers/plan.ts'
import { run, runJson } from '../helpers/run.ts'

const { folder, copyOf, mendAndUndo, runSteps } = planFolder()
const ENUMERATIONS = '__schema/__enumerations'

/** A copy of an array of which an enumeration is missing. With TileDB 2.30, reads as of now give all labels of each. */
function lacking(fixture: string, name: string, file: RegExp): string {
  const path = copyOf(`labels/${fixture}`, name)
  rmSync(fileOf(`${path}/${ENUMERATIONS}`, file))
  return path
}

/** What the first schema of each of these arrays has. */
const FIRST = /^__00000001/

test.each([
  ['late', FIRST, 'extended', 'reads as of 0 to 19'],
  ['dropped', FIRST, 'extended', 'reads as of 0 to 19'],
  ['readded', FIRST, 'older', 'reads as of 0 to 29'],
  ['future', /^__6ac65/, 'older', 'reads from 2096-10-02T07:06:40Z on'],
])(
  '%s: an enumeration that only other times need is a warning that names them',
  async (fixture, file, variant, times) => {
    const path = lacking(fixture, `warned-${fixture}`, file)
    const { code, documents } = await runJson(['check', path, '--all'])
    expect(code).toBe(0)
    const found = items(get(documents[0], 'findings')).filter((one) => get(one, 'code') === 'ENUMERATION_MISSING')
    expect(found).toMatchObject([{ severity: 'warning', variant, expected: expect.stringContaining(`, for ${times}`) }])
  },
)

test('reads as of now say nothing of it, those as of its times fail', async () => {
  const path = lacking('late', 'read', FIRST)
  const now = await run(['read', path, '--labels', '--format', 'csv'])
  expect([now.code, now.stderr]).toEqual([0, ''])
  expect(now.text).toBe((await run(['read', `${FIXTURES}/labels/late`, '--labels', '--format', 'csv'])).text)
  expect((await run(['read', path, '--labels', '--as-of', '19'])).code).toBe(1)
  const { documents } = await runJson(['explain', path])
  expect(JSON.stringify(documents)).not.toContain('ENUMERATION_MISSING')
})

test('no time takes the schema: nobody needs the enumeration', async () => {
  const path = lacking('late', 'unused', FIRST)
  const schema = fileOf(`${path}/__schema`, /^__1_1_/)
  copyFileSync(schema, `${path}/__schema/__20_20_00000000000000000000000000000000`)
  // The first schema of all is opened at the times before it: it gets the newer enumeration.
  copyFileSync(fileOf(`${path}/__schema`, /^__20_20_2/), schema)
  const { documents } = await runJson(['check', path, '--all'])
  expect(get(documents[0], 'findings')).toMatchObject([
    { code: 'ENUMERATION_MISSING', severity: 'note', variant: 'unused' },
  ])
})

test('where the newer schema is else alike, a copy of it has the values', async () => {
  const path = lacking('late', 'mended', FIRST)
  const { plans } = await planOf(path)
  expect(plans).toMatchObject([
    { outcome: 'mends', lost: ['nothing: the enumeration of now begins with the missing values'] },
  ])
  expect(await mendAndUndo(path)).toEqual([])
  runSteps(stepsOf(plans))
  const { code, text } = await run(['read', path, '--labels', '--as-of', '19', '--format', 'csv'])
  expect([code, text]).toEqual([0, (await run(['read', path, '--labels', '--format', 'csv'])).text])
})

test('where it is not alike, only a copy of the array helps', async () => {
  for (const fixture of ['dropped', 'readded']) {
    const { plans } = await planOf(lacking(fixture, `copied-${fixture}`, FIRST))
    const plan = plans.find(({ findings }) => findings.some(({ code }) => code === 'ENUMERATION_MISSING'))
    expect(plan).toMatchObject({ severity: 'warning', outcome: 'copy' })
  }
})

test('an enumeration that the opened schema has, too, stays an error', async () => {
  const path = `${folder}/shared`
  cpSync(`${FIXTURES}/labels/late`, path, { recursive: true })
  const newest = fileOf(`${path}/__schema`, /^__20_20_/)
  copyFileSync(newest, fileOf(`${path}/__schema`, /^__1_1_/))
  rmSync(fileOf(`${path}/${ENUMERATIONS}`, /^__1754/))
  expect(await codesOf(path)).toContain('ENUMERATION_MISSING')
  expect((await run(['check', path, '--all'])).code).toBe(1)
})
