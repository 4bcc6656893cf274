import { badValue } from '../base/errors.ts'
import { FRAGMENT_METADATA_FILE } from '../format/fragment-footer.ts'
import { levelsFault } from '../format/rtree.ts'
import type { Fragment, FragmentInfo } from './fragment.ts'

const told = new WeakSet<Fragment>()

/**
 * Tells, once a fragment, that the levels of an R-tree do not fit together. TileDB then misses tiles without an error. This program looks
 * at the boxes of all tiles, so it goes on.
 * @param counts the boxes of each level, the root first
 */
export function tellRTreeFault(
  fragment: Fragment,
  { footer, tile_num }: Pick<FragmentInfo, 'footer' | 'tile_num'>,
  fanout: number,
  counts: readonly number[],
): void {
  // Before version 3 there is a list of boxes, and no tree.
  const fault = footer && levelsFault(fanout, counts, tile_num)
  if (!fault || told.has(fragment)) return
  told.add(fragment)
  const { field, ...mismatch } = fault
  const at = {
    file: `${fragment.folder.path}/${FRAGMENT_METADATA_FILE}`,
    offset: footer.rtree_offset,
    field: field === '' ? 'rtree' : `rtree.${field}`,
  }
  fragment.cx.onFault?.(badValue(mismatch, at))
}
