import type { Count, DocumentHead, ErrorInfo, Int64, OfSeveral, StoredName } from './common.ts'
import type { GenomicsdbCounts } from './genomicsdb-overview.ts'

/**
 * `tiledb-inspect ls <workspace> --json` of GenomicsDB: its intervals; with `--samples` its samples. NDJSON: one interval or sample a
 * line (`$defs/line`).
 */
export type GenomicsdbWorkspaceDocument = GenomicsdbIntervals | GenomicsdbSamples

/** The intervals of a workspace. */
export interface GenomicsdbIntervals extends DocumentHead<'genomicsdb-workspace'> {
  /** The intervals, in the order that was asked for; by default as contigs and positions rise. */
  intervals: readonly GenomicsdbInterval[]
  /** Number of intervals of the workspace; with `--limit`, fewer are listed. */
  interval_num: Count
  /** Number of samples, by `callset.json`; null if it cannot be read. */
  sample_num: Count | null
}

/** With `--samples`. */
export interface GenomicsdbSamples extends DocumentHead<'genomicsdb-workspace'> {
  /** The samples, by their rows; then rows with cells that no sample has. */
  samples: readonly GenomicsdbSample[]
  /** Number of intervals of the workspace. */
  interval_num: Count
}

export type GenomicsdbWorkspaceLine = GenomicsdbInterval | GenomicsdbSample

/** An interval. */
export interface GenomicsdbInterval extends OfSeveral, Omit<GenomicsdbCounts, 'call_num'> {
  /** Name of its folder. */
  name: StoredName
  /** Contig, by the name; null for a partition that holds several contigs. */
  contig: StoredName | null
  /** The contigs with positions in it, by its name, or else by its bounds. */
  contigs: readonly StoredName[]
  /** Index of its first position in the contig, from 1 on; null for a partition. */
  start: Int64 | null
  /** Index of its last position; null for a partition. */
  end: Int64 | null
  /** Number of batches of samples that reached the interval, by the files in its `genomicsdb_meta_dir`; null if it cannot be listed. */
  batch_num: Count | null
  /** Why its schema, or the first of its fragments, cannot be read. */
  error?: ErrorInfo | undefined
}

/** A sample. */
export interface GenomicsdbSample extends OfSeveral {
  /** Name; null for a row that has cells, but no sample. */
  name: StoredName | null
  /** Index of its row in every array. */
  row: Count
  /** Number of intervals with calls of it. */
  interval_num: Count
  /** Number of its calls. */
  call_num: Count
}
