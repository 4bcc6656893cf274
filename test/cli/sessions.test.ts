import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from '@jest/globals'
import { run } from '../helpers/run.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const PAGES = ['README.md', ...readdirSync(`${ROOT}/docs`).map((name) => `docs/${name}`)]

/** One command of a ```console block, and what it is said to print. */
interface Session {
  command: string
  printed: string[]
}

function sessionsOf(page: string): Session[] {
  const sessions: Session[] = []
  for (const [, block] of page.matchAll(/^```console\n(.*?)^```$/gms)) {
    for (const line of block.trimEnd().split('\n')) {
      if (line.startsWith('$ ')) sessions.push({ command: line.slice(2), printed: [] })
      else sessions.at(-1)?.printed.push(line)
    }
  }
  return sessions
}

/** The words of a command line: quotes, and `*` in names of files. */
function words(command: string): string[] {
  const parts = command.match(/'[^']*'|"[^"]*"|\S+/g) ?? []
  return parts.flatMap((part) =>
    /^['"]/.test(part) ? [part.slice(1, -1)] : part.includes('*') ? expand(part) : [part],
  )
}

function expand(pattern: string): string[] {
  let found = ['']
  for (const part of pattern.split('/')) {
    const matcher = new RegExp(`^${part.replace(/[.+^${}()|[\]\\]/g, '\\$&').replaceAll('*', '.*')}$`)
    found = found.flatMap((folder) => {
      if (!part.includes('*')) return [folder + part]
      return readdirSync(`${ROOT}/${folder}`)
        .filter((name) => matcher.test(name))
        .map((name) => folder + name)
    })
    found = found.map((path) => `${path}/`)
  }
  return found.map((path) => path.slice(0, -1))
}

/** What was printed, with `…` for the lines that the page leaves out at the same place. */
function elided(printed: string[], shown: readonly string[]): string[] {
  const at = shown.indexOf('…')
  if (at < 0) return printed
  const behind = shown.length - at - 1
  return [...printed.slice(0, at), '…', ...printed.slice(Math.max(at, printed.length - behind))]
}

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
