import { badValue, type ErrorPlace, type Mismatch } from '../base/errors.ts'
import { FRAGMENT_METADATA_FILE } from '../format/fragment-footer.ts'
import { levelsFault } from '../format/rtree.ts'
import type { Fragment, FragmentInfo } from './fragment.ts'

/** The fields of each fragment whose faults were told. */
const told = new WeakMap<Fragment, Set<string>>()

/** Tells, once, of a contradiction in the metadata of a fragment with which this program goes on. */
export function tellOnce(
  fragment: Fragment,
  mismatch: Mismatch,
  at: Pick<ErrorPlace, 'offset'> & { field: string },
): void {
  const fields = told.get(fragment) ?? new Set()
  told.set(fragment, fields)
  if (fields.has(at.field)) return
  fields.add(at.field)
  fragment.cx.onFault?.(badValue(mismatch, { ...at, file: `${fragment.folder.path}/${FRAGMENT_METADATA_FILE}` }))
}

/**
 * Tells, once a fragment, that the levels of an R-tree do not fit together. TileDB then misses tiles without an error. This program looks
 * at the boxes of all tiles, so it goes on.
 * @param counts as for {@link levelsFault}
 */
export function tellRTreeFault(
  fragment: Fragment,
  info: Pick<FragmentInfo, 'footer' | 'tile_num' | 'v1'>,
  fanout: number,
  counts: readonly number[],
): void {
  // Before version 3 there is a list of boxes, and no tree.
  const fault = info.v1 ? undefined : levelsFault(fanout, counts, info.tile_num)
  if (!fault) return
  const { field, ...mismatch } = fault
  tellOnce(fragment, mismatch, { offset: info.footer?.rtree_offset, field: field === '' ? 'rtree' : `rtree.${field}` })
}
