import { checkOffsetCount } from '../cells/tile-places.ts'
import { changedCoordinates, otherTiles } from '../objects/changed-fields.ts'
import { TileLists } from '../objects/tile-lists.ts'
import type { OpenedArray, ReadOrder } from '../read/query.ts'
import { planDense } from './dense.ts'
import { planLegacy } from './legacy.ts'
import { DEFAULT_BUDGETS } from './memory/dense-memory.ts'
import { RELEASE } from './memory/release.ts'
import type { ExplainQuery, ReaderName, ReadPlan } from './plan.ts'
import { planSparseGlobal, planSparseUnordered } from './sparse.ts'

/**
 * Returns the reader that TileDB chooses. A dense array with sparse fragments, which releases before 2.4 could write, needs
 * the legacy reader.
 * @see Query::create_strategy
 */
function readerOf({ schema, fragments }: OpenedArray, order: ReadOrder): ReaderName {
  if (schema.array_type === 'dense') return fragments.every(({ info }) => info.dense) ? 'DenseReader' : 'legacy Reader'
  if (order === 'unordered' && schema.allows_duplicates) return 'SparseUnorderedWithDupsReader'
  return order === 'unordered' || order === 'global' ? 'SparseGlobalOrderReader' : 'legacy Reader'
}

type Planner = (asked: ExplainQuery, total_budget: number) => Promise<ReadPlan>

const PLANNERS: Readonly<Record<ReaderName, Planner>> = {
  DenseReader: (asked, total_budget) => planDense(asked, { ...DEFAULT_BUDGETS, total_budget }),
  SparseGlobalOrderReader: planSparseGlobal,
  SparseUnorderedWithDupsReader: planSparseUnordered,
  'legacy Reader': (asked) => planLegacy(asked),
}

/**
 * Above this number of tiles the count in the footer is compared with the list of offsets before memory is allocated for it.
 * Up to it planning is quick and needs little memory, even if the footer is wrong.
 */
const MANY_TILES = 2 ** 20

/**
 * Returns what TileDB does for a query that is submitted once, with buffers that have room for the whole result.
 *
 * @param total_budget `sm.mem.total_budget` in bytes; the legacy reader ignores it
 * @throws InspectError INCONSISTENT if a footer has a large number of tiles, but the list of offsets is shorter
 */
export async function planRead(
  asked: ExplainQuery,
  total_budget = RELEASE.settings['sm.mem.total_budget'],
): Promise<ReadPlan> {
  const { schema, fragments } = asked.opened
  for (const one of fragments) {
    const fault = otherTiles(schema, one, changedCoordinates)
    if (fault) throw fault
  }
  for (const { fragment, info } of fragments) {
    if (info.tile_num <= MANY_TILES) continue
    const list = await new TileLists(fragment).offsets('tile_offsets', 0)
    list?.release()
    checkOffsetCount(fragment, info, `tile_offsets.${info.slots[0].name}`, list?.count ?? 0)
  }
  return PLANNERS[readerOf(asked.opened, asked.query.order)](asked, total_budget)
}
