import { FragmentCells } from '../cells/fragment-cells.ts'
import { u32, u64 } from '../format/u32.ts'
import type { InspectArray } from '../store/array.ts'
import { COMMITS_FOLDER } from '../store/commits.ts'
import { deletePlaces } from '../store/deletes.ts'
import type { OpenedTiles } from './rebuild.ts'

/** Both words of the delete time of a cell that is not deleted. */
const NEVER = 0xffffffff
const TIME_BYTES = 8
/** A number beyond this is damage: no array has so many conditions, and a list as long would take all memory. */
const MOST_CONDITIONS = 100_000

/**
 * The delete conditions that a consolidated fragment has applied, by its cells: a deleted cell has the number of the condition in the
 * list, and its time. The list has all conditions of the array in the order of their times. One that came after the last of which cells
 * tell may have been applied, too, but deleted nothing then, and deletes nothing when readers apply it again.
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
  // A reader needs the number of the conditions, and applies again those whose names differ.
  const conditions = Array.from({ length: last + 1 }, (_, i) => {
    const time = times.get(i)
    const place = agrees ? listed[i] : places.find((one) => time !== undefined && one.time === BigInt(time))
    return `${COMMITS_FOLDER}/${place?.name ?? `__${time ?? 0}_${time ?? 0}_${'0'.repeat(32)}_16`}.del`
  })
  return { conditions, assumed: agrees ? undefined : unknown }
}

/** Of the conditions that deleted cells of a fragment, the time in milliseconds, by their number. */
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
        if (number < MOST_CONDITIONS) found.set(number, u64(time, at))
      }
    }
  } finally {
    await cells.close()
  }
  return found
}
