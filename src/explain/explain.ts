import type { OpenedArray, ReadOrder } from '../read/query.ts'
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

/** What TileDB 2.30 does for a query. */
export function planRead(asked: ExplainQuery): Promise<ReadPlan> {
  return PLANNERS[readerOf(asked.opened, asked.query.order)](asked)
}
