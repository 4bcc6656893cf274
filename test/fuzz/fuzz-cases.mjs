import { stdout } from 'node:process'

const BOUNDS_MEMORY = 2 ** 30
const LINES_PER_LAW = 3

/**
 * Runs cases from number `first` on. Prints a line of JSON for each of the first breaches of a law.
 * @param more called before each case with the number of cases done; false ends the run
 * @returns the number of cases done, and the number that broke a law
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
