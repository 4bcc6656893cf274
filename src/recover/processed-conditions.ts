import { FragmentCells } from '../cells/fragment-cells.ts'
import { u32, u64 } from '../format/u32.ts'
import type { InspectArray } from '../objects/array.ts'
import { COMMITS_FOLDER } from '../objects/commits.ts'
import { deletePlaces } from '../objects/deletes.ts'
import type { OpenedTiles } from './rebuild.ts'

/** The two 32-bit words of the delete time of a cell that is not deleted. */
const NEVER = 0xffffffff
const TIME_BYTES = 8
/** Limit on the index of a condition. A larger one is damage: no array has so many conditions, and such a list would take all memory. */
const MAX_CONDITIONS = 100_000

/**
 * Finds the delete conditions that a consolidated fragment has applied. A deleted cell stores the index of its condition in the list
 * of the fragment, and the time of the condition. The list has all conditions of the array in the order of their times. Conditions
 * after the last one in the cells may have been applied, too. They deleted nothing, so it does no harm if readers apply them again.
 *
 * @see FragmentConsolidator; measured with TileDB 2.12 to 2.30
 */
export async function processedByCells(
  array: InspectArray,
  { fragment }: OpenedTiles,
): Promise<{ conditions: string[]; assumed: string | undefined }> {
  const times = await deleteTimes(fragment)
  if (times.size === 0) return { conditions: [], assumed: undefined }
  const places = await deletePlaces(array)
  const last = [...times.keys()].reduce((most, number) => Math.max(most, number), 0)
  const listed = places.slice(0, last + 1)
  const agrees = listed.length === last + 1 && [...times].every(([i, time]) => listed[i].time === BigInt(time))
  const unknown = 'delete conditions that are not there any more deleted some of its cells'
  // Readers need the right number of conditions, and apply a condition again if its name differs.
  const conditions = Array.from({ length: last + 1 }, (_, i) => {
    const time = times.get(i)
    const place = agrees ? listed[i] : places.find((one) => time !== undefined && one.time === BigInt(time))
    return `${COMMITS_FOLDER}/${place?.name ?? `__${time ?? 0}_${time ?? 0}_${'0'.repeat(32)}_16`}.del`
  })
  return { conditions, assumed: agrees ? undefined : unknown }
}

/** Times in milliseconds of the conditions that deleted cells of a fragment, by their index. */
async function deleteTimes(fragment: OpenedTiles['fragment']): Promise<Map<number, number>> {
  const found = new Map<number, number>()
  const fields = ['__delete_timestamps', '__delete_condition_index']
  const cells = await FragmentCells.open(fragment, { fields, wholeTiles: true, onColumnError() {} })
  try {
    const [times, indexes] = fields.map((name) => cells.columns.findIndex((column) => column.name === name))
    for await (const { columns, cell_num } of cells.batches()) {
      const [time, index] = [columns[times]?.data, columns[indexes]?.data]
      if (!time || !index) continue
      for (let at = 0; at < cell_num * TIME_BYTES; at += TIME_BYTES) {
        if (u32(time, at) === NEVER && u32(time, at + 4) === NEVER) continue
        const number = u64(index, at)
        if (number < MAX_CONDITIONS) found.set(number, u64(time, at))
      }
    }
  } finally {
    await cells.close()
  }
  return found
}
