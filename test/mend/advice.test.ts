import { cpSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { beforeAll, describe, expect, test } from '@jest/globals'
import type { PlanFinding } from '../../src/documents/plan.ts'
import { serveFolder } from '../helpers/http-server.ts'
import { content, fileOf, planFolder, planOf, stepsOf } from '../helpers/plan.ts'
import { run } from '../helpers/run.ts'

const { folder, runSteps } = planFolder()
const server = await serveFolder(folder, { index: true })

describe('advice', () => {
  const many = `${folder}/it's "many"  # notes`
  beforeAll(async () => {
    await run(['write-sample', many, '--cells', '3000', '--fragments', '30'])
  })

  test('the lines of explain become steps, with a copy first, the way back, and what they lose', async () => {
    const { advice, plans, ok } = await planOf(many)
    expect([ok, plans]).toEqual([true, []])
    const explained = JSON.parse((await run(['explain', many, '--json'])).text) as { findings: PlanFinding[] }
    const codes = (findings: readonly { code: string }[]): string[] => findings.map(({ code }) => code).sort()
    expect(codes(advice.flatMap(({ findings }) => findings))).toEqual(codes(explained.findings))
    const [plan] = advice
    expect(plan.findings.map(({ code }) => code)).toContain('FRAGMENTS_MANY')
    expect(plan).toMatchObject({
      outcome: 'mends',
      loses: [],
      never: [expect.stringMatching(/^run tiledb\.vacuum before/)],
    })
    const commands = stepsOf([plan]).map(({ command }) => command ?? '')
    expect(commands).toEqual([
      expect.stringMatching(/^python3 -c 'import tiledb; tiledb\.consolidate\(.*many.*\)'$/),
      expect.stringMatching(/^python3 -c 'import tiledb; tiledb\.vacuum\(.*many.*\)'$/),
    ])
    expect(plan.steps[1].text).toBe('removes the old fragments; reads as of a time in the past stay the same')
    // What would be changed is there twice, and comes back.
    const before = content(many)
    runSteps(plan.keep)
    writeFileSync(`${many}/changed`, '')
    runSteps(plan.back)
    expect(content(many)).toEqual(before)
  })

  test('a new array takes the place of the old one', async () => {
    const path = `${folder}/small`
    await run(['write-sample', path, '--cells', '12000', '--capacity', '5'])
    const { advice } = await planOf(path, '--level', 'structure')
    const plan = advice.find(({ findings }) => findings[0].code === 'TILES_SMALL')
    expect(plan).toMatchObject({
      outcome: 'loses',
      loses: [expect.stringMatching(/^earlier states: the new array has only what a reader sees now/)],
      never: [expect.stringMatching(/^delete the old array before/)],
    })
    const { text } = await run(['check', '--plan', path, '--level', 'structure'], {
      columns: 80,
      env: { NO_COLOR: '1' },
    })
    expect(text).toMatch(/\nwarning TILES_SMALL\n/)
    expect(text).toMatch(
      /\n {2}mend {6}1 {2}python3 -c \\\n {17}'import sys, numpy as np, tiledb; exec\("\\n"\.join\(sys\.argv\[1:\]\)\)' \\\n {17}'(s|a) /,
    )
    expect(text).toMatch(/\nOK: no findings in what was checked; \d causes? of slow reads\. Nothing was run\.\n$/)
  })

  test('an encrypted array has lines to adapt, because TileDB-Py has no key', async () => {
    const path = `${folder}/secret`
    const key = ['--key', '0123456789abcdeF0123456789abcdeF']
    await run(['write-sample', path, '--cells', '1500', '--fragments', '30', ...key])
    const { advice } = await planOf(path, '--level', 'structure', ...key)
    expect(advice[0]).toMatchObject({ outcome: 'leave', steps: [], back: [] })
    expect(advice[0].instead.map(({ command, text }) => command ?? text)).toEqual([
      expect.stringContaining('key'),
      expect.stringMatching(/^tiledb\.consolidate\(/),
      expect.stringMatching(/: tiledb\.vacuum\(/),
    ])
  })

  test('is given only after errors are mended; on a server it is for a copy', async () => {
    const damaged = `${folder}/many damaged`
    cpSync(many, damaged, { recursive: true })
    rmSync(`${fileOf(`${damaged}/__fragments`, /^__/)}/__fragment_metadata.tdb`)
    const { plans, advice } = await planOf(damaged)
    expect([plans.length, advice]).toEqual([1, []])
    renameSync(many, `${folder}/many`)
    const remote = await planOf(`${server.url}/many`)
    expect(remote.advice[0].steps[1]).toMatchObject({ command: 'tiledb-inspect check --plan many' })
  })
})

test('TileDB removes a missing member of a group, after the list of members was copied', async () => {
  const path = `${folder}/group`
  await run(['write-sample', path, '--damage', 'GROUP_MEMBER_MISSING'])
  const { plans } = await planOf(path)
  expect(plans).toHaveLength(1)
  expect(plans[0].steps.map(({ command }) => command)).toEqual([
    expect.stringMatching(/^mkdir -p .*group\.aside && cp -a .*__group /),
    expect.stringMatching(/^python3 -c 'import sys, tiledb; .*remove\(sys\.argv\[2\]\)' .*group first$/),
  ])
})
