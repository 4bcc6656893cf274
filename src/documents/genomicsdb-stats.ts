import type { Bytes, Count, DocumentHead, NotExamined, Ratio, StoredName } from './common.ts'
import type { GenomicsdbCounts } from './genomicsdb-overview.ts'

/** `tiledb-inspect stats <target> --json` of a workspace or array of GenomicsDB: what fills its disk. */
export interface GenomicsdbStatsDocument extends DocumentHead<'genomicsdb-stats'>, GenomicsdbCounts {
  /** Number of intervals. */
  interval_num: Count
  /** Bytes of the files of fragments that readers read. */
  data_size: Bytes
  /** Bytes of these before compression. */
  unfiltered_size: Bytes
  ratio: Ratio | null
  /** Bytes of folders that readers pass over. */
  unread_size: Bytes
  /** Bytes outside of fragments. */
  other_size: Bytes
  /** The largest number of fragments in an interval: a read of it merges so many. */
  most_fragments: Count
  /** Fields by their bytes, largest first. */
  fields: readonly GenomicsdbStatsField[]
  /** The largest intervals, at most 10. */
  intervals: readonly GenomicsdbStatsInterval[]
  /** Fragments that could not be read. */
  not_examined: readonly NotExamined[]
}

/** The files of a field. */
export interface GenomicsdbStatsField {
  name: StoredName
  /** Stored bytes. */
  size: Bytes
  /** Bytes before compression. */
  unfiltered_size: Bytes
  ratio: Ratio | null
  /** Share of the bytes of all fields, from 0 to 1. */
  share: number
  /** How the values are compressed, as in `GZIP+DELTA`. */
  compression: string
}

export interface GenomicsdbStatsInterval {
  name: StoredName
  /** Number of fragments that readers read. */
  fragment_num: Count
  /** Number of cells. */
  /** Number of cells; null if a fragment cannot be read. */
  cell_num: Count | null
  /** Bytes of its files. */
  size: Bytes
}
