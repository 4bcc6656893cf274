import type { CommitKind } from '../objects/commits.ts'
import type { Count, DocumentHead, ErrorInfo, Offset, OfSeveral, StoredName, TimestampRange } from './common.ts'

/** `tiledb-inspect commits <array> --json`. NDJSON: one file or entry a line (`$defs/line`). */
export interface CommitsDocument extends DocumentHead<'commits'> {
  /** Every commit file, each followed by its entries. */
  commits: readonly CommitsLine[]
}

/** A commit file or entry. */
export interface CommitsLine extends OfSeveral {
  /** Path of the file in the array. */
  file: StoredName
  /** The entry as it is written; null for the file itself. */
  entry: StoredName | null
  /** Kind of the file or entry, from its suffix; `footer` for an entry of a `.meta` file. */
  kind: CommitKind | 'footer'
  /** First and last timestamp of the name, milliseconds since 1970; null if the name has none. */
  timestamp_range: TimestampRange | null
  /** Name of the fragment that the file or entry names; null if it names none. */
  refers_to: StoredName | null
  /** Whether that fragment exists; null if it names none. */
  exists: boolean | null
  /** Effect of the file or entry (docs/commands.md, "commits"). */
  effect:
    | 'visible'
    | 'hidden'
    | 'to-vacuum'
    | 'ignored'
    | 'future'
    | 'unlisted'
    | 'orphan'
    | 'dangling'
    | 'deletes'
    | 'updates'
    | 'lists'
  /** Byte offset of the entry in the file. */
  offset?: Offset | undefined
  /** Number of entries in the file. */
  entry_num?: Count | undefined
  /** Delete condition as the user wrote it: the cells that meet it are deleted. */
  condition?: string | undefined
  /** Names of the fragments to which a consolidation has applied the condition. */
  processed_by?: readonly string[] | undefined
  /** Names of those fragments in `processed_by` that no longer contain the deleted cells. The others contain them, marked as deleted. */
  purged_by?: readonly string[] | undefined
  /** Names of older fragments to which each read applies the condition. */
  not_processed_by?: readonly string[] | undefined
  /** Byte offset of the fragment's footer in the content of a `.meta` file. */
  footer_offset?: Offset | undefined
  /** Why the file or the condition cannot be read. */
  error?: ErrorInfo | undefined
}
