import { writeFileSync } from 'node:fs'
import { argv, exit, memoryUsage, stdout } from 'node:process'
import { bundled } from './bundled.mjs'
import { branchCounters, branches } from './coverage.mjs'

/**
 * A long turn of the fuzzer: `npm run fuzz -- --time 60 --seed 1`, `--cases N` for a number of cases instead of a time, `--case N` for one case
 * again, `--entry structure` for one way in only. `--coverage FILE` counts the branches of src/format and src/filters that are taken, tells every
 * 50,000 cases how many and when the last new one was, and writes the others to FILE. Ends with 1 if a law was broken; each breach is a line of JSON.
 */
const option = (name, otherwise) => {
  const at = argv.indexOf(`--${name}`)
  return at < 0 ? otherwise : argv[at + 1]
}
const coverage = option('coverage', undefined)
const { fuzzOnce } = await bundled('fuzzer.ts', coverage === undefined ? [] : [branchCounters()])
const one = option('case', undefined)
const first = Number(one ?? option('seed', Math.floor(Math.random() * 1000)) * 1_000_003)
const most = one === undefined ? Number(option('cases', Number.POSITIVE_INFINITY)) : 1
const seconds = most < Number.POSITIVE_INFINITY ? Number.POSITIVE_INFINITY : Number(option('time', 60))
const bounds = { time: Number(option('bound', 5000)), memory: 2 ** 30 }
const end = Date.now() + seconds * 1000

const LOOK_EVERY = 1000
const TELL_EVERY = 50_000
let taken = 0
let lastNew = 0

function look(cases) {
  let now = 0
  let all = 0
  for (const { count } of branches()) {
    all++
    if (count > 0) now++
  }
  if (now > taken) lastNew = cases
  taken = now
  const share = ((100 * now) / all).toFixed(1)
  return `${now} of ${all} branches (${share} %), the last new one before case ${lastNew}`
}

const seen = new Map()
let cases = 0
for (; cases < most && Date.now() < end; ) {
  const breach = await fuzzOnce(first + cases, bounds, option('entry', undefined))
  cases++
  if (coverage !== undefined && cases % LOOK_EVERY === 0) {
    const found = look(cases)
    if (cases % TELL_EVERY === 0) stdout.write(`${cases} cases: ${found}\n`)
  }
  if (!breach) continue
  const kind = breach.law.replace(/\d+/g, '#')
  seen.set(kind, (seen.get(kind) ?? 0) + 1)
  if (seen.get(kind) <= 3) stdout.write(`${JSON.stringify(breach)}\n`)
}
const broken = [...seen.values()].reduce((sum, count) => sum + count, 0)
const memory = Math.round(memoryUsage().rss / 2 ** 20)
stdout.write(`${cases} cases from ${first}, ${broken} broke a law, ${memory} MiB\n`)
if (coverage !== undefined) {
  stdout.write(`${look(cases)}\n`)
  const missed = [...branches()].filter(({ count }) => count === 0).map(({ at, type, way }) => `${at} ${type} ${way}`)
  writeFileSync(coverage, `${missed.join('\n')}\n`)
}
exit(broken > 0 ? 1 : 0)
