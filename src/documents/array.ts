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
  TileNum,
  Time,
  TimestampRange,
} from './common.ts'

/**
 * `tiledb-inspect ls <array> --json`. With `--names`, only the names of the fragments. NDJSON: one fragment a line
 * (`$defs/line`).
 */
export type ArrayDocument = ArrayListing | ArrayNames

/** With `--names`. */
export interface ArrayNames extends DocumentHead<'array'>, AsOf {
  /**
   * Names of the fragment folders, in the order of their timestamps. With `--range`, only those that the range touches. With
   * `--as-of`, only those that TileDB reads at that time.
   */
  fragments: List<ArrayName>
}

/** Facts that the listing and the overview of an array share. */
export interface ArrayFacts extends AsOf, Releases {
  /** Array type; null if the newest schema cannot be read. */
  array_type: ArrayType | null
  /** Format version of the newest schema; null if it cannot be read. */
  format_version: FormatVersion | null
  /** Encryption, by its name in the C API; null if it is unknown. */
  encryption: EncryptionType | null
  /** Number of fragment folders on disk. */
  fragment_num: Count
  /** Number of delete conditions that TileDB applies when it reads; `commits` shows them. */
  delete_condition_num: Count
  /** Times of the delete conditions that TileDB does not apply yet: they are later than the read. */
  later_deletes: readonly Time[]
}

/** The contents of an array. */
export interface ArrayListing extends DocumentHead<'array'>, ArrayFacts {
  /** Why the newest schema could not be read. */
  error?: ErrorInfo | undefined
  /** Every fragment folder, in the order of the timestamps. With `--range`, only those that the range touches. */
  fragments: List<ArrayFragment>
  /** Every schema, oldest first. */
  schemas: readonly ArraySchema[]
  /** Bytes of all fragment folders. */
  total_size: Bytes
  /** Sums over the fragments that TileDB reads now, including those outside of a `--range`. */
  read: ArraySums
  /** Sums over the other fragments on disk. */
  unread: ArraySums
  /** Names of missing fragments: a commit names them and no `.vac` file hides them, but their folder does not exist. */
  missing_fragments: readonly StoredName[]
  /** Names in `__fragments` of what is no fragment; left out if there are none. */
  foreign_entries?: readonly StoredName[] | undefined
  /** Number of pairs of fragments with overlapping non-empty domains, among the listed ones that TileDB reads; null above 20,000 fragments. */
  overlap_pair_num: Count | null
  /** The names in the first 1,000 of these pairs. */
  overlap_pairs: readonly (readonly [string, string])[] | null
}

export interface ArraySchema {
  /** File name in `__schema/`. */
  name: StoredName
  timestamp_range: TimestampRange | null
  /** Number of fragments that were written with this schema. */
  fragment_num: Count
}

/** A fragment. */
export type ArrayLine = ArrayFragment | ArrayName

/** With `--names`. */
export interface ArrayName {
  /** Name of the fragment's folder. */
  name: StoredName
}

/** A fragment of the listing. */
export interface ArrayFragment extends ListedFragment {
  /** Number of other visible fragments with an overlapping non-empty domain; null if this fragment is not visible. */
  overlap_num?: Count | null | undefined
  /**
   * Whether newer visible fragments overwrite all cells of this one, so that it is read only as of earlier times. Null if that is not
   * known: for sparse fragments only their cells tell, which `stats --read` reads. Without this key with `--range`.
   */
  overwritten?: boolean | null | undefined
}

/** Sums over fragments. A fragment that cannot be read counts as 0. */
export interface ArraySums {
  /** Number of fragments. */
  fragment_num: Count
  /** Number of cells as TileDB counts them: in dense fragments, those of whole tiles. */
  cell_num: Int64
  /** Number of cells inside the non-empty domains. */
  cells_in_domain: Int64
  tile_num: TileNum
  /** Bytes of the fragment folders. */
  size: Bytes
}
