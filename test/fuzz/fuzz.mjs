import { argv, exit, memoryUsage, stdout } from 'node:process'
import { bundled } from './bundled.mjs'
import { fuzzCases } from './fuzz-cases.mjs'
import { fuzzCoverage } from './fuzz-coverage.mjs'

/**
 * Runs the fuzzer for a long time: `npm run fuzz -- --time 60 --seed 1`.
 *
 *     --time SECONDS     how long it runs (60)
 *     --seed N           chooses the cases
 *     --cases N          runs this number of cases, whatever time they take
 *     --case N           runs this one case
 *     --entry NAME       runs only cases of this entry, such as `structure`
 *     --coverage FILE    with --cases: counts the branches of src/format and src/filters, and writes those that no case took to FILE
 *     --jobs N           with --coverage: number of processes
 *
 * Prints a line of JSON for each breach of a law. Ends with exit code 1 if there was one.
 */
const option = (name, otherwise) => {
  const at = argv.indexOf(`--${name}`)
  return at < 0 ? otherwise : argv[at + 1]
}
const coverage = option('coverage', undefined)
const one = option('case', undefined)
const first = Number(one ?? option('seed', Math.floor(Math.random() * 1000)) * 1_000_003)
const most = one === undefined ? Number(option('cases', Number.POSITIVE_INFINITY)) : 1
const seconds = most < Number.POSITIVE_INFINITY ? Number.POSITIVE_INFINITY : Number(option('time', 60))
const settings = { bound: Number(option('bound', 5000)), entry: option('entry', undefined) }

async function fuzz() {
  if (coverage !== undefined) {
    if (most === Number.POSITIVE_INFINITY) throw new Error('--coverage needs --cases')
    return { cases: most, broken: await fuzzCoverage(first, most, coverage, Number(option('jobs', 1)), settings) }
  }
  const { fuzzOnce } = await bundled('fuzzer.ts', [])
  const end = Date.now() + seconds * 1000
  return fuzzCases(fuzzOnce, first, { ...settings, more: (cases) => cases < most && Date.now() < end })
}

const { cases, broken } = await fuzz()
const memory = Math.round(memoryUsage().rss / 2 ** 20)
stdout.write(`${cases} cases from ${first}, ${broken} broke a law, ${memory} MiB\n`)
exit(broken > 0 ? 1 : 0)
