import type { Finding } from '../advice/finding.ts'
import type { PassedOverBy, ReaderName } from '../explain/plan.ts'
import type { StepName } from '../explain/step-cost.ts'
import type { ReadOrder } from '../read/query.ts'
import type { Bytes, Count, DocumentHead, Float, List, TimestampRange, ValueRange } from './common.ts'

/**
 * `tiledb-inspect explain <array> --json`: what a read by TileDB 2.30 does, and what it costs. NDJSON: one fragment a line.
 */
export interface ExplainDocument extends DocumentHead<'explain'> {
  /** First and last time of what is read, both included. */
  as_of: TimestampRange
  /** The ranges of each dimension that is limited; null for an end that is open. */
  ranges: Readonly<Record<string, readonly ValueRange[]>>
  /** Order of the cells. */
  order: ReadOrder
  /** Whether coordinates were undone to find which tiles and cells count. Otherwise numbers that need them are upper bounds. */
  exact: boolean
  /** Class of TileDB's reader. */
  reader: ReaderName
  /** What is read of each field, most bytes first. */
  fields: readonly ExplainField[]
  /** What the result needs in the buffers of the query, by field: dimensions first. */
  result: readonly ExplainResultField[]
  /** What they take together: the arrays that the read returns. */
  result_size: ExplainResultSize
  /** What is left after each step, in their order. */
  funnel: readonly ExplainFunnel[]
  /** What each step costs, in their order. */
  steps: readonly ExplainStep[]
  /** Sums over the first steps: opening the array, before anything is asked of it. */
  opening: ExplainOpening
  /** Every fragment that a commit names, oldest first. */
  fragments: List<ExplainLine>
  /** Sums over all of it. */
  total: ExplainTotal
  /** The object store that seconds are estimated for. */
  storage: ExplainStorage
  /** What `tiledb.consolidate` would do; null at another time than now, and where a non-empty domain cannot be read. */
  consolidation: ExplainConsolidation | null
  /** What makes this read slow, worst first. */
  findings: readonly Finding[]
}

/** What one step of `tiledb.consolidate` would make one fragment of. */
export interface ExplainConsolidation {
  /** The settings of `--config`; those that are not there are TileDB's defaults. */
  config: Readonly<Record<string, string>>
  /** Number of fragments that it chooses from: those that a read opens, within the times of the settings. */
  fragment_num: Count
  /** Number of fragments that the first step merges; with default settings all or none. */
  merged_num: Count
  /** Their names, oldest first; null without settings. */
  merged: readonly string[] | null
  /** The ratio of cells that `sm.consolidation.amplification` must be at least, so that all become one; 0 for sparse arrays. */
  least_amplification: Float
  /** Those that become one with `sm.consolidation.step_min_frags` 2; null if there are too many to work that out. */
  merged_by_two: readonly string[] | null
}

/** How a number was found. */
export type Certainty = 'measured' | 'exact' | 'at most' | 'estimated'

/** What is left after a step. */
export interface ExplainFunnel {
  /** What is counted. */
  name: 'fragments' | 'tiles' | 'cells'
  /** Number of them before this step. */
  of: Count
  /** Number of them that are left. */
  left: Count
  certainty: Certainty
  /** Number that each reason left out. */
  dropped: Readonly<Record<string, Count>>
}

/** What is read of a field. */
export interface ExplainField {
  /** Dimension, attribute, or internal field such as `__timestamps`. */
  name: string
  /** Tiles that are read. */
  tiles_read: Count
  /** Bytes on disk. */
  stored_bytes: Bytes
  /** Bytes after the filters are undone. */
  unfiltered_bytes: Bytes
  /** Seconds to undo the filters on one core, estimated. */
  unfilter_seconds: number
}

/** What is asked of the storage, and how long that takes. */
export interface ExplainCost {
  /** Number of folders that are listed. */
  listings: Count
  /** Bytes from storage. */
  bytes: Bytes
  /** Number of read operations on files, as TileDB counts them. */
  requests: Count
  /** Number of requests to an object store: also listings and sizes, without what was read ahead. */
  object_store_requests: Count
  /** Number of them that list names: LIST. */
  list_requests: Count
  /** Number of them that ask for the size of a file, or whether it is there: HEAD. */
  head_requests: Count
  /** Number of them that read: GET. */
  get_requests: Count
  /** Seconds, estimated for the object store of `storage`. */
  seconds: number
  /** Seconds, estimated for a local disk. */
  local_seconds: number
}

/** What a field of the result needs, if the query is submitted once. */
export interface ExplainResultField {
  /** Dimension or attribute. */
  name: string
  /** Bytes of its values. */
  data_bytes: Bytes
  /** Bytes of its offsets, 8 for each cell; null of a field that is not var-sized. */
  offsets_bytes: Bytes | null
  /** Bytes of its validity, 1 for each cell; null of a field that is not nullable. */
  validity_bytes: Bytes | null
  certainty: Certainty
}

/** What the result takes in all its buffers, if the query is submitted once. */
export interface ExplainResultSize {
  /** Cells of the result; of a dense array without ranges those of its non-empty domain, as `A.df[:]` of TileDB-Py. */
  cell_num: Count
  /** Bytes of them in all fields. */
  bytes: Bytes
  /** Bytes of these that are coordinates: TileDB-Py's `A[:]` of a dense array returns none. */
  coordinate_bytes: Bytes
  /** Of `bytes`. */
  certainty: Certainty
  /** Cells of `A[:]` of a dense array: of the current domain, or else of the domain; null of sparse arrays and with ranges. */
  whole_cell_num: Count | null
  /** Bytes of these cells, without coordinates; null where `whole_cell_num` is. */
  whole_bytes: Bytes | null
}

/** A step of the read. Steps follow one another. */
export interface ExplainStep extends ExplainCost {
  /** What is done. Undoing filters reads nothing. */
  name: StepName | 'undoing filters'
}

/** The steps up to the open array: all but what the query itself loads. */
export interface ExplainOpening extends ExplainCost {
  /** Number of steps, the first ones. */
  step_num: Count
}

/** The object store that seconds are estimated for. */
export interface ExplainStorage {
  /** Milliseconds from a request to its first byte. */
  latency_ms: number
  /** Throughput of all requests together, 1,000,000 bytes a second. */
  megabytes_per_second: number
  /** Number of requests at once. */
  at_once: Count
}

/** What is read of a fragment. */
export interface ExplainLine {
  /** Name. */
  name: string
  /** Why nothing is read of it; null if something is. */
  passed_over_by: PassedOverBy | 'time'
  /** Number of tiles. */
  tile_num: Count | null
  /** Tiles that the ranges touch, by their boxes. */
  tiles_touched: Count
  /** Tiles whose boxes lie wholly inside the ranges. */
  tiles_inside: Count
  /** Cells of the tiles that are read. */
  cells_read: Count
  /** Bytes of its tiles on disk. */
  stored_bytes: Bytes
  /** Bytes of its tiles after the filters are undone. */
  unfiltered_bytes: Bytes
}

export interface ExplainTotal {
  /** A tile counts once for each field, as in TileDB. */
  tiles_read: Count
  /** Cells of the tiles that are read. */
  cells_read: Count
  /** Cells of the result, as TileDB's reader counts them; null unless `exact`. */
  cells_found: Count | null
  /** Cells of the tiles that are read of a dense array, once for each fragment; null of sparse arrays and without ranges. */
  cells_in_tiles: Count | null
  /** Cells of a dense array in the ranges and in the box around its fragments; null where `cells_in_tiles` is. */
  cells_asked: Count | null
  /** Cells that a read gives, counted; null unless `exact`, of dense arrays, and of more than 2 million stored cells. */
  result_cells: Count | null
  /** Cells that are stored and left out of it because they were deleted, also before a consolidation; null where `result_cells` is. */
  deleted_cells: Count | null
  /** Bytes after the filters are undone. */
  unfiltered_bytes: Bytes
  /** Bytes of tiles on disk. */
  stored_bytes: Bytes
  /** Bytes of schemas, commits and fragment metadata. */
  metadata_bytes: Bytes
  /** All bytes from storage. */
  vfs_bytes: Bytes
  /** Number of all read operations on files, as TileDB counts them. */
  requests: Count
  /** Number of requests to an object store: also listings and sizes, without what was read ahead. */
  object_store_requests: Count
  /** Number of them that list names: LIST. */
  list_requests: Count
  /** Number of them that ask for the size of a file, or whether it is there: HEAD. */
  head_requests: Count
  /** Number of them that read: GET. */
  get_requests: Count
  /** The least `sm.mem.total_budget` with which the read makes progress; null if TileDB crashes with any. */
  memory_bytes: Bytes | null
  /** Whether it makes progress with `--budget`, or with the 10 GiB that TileDB takes by default. */
  makes_progress: boolean
  /** Seconds, estimated for the object store of `storage`: all steps, and undoing the filters. */
  seconds: number
  /** Seconds, estimated for a local disk: all steps, and undoing the filters. */
  local_seconds: number
  /** Seconds to undo the filters on one core, estimated. */
  unfilter_seconds: number
}
