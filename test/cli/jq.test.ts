import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from '@jest/globals'
import { raw } from 'jq-wasm'
import { run } from '../helpers/run.ts'
import { sessionsOf, words } from '../helpers/sessions.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const FOLDER = `${ROOT}/examples/jq`
const PAGE = readFileSync(`${FOLDER}/README.md`, 'utf8')
const RECIPES = readdirSync(FOLDER).filter((name) => name.endsWith('.jq'))

const SESSION = /^(tiledb-inspect .+) \| jq (.+)$/

/** A session of the page: what the program is called with, and jq. */
const sessions = sessionsOf(PAGE).map(({ command, printed }) => {
  const [, inspect, jq] = SESSION.exec(command) ?? []
  const [flags, f, file, ...rest] = words(jq)
  return { command, printed, args: words(inspect).slice(1), flags, f, file, rest }
})

describe('the jq recipes', () => {
  test.each(sessions)('$command', async ({ printed, args, flags, f, file, rest }) => {
    expect(f).toBe('-f')
    const { text } = await run(args)
    const found = await raw(text, readFileSync(`${ROOT}/${file}`, 'utf8'), [flags, ...rest])
    expect(found.trimEnd().split('\n')).toEqual(printed.filter((line) => line !== ''))
  })

  test('are each in the table and in a session of the page', () => {
    expect(RECIPES.length).toBeGreaterThanOrEqual(12)
    const table = Array.from(PAGE.matchAll(/^\| (.+?) \| \[(.+?)\]\((.+?)\) \|$/gm), ([, , , file]) => file)
    expect(table.slice().sort()).toEqual(RECIPES)
    expect(sessions.map(({ file }) => file)).toEqual(table.map((file) => `examples/jq/${file}`))
  })

  test.each(RECIPES)('%s begins with its question and how it is called', (name) => {
    const [question, call] = readFileSync(`${FOLDER}/${name}`, 'utf8').split('\n')
    expect(question).toMatch(/^# .+\?/)
    expect(PAGE).toContain(`## ${question.slice(2)}\n`)
    expect(call).toMatch(new RegExp(`^#   tiledb-inspect .+ \\| jq -\\w+ -f ${name}$`))
  })
})
