import { argv, exit, memoryUsage, stdout } from 'node:process'
import { bundled } from './bundled.mjs'
import { fuzzCases } from './fuzz-cases.mjs'
import { fuzzCoverage } from './fuzz-coverage.mjs'

/**
 * A long turn of the fuzzer: `npm run fuzz -- --time 60 --seed 1`, `--cases N` for a number of cases instead of a time, `--case N` for one case
 * again, `--entry structure` for one way in only. `--cases N --coverage FILE` counts the branches of src/format and src/filters that are taken, tells every
 * 100,000 cases how many and when the last new one was, and writes the others to FILE; with `--jobs 2` in two processes.
 * Ends with 1 if a law was broken; each breach is a line of JSON.
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
