import type { Io } from './io.ts'

/** Where the footer of one fragment is in a consolidated fragment metadata file. */
export interface ConsolidatedFooterEntry {
  /** Name of the fragment's folder; before version 9 its absolute URI. */
  fragment_name: string
  /** Bytes from the start of the content. */
  offset: number
}

/**
 * Consolidated fragment metadata: the content of the generic tile in `__fragment_meta/<name>.meta` (before version 12
 * `<name>.meta` in the array's folder). `footers` has exact copies of the fragments' footers, one after another,
 * without the length that follows each footer in its fragment.
 *
 * @see format_spec/consolidated_fragment_metadata_file.md, which lacks the count
 */
export interface ConsolidatedFragmentMetadata {
  entries: ConsolidatedFooterEntry[]
  footers: Uint8Array
}

function entry(io: Io<ConsolidatedFooterEntry>): ConsolidatedFooterEntry {
  return {
    fragment_name: io.string('fragment_name', 'uint64', 'of the folder; before format 9 an absolute URI'),
    offset: io.size('offset', 'bytes: of its footer, from the start of the content'),
  }
}

export function consolidatedFragmentMetadata(io: Io<ConsolidatedFragmentMetadata>): ConsolidatedFragmentMetadata {
  const count = io.derive('fragment_num', 'uint32', (m) => m.entries.length, 'fragments')
  return {
    entries: io.list('entries', count, entry),
    footers: io.rest('footers', 'as they stand in the fragments, without the length behind them'),
  }
}
