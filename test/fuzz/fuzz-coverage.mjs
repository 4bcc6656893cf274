import { fork } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { stdout } from 'node:process'
import { fileURLToPath } from 'node:url'

/** Number of cases that one process runs. Longer runs become slow, because instances of WebAssembly are never freed. */
const PART_CASES = 100_000

const PART = fileURLToPath(new URL('./fuzz-part.mjs', import.meta.url))

function part(first, count, { bound, entry }) {
  return new Promise((resolve, reject) => {
    const child = fork(PART, [first, count, bound, entry ?? ''].map(String))
    let result
    child.on('message', (message) => {
      result = message
    })
    child.on('exit', (code) => (result ? resolve(result) : reject(new Error(`cases from ${first} ended with ${code}`))))
  })
}

/**
 * Runs `cases` cases in processes of {@link PART_CASES} cases, `jobs` processes at a time. Writes the branches that no case took to
 * `file`. Prints after each part how many branches were taken so far, and before which case the last new one was taken.
 * @returns the number of cases that broke a law
 */
export async function fuzzCoverage(first, cases, file, jobs, options) {
  const parts = []
  for (let from = 0; from < cases; from += PART_CASES) parts.push({ from, count: Math.min(PART_CASES, cases - from) })
  const results = []
  let next = 0
  let told = 0
  const taken = new Map()
  const tell = () => {
    for (; results[told]; told++) {
      for (const [name, at] of results[told].taken) if (!taken.has(name)) taken.set(name, parts[told].from + at)
      const { all } = results[told]
      const share = ((100 * taken.size) / all.length).toFixed(1)
      const last = Math.max(...taken.values())
      const done = parts[told].from + parts[told].count
      stdout.write(
        `${done} cases: ${taken.size} of ${all.length} branches (${share} %), the last new one before case ${last}\n`,
      )
    }
  }
  const lane = async () => {
    while (next < parts.length) {
      const index = next++
      const { from, count } = parts[index]
      results[index] = await part(first + from, count, options)
      tell()
    }
  }
  await Promise.all(Array.from({ length: jobs }, lane))
  const missed = results[0].all.filter((name) => !taken.has(name))
  writeFileSync(file, `${missed.join('\n')}\n`)
  return results.reduce((sum, { broken }) => sum + broken, 0)
}
