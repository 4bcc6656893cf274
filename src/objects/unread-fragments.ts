import { FRAGMENT_METADATA_FILE } from '../format/fragment-footer.ts'
import type { FragmentEntry, InspectArray } from './array.ts'

/** The complete fragments of an array, if TileDB reads none. A fragment with metadata is complete: TileDB writes it last. */
export async function unreadFragments(
  array: InspectArray,
  entries: readonly FragmentEntry[],
): Promise<readonly FragmentEntry[]> {
  const whole: FragmentEntry[] = []
  if (entries.some(({ isRead }) => isRead)) return whole
  for (const entry of entries) {
    const isThere = (await array.folder.folder(entry.path).kind(FRAGMENT_METADATA_FILE)) === 'file'
    if (isThere) whole.push(entry)
  }
  return whole
}
