import type { ArrayType, EncryptionType } from '../format/layout.ts'
import type {
  AsOf,
  Bytes,
  Count,
  DocumentHead,
  ErrorInfo,
  FormatVersion,
  Int64,
  List,
  ListedFragment,
  Releases,
  StoredName,
  TimestampRange,
} from './common.ts'

/**
 * `tiledb-inspect ls <array> --json`. With `--names` only the names of the fragments. NDJSON: one fragment a line
 * (`$defs/line`).
 */
export type ArrayDocument = ArrayListing | ArrayNames

/** With --names. */
export interface ArrayNames extends DocumentHead<'array'>, AsOf {
  /**
   * Names of the fragment folders, by timestamps; only those that a `--range` touches, and with `--as-of` only those that
   * TileDB then reads.
   */
  fragments: List<ArrayName>
}

/** What an array holds. */
export interface ArrayListing extends DocumentHead<'array'>, AsOf, Releases {
  /** Array type; null where the newest schema cannot be read. */
  array_type: ArrayType | null
  /** Format version of the newest schema; null where it cannot be read. */
  format_version: FormatVersion | null
  /** Encryption as the C API names it; null where this is unknown. */
  encryption: EncryptionType | null
  /** Why the newest schema could not be read. */
  error?: ErrorInfo | undefined
  /** Number of fragment folders on disk. */
  fragment_num: Count
  /** Every fragment folder, by timestamps; only those that a `--range` touches. */
  fragments: List<ArrayFragment>
  /** Every schema, oldest first. */
  schemas: readonly ArraySchema[]
  /** Bytes of all fragment folders. */
  total_size: Bytes
  /** Sums over the fragments that TileDB reads now, also those outside of a `--range`. */
  read: ArraySums
  /** Sums over the other fragments on disk. */
  not_read: ArraySums
  /** Number of delete conditions that TileDB applies when it reads; `commits` shows them. */
  delete_condition_num: Count
  /** Times of the delete conditions that TileDB does not apply yet, because they are later than what is read. */
  later_deletes: readonly Int64[]
  /** Names of fragments that a commit names and no .vac file hides, but whose folder is not there. */
  missing_fragments: readonly StoredName[]
  /**
   * Number of pairs of listed fragments that TileDB reads whose non-empty domains overlap; null above 20,000
   * fragments.
   */
  overlap_pair_num: Count | null
  /** Names of such pairs, the first 1,000. */
  overlaps: readonly (readonly [string, string])[] | null
}

export interface ArraySchema {
  /** File in `__schema/`. */
  name: StoredName
  timestamp_range: TimestampRange | null
  /** Number of fragments written with it. */
  fragment_num: Count
}

/** A fragment. */
export type ArrayLine = ArrayFragment | ArrayName

/** With --names. */
export interface ArrayName {
  /** Name of the fragment's folder. */
  name: StoredName
}

/** A fragment of the listing. */
export interface ArrayFragment extends ListedFragment {
  /** Number of other visible fragments whose non-empty domain overlaps; null where the fragment is not visible. */
  overlap_num?: Count | null | undefined
}

/** Sums over fragments; what cannot be read counts as 0. */
export interface ArraySums {
  /** Number of fragments. */
  fragment_num: Count
  /** Cells; whole tiles of dense fragments. */
  cell_num: Int64
  /** Cells inside the non-empty domains. */
  cells_in_domain: Int64
  /** Tiles. */
  tile_num: Count
  /** Bytes of the folders. */
  size: Bytes
}
