import { checkOffsetCount } from '../cells/tile-places.ts'
import type { OpenedArray, ReadOrder } from '../read/query.ts'
import { TileLists } from '../store/tile-lists.ts'
import { planDense } from './dense.ts'
import { planLegacy } from './legacy.ts'
import type { ExplainQuery, ReaderName, ReadPlan } from './plan.ts'
import { planSparseGlobal } from './sparse-global.ts'
import { planSparseUnordered } from './sparse-unordered.ts'

/**
 * The reader that TileDB 2.30 uses. A dense array with sparse fragments, which releases before 2.4 could write, needs the old one.
 * @see Query::create_strategy
 */
export function readerOf({ schema, fragments }: OpenedArray, order: ReadOrder): ReaderName {
  if (schema.array_type === 'dense') return fragments.every(({ info }) => info.dense) ? 'DenseReader' : 'legacy Reader'
  if (order === 'unordered' && schema.allows_duplicates) return 'SparseUnorderedWithDupsReader'
  return order === 'unordered' || order === 'global' ? 'SparseGlobalOrderReader' : 'legacy Reader'
}

const PLANNERS: Readonly<Record<ReaderName, (asked: ExplainQuery) => Promise<ReadPlan>>> = {
  DenseReader: planDense,
  SparseGlobalOrderReader: planSparseGlobal,
  SparseUnorderedWithDupsReader: planSparseUnordered,
  'legacy Reader': planLegacy,
}

/** Fewer tiles are planned in no time and little memory, whether a fragment has them or not. */
const MANY_TILES = 2 ** 20

/**
 * What TileDB 2.30 does for a query.
 * @throws InspectError INCONSISTENT if a footer says that there are many tiles, and their offsets say otherwise
 */
export async function planRead(asked: ExplainQuery): Promise<ReadPlan> {
  for (const { fragment, info } of asked.opened.fragments) {
    if (info.tile_num <= MANY_TILES) continue
    const list = await new TileLists(fragment).offsets('tile_offsets', 0)
    list?.release()
    checkOffsetCount(fragment, info, `tile_offsets.${info.slots[0].name}`, list?.count ?? 0)
  }
  return PLANNERS[readerOf(asked.opened, asked.query.order)](asked)
}
