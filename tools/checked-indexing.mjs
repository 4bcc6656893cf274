import { spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'

/**
 * Indexing with a check in the rooms that read bytes which nobody here wrote: what is not there is `undefined` to the compiler.
 *
 *     node tools/checked-indexing.mjs    says where an index is taken for one that is there
 */

const ROOMS = ['base', 'format', 'filters', 'storage', 'objects', 'cells', 'genomicsdb']
/** Files with loops over lists of their own, and why they need no check. Their typed arrays have one length, or one that is computed. */
const UNCHECKED = {
  'src/cells/cell-order.ts': 'sorts cells by lanes of one length; the loops over all cells are hot',
  'src/cells/column-summary.ts': 'takes cells of a batch, whose lengths were compared when it was read; hot',
  'src/cells/copy-box.ts': 'copies boxes that the caller has placed in both buffers; hot',
  'src/cells/extremes.ts': 'compares cells of a batch; hot',
  'src/cells/gather.ts': 'copies cells at positions that the caller has computed; hot',
  'src/cells/hilbert.ts': 'turns bits of coordinates, with tables of every state; hot',
  'src/cells/number-blocks.ts': 'takes numbers at places of a batch; hot',
  'src/cells/sum-of.ts': 'adds cells of a batch; hot',
  'src/cells/sorted-positions.ts': 'sorts positions by lanes of one length; hot',
  'src/cells/tile-numbers.ts': 'divides the coordinates of a batch; hot',
  'src/filters/bit-width-reduction.ts': 'widens elements of a window whose length was checked; hot',
  'src/filters/bitshuffle.ts': 'moves bits in blocks of eight bytes; hot',
  'src/filters/bytes.ts': 'copies and compares between ends that the caller has checked; hot',
  'src/filters/byteshuffle.ts': 'moves bytes in blocks of one length; hot',
  'src/filters/codecs/lz4-compress.ts': 'writes: reads only bytes of its own input; hot',
  'src/filters/codecs/short-inflate.ts': 'takes bits of a stream, whose end it compares once for each code; hot',
  'src/filters/codecs/webp.ts': 'moves pixels of a picture whose size was checked; hot',
  'src/filters/double-delta.ts': 'adds differences of a chunk whose length was checked; hot',
  'src/filters/elements.ts': 'adds lanes of a part whose length was checked; hot',
  'src/filters/positive-delta.ts': 'compares the lanes of a part; hot',
  'src/filters/xor.ts': 'combines lanes of a part; hot',
  'src/genomicsdb/stride-delta.ts': 'adds lanes of a tile, back by a distance that is never larger; hot',
  'src/base/library-sort.ts': 'sorts one list, with indexes between its own ends',
  'src/base/nearest.ts': 'compares two words, with indexes below their lengths',
  'src/format/u32.ts': 'is called for every number; the caller checks the bounds',
}

const ROOT = fileURLToPath(new URL('..', import.meta.url))
// Of the rooms alone, which import no others: to check all sources takes three times as long.
const PROJECT = 'build/checked-indexing.json'
mkdirSync(join(ROOT, 'build'), { recursive: true })
writeFileSync(
  join(ROOT, PROJECT),
  JSON.stringify({
    extends: '../tsconfig.json',
    compilerOptions: { noEmit: true, noUncheckedIndexedAccess: true },
    include: ROOMS.map((room) => `../src/${room}`),
  }),
)
const options = ['-p', PROJECT, '--pretty', 'false']
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
