import { execFileSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join, resolve } from 'node:path'
import { exit, argv as processArgv, stderr, stdout } from 'node:process'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { Build } from './build.mjs'
import { callsOn, callsOnDamaged, factsOf, otherCalls } from './calls.mjs'
import { difference, kindOf, Names } from './compare.mjs'
import { Choices } from './random.mjs'
import { breakCopy, keyOf, targetsIn } from './targets.mjs'

/**
 * Runs every command of two builds on the same arrays, and compares all that they print and write:
 * `node test/compare/builds.mjs OLD NEW [FOLDER…]`, where OLD and NEW are checkouts with `dist`. Prints each kind of difference
 * with one call that shows it, and ends with exit code 1 if there is any.
 *
 *     FOLDER          where arrays are: test/fixtures, examples/arrays and the corpus, if none is given
 *     --names FILE    renames that are no differences, as JSON (see compare.mjs)
 *     --limit N       arrays of each folder (12), or all; damaged arrays are not counted
 *     --broken N      fixtures of which a copy with one broken file is made (20)
 *     --seed S        chooses arrays, files and cells
 *     --shard I/N     only part I of N parts of the arrays
 *     --commands A,B  only calls of these commands
 *     --show N        kinds of differences that are printed (50)
 *     --keep          keeps the folder with the arrays, in which the calls were made
 *
 * CORPUS is the folder with the archives of the corpus; without it, `../shared/corpus`.
 * The builds run from their sources, each in one process: dist/page is all of `dist` that they use.
 */

const USAGE =
  'usage: node test/compare/builds.mjs OLD NEW [FOLDER…] [--names FILE] [--shard I/N] [--limit N] [--seed S]\n'
const ROOT = fileURLToPath(new URL('../..', import.meta.url))
/** Calls that wait for an answer at once. */
const AHEAD = 64

const { values: options, positionals } = parseArgs({
  args: processArgv.slice(2),
  allowPositionals: true,
  options: {
    names: { type: 'string' },
    limit: { type: 'string', default: '12' },
    broken: { type: 'string', default: '20' },
    seed: { type: 'string', default: '1' },
    shard: { type: 'string', default: '1/1' },
    commands: { type: 'string' },
    show: { type: 'string', default: '50' },
    keep: { type: 'boolean', default: false },
  },
})
if (positionals.length < 2) {
  stderr.write(USAGE)
  exit(2)
}
const [oldRoot, newRoot, ...folders] = positionals.map((path) => resolve(path))
const names = new Names(options.names === undefined ? {} : JSON.parse(readFileSync(options.names, 'utf8')))
const [shard, shards] = options.shard.split('/').map(Number)
const only = options.commands?.split(',')
const limit = options.limit === 'all' ? Number.POSITIVE_INFINITY : Number(options.limit)

const work = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'compare-'))
process.on('exit', () => {
  if (!options.keep) rmSync(work, { recursive: true, force: true })
})
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => exit(3))
const builds = [oldRoot, newRoot].map((checkout, i) => {
  const folder = join(work, ['old', 'new'][i])
  mkdirSync(folder)
  writeFileSync(join(folder, 'text.txt'), 'no array\n')
  symlinkSync(join(ROOT, 'examples/arrays'), join(folder, 'examples'))
  return new Build(checkout, folder)
})
const places = builds.map(({ folder, checkout }) => [folder, checkout])
const [old] = builds

/** Gives a folder a name in the calls of both builds. @returns the arrays and groups in it */
function linked(path, name) {
  for (const { folder } of builds) if (!existsSync(join(folder, name))) symlinkSync(path, join(folder, name))
  return targetsIn(path, name)
}

/** The corpus, unpacked; undefined where it is not. */
function corpus() {
  const archives = process.env.CORPUS ?? join(ROOT, '../shared/corpus')
  if (!existsSync(archives)) return undefined
  const to = join(work, 'corpus')
  mkdirSync(to)
  for (const name of readdirSync(archives).filter((one) => one.endsWith('.tar.gz')))
    execFileSync('tar', ['xzf', join(archives, name), '-C', to])
  return to
}

/** An array for each code of a finding, written by the old build. */
async function damaged() {
  const to = join(work, 'damaged')
  mkdirSync(to)
  for (const code of codes) await old.call({ argv: ['write-sample', `../damaged/${code}`, '--damage', code] })
  return linked(to, 'damaged')
}

/** Copies of some arrays, each with a broken file. */
function broken(targets) {
  const to = join(work, 'broken')
  mkdirSync(to)
  const choices = new Choices(options.seed, 'broken')
  for (const [i, { path, name }] of choices.some(targets, Number(options.broken)).entries()) {
    const copy = `${to}/${i}-${name.split('/').slice(1).join('-')}`
    breakCopy(path, copy, choices)
    const key = keyOf(path)
    if (key !== undefined) writeFileSync(`${copy}.expected.json`, JSON.stringify({ key }))
  }
  return linked(to, 'broken')
}

async function ask(call) {
  const { stdout: text } = await old.call(call)
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

let calls = 0
let differ = 0
const kinds = new Map()
/** Number of calls by how they ended in the old build: exit code, or what went wrong. */
const ends = new Map()
const waiting = new Set()

async function compared(call, target) {
  const calledNew = { ...call, argv: names.renamedCall(call.argv) }
  const [a, b] = await Promise.all([builds[0].call(call), builds[1].call(calledNew)])
  calls++
  const [end] = a.code.split('\n')
  ends.set(end, (ends.get(end) ?? 0) + 1)
  const found = difference(call, a, b, names, places)
  if (!found) return
  differ++
  const kind = kindOf(call, found, target)
  const known = kinds.get(kind)
  if (known) known.count++
  else kinds.set(kind, { count: 1, call, found })
}

/** Sends a call to both builds, which work on some calls ahead. */
async function compare(call, target) {
  if (only && !only.includes(call.argv[0])) return
  const one = compared(call, target).finally(() => waiting.delete(one))
  waiting.add(one)
  if (waiting.size >= AHEAD) await Promise.race(waiting)
}

const damages = (await old.call({ argv: ['write-sample', '--damage', 'list', '--format', 'ndjson'] })).stdout
const codes = Array.from(damages.matchAll(/"damage":"(\w+)"/g), ([, code]) => code)
const { stdout: help } = await old.call({ argv: ['--help'] })
const list = help.slice(help.indexOf('What is there:'), help.indexOf('help [word]'))
const commands = Array.from(list.matchAll(/^ {2}([a-z-]+) {2}/gm), ([, name]) => name)

const choices = new Choices(options.seed, 'targets')
const targets = []
if (folders.length > 0) {
  for (const folder of folders) targets.push(...choices.some(linked(folder, basename(folder)), limit))
} else {
  const fixtures = linked(join(ROOT, 'test/fixtures'), 'fixtures')
  targets.push(...(await damaged()), ...broken(fixtures))
  targets.push(...linked(join(ROOT, 'examples/arrays'), 'examples'), ...choices.some(fixtures, limit))
  const unpacked = corpus()
  if (unpacked) targets.push(...choices.some(linked(unpacked, 'corpus'), limit))
}

const start = performance.now()
const mine = targets.filter((_, i) => i % shards === shard - 1)
if (shard === 1) for (const call of otherCalls(commands, codes)) await compare(call)
for (const [i, target] of mine.entries()) {
  if (stderr.isTTY) stderr.write(`\r\x1b[K${i + 1} of ${mine.length} ${target.name}`)
  const key = keyOf(target.path)
  const chosen = new Choices(options.seed, target.name)
  const facts = await factsOf(target, key, ask)
  const callsFor = /^(?:damaged|broken)\//.test(target.name) ? callsOnDamaged : callsOn
  for (const call of callsFor(target, facts, key, chosen)) await compare(call, target.name)
}
await Promise.all(waiting)
if (stderr.isTTY) stderr.write('\r\x1b[K')

/** A call as a shell takes it. */
function shellCall({ argv, columns, key }) {
  const words = argv.map((word) => (/^[\w./=:-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`))
  const width = columns === undefined ? '' : `   (${columns} columns)`
  return `${key === undefined ? '' : `TILEDB_INSPECT_KEY=${key} `}tiledb-inspect ${words.join(' ')}${width}`
}

const sorted = [...kinds].sort(([, a], [, b]) => b.count - a.count)
for (const [kind, { count, call, found }] of sorted.slice(0, Number(options.show)))
  stdout.write(`${count} × ${kind}\n  line ${found.line} of  ${shellCall(call)}\n\n`)
if (sorted.length > Number(options.show))
  stdout.write(`and ${sorted.length - Number(options.show)} more kinds: --show N\n`)
if (options.keep) stdout.write(`the calls were made in ${builds[0].folder} and ${builds[1].folder}\n`)
for (const build of builds) build.close()
const seconds = Math.round((performance.now() - start) / 1000)
stdout.write(
  `${mine.length} target${mine.length === 1 ? '' : 's'}, ${seconds} s, ${sorted.length} kinds of differences\n`,
)
const counts = [...ends].sort(([a], [b]) => (a < b ? -1 : 1)).map(([end, count]) => `${end}: ${count}`)
stdout.write(`exit codes of the old build: ${counts.join(', ')}\n`)
stdout.write(`${calls} calls, ${differ} differ\n`)
exit(differ > 0 ? 1 : 0)
