import type { OpenedArray } from '../../read/query.ts'
import { RELEASE } from './release.ts'

/** Bytes of the vectors that TileDB makes for the lists of tile offsets and sizes of a slot, before they are loaded. */
export function slotVectorBytes(): number {
  return RELEASE.slot_vectors * RELEASE.bytes.vector
}

/**
 * Memory for what is loaded when the array is opened.
 *
 * @returns `footers`: stored bytes of the footers that are not in consolidated metadata; `lists`: bytes of the lists of tile offsets
 *   and sizes. In versions 1 and 2 these lists are already loaded; since version 3 they are still empty
 */
export async function openedMemory({ array, fragments }: OpenedArray): Promise<{ footers: number; lists: number }> {
  const consolidated = await array.consolidatedFooters()
  let [footers, lists] = [0, 0]
  for (const { fragment, info } of fragments) {
    const { footer_span, slots, v1 } = info
    if (footer_span && !consolidated.has(fragment.name)) footers += footer_span.size
    if (!v1) lists += slotVectorBytes() * slots.length
    for (const list of v1 ? [v1.tile_offsets, v1.tile_var_offsets, v1.tile_var_sizes] : [])
      for (const { values } of list) lists += RELEASE.bytes.vector + RELEASE.bytes.offset * values.length
  }
  return { footers, lists }
}
