import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { chdir, cwd } from 'node:process'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { Example } from '../../src/calls/command.ts'
import { COMMANDS } from '../../src/cli/commands.ts'
import { commandNames } from '../helpers/commands.ts'
import { run } from '../helpers/run.ts'

const ARRAYS = fileURLToPath(new URL('../../examples/arrays', import.meta.url))
const EXAMPLES: Record<string, readonly Example[]> = {}
for (const [name, { load }] of Object.entries(COMMANDS)) EXAMPLES[name] = (await load()).command.examples
const before = cwd()
let folder = ''

/** Examples name the arrays as a reader would who stands beside them, and write files there. */
beforeAll(() => {
  folder = mkdtempSync(`${tmpdir()}/help-`)
  for (const name of ['places', 'weather', 'blood'])
    cpSync(`${ARRAYS}/${name}`, `${folder}/${name}`, { recursive: true })
  chdir(folder)
})

afterAll(() => {
  chdir(before)
  rmSync(folder, { recursive: true, force: true })
})

test('every command has three examples in its help', async () => {
  const names = await commandNames()
  expect(names).toEqual(expect.arrayContaining(['ls', 'stats', 'tiles', 'diff', 'completion']))
  expect(Object.keys(EXAMPLES).sort()).toEqual([...names].sort())
  for (const name of names) {
    const { text, code } = await run([name, '--help'])
    expect(code).toBe(0)
    expect(EXAMPLES[name].length).toBeGreaterThanOrEqual(3)
    for (const [what, call] of EXAMPLES[name]) expect(text).toContain(`  ${what}:\n    tiledb-inspect ${call}\n`)
    expect(text).not.toContain('Examples:\n\n')
    expect(text.split('Examples:')).toHaveLength(2)
  }
})

test.each(await commandNames())(
  '-h of %s has its own options and one example, and names the whole help',
  async (name) => {
    const { text, code } = await run([name, '-h'])
    expect(code).toBe(0)
    const whole = (await run([name, '--help'])).text
    const own = Array.from(
      (whole.split('Options of every command:')[0] ?? '').matchAll(/^ {2}(--[\w-]+)/gm),
      ([, one]) => one,
    )
    for (const option of own) expect(text).toContain(`  ${option}`)
    expect(text).not.toContain('Options of every command')
    expect(text).not.toContain('--no-sign-request')
    expect(text).toContain(`tiledb-inspect ${EXAMPLES[name][0][1]}\n`)
    expect(text).toContain(`tiledb-inspect ${name} --help`)
    expect(text.split('\n').filter((line) => line.length > 80)).toEqual([])
  },
)

test('every command has a section in docs/commands.md', () => {
  const page = readFileSync(fileURLToPath(new URL('../../docs/commands.md', import.meta.url)), 'utf8')
  const sections = Array.from(page.matchAll(/^## (.*)$/gm), ([, heading]) => heading)
  expect(sections).toEqual(expect.arrayContaining(Object.keys(COMMANDS)))
})

test.each(await commandNames())('the help of %s is no wider than 80 columns', async (name) => {
  const { text } = await run([name, '--help'])
  expect(text.split('\n').filter((line) => line.length > 80)).toEqual([])
})

/** The words of a call. Quotes hold words together. */
function words(call: string): string[] {
  return (call.match(/"[^"]*"|\S+/g) ?? []).map((word) => word.replaceAll('"', ''))
}

describe.each(Object.entries(EXAMPLES))('the examples of %s work', (name, examples) => {
  test.each(examples.map(([, call]) => call))('tiledb-inspect %s', async (call) => {
    // The overview is what a target alone shows.
    expect(name === 'overview' || call.startsWith(`${name} `)).toBe(true)
    const { code, stderr, text } = await run(words(call))
    expect({ stderr, code }).toEqual({ stderr: expect.not.stringContaining('error'), code: 0 })
    if (!/ (-o|--stages) /.test(call)) expect(text).not.toBe('')
  })
})
