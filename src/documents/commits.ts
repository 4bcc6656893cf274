import type { CommitKind } from '../store/commits.ts'
import type { Count, DocumentHead, ErrorInfo, Offset, OfSeveral, StoredName, TimestampRange } from './common.ts'

/** `tiledb-inspect commits <array> --json`. NDJSON: one file or entry a line (`$defs/line`). */
export interface CommitsDocument extends DocumentHead<'commits'> {
  /** Every commit file, each followed by its entries. */
  commits: readonly CommitsLine[]
}

/** A commit file or entry. */
export interface CommitsLine extends OfSeveral {
  /** Path in the array. */
  file: StoredName
  /** The entry as written; null for the file itself. */
  entry: StoredName | null
  /** What it is, by its suffix; `footer` for an entry of a `.meta` file. */
  kind: CommitKind | 'footer'
  /** First and last timestamp of the name, milliseconds since 1970; null where the name has none. */
  timestamp_range: TimestampRange | null
  /** Name of the fragment that it names. */
  refers_to: StoredName | null
  /** Whether the named fragment is there; null if it names none. */
  exists: boolean | null
  /** What it does. */
  effect:
    | 'visible'
    | 'hidden'
    | 'to-vacuum'
    | 'ignored'
    | 'future'
    | 'orphan'
    | 'dangling'
    | 'deletes'
    | 'updates'
    | 'lists'
  /** Byte offset of the entry in the file. */
  offset?: Offset | undefined
  /** Number of entries of the file. */
  entry_num?: Count | undefined
  /** Delete condition as the user wrote it. Cells that it matches are deleted. */
  condition?: string | undefined
  /** Names of fragments to whose cells the condition was applied. */
  processed_by?: readonly string[] | undefined
  /** Those of them that no longer hold the cells that it deletes. The others hold them, marked as deleted. */
  purged_by?: readonly string[] | undefined
  /** Names of older fragments to which it is applied at every read. */
  not_processed_by?: readonly string[] | undefined
  /** Byte offset of the fragment's footer in the content of a `.meta` file. */
  footer_offset?: Offset | undefined
  /** Why the file or condition cannot be read. */
  error?: ErrorInfo | undefined
}
