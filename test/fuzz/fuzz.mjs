import { argv, exit, memoryUsage, stdout } from 'node:process'
import { fuzzOnce } from './fuzzer.ts'

/**
 * A long turn of the fuzzer: `npm run fuzz -- --time 60 --seed 1`, or `--case N` for one case again. Ends with 1 if a law
 * was broken; each breach is a line of JSON.
 */
const option = (name, otherwise) => {
  const at = argv.indexOf(`--${name}`)
  return at < 0 ? otherwise : Number(argv[at + 1])
}
const seconds = option('time', 60)
const first = option('case', option('seed', Math.floor(Math.random() * 1000)) * 1_000_003)
const bounds = { time: option('bound', 5000), memory: 1.5 * 2 ** 30 }
const end = Date.now() + seconds * 1000
const seen = new Map()
let cases = 0
do {
  const breach = await fuzzOnce(first + cases, bounds)
  cases++
  if (!breach) continue
  const kind = breach.law.replace(/\d+/g, '#')
  seen.set(kind, (seen.get(kind) ?? 0) + 1)
  if (seen.get(kind) <= 3) stdout.write(`${JSON.stringify(breach)}\n`)
} while (Date.now() < end && !argv.includes('--case'))
const broken = [...seen.values()].reduce((sum, count) => sum + count, 0)
const memory = Math.round(memoryUsage().rss / 2 ** 20)
stdout.write(`${cases} cases from ${first}, ${broken} broke a law, ${memory} MiB\n`)
exit(broken > 0 ? 1 : 0)
