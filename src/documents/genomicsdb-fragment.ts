import type { Bytes, DocumentHead, OfSeveral, Path, StoredName } from './common.ts'
import type { GenomicsdbArrayLine } from './genomicsdb-array.ts'
import type { OverviewHead } from './overview.ts'

/**
 * `tiledb-inspect <fragment> --json` and `tiledb-inspect ls <fragment> --json` of GenomicsDB: what the fragment is, and its files. NDJSON of
 * `ls`: one file a line (`$defs/line`).
 */
export interface GenomicsdbFragmentDocument
  extends DocumentHead<'genomicsdb-fragment'>,
    Omit<OverviewHead, keyof DocumentHead>,
    Omit<GenomicsdbArrayLine, keyof OfSeveral> {
  /** The array of the fragment. */
  array: Path
  /** Its files, in the order that was asked for; then those that are missing. */
  files: readonly GenomicsdbFragmentLine[]
}

/** A file of a fragment. */
export interface GenomicsdbFragmentLine extends OfSeveral {
  /** Name of the file. */
  name: StoredName
  /** The field whose cells it has; null for other files. */
  field: StoredName | null
  /**
   * `mark`: it makes the folder a fragment. `book-keeping`: it says where the tiles are. `data`: fixed-sized cells. `offsets`: where
   * var-sized cells begin. `var`: the values of these. `other`: nothing that GenomicsDB writes.
   */
  holds: 'mark' | 'book-keeping' | 'data' | 'offsets' | 'var' | 'other'
  /** Bytes of the file; null for a file that is missing. */
  size: Bytes | null
}
