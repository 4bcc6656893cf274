import { DEFAULT_BUDGET, type ExplainQuery, type ReadPlan } from './plan.ts'
import { SparseIndex } from './sparse-index.ts'
import { unorderedMemory } from './sparse-memory.ts'

/**
 * What SparseUnorderedWithDupsReader does: unordered reads of sparse arrays that allow duplicates.
 *
 * - With ranges it reads the coordinates of all tiles that they touch, and counts their cells as read. Without ranges it reads
 *   no coordinates but those to return, and counts no cells.
 * - Then it reads times and the fields of conditions, of the same tiles.
 * - Tiles of which no cell stays are dropped. Of the others it reads the fields to return that it does not have yet.
 * - Where not all tiles fit into memory, it does all of that for some tiles after the other.
 *
 * The buffers have room for all.
 *
 * @param total_budget `sm.mem.total_budget`
 * @see tiledb/sm/query/readers/sparse_unordered_with_dups_reader.cc
 */
export async function planSparseUnordered(q: ExplainQuery, total_budget = DEFAULT_BUDGET): Promise<ReadPlan> {
  const index = await SparseIndex.open(q, false)
  const found = q.exact ? await index.foundCells('unordered') : undefined
  const { isRanged, fields } = index
  const dimensions = isRanged ? [] : fields.dimensions.filter((name) => !fields.forConditions.includes(name))
  const fragments = index.fragmentPlans(found?.tiles, isRanged)
  const metadata_reads = index.metadataReads(false)
  const { least_memory_budget, rounds } = await unorderedMemory(index, metadata_reads, found, total_budget)
  return {
    reader: 'SparseUnorderedWithDupsReader',
    fragments,
    tile_reads: index.readsOf(rounds, found?.tiles ?? index.touched, isRanged, [...fields.attributes, ...dimensions]),
    metadata_reads,
    cells_read: fragments.reduce((sum, { cells_read }) => sum + cells_read, 0),
    cells_found: found ? found.cells : null,
    least_memory_budget,
  }
}
