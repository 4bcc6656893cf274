/**
 * Fits the time that TileDB's decoders take, for src/filters/registry.ts: least squares without negative times, over the work of the
 * decoders in arrays that bench/whatif_speed.py wrote and read. Then counts the pairs of pipelines that the fitted times order as TileDB's do.
 * node --import ./test/fuzz/register.mjs bench/whatif-speed.mjs [PYTHON [CELLS]]
 */
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { TileFile } from '../src/cells/tile-files.ts'
import { Pipeline } from '../src/filters/pipeline.ts'
import { datatypeSize } from '../src/format/datatype.ts'
import { localFiles } from '../src/node/file.ts'
import { nodeCodecs } from '../src/node/node-codecs.ts'
import { readContext } from '../src/objects/read-context.ts'
import { openTarget } from '../src/objects/target.ts'
import { openAt } from '../src/read/opening.ts'
import { addZstdWork, noZstdWork } from '../src/whatif/zstd-work.ts'
import { scratch } from './measure.mjs'

const [python = 'python3', cells = '400000'] = process.argv.slice(2)
const lines = execFileSync(python, ['-B', 'bench/whatif_speed.py', join(scratch, 'arrays'), cells], {
  encoding: 'utf8',
})
const rows = lines
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line))
for (const row of rows) row.work = await workOf(row.path)

const OF_ELEMENTS = ['RLE', 'DELTA', 'DOUBLE_DELTA', 'POSITIVE_DELTA', 'BIT_WIDTH_REDUCTION', 'SCALE_FLOAT']

/** The amount of each kind of work in reading an array, by name. */
async function workOf(path) {
  const { array } = await openTarget(localFiles, path, readContext(nodeCodecs))
  const work = new Map()
  const add = (what, count) => work.set(what, (work.get(what) ?? 0) + count)
  for (const { fragment, info } of (await openAt(array)).fragments) {
    for (const { size, slot, role } of await fragment.fieldFiles()) {
      if (info.slots[slot].name !== 'a') continue
      add('bytes of files', size)
      if (role === 'offsets') continue
      const { type: datatype, cellSize } = info.slots[slot]
      const { filters } = info.schema.attributes[0].filters
      const stringOffsets = role === 'var' && ['RLE', 'DICTIONARY_ENCODING'].includes(filters[0]?.name)
      const pipeline = await Pipeline.load(
        filters,
        { datatype, cellSize, formatVersion: 22, stringOffsets },
        nodeCodecs,
      )
      const file = await TileFile.open(fragment, slot, role)
      for (let tile = 0; tile < info.tile_num; tile++) {
        const onStage = ({ config: { name }, datatype, stringOffsets, input, output }) => {
          const out = output.data.length + output.metadata.length
          if (name === 'ZSTD') {
            const zstd = noZstdWork()
            addZstdWork(input.data, zstd)
            for (const [what, count] of Object.entries(zstd)) add(`ZSTD ${what}`, count)
          } else if (stringOffsets) {
            add(`${name} texts`, file.cells(tile))
            add(`${name} stored`, input.data.length)
          } else if (OF_ELEMENTS.includes(name)) {
            const plain = name === 'BIT_WIDTH_REDUCTION' && input.data.length >= out ? ' as they are' : ''
            add(`${name} elements${plain}`, out / datatypeSize(datatype))
          } else {
            add(`${name} stored`, input.data.length)
            add(`${name} unfiltered`, out)
          }
        }
        pipeline.reverseTile(await file.stored(tile), { onStage })
      }
      await file.close()
    }
  }
  return work
}

// Each kind of data has a constant time, the same with all pipelines, and another for no filters.
const kinds = [...new Set(rows.map(({ kind }) => kind))]
const names = [...new Set(rows.flatMap(({ work }) => [...work.keys()]))].sort()
const columns = [...names, ...kinds.map((kind) => `(${kind})`)]
const countOf = ({ kind, work }, name) => work.get(name) ?? Number(name === `(${kind})`)
const matrix = rows.map((row) => columns.map((name) => countOf(row, name) / row.least))
const most = columns.map((_, c) => Math.max(...matrix.map((row) => row[c]), Number.MIN_VALUE))
const scaled = matrix.map((row) => row.map((value, c) => value / most[c]))
const gram = columns.map((_, a) => columns.map((_, b) => scaled.reduce((sum, row) => sum + row[a] * row[b], 0)))
const right = columns.map((_, c) => scaled.reduce((sum, row) => sum + row[c], 0))
const found = columns.map(() => 0)
for (let round = 0; round < 20_000; round++) {
  for (let c = 0; c < columns.length; c++) {
    const rest = right[c] - gram[c].reduce((sum, value, k) => sum + value * found[k], 0)
    found[c] = Math.max(0, found[c] + rest / gram[c][c])
  }
}
const seconds = found.map((value, c) => value / most[c])
for (const [c, name] of names.entries()) console.log(`${name.padEnd(40)} ${(seconds[c] * 1e9).toFixed(3)} ns`)

for (const row of rows) row.said = columns.reduce((sum, name, c) => sum + seconds[c] * countOf(row, name), 0)
const off = rows.map(({ said, least }) => Math.abs(said / least - 1)).sort((a, b) => a - b)
console.log(`nine of ten estimates are within ${(100 * off[Math.floor(0.9 * off.length)]).toFixed(0)} %`)
let [pairs, told, wrong] = [0, 0, 0]
for (const a of rows) {
  for (const b of rows) {
    if (a.kind !== b.kind || b.least <= Math.max(a.third, 1.1 * a.least)) continue
    pairs++
    told += Number(b.said > 1.15 * a.said)
    wrong += Number(a.said > 1.15 * b.said)
  }
}
console.log(
  `${pairs} pairs that TileDB tells apart: ${told} told in its order, ${wrong} in the other, by more than 15 %`,
)
