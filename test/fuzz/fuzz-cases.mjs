import { stdout } from 'node:process'

const BOUNDS_MEMORY = 2 ** 30
const LINES_PER_LAW = 3

/**
 * Does cases from `first` on, and prints a line of JSON for the first breaches of each law.
 * @param more asked before each case, with how many were done
 * @returns how many were done, and how many broke a law
 */
export async function fuzzCases(fuzzOnce, first, { bound, entry, more }) {
  const seen = new Map()
  let cases = 0
  let broken = 0
  for (; more(cases); cases++) {
    const breach = await fuzzOnce(first + cases, { time: bound, memory: BOUNDS_MEMORY }, entry)
    if (!breach) continue
    broken++
    const kind = breach.law.replace(/\d+/g, '#')
    seen.set(kind, (seen.get(kind) ?? 0) + 1)
    if (seen.get(kind) <= LINES_PER_LAW) stdout.write(`${JSON.stringify(breach)}\n`)
  }
  return { cases, broken }
}
