import type { Bytes, Count, DocumentHead, Path, StoredName, TileNum, TimestampRange } from './common.ts'
import type { OverviewHead } from './overview.ts'

/** `tiledb-inspect <target> --json` of a workspace of GenomicsDB, or of one of its arrays, each of which holds an interval. */
export interface GenomicsdbOverviewDocument
  extends DocumentHead<'genomicsdb-overview'>,
    Omit<OverviewHead, keyof DocumentHead>,
    GenomicsdbCounts {
  /** Type of the target. */
  target: 'workspace' | 'array'
  /** The workspace around an array; null if there is none. */
  workspace: Path | null
  /** Whether the last import ended, and what one left that did not. */
  import: GenomicsdbImport
  /** Number of samples, by `callset.json`; null if it cannot be read. */
  sample_num: Count | null
  /** Names of the first samples, at most 10, in the order of their rows. */
  samples: readonly StoredName[]
  /** Number of contigs, by `vidmap.json`; null if it cannot be read. */
  contig_num: Count | null
  /** Number of intervals. */
  interval_num: Count
  /** Names of the first intervals, at most 10. */
  intervals: readonly StoredName[]
  /** Number of fields of a call, without its end; null if no schema can be read. */
  field_num: Count | null
  /** Versions of the schemas, in ascending order. */
  schema_versions: readonly Count[]
  /** Releases of GenomicsDB that write the newest of these versions, in words. */
  written_by: string | null
  /** First and last time of the fragments, by their names; null if there are none. */
  timestamp_range: TimestampRange | null
  /** The largest number of fragments in an interval: a read of it merges so many. */
  most_fragments: Count
}

/** Sums over fragments. */
export interface GenomicsdbCounts {
  /** Number of fragments that readers read. */
  fragment_num: Count
  /** Number of folders that readers pass over: without a mark, or not finished. */
  unread_num: Count
  /** Number of tiles; null if a fragment cannot be read. */
  tile_num: TileNum | null
  /** Number of cells; null if a fragment cannot be read. A call of more than one position has two. */
  cell_num: Count | null
  /** Number of calls; null if the cells are too many to be counted here: `stats` counts them. */
  call_num: Count | null
  /** Bytes of all files. */
  size: Bytes
}

/** What is known of the last import. */
export interface GenomicsdbImport {
  /**
   * `complete`: nothing shows an import that did not end. `running`: one did not end, and files were changed in the last hour. `died`:
   * one did not end, and nothing was changed for an hour.
   */
  state: 'complete' | 'running' | 'died'
  /** What shows it: `list` is `callset.json.fragmentlist`, `callset` is a workspace without `callset.json`, `folder` a fragment that is not finished. */
  signs: readonly ('list' | 'callset' | 'folder')[]
  /** Names of fragments that the import wrote, and that readers see; at most 10. */
  new_fragments: readonly StoredName[]
  /** Number of fragments that the import wrote, and that readers see. */
  new_fragment_num: Count
}
