import type { ExplainFinding } from '../advice/finding.ts'
import type { PassedOverBy, ReaderName } from '../explain/plan.ts'
import type { StepName } from '../explain/step-cost.ts'
import type { ReadOrder } from '../read/query.ts'
import type { Bytes, Count, DocumentHead, Float, LayerPlace, List, ReadTimes, ValueRange } from './common.ts'

/**
 * `tiledb-inspect explain <array> --json`: the steps of a read by TileDB 2.30, and their cost. NDJSON: one fragment a line.
 */
export interface ExplainDocument extends DocumentHead<'explain'> {
  as_of: ReadTimes
  /** What the array is in the words of the layer that it belongs to; left out if no layer is known. */
  layer_place?: LayerPlace | undefined
  /** Ranges of each dimension that is limited; null for an open end. */
  ranges: Readonly<Record<string, readonly ValueRange[]>>
  /** Order of the cells. */
  order: ReadOrder
  /** Whether coordinates were read to find the tiles and cells of the result. If false, numbers that depend on them are upper bounds. */
  exact: boolean
  /** Name of TileDB's reader class. */
  reader: ReaderName
  /** Data that is read of each field, most bytes first. */
  fields: readonly ExplainField[]
  /** Buffer sizes that the result needs, by field, dimensions first. */
  result: readonly ExplainResultField[]
  /** Size of the result in all buffers together. */
  result_size: ExplainResultSize
  /** Fragments, tiles and cells that are left after each step of the selection, in order. */
  funnel: readonly ExplainFunnel[]
  /** Cost of each step, in order. */
  steps: readonly ExplainStep[]
  /** Sums over the first steps: those that open the array, before the query. */
  opening: ExplainOpening
  /** Every fragment that a commit names, oldest first. */
  fragments: List<ExplainLine>
  /** Sums over the whole read. */
  total: ExplainTotal
  storage: ExplainStorage
  /** What `tiledb.consolidate` would do; null for a read at another time than now, or if a non-empty domain or other metadata cannot be read. */
  consolidation: ExplainConsolidation | null
  /** Causes that make this read slow, worst first. */
  findings: readonly ExplainFinding[]
}

/** The fragments that `tiledb.consolidate` would merge. */
export interface ExplainConsolidation {
  /** Settings of `--config`. Other settings have TileDB's defaults. */
  config: Readonly<Record<string, string>>
  /** Number of fragments that it chooses from: those that a read opens, and that are within the times of the settings. */
  fragment_num: Count
  /** Number of fragments that the first step merges; with default settings, all or none. */
  merged_num: Count
  /** Names of the merged fragments, oldest first; null without `--config`. */
  merged: readonly string[] | null
  /** Smallest `sm.consolidation.amplification`, a ratio of cells, that merges all fragments into one; 0 for sparse arrays. */
  least_amplification: Float
  /** Names of the fragments that are merged with `sm.consolidation.step_min_frags` 2; null if there are too many to compute this. */
  merged_by_two: readonly string[] | null
  /**
   * Whether TileDB 2.30 breaks the array if it merges them, or crashes: a dense array with a current domain, in which the box around the
   * fragments is no whole number of tiles. Where the defaults merge none, whether that holds for all of them, or for `merged_by_two`.
   */
  breaks_tiles: boolean
  /**
   * Whether TileDB 2.30 crashes if it merges them without `sm.consolidation.purge_deleted_cells`: one has marks of deleted cells, and the
   * array has no delete condition left.
   */
  lacks_conditions: boolean
  /**
   * Number of fragments dated ahead that it merges, too. In a dense array the merged fragment has their time, and readers of today miss all
   * cells.
   */
  takes_later: Count
}

/** How a number was obtained. */
export type Certainty = 'measured' | 'exact' | 'at most' | 'estimated'

/** A step of the selection. */
export interface ExplainFunnel {
  /** What is counted. */
  name: 'fragments' | 'tiles' | 'cells'
  /** Number of fragments, tiles or cells before this step. */
  of: Count
  /** Number of fragments, tiles or cells after this step. */
  left: Count
  certainty: Certainty
  /** Number that this step dropped, by reason. */
  dropped: Readonly<Record<string, Count>>
}

/** Bytes of the tiles that are read. */
interface ReadBytes {
  /** Bytes on disk of the tiles that are read. */
  stored_bytes: Bytes
  /** Bytes of the tiles that are read, after the filters are undone. */
  unfiltered_bytes: Bytes
}

/** Bytes of the tiles that are read, and the time to make them. */
interface UndoneBytes extends ReadBytes {
  /** Estimated seconds to undo the filters on one core. */
  unfilter_seconds: number
}

/** Data that is read of a field. */
export interface ExplainField extends UndoneBytes {
  /** Name of the dimension, attribute, or internal field such as `__timestamps`. */
  name: string
  /** Number of tiles that are read. */
  tiles_read: Count
}

/** Requests to the storage, and the time that they take. */
export interface ExplainRequests {
  /** Number of read operations on files, as TileDB counts them. */
  reads: Count
  /** Number of requests to an object store, including listings and sizes, but not those for data that was read ahead. */
  requests: Count
  /** Number of LIST requests: they list names. */
  list_requests: Count
  /** Number of HEAD requests: they ask for the size of a file, or whether it exists. */
  head_requests: Count
  /** Number of GET requests: they read. */
  get_requests: Count
  /** Estimated seconds with the object store of `storage`. */
  seconds: number
  /** Estimated seconds with a local disk. */
  local_seconds: number
}

/** Cost of a step. */
export interface ExplainCost extends ExplainRequests {
  /** Number of folders that are listed. */
  listings: Count
  /** Bytes from storage. */
  bytes: Bytes
}

/** Buffers that a field of the result needs if the query is submitted once. */
export interface ExplainResultField {
  /** Name of the dimension or attribute. */
  name: string
  /** Bytes of its values. */
  data_bytes: Bytes
  /** Bytes of its offsets, 8 a cell; null if the field is not var-sized. */
  offsets_bytes: Bytes | null
  /** Bytes of its validity, 1 a cell; null if the field is not nullable. */
  validity_bytes: Bytes | null
  certainty: Certainty
}

/** Size of the result in all its buffers if the query is submitted once. */
export interface ExplainResultSize {
  /** Number of cells of the result. For a dense array without ranges, those of the non-empty domain, as in `A.df[:]` of TileDB-Py. */
  cell_num: Count
  /** Bytes of these cells in all fields. */
  bytes: Bytes
  /** Bytes of the coordinates among `bytes`. `A[:]` of a dense array in TileDB-Py returns no coordinates. */
  coordinate_bytes: Bytes
  /** How `bytes` was obtained. */
  certainty: Certainty
  /** Number of cells of `A[:]` of a dense array: those of the current domain, or else of the domain; null for sparse arrays and with ranges. */
  whole_cell_num: Count | null
  /** Bytes of these cells, without coordinates; null if `whole_cell_num` is null. */
  whole_bytes: Bytes | null
}

/** A step of the read. Steps run one after another. */
export interface ExplainStep extends ExplainCost {
  /** What the step does. Undoing filters reads nothing. */
  name: StepName | 'undoing filters'
}

/** The steps that open the array, before the query loads anything. */
export interface ExplainOpening extends ExplainCost {
  /** Number of these steps; they come first in `steps`. */
  step_num: Count
}

/** The object store for which `seconds` are estimated. */
export interface ExplainStorage {
  /** Milliseconds from a request to its first byte. */
  latency_ms: number
  /** Throughput of all requests together, in units of 1,000,000 bytes a second. */
  megabytes_per_second: number
  /** Number of requests that run at the same time. */
  at_once: Count
}

/** Data that is read of a fragment. */
export interface ExplainLine extends ReadBytes {
  /** Name of the fragment. */
  name: string
  /** Why nothing is read of it; null if something is read. */
  passed_over_by: PassedOverBy | 'time'
  /** Number of tiles; null if the fragment was not opened. */
  tile_num: Count | null
  /** Number of tiles whose boxes the ranges touch. */
  tiles_touched: Count
  /** Number of tiles whose boxes are entirely inside the ranges. */
  tiles_inside: Count
  /** Number of cells in the tiles that are read. */
  cells_read: Count
}

/** Sums over the whole read. The seconds include those of undoing the filters. */
export interface ExplainTotal extends ExplainRequests, UndoneBytes {
  /** Number of tiles that are read. A tile counts once for each field, as in TileDB. */
  tiles_read: Count
  /** Number of cells in the tiles that are read: TileDB's counter `cell_num` with one thread. */
  cells_read: Count
  /** Number of cells of the result, as TileDB's reader counts them; null unless `exact`. */
  cells_found: Count | null
  /** Dense arrays: number of cells in the tiles that are read, counted once for each fragment; null for sparse arrays and without ranges. */
  cells_in_tiles: Count | null
  /** Number of cells of a dense array that are in the ranges and in the box around its fragments; null if `cells_in_tiles` is null. */
  cells_asked: Count | null
  /** Number of cells that the read returns; null for dense arrays, above 2 million stored cells, and if `exact` is false. */
  result_cell_num: Count | null
  /** Number of stored cells that the read leaves out because they were deleted, before a consolidation or after; null if `result_cell_num` is null. */
  deleted_cell_num: Count | null
  /** Bytes of schemas, commits and fragment metadata. */
  metadata_bytes: Bytes
  /** All bytes from storage. */
  vfs_bytes: Bytes
  /** Smallest `sm.mem.total_budget`, in bytes, with which the read makes progress; null if TileDB crashes with any budget. */
  memory_bytes: Bytes | null
  /** Whether the read makes progress with the budget of `--budget`, by default that of TileDB. */
  makes_progress: boolean
}
