import type { ExplainQuery, ReadPlan } from './plan.ts'
import { SparseIndex } from './sparse-index.ts'
import { globalMemory } from './sparse-memory.ts'

/**
 * What SparseGlobalOrderReader does: reads of sparse arrays in global order, and unordered ones where no duplicates are allowed.
 *
 * - It reads the coordinates of all tiles that the ranges touch, of all tiles if there are none. Only with ranges it counts their
 *   cells as read.
 * - Then it reads times and the fields of conditions, of the same tiles.
 * - It merges the cells. It reads the other fields of the tiles that give a cell.
 * - It loads R-trees even without ranges, to know the order of tiles, unless the array is in Hilbert order.
 *
 * @see tiledb/sm/query/readers/sparse_global_order_reader.cc
 */
export async function planSparseGlobal(q: ExplainQuery): Promise<ReadPlan> {
  const { schema } = q.opened
  const index = await SparseIndex.open(q, true)
  const found = q.exact ? await index.foundCells(!schema.allows_duplicates) : undefined
  const { touched, isRanged, fields } = index
  const kept = found?.tiles ?? touched
  const fragments = index.fragmentPlans(found?.tiles, isRanged)
  const metadata_reads = index.metadataReads(schema.cell_order !== 'hilbert')
  return {
    reader: 'SparseGlobalOrderReader',
    fragments,
    tile_reads: [...index.firstReads(touched, true), ...index.tileReads(fields.attributes, kept, 3)],
    metadata_reads,
    cells_read: fragments.reduce((sum, { cells_read }) => sum + cells_read, 0),
    cells_found: found ? found.cells : null,
    least_memory_budget: await globalMemory(index, metadata_reads, found),
  }
}
