import { type AnyIo, countedList } from './io.ts'

/** First format version whose consolidated fragment metadata has names of fragments. Before, it has absolute URIs. */
export const NAMES_SINCE = 9

/** Where the footer of one fragment is in a consolidated fragment metadata file. */
export type ConsolidatedFooterEntry = ReturnType<typeof entry>
function entry(io: AnyIo) {
  return {
    fragment_name: io.string('fragment_name', 'uint64', 'name of the folder; before format 9 an absolute URI'),
    offset: io.size('offset', 'bytes: offset of its footer, from the start of the content'),
  }
}

/**
 * Consolidated fragment metadata: the content of the generic tile in `__fragment_meta/<name>.meta` (before version 12
 * `<name>.meta` in the array's folder). `footers` has exact copies of the fragments' footers, one after another,
 * without the length that follows each footer in its fragment.
 *
 * @see format_spec/consolidated_fragment_metadata_file.md, which lacks the count
 */
export type ConsolidatedFragmentMetadata = ReturnType<typeof consolidatedFragmentMetadata>
export function consolidatedFragmentMetadata(io: AnyIo) {
  return {
    entries: countedList(io, ['fragment_num', 'uint32', 'fragments'], 'entries', entry),
    footers: io.rest('footers', 'copies of the fragments’ footers, without the length that follows each'),
  }
}
