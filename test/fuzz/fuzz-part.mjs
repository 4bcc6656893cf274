import process, { argv, exit } from 'node:process'
import { bundled } from './bundled.mjs'
import { branchCounters, branches } from './coverage.mjs'
import { fuzzCases } from './fuzz-cases.mjs'

/** Runs a part of the cases of fuzz-coverage.mjs. Finds before which case each branch was first taken, to the nearest thousand. */
const [first, count, bound, entry] = argv.slice(2)
const { fuzzOnce } = await bundled('fuzzer.ts', [branchCounters()])
const LOOK_EVERY = 1000
const taken = new Map()

function look(cases) {
  for (const { name, count } of branches()) if (count > 0 && !taken.has(name)) taken.set(name, cases)
}

const done = await fuzzCases(fuzzOnce, Number(first), {
  bound: Number(bound),
  entry: entry === '' ? undefined : entry,
  more(cases) {
    if (cases % LOOK_EVERY === 0) look(cases)
    return cases < Number(count)
  },
})
look(done.cases)
const all = Array.from(branches(), ({ name }) => name)
process.send({ ...done, all, taken: [...taken] }, () => exit())
