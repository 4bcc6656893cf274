/**
 * How the cost of answers grows: eight times the work in at most ten times the processor time. Exit code 1 if a row takes more.
 *
 *   npm run bench -- --growth
 */
import { execFileSync, spawnSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { scratch, TOOL } from './measure.mjs'

const MOST = 10
const RUNS = 3

/** @param options options of write-sample, without the number of cells and fragments */
function written(name, options, cells, fragments) {
  const array = join(scratch, name)
  const sizes = ['--cells', String(cells), '--fragments', String(fragments)]
  const args = ['write-sample', array, '--seed', '7', '--quiet', ...options.split(' '), ...sizes]
  execFileSync(process.execPath, [...TOOL, ...args], { stdio: 'ignore' })
  return array
}

/** Writes an array, and one of eight times as many cells or fragments. @param grows which of them */
function twoSizes(name, options, cells, fragments, grows) {
  const more = grows === 'cells' ? [8 * cells, fragments] : [8 * cells, 8 * fragments]
  return [written(`${name}-1`, options, cells, fragments), written(`${name}-8`, options, ...more)]
}

/** Least processor time of a run, in seconds. The process reports its own. */
function processorTime(args) {
  const REPORT =
    "data:text/javascript,import{writeSync}from'node:fs';process.on('exit',()=>{const u=process.resourceUsage();writeSync(2,'\\nTIME '+(u.userCPUTime+u.systemCPUTime))})"
  const times = Array.from({ length: RUNS }, () => {
    const { stderr, status } = spawnSync(process.execPath, ['--import', REPORT, ...TOOL, ...args], {
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    if (status !== 0) throw new Error(`${args.join(' ')} ended with ${status}: ${stderr}`)
    return Number(/TIME (\d+)$/.exec(String(stderr))[1]) / 1e6
  })
  return Math.min(...times)
}

const TINY = twoSizes('tiny', '--dim x:INT64:0..99999999:10000 --attr a:FLOAT64 --filters ZSTD', 4000, 200, 'fragments')
const DENSE = [1, 8].map((times) =>
  written(
    `dense-${times}`,
    `--dense --dim x:INT64:0..${times * 2_000_000 - 1}:100000 --attr a:FLOAT64 --attr s:STRING_ASCII:var --filters CHECKSUM_SHA256`,
    times * 2_000_000,
    1,
  ),
)
const SPARSE = twoSizes(
  'sparse',
  '--dim x:INT64:0..999999999:10000000 --attr a:FLOAT64 --filters ZSTD --capacity 10000',
  200_000,
  4,
  'cells',
)

const ROWS = [
  ['explain --exact, tiny fragments', ['explain', '--exact'], TINY],
  ['explain --exact, sparse cells', ['explain', '--exact'], SPARSE],
  ['stats --read, dense cells', ['stats', '--read'], DENSE],
  ['stats --read, sparse cells', ['stats', '--read'], SPARSE],
  ['check --level cells, dense cells', ['check', '--level', 'cells'], DENSE],
  ['verify-checksums, dense cells', ['verify-checksums'], DENSE],
  ['why of a fragment, tiny fragments', ['why'], TINY, firstFragment],
  ['why of all commits, tiny fragments', ['why'], TINY, (array) => join(array, '__commits')],
]

function firstFragment(array) {
  const folder = join(array, '__fragments')
  return join(folder, readdirSync(folder)[0])
}

for (const [what, command, arrays, part = (array) => array] of ROWS) {
  const [one, eight] = arrays.map((array) => processorTime([...command, part(array)]))
  const times = eight / one
  if (times > MOST) process.exitCode = 1
  const verdict = times > MOST ? `, MORE THAN ${MOST}` : ''
  console.log(
    `${what}: ${one.toFixed(2)} s, eight times the work ${eight.toFixed(2)} s: ${times.toFixed(1)} times${verdict}`,
  )
}
