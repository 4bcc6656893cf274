/**
 * Times `explain`, `read`, `history`, `whatif`, `recover` and others as whole processes, in pairs with `verify-checksums --deep`, which
 * undoes every filter of the array once.
 *
 *   node bench/answers.mjs
 */
import { execFileSync } from 'node:child_process'
import { cpSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { once, pairs, scratch, TOOL } from './measure.mjs'

const RUNS = 3
const node = process.execPath

/** @param options options of write-sample */
function written(name, options) {
  const array = join(scratch, name)
  execFileSync(node, [...TOOL, 'write-sample', array, '--seed', '7', '--quiet', ...options.split(' ')], {
    stdio: 'ignore',
  })
  return array
}

/** Copies an array, and removes the metadata of its first fragment. */
function damaged(array) {
  const copy = `${array}-damaged`
  cpSync(array, copy, { recursive: true })
  const [first] = readdirSync(join(copy, '__fragments'))
  rmSync(join(copy, '__fragments', first, '__fragment_metadata.tdb'))
  return copy
}

const ARRAYS = [
  {
    name: 'sparse, 10 fragments over each other, 200,000 cells each under zstd',
    array: written(
      'sparse',
      '--dim x:INT64:0..9999999 --attr a:FLOAT64 --attr s:STRING_ASCII:var --filters ZSTD --capacity 10000 --cells 2000000 --fragments 10',
    ),
    box: 'x=1000000..1100000',
  },
  {
    name: 'dense, 10 million cells under byteshuffle and zstd',
    array: written(
      'dense',
      '--dense --dim x:INT64:0..9999999:100000 --attr a:FLOAT64 --filters BYTESHUFFLE,ZSTD --cells 10000000 --fragments 1',
    ),
    box: 'x=1000000..1100000',
  },
]

for (const { name, array, box } of ARRAYS) {
  const all = [node, [...TOOL, 'verify-checksums', '--deep', array]]
  const lost = damaged(array)
  const to = join(scratch, 'recovered')
  const commands = [
    ['explain', array],
    ['explain', '--range', box, array],
    ['explain', '--exact', '--range', box, array],
    ['read', '--range', box, '--format', 'csv', array],
    ['read', '--format', 'csv', array],
    ['history', '--cell', box.replace(/\.\..*/, ''), array],
    ['whatif', array],
    ['recover', lost, '--to', to, '--domain', 'x=0..9999999'],
  ]
  console.log(`\n${name}; every filter undone once: ${once(...all).seconds.toFixed(2)} s`)
  for (const args of commands) {
    const command = [node, [...TOOL, ...args]]
    const { a, ratio } =
      args[0] === 'recover'
        ? alone(command, all, () => rmSync(to, { recursive: true, force: true }))
        : pairs(command, all, RUNS)
    const { megabytes } = once(...command, { memory: true })
    const shown = args.map((one) => one.replace(`${scratch}/`, '')).join(' ')
    console.log(`${shown}: ${a.toFixed(2)} s, ratio ${ratio.toFixed(2)}, ${megabytes.toFixed(0)} MB at its highest`)
  }
  rmSync(to, { recursive: true, force: true })
}

/** Times one pair, for a command whose output folder must be removed before each run. */
function alone(command, other, clear) {
  clear()
  const a = once(...command).seconds
  clear()
  return { a, ratio: a / once(...other).seconds }
}
