import { readDense } from './dense.ts'
import type { OpenedArray, ReadBatches, ReadOrder, ReadQuery } from './query.ts'
import { readSparse } from './sparse.ts'

/**
 * Reads the cells of an array as TileDB 2.30 returns them, with all fragments merged. The columns are those of
 * {@link import('./query.ts').readColumns}. Memory holds a few tiles of each fragment that overlaps others.
 */
export async function* readMerged(opened: OpenedArray, query: ReadQuery): ReadBatches {
  if (opened.schema.array_type === 'sparse') yield* readSparse(opened, query)
  else yield* readDense(opened, query)
}

/** The default order of a read: the cheapest one. */
export function defaultOrder({ schema }: OpenedArray): ReadOrder {
  if (schema.array_type === 'dense') return 'row-major'
  return schema.allows_duplicates ? 'unordered' : 'global'
}
