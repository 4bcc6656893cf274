import { DEFAULT_BUDGET, type ExplainQuery, type ReadPlan } from './plan.ts'
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
 * - Where not all coordinates fit into memory, it merges as far as those that are there allow, and goes on with the next: a tile that
 *   gives cells to both is read twice.
 *
 * The buffers have room for all.
 *
 * @param total_budget `sm.mem.total_budget`; for Hilbert order only {@link ExplainQuery.exact} minds it
 * @see tiledb/sm/query/readers/sparse_global_order_reader.cc
 */
export async function planSparseGlobal(q: ExplainQuery, total_budget = DEFAULT_BUDGET): Promise<ReadPlan> {
  const { schema } = q.opened
  const index = await SparseIndex.open(q, true)
  const found = q.exact ? await index.foundCells('global') : undefined
  const { isRanged, fields } = index
  const fragments = index.fragmentPlans(found?.tiles, isRanged)
  const metadata_reads = index.metadataReads(schema.cell_order !== 'hilbert')
  const { least_memory_budget, rounds } = await globalMemory(index, metadata_reads, found, total_budget)
  return {
    reader: 'SparseGlobalOrderReader',
    fragments,
    tile_reads: index.readsOf(rounds, found?.tiles ?? index.touched, true, fields.attributes),
    metadata_reads,
    cells_read: fragments.reduce((sum, { cells_read }) => sum + cells_read, 0),
    cells_found: found ? found.cells : null,
    least_memory_budget,
  }
}
