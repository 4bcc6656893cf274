/**
 * Holds the parser and the evaluator of conditions against what TileDB-Py said: `node --import …/register.mjs conditions.mjs ASKS`.
 * ASKS is what conditions.py writes. Prints what differs, then how many were compared; exit code 1 where any differs.
 */
import { readFileSync } from 'node:fs'

const { FragmentCells } = await import('../../src/cells/fragment-cells.ts')
const { loadWhere } = await import('../../src/read/where.ts')
const { InspectError, openArray } = await import('../../src/index.ts')
const { conditionFields, meets } = await import('../../src/read/condition.ts')

const asks = JSON.parse(readFileSync(process.argv[2], 'utf8'))
let compared = 0
let refused = 0
let differing = 0

for (const { uri, conditions } of asks) {
  const array = await openArray(uri)
  const { schema } = await array.newestSchema()
  for (const { text, want } of conditions) {
    compared++
    const found = await cellsThatMeet(array, schema, text)
    if (typeof want === 'string' && typeof found === 'string') {
      refused++
      continue
    }
    if (JSON.stringify(found) === JSON.stringify(want)) continue
    differing++
    console.log(JSON.stringify({ uri, text, want, found }))
  }
}
console.log(`${compared} conditions compared (${refused} refused), ${differing} differ`)
process.exitCode = differing > 0 || refused * 2 > compared ? 1 : 0

/** The coordinates of the cells that meet a condition; the message where it is refused. */
async function cellsThatMeet(array, schema, text) {
  try {
    const node = await loadWhere(text, schema, array)
    const met = []
    for (const { path } of await array.fragments()) {
      const cells = await FragmentCells.open(array.fragment(path))
      try {
        for await (const batch of cells.batches()) met.push(...metInBatch(node, cells.columns, batch))
      } finally {
        await cells.close()
      }
    }
    return met.sort((a, b) => a - b)
  } catch (error) {
    if (error instanceof InspectError && error.code === 'USAGE') return error.message
    throw error
  }
}

function metInBatch(node, columns, batch) {
  const needed = conditionFields(node)
  const known = new Map()
  for (const [i, type] of columns.entries()) {
    if (needed.has(type.name)) known.set(type.name, { type, data: batch.columns[i] })
  }
  const d = batch.columns[columns.findIndex(({ name }) => name === 'd')].data
  const at = new DataView(d.buffer, d.byteOffset, d.length)
  const met = []
  for (const [cell, one] of meets(node, known, batch.cell_num).entries()) {
    if (one === 1) met.push(at.getInt32(4 * cell, true))
  }
  return met
}
