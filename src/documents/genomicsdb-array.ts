import type { Bytes, Count, DocumentHead, ErrorInfo, Int64, OfSeveral, StoredName } from './common.ts'

/** `tiledb-inspect ls <array> --json` of an array of GenomicsDB: its fragments, oldest first. NDJSON: one fragment a line (`$defs/line`). */
export interface GenomicsdbArrayDocument extends DocumentHead<'genomicsdb-array'> {
  /** Folders of fragments, in the order that was asked for; by default the oldest first. */
  fragments: readonly GenomicsdbArrayLine[]
  /** Number of folders of fragments; with `--limit`, fewer are listed. */
  fragment_num: Count
}

/** A folder of a fragment. */
export interface GenomicsdbArrayLine extends OfSeveral {
  /** Name of the folder. */
  name: StoredName
  /** `read`: readers read it. `unmarked`: it has no mark, and readers pass over it. `unfinished`: it has the name that a fragment has while it is written. */
  state: 'read' | 'unmarked' | 'unfinished'
  /** Milliseconds since 1970, by the name; null if the name has no time. */
  timestamp: Int64 | null
  /** Number of cells; null if the book-keeping cannot be read. */
  cell_num: Count | null
  /** Number of tiles. */
  tile_num: Count | null
  /** First and last row with cells, by the boxes of its tiles. */
  row_range: readonly [first: Count, last: Count] | null
  /** First and last column with cells, by the boxes of its tiles. */
  column_range: readonly [first: Count, last: Count] | null
  /** Bytes of its files. */
  size: Bytes
  /** Why its book-keeping cannot be read. */
  error?: ErrorInfo | undefined
}
