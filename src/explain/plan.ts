import type { Codecs } from '../filters/codecs/codecs.ts'
import type { SectionName } from '../format/metadata-sections.ts'
import type { OpenedArray, ReadQuery } from '../read/query.ts'

/** TileDB's readers, by the classes of its source. */
export type ReaderName = 'DenseReader' | 'SparseGlobalOrderReader' | 'SparseUnorderedWithDupsReader' | 'legacy Reader'

/** `sm.mem.total_budget` if nobody sets it, in bytes. */
export const DEFAULT_BUDGET = 10 * 2 ** 30

/** What is asked of a reader. */
export interface ExplainQuery {
  opened: OpenedArray
  query: ReadQuery
  /** Undo the tiles of coordinates, to know which cells count. Otherwise every number is an upper bound. */
  exact: boolean
  /** What writes the array as it would be after a remedy: as TileDB does, if the numbers are to be its own. Those of the array, if left out. */
  codecs?: Codecs
}

/** Why a reader reads nothing of a fragment. `null`: it reads some. */
export type PassedOverBy = 'domain' | 'rtree' | 'covered' | 'no tiles' | null

/** What a query touches of a fragment. */
export interface FragmentPlan {
  /** Position in {@link OpenedArray.fragments}. */
  fragment: number
  passed_over_by: PassedOverBy
  tile_num: number
  /** Tiles whose boxes the ranges touch. */
  tiles_touched: number
  /** Those of them that lie wholly inside the ranges. */
  tiles_inside: number
  /** Tiles that are left out after the boxes: newer dense cells cover them, or no cell of them is inside. */
  tiles_dropped: number
  /** Cells of the tiles that are read, as the reader counts them. */
  cells_read: number
}

/**
 * Tiles of a field that a reader reads by one call: what lies close together in a file is then read at once.
 *
 * @see ReaderBase::read_tiles, FilteredData
 */
export interface TileRead {
  /** Position in {@link OpenedArray.fragments}. */
  fragment: number
  /** Position of the field among the fragment's slots. */
  slot: number
  /** Rising. */
  tiles: Uint32Array
  /** Only the validity is read, for conditions on nulls. */
  validityOnly?: boolean | undefined
  /** Reads with the same number are one call. */
  call: number
}

/** A section of a fragment's metadata that a reader loads, beside the footer. */
export interface MetadataRead {
  /** Position in {@link OpenedArray.fragments}. */
  fragment: number
  section: SectionName
  /** For sections that each field has. */
  slot?: number | undefined
}

/** What a reader does for a query. */
export interface ReadPlan {
  reader: ReaderName
  /** In the order of {@link OpenedArray.fragments}, one each. */
  fragments: FragmentPlan[]
  tile_reads: TileRead[]
  metadata_reads: MetadataRead[]
  /** As TileDB's counter `cell_num`. */
  cells_read: number
  /** As TileDB's counter `result_num`; null unless {@link ExplainQuery.exact}. */
  cells_found: number | null
  /** Bytes: the least `sm.mem.total_budget` with which the query makes progress. Infinity if TileDB crashes with any. */
  least_memory_budget: number
}
