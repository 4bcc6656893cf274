import { execFileSync } from 'node:child_process'
import { cpSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { env, exit, stdout } from 'node:process'
import { fileURLToPath } from 'node:url'
import { once, scratch, TOOL } from '../bench/measure.mjs'
import { drawn, tellShare } from './helpers/gate-turn.mjs'

/**
 * Tests that memory stays flat. Each command runs on a small array and on one with four times as many tiles or fragments. The
 * heap is small, so that V8 ends a program that holds more. The memory per tile or fragment has a limit, too. The young generation has one
 * size, as it otherwise grows with the time that a command takes, and not with what it holds: 20 MB of decode's peak came from that.
 *
 * Then tests that `--memory` holds for arrays of some kilobytes that hold gigabytes: what a command cannot do within it is refused in words.
 *
 * The gate runs one in three of the commands.
 */

const HEAP = ['--max-old-space-size=64', '--max-semi-space-size=4']
const MAX_MB = 150
const TIMES = 4
const SHARE_OF_GATE = 3

delete env.NODE_EXTRA_CA_CERTS

function onlyFragment(array) {
  const [name] = readdirSync(join(array, '__fragments'))
  return join(array, '__fragments', name)
}

/** Writes an array. @param options options of write-sample */
function written(name, options) {
  const array = join(scratch, name)
  execFileSync('node', [...TOOL, 'write-sample', array, '--seed', '7', ...options.split(' ')], { stdio: 'ignore' })
  return { array, fragment: onlyFragment(array) }
}

const TILES = 100_000
const sparse = (tiles) =>
  written(`sparse-${tiles}`, `--dim x:INT64:0..99999999 --attr v:INT32 --capacity 4 --cells ${4 * tiles} --fragments 1`)
const FRAGMENTS = 1000
const dense = (fragments) =>
  written(
    `dense-${fragments}`,
    `--dense --dim x:INT32:0..${100 * fragments - 1}:100 --attr v:INT32 --fragments ${fragments}`,
  )

const MEMBERS = 250
/** A folder with copies of an array. */
function many(members) {
  const { array } = written(`one-of-${members}`, '--dim x:INT32:0..9 --attr v:INT32 --cells 5 --fragments 1')
  const folder = join(scratch, `many-${members}`)
  for (let i = 0; i < members; i++) cpSync(array, join(folder, `run-${i % 7}`, `array-${i}`), { recursive: true })
  return { array: folder }
}

/** Limits on the bytes per tile and per fragment: for whole lists, with 8 bytes per tile and file, and for objects of a fragment. */
const KINDS = [
  {
    of: 'tiles',
    arrays: () => [sparse(TILES), sparse(TIMES * TILES)],
    more: (TIMES - 1) * TILES,
    most: 140,
    commands: [
      ({ array }) => ['check', array],
      ({ array }) => ['verify-checksums', '--deep', array],
      ({ array }) => ['stats', array],
      ({ array }) => ['explain', array],
      ({ array }) => ['read', '--format', 'csv', array],
      ({ fragment }) => ['metadata', '--json', fragment],
      ({ fragment }) => ['tiles', '--format', 'ndjson', fragment],
      ({ fragment }) => ['rtree', '--json', fragment],
      ({ fragment }) => ['decode', '--format', 'ndjson', fragment],
      ({ fragment }) => ['footer', '--json', fragment],
    ],
  },
  {
    of: 'fragments',
    arrays: () => [dense(FRAGMENTS), dense(TIMES * FRAGMENTS)],
    more: (TIMES - 1) * FRAGMENTS,
    most: 13_000,
    commands: [
      ({ array }) => ['ls', '--json', array],
      ({ array }) => ['ls', array],
      ({ array }) => ['check', array],
      ({ array }) => ['commits', '--json', array],
      ({ array }) => ['diff', array, array],
    ],
  },
  {
    of: 'members',
    arrays: () => [many(MEMBERS), many(TIMES * MEMBERS)],
    more: (TIMES - 1) * MEMBERS,
    most: 40_000,
    commands: [
      ({ array }) => ['ls', '--recursive', array],
      ({ array }) => ['check', '--recursive', '--format', 'ndjson', array],
      ({ array }) => ['stats', '--recursive', '--format', 'ndjson', array],
      ({ array }) => ['ls', '--recursive', '--names', '--format', 'ndjson', array],
    ],
  },
]

/** Memory of a command. If a run is above the limit, the least of three runs counts, as a peak also depends on when garbage is collected. */
function peaks(command, arrays, isWithin) {
  const least = arrays.map(() => Number.POSITIVE_INFINITY)
  for (let run = 0; run < 3 && !isWithin(least); run++)
    for (const [i, one] of arrays.entries()) {
      const { megabytes } = once('node', [...HEAP, ...TOOL, ...command(one)], { memory: true })
      least[i] = Math.min(least[i], megabytes)
    }
  return least
}

tellShare(SHARE_OF_GATE, 'commands')

let failed = 0
for (const { of, arrays: made, more, most, commands } of KINDS) {
  const arrays = made()
  for (const command of drawn(commands, SHARE_OF_GATE)) {
    const eachOf = ([small, large]) => ((large - small) * 2 ** 20) / more
    const isWithin = (sizes) => sizes[1] <= MAX_MB && eachOf(sizes) <= most
    const sizes = peaks(command, arrays, isWithin)
    const [small, large] = sizes
    const each = eachOf(sizes)
    const fits = isWithin(sizes)
    if (!fits) failed++
    const name = command({ array: '', fragment: '' }).join(' ').trim()
    const figures = `${small.toFixed(0)} MB, ${large.toFixed(0)} with ${TIMES} times the ${of}: ${each.toFixed(0)} bytes each`
    stdout.write(`${fits ? 'ok' : `FAILED (most: ${MAX_MB} MB, ${most} bytes each)`}: ${name}: ${figures}\n`)
  }
}
/** Arrays of test/bombs.ts, and the commands that read their cells. */
const BOMBS = ['rle', 'rle-many', 'gzip-gzip-gzip', 'zstd', 'text-dictionary', 'padded']
const READING = [
  ({ array }) => ['check', '--level', 'cells', array],
  ({ array }) => ['verify-checksums', '--deep', '--jobs', '4', array],
  ({ array }) => ['read', '--limit', '3', array],
  ({ array }) => ['whatif', array],
]
const MEMORIES = [1024, 256]
/** Exit codes: right, findings, and what could not be read. */
const ENDS = [0, 1, 3]

execFileSync('node', [
  '--no-warnings',
  '--import',
  new URL('./fuzz/register.mjs', import.meta.url).href,
  fileURLToPath(new URL('./bombs.ts', import.meta.url)),
  scratch,
  ...BOMBS,
])
const calls = BOMBS.flatMap((bomb) =>
  MEMORIES.flatMap((memory) => READING.map((command) => ({ bomb, memory, command }))),
)
for (const { bomb, memory, command } of drawn(calls, SHARE_OF_GATE)) {
  const array = join(scratch, bomb)
  const args = [...command({ array, fragment: onlyFragment(array) }), '--memory', `${memory}M`]
  const { status, megabytes, stderr } = once('node', [...TOOL, ...args], { memory: true, ends: ENDS })
  // check says on stdout what it did not examine.
  const isNamed = status !== 3 || args[0] === 'check' || stderr.includes('--memory')
  const fits = isNamed && megabytes <= memory + MAX_MB
  if (!fits) failed++
  const name = `${bomb}: ${command({ array: '', fragment: '' }).join(' ').trim()} --memory ${memory}M`
  stdout.write(`${fits ? 'ok' : 'FAILED'}: ${name}: ${megabytes.toFixed(0)} MB, exit code ${status}\n`)
}

exit(failed > 0 ? 1 : 0)
