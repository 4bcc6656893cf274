/**
 * Holds what explain says against TileDB's counters: `node --import …/register.mjs explain.mjs ASKS`. ASKS is what explain.py writes. Prints what
 * differs, then how many queries were compared; exit code 1 where any differs.
 */
import { readFileSync } from 'node:fs'

const { run } = await import('../helpers/run.ts')

/** Numbers that equal TileDB's, and by how much the others may differ, as a part of TileDB's. */
const TOLERANCES = {
  tiles_read: 0,
  cells_read: 0,
  unfiltered_bytes: 0,
  cells_found: 0,
  vfs_bytes: 0.02,
  reads: 0.05,
}

const asks = JSON.parse(readFileSync(process.argv[2], 'utf8'))
let compared = 0
let refused = 0
let differing = 0

for (const { uri, queries } of asks) {
  for (const { order, ranges, fields, time, threads, want } of queries) {
    if (want === null) {
      refused++
      continue
    }
    const args = ['explain', uri, '--json', '--order', order]
    for (const range of ranges) args.push('--range', range)
    for (const field of fields) args.push('--field', field)
    if (time !== null) args.push('--as-of', String(time))
    const { document, stderr } = await explained([...args, '--exact'])
    // TileDB may then find too few cells.
    if (stderr.includes('may find wrong cells')) continue
    compared++
    const exact = asCounted(document, threads)
    const most = asCounted((await explained(args)).document, threads)
    const wrong = Object.entries(TOLERANCES).flatMap(([key, part]) => [
      ...(Math.abs(exact[key] - want[key]) <= part * want[key]
        ? []
        : [`${key}: ${exact[key]}, TileDB counts ${want[key]}`]),
      ...(most[key] === null || most[key] >= want[key] * (1 - part)
        ? []
        : [`${key}: at most ${most[key]}, TileDB counts ${want[key]}`]),
    ])
    if (wrong.length === 0) continue
    differing++
    console.log(`${args.join(' ')}: ${wrong.join('; ')}`)
  }
}
console.log(`${compared} queries compared (${refused} refused by TileDB), ${differing} differ`)
process.exitCode = differing > 0 || refused * 2 > compared ? 1 : 0

async function explained(args) {
  const { code, text, stderr } = await run(args)
  if (code !== 0) throw new Error(`${args.join(' ')}: exit code ${code}: ${text}`)
  return { document: JSON.parse(text), stderr }
}

/** The numbers as TileDB counts them. Its readers for sparse arrays count the cells of a tile once for each thread that looks for cells in it. */
function asCounted({ reader, fragments, total }, threads) {
  const tiles = fragments.reduce((sum, { tiles_touched }) => sum + tiles_touched, 0)
  const sharesTiles = reader.startsWith('Sparse') && tiles > 0 && tiles < threads
  return { ...total, cells_read: total.cells_read * (sharesTiles ? 1 + Math.floor((threads - 1) / tiles) : 1) }
}
