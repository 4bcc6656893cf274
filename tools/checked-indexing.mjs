import { spawnSync } from 'node:child_process'
import process from 'node:process'
import { fileURLToPath } from 'node:url'

/**
 * Indexing with a check in the rooms that read bytes which nobody here wrote: what is not there is `undefined` to the compiler.
 *
 *     node tools/checked-indexing.mjs    says where an index is taken for one that is there
 */

const ROOMS = ['base', 'format', 'storage', 'objects']
/** Files with loops over lists of their own, and why they need no check. */
const UNCHECKED = {
  'src/base/library-sort.ts': 'sorts one list, with indexes between its own ends',
  'src/base/nearest.ts': 'compares two words, with indexes below their lengths',
  'src/format/u32.ts': 'is called for every number; the caller checks the bounds',
}

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const options = ['--noEmit', '--noUncheckedIndexedAccess', '--pretty', 'false']
const { stdout, error } = spawnSync(process.execPath, ['node_modules/typescript/bin/tsc', ...options], {
  cwd: ROOT,
  encoding: 'utf8',
  maxBuffer: 2 ** 28,
})
if (error) throw error
const inRooms = new RegExp(`^src/(?:${ROOMS.join('|')})/`)
const lines = stdout.split('\n').filter((line) => inRooms.test(line))
const fileOf = (line) => line.slice(0, line.indexOf('('))
const faults = lines.filter((line) => !(fileOf(line) in UNCHECKED))
for (const name of Object.keys(UNCHECKED))
  if (!lines.some((line) => fileOf(line) === name)) faults.push(`${name}: no longer needs to be unchecked`)
for (const fault of faults) process.stderr.write(`${fault}\n`)
process.exitCode = faults.length > 0 ? 1 : 0
