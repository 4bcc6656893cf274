import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from '@jest/globals'
import { run } from '../helpers/run.ts'
import { elided, sessionsOf, words } from '../helpers/sessions.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const PAGES = [
  'README.md',
  ...readdirSync(`${ROOT}/docs`).flatMap((name) => (name.endsWith('.md') ? [`docs/${name}`] : [])),
]

describe.each(PAGES)('the sessions in %s are real', (page) => {
  const sessions = sessionsOf(readFileSync(`${ROOT}/${page}`, 'utf8')).filter(({ command }) =>
    /^tiledb-inspect [^|>]*$/.test(command),
  )
  if (sessions.length === 0) {
    test('there are none', () => expect(sessions).toEqual([]))
    return
  }
  test.each(sessions.map((session) => [session.command, session] as const))('%s', async (_, { command, printed }) => {
    const { text, stderr } = await run(words(command).slice(1))
    const lines = (text + stderr)
      .trimEnd()
      .split('\n')
      .map((line) => line.trimEnd())
    while (printed.at(-1) === '') printed.pop()
    expect(elided(lines, printed)).toEqual(printed)
  })
})
