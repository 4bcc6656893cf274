import { readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/** One command of a ```console block, and what it is said to print. */
export interface Session {
  command: string
  printed: string[]
}

/** What stands in the ```console blocks of a page. */
export function sessionsOf(page: string): Session[] {
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
export function words(command: string): string[] {
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
export function elided(printed: string[], shown: readonly string[]): string[] {
  const at = shown.indexOf('…')
  if (at < 0) return printed
  const behind = shown.length - at - 1
  return [...printed.slice(0, at), '…', ...printed.slice(Math.max(at, printed.length - behind))]
}
