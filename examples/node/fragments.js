/**
 * Walks an array: what every fragment takes on disk, field by field, and its first cells.
 *
 *     npm install tiledb-inspect
 *     node fragments.js path/to/array [cells]
 *
 * The key of an encrypted array is taken from TILEDB_INSPECT_KEY.
 */
import { env, exit } from 'node:process'
import { InspectError, openArray, readCells } from 'tiledb-inspect'

const [, , path, count = '3'] = process.argv
if (path === undefined) {
  console.error('usage: fragments.js ARRAY [CELLS]')
  exit(2)
}

try {
  const array = await openArray(path, { key: env.TILEDB_INSPECT_KEY })
  for (const entry of await array.fragments()) {
    console.log(`${entry.name}: ${entry.state}`)
    // What no commit names may be half a fragment.
    if (entry.state === 'uncommitted' || entry.state === 'no-metadata') continue
    const fragment = array.fragment(entry.path)
    await show(fragment)
    await fragment.close()
  }
} catch (error) {
  if (!(error instanceof InspectError)) throw error
  const { file, offset, field } = error.at
  console.error(`${error.code}: ${error.message}`, { file, offset, field })
  exit(1)
}

async function show(fragment) {
  const { slots, tile_num } = await fragment.info()
  const bytes = new Map()
  for (const { slot, size } of await fragment.fieldFiles()) {
    const { name } = slots[slot]
    bytes.set(name, (bytes.get(name) ?? 0) + size)
  }
  for (const [name, size] of bytes) console.log(`  ${name}: ${size} bytes in ${tile_num} tiles`)
  let left = Number(count)
  for await (const cell of readCells(fragment)) {
    if (left-- <= 0) break
    console.log(
      '  ',
      JSON.stringify(cell, (_, value) => (typeof value === 'bigint' ? String(value) : value)),
    )
  }
}
