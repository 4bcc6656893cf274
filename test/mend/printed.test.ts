import { cpSync, existsSync, rmSync } from 'node:fs'
import { chdir, cwd } from 'node:process'
import { describe, expect, test } from '@jest/globals'
import { lastPathPart } from '../../src/base/paths.ts'
import type { PlanStep } from '../../src/mend/shell.ts'
import { FIXTURES } from '../helpers/fixtures.ts'
import { serveFolder } from '../helpers/http-server.ts'
import { codesOf, content, fileOf, planFolder, planOf } from '../helpers/plan.ts'
import { run } from '../helpers/run.ts'

const { copyOf, folder, mendAndUndo, runSteps } = planFolder()
const server = await serveFolder(folder, { index: true })

describe('the printed plan', () => {
  test('a healthy array', async () => {
    const { text, code } = await run(['check', '--plan', `${FIXTURES}/22/sparse_basic`])
    expect(code).toBe(0)
    expect(text).toMatch(
      /\nnot checked: cells \(--level cells\); uncommitted .*\(--all\)\nOK: no findings in what was checked\n$/,
    )
    const whole = await run(['check', '--plan', '--level', 'cells', '--all', `${FIXTURES}/22/duplicates`])
    expect(whole.text).toMatch(
      /\nnot checked: values that no checksum and no statistic covers\nOK: no findings in what was checked\n$/,
    )
  })

  test('the verdict is the last line, and agrees with the exit code', async () => {
    const path = `${folder}/screen`
    await run(['write-sample', path, '--damage', 'FRAGMENT_NO_METADATA'])
    const { text, code } = await run(['check', '--plan', path], { columns: 80, env: { NO_COLOR: '1' } })
    expect(code).toBe(1)
    expect(text.trimEnd().split('\n').at(-1)).toBe('NOT OK: 1 finding: 1 mended without loss. Nothing was run.')
    expect(text).toMatch(
      /^ {2}mend {6}1 {2}mkdir -p (?:\\\n {17})?\S+ && \\\n {15}tiledb-inspect recover \\\n {17}\S+ \\\n {17}--to \S+\.new$/m,
    )
  })

  test('notes alone are no failure', async () => {
    const path = `${folder}/note`
    await run(['write-sample', path, '--damage', 'ARRAY_UNKNOWN_ENTRY'])
    expect(await run(['check', '--plan', path])).toMatchObject({
      code: 0,
      text: expect.stringMatching(/\nOK: 1 finding/),
    })
  })

  test('lines have at most 80 columns, unless a single word of a command is longer', async () => {
    const path = `${folder}/wide`
    await run(['write-sample', path, '--damage', 'COMMIT_DANGLING'])
    const { text } = await run(['check', '--plan', path], { columns: 80, env: { NO_COLOR: '1' } })
    const long = text.split('\n').filter((line) => line.length > 80)
    expect(long.length).toBeGreaterThan(0)
    for (const line of long) expect(line).toMatch(/^ {17}\S+( \\| && \\)?$/)
  })

  test.each(['COMMIT_DANGLING', 'FILE_LONG', 'COMMIT_NOT_EMPTY'])(
    '%s: the printed lines work when pasted',
    async (code) => {
      const path = `${folder}/it's "$(touch lines)" of ${code}`
      await run(['write-sample', path, '--damage', code])
      const before = content(path)
      const { text } = await run(['check', '--plan', path, '--all'], { columns: 80, env: { NO_COLOR: '1' } })
      runSteps(printed(text, 'mend'))
      expect(await codesOf(path)).toEqual([])
      runSteps(printed(text, 'back'))
      expect(content(path)).toEqual(before)
      expect(existsSync('lines')).toBe(false)
    },
  )
})

/** The steps of a plan on a screen: the lines behind their numbers, as they stand. */
function printed(text: string, name: string): PlanStep[] {
  const lines = text.split('\n')
  const first = lines.findIndex((line) => line.startsWith(`  ${name} `))
  const rest = lines.slice(first + 1).findIndex((line) => !line.startsWith('            '))
  const steps: string[] = []
  for (const line of lines.slice(first, first + 1 + rest)) {
    if (/^\d/.test(line.slice(12))) steps.push(line.slice(15))
    else steps.push(`${steps.pop()}\n${line.slice(15)}`)
  }
  expect(steps).not.toEqual([])
  return steps.map((command) => ({ command }))
}

describe('paths', () => {
  test('are relative as in the call, and full if the target is the current folder', async () => {
    await run(['write-sample', `${folder}/here`, '--damage', 'FILE_LONG'])
    const before = cwd()
    try {
      chdir(folder)
      const given = await planOf('here/')
      expect(given.plans[0].steps[0].command).toMatch(/^mkdir -p here\.aside\/\S+ && mv here\/\S+ here\.aside\/\S+ && /)
      expect(await mendAndUndo('here')).toEqual([])
      chdir('here')
      const { plans } = await planOf('.')
      expect(plans[0].steps[0].command).toContain(`${cwd()}.aside2/__fragments`)
      expect(await mendAndUndo('.')).toEqual([])
    } finally {
      chdir(before)
    }
  })

  test('a fragment outside any array has no steps', async () => {
    const path = copyOf('22/duplicates', 'around')
    const name = lastPathPart(fileOf(`${path}/__fragments`, /^__10_/))
    cpSync(`${path}/__fragments/${name}`, `${folder}/${name}`, { recursive: true })
    rmSync(`${folder}/${name}/__fragment_metadata.tdb`)
    expect((await planOf(`${folder}/${name}`)).plans).toMatchObject([
      {
        outcome: 'leave',
        finding_num: 1,
        steps: [{ text: expect.stringMatching(/^put the fragment back into its array/) }],
      },
    ])
  })

  test('the plan for an array on a server is to mend a copy', async () => {
    await run(['write-sample', `${folder}/remote`, '--damage', 'COMMIT_DANGLING'])
    const { plans } = await planOf(`${server.url}/remote`)
    const dangling = plans.find(({ findings }) => findings[0].code === 'COMMIT_DANGLING')
    expect(dangling?.steps).toMatchObject([
      { text: expect.stringMatching(/^download http:\S+\/remote as the folder remote/) },
      { command: 'tiledb-inspect check --plan remote' },
      { text: expect.stringMatching(/^when check finds nothing in the copy/) },
    ])
    expect(dangling?.back).toEqual([])
  })
})
