import { appendFileSync } from 'node:fs'
import { argv, exit, stdout } from 'node:process'
import { bundled } from './bundled.mjs'

/**
 * Flips one bit of a fixture, or cuts off the end of one of its files, and counts how often check finds it (`docs/damage.md`):
 * `npm run mutants -- --time 300 --seed 1 --fixtures 120`.
 *
 *     --time SECONDS     how long it runs
 *     --seed N           chooses the mutants
 *     --fixtures N       number of fixtures in the sample
 *     --full             tries every place of every fixture
 *     --fixture PART     only fixtures with PART in their names
 *     --shard 2/4        only the second of four parts of the fixtures
 *     --list FILE        writes a line of JSON for each mutant
 *
 * Ends with exit code 1 if damage that a sum protects is silent, or if a law is broken.
 */
const { Mutants, Random, fixtureFolders } = await bundled('mutants.ts')
const option = (name, otherwise) => {
  const at = argv.indexOf(`--${name}`)
  return at < 0 ? otherwise : argv[at + 1]
}
const end = Date.now() + Number(option('time', 300)) * 1000
const random = new Random(Number(option('seed', 1)))
const part = option('fixture', '')
const list = option('list', undefined)
const full = argv.includes('--full')
const [shard, shards] = option('shard', '1/1').split('/').map(Number)
const folders = fixtureFolders().filter(({ name }, i) => name.includes(part) && i % shards === shard - 1)
// A sample, because reading a fixture takes longer than judging a mutant.
const most = Number(option('fixtures', full ? folders.length : 120))
while (folders.length > most) folders.splice(random.below(folders.length), 1)
const mutants = new Mutants(folders)

async function* sample() {
  while (Date.now() < end) yield await mutants.pick(random)
}

const counts = new Map()
const fixtures = new Set()
let total = 0
let bad = 0
for await (const mutant of full ? mutants.all(random) : sample()) {
  const judged = await mutants.judge(mutant)
  const { region, verdict, breach } = judged
  total++
  fixtures.add(mutant.fixture)
  const row = `${region.name}\t${mutant.kind}`
  const cell = counts.get(row) ?? { found: 0, unchanged: 0, silent: 0 }
  cell[verdict]++
  counts.set(row, cell)
  if (list) appendFileSync(list, `${JSON.stringify(judged)}\n`)
  if (breach === undefined && !(verdict === 'silent' && region.covered)) continue
  bad++
  stdout.write(`${JSON.stringify(judged)}\n`)
}
for (const [row, { found, unchanged, silent }] of [...counts].sort())
  stdout.write(`${row}\t${found} found\t${unchanged} unchanged\t${silent} silent\n`)
stdout.write(`${total} mutants of ${fixtures.size} fixtures, ${bad} silent under a sum or breaking a law\n`)
exit(bad > 0 ? 1 : 0)
