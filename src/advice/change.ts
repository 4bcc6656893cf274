import type { Rewrite } from './lines.ts'

/** A change of an array. */
export type Change =
  /** `tiledb.consolidate` of all fragments, then `tiledb.vacuum`. */
  | { consolidate: true }
  /** All visible cells are written again, as one fragment of a new array. */
  | Pick<Rewrite, 'cell_order' | 'capacity' | 'tile_extents'>

/** The text of a consolidation. */
export const CONSOLIDATED = 'consolidated'
/** The end of the text of any other change. */
export const WRITTEN_ANEW = 'written anew'

/** Describes a change. */
export function changeText(change: Change): string {
  if ('consolidate' in change) return CONSOLIDATED
  const { cell_order, capacity, tile_extents } = change
  const parts: string[] = []
  if (cell_order) parts.push(`cells in ${cell_order} order`)
  if (capacity) parts.push(`capacity ${capacity}`)
  const extents = Object.entries(tile_extents ?? {}).map(([name, extent]) => `${name} ${extent}`)
  if (tile_extents) parts.push(`tile extents ${extents.join(', ')}`)
  return [...parts, WRITTEN_ANEW].join(', ')
}
