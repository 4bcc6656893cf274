/**
 * Tries a reader on the vectors beside this file:
 *
 *     node run.mjs [--only TEXT] COMMAND [ARGUMENT…]
 *
 * The command gets the folder of an array as its last argument, and its key in VECTOR_KEY. It prints a line of JSON for each cell,
 * in any order: README.md says how values are written. Exit code 77 means that it does not read such arrays. The last line says how
 * many passed, failed and were skipped; the exit code is 1 if any failed.
 */
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'

const SKIPPED = 77
const args = process.argv.slice(2)
const only = args[0] === '--only' ? args.splice(0, 2)[1] : ''
const [command, ...rest] = args
if (command === undefined) throw new Error('expected a command: node run.mjs COMMAND [ARGUMENT…]')

/** The same text for the same cell, whatever the order of its keys. */
function sorted(value) {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, one]) => [key, sorted(one)]),
  )
}

const cellsOf = (text) =>
  text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => JSON.stringify(sorted(JSON.parse(line))))
    .sort()

/** @returns what is wrong; undefined if nothing is, null if the reader does not read such arrays */
function tried({ array, key, cells }) {
  const env = { ...process.env, ...(key === null ? {} : { VECTOR_KEY: key }) }
  const options = { encoding: 'utf8', env, maxBuffer: 2 ** 30 }
  const { status, stdout, stderr, error } = spawnSync(command, [...rest, join(import.meta.dirname, array)], options)
  if (error) return error.message
  if (status === SKIPPED) return null
  if (status !== 0) return `exit code ${status}: ${stderr.trim().slice(0, 200)}`
  const expected = cellsOf(readFileSync(join(import.meta.dirname, cells), 'utf8'))
  let found
  try {
    found = cellsOf(stdout)
  } catch (cause) {
    return `expected lines of JSON: ${cause.message}`
  }
  if (found.length !== expected.length) return `expected ${expected.length} cells, found ${found.length}`
  const at = expected.findIndex((cell, i) => cell !== found[i])
  return at < 0 ? undefined : `expected the cell ${expected[at].slice(0, 200)}, found ${found[at].slice(0, 200)}`
}

const counts = { passed: 0, failed: 0, skipped: 0 }
for (const vector of JSON.parse(readFileSync(join(import.meta.dirname, 'vectors.json'), 'utf8'))) {
  if (!vector.id.includes(only)) continue
  const wrong = tried(vector)
  if (wrong) console.log(`${vector.id}: ${wrong}`)
  counts[wrong === undefined ? 'passed' : wrong === null ? 'skipped' : 'failed']++
}
console.log(`${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`)
process.exitCode = counts.failed > 0 ? 1 : 0
