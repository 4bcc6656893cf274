import { readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

export const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/** One command of a ```console block, and what it is said to print. */
export interface Session {
  command: string
  printed: string[]
  /** Empty lines before the next. */
  gap: string[]
}

const BLOCKS = /(?<=^```console\n).*?(?=^```$)/gms

/** What stands in the ```console blocks of a page. */
export function sessionsOf(page: string): Session[] {
  return Array.from(page.matchAll(BLOCKS), ([block]) => sessionsIn(block)).flat()
}

function sessionsIn(block: string): Session[] {
  const sessions: Session[] = []
  for (const line of block.trimEnd().split('\n')) {
    const last = sessions.at(-1)
    if (line.startsWith('$ ')) sessions.push({ command: line.slice(2), printed: [], gap: [] })
    else if (line === '') last?.gap.push(line)
    else last?.printed.push(...last.gap.splice(0), line)
  }
  return sessions
}

/**
 * The page with what its sessions print now, and `…` where it stood.
 * @param lines what a command prints; undefined where the page's lines stay
 */
export async function sessionsAnew(
  page: string,
  lines: (command: string) => Promise<readonly string[] | undefined>,
): Promise<string> {
  let [anew, end] = ['', 0]
  for (const { 0: block, index } of page.matchAll(BLOCKS)) {
    anew += page.slice(end, index)
    for (const { command, printed, gap } of sessionsIn(block)) {
      const found = await lines(command)
      anew += [`$ ${command}`, ...(found ? elided(found, printed) : printed), ...gap, ''].join('\n')
    }
    end = index + block.length
  }
  return anew + page.slice(end)
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
export function elided(printed: readonly string[], shown: readonly string[]): readonly string[] {
  const at = shown.indexOf('…')
  if (at < 0) return printed
  const behind = shown.length - at - 1
  return [...printed.slice(0, at), '…', ...printed.slice(Math.max(at, printed.length - behind))]
}
