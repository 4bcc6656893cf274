import { sum } from '../base/sum.ts'
import { RELEASE } from './memory/release.ts'
import { globalMemory, type SparseMemory, unorderedMemory } from './memory/sparse-memory.ts'
import type { ExplainQuery, MetadataRead, ReaderName, ReadPlan } from './plan.ts'
import { type FoundCells, SparseIndex } from './sparse-index.ts'

/**
 * Plans a read by SparseGlobalOrderReader: sparse arrays in global order, and unordered reads of arrays without duplicates.
 *
 * - The reader loads the coordinates of all tiles that the ranges touch; without ranges, of all tiles. It counts their cells as
 *   read only if there are ranges.
 * - Then it loads times and the fields of conditions, of the same tiles.
 * - It merges the cells, and then loads the other fields of the tiles that give a cell.
 * - Even without ranges it loads the R-trees, to know the order of the tiles, unless the array is in Hilbert order.
 * - If not all coordinates fit into memory, it merges as far as the loaded ones allow, then loads the next. A tile that gives
 *   cells to both merges is read twice.
 *
 * The buffers are assumed to have room for the whole result.
 *
 * @param total_budget `sm.mem.total_budget` in bytes; in Hilbert order it counts only if {@link ExplainQuery.exact}
 * @see tiledb/sm/query/readers/sparse_global_order_reader.cc
 */
export async function planSparseGlobal(
  asked: ExplainQuery,
  total_budget = RELEASE.settings['sm.mem.total_budget'],
): Promise<ReadPlan> {
  const index = await SparseIndex.open(asked, true)
  const found = asked.exact ? await index.foundCells('global') : undefined
  const metadata_reads = index.metadataReads(asked.opened.schema.cell_order !== 'hilbert')
  const memory = await globalMemory(index, metadata_reads, found, total_budget)
  return sparsePlan('SparseGlobalOrderReader', { index, found, metadata_reads, memory })
}

/**
 * Plans a read by SparseUnorderedWithDupsReader: unordered reads of sparse arrays that allow duplicates.
 *
 * - With ranges the reader loads the coordinates of all tiles that they touch, and counts their cells as read. Without ranges it
 *   loads only the coordinates that the query returns, and counts no cells.
 * - Then it loads times and the fields of conditions, of the same tiles.
 * - It drops the tiles without a found cell. For the others it loads the returned fields that are not in memory yet.
 * - If not all tiles fit into memory, it does all of this for one group of tiles after another.
 *
 * As for {@link planSparseGlobal}, the buffers have room for the whole result.
 *
 * @param total_budget `sm.mem.total_budget` in bytes
 * @see tiledb/sm/query/readers/sparse_unordered_with_dups_reader.cc
 */
export async function planSparseUnordered(
  asked: ExplainQuery,
  total_budget = RELEASE.settings['sm.mem.total_budget'],
): Promise<ReadPlan> {
  const index = await SparseIndex.open(asked, false)
  const found = asked.exact ? await index.foundCells('unordered') : undefined
  const metadata_reads = index.metadataReads(false)
  const memory = await unorderedMemory(index, metadata_reads, found, total_budget)
  return sparsePlan('SparseUnorderedWithDupsReader', { index, found, metadata_reads, memory })
}

interface SparseResult {
  index: SparseIndex
  found: FoundCells | undefined
  metadata_reads: MetadataRead[]
  memory: SparseMemory
}

function sparsePlan(reader: ReaderName, { index, found, metadata_reads, memory }: SparseResult): ReadPlan {
  const fragments = index.fragmentPlans(found)
  return {
    reader,
    fragments,
    tile_reads: index.tileReads(memory.rounds, found),
    metadata_reads,
    cells_read: sum(fragments, ({ cells_read }) => cells_read),
    cells_found: found ? found.cells : null,
    least_memory_budget: memory.least_memory_budget,
  }
}
