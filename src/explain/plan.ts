import { groupBy } from '../base/group-by.ts'
import { sum } from '../base/sum.ts'
import type { Codecs } from '../filters/codecs/codecs.ts'
import type { Slot } from '../format/fragment-slots.ts'
import type { SectionName } from '../format/metadata-sections.ts'
import type { OpenedArray, ReadQuery } from '../read/query.ts'

/** TileDB's readers, by the names of their classes. */
export type ReaderName = 'DenseReader' | 'SparseGlobalOrderReader' | 'SparseUnorderedWithDupsReader' | 'legacy Reader'

/** A query to explain. */
export interface ExplainQuery {
  opened: OpenedArray
  query: ReadQuery
  /** Whether to decode the tiles of coordinates, to know which cells are found. Otherwise every number is an upper bound. */
  exact: boolean
  /** Whether to compute what the query costs after each remedy: on the changed array, which is made in memory. Only with `exact`. */
  computesRemedies?: boolean
  /**
   * Codecs to write the array as it would be after a remedy; by default those of the array.
   * The sizes equal TileDB's only if these codecs compress as TileDB does.
   */
  codecs?: Codecs
}

/** Why a reader reads nothing of a fragment; `null` if it reads some of it. */
export type PassedOverBy = 'domain' | 'rtree' | 'covered' | 'no tiles' | null

/** Position in {@link OpenedArray.fragments}. */
export type FragmentAt = number

/** What a query touches of a fragment. */
export interface FragmentPlan {
  fragment: FragmentAt
  passed_over_by: PassedOverBy
  tile_num: number
  /** Tiles whose boxes touch the ranges. */
  tiles_touched: number
  /** Touched tiles that lie completely inside the ranges. */
  tiles_inside: number
  /** Touched tiles that are not read in the end: newer dense cells cover them, or none of their cells is inside the ranges. */
  tiles_dropped: number
  /** Cells of the tiles that are read, as the reader counts them. */
  cells_read: number
}

/**
 * Tiles of one field of a fragment that a reader reads in one call. One read operation gets those that lie close together in a file.
 *
 * @see ReaderBase::read_tiles, FilteredData
 */
export interface TileRead {
  fragment: FragmentAt
  /** Position of the field among the fragment's slots. */
  slot: number
  /** Tile numbers, rising. */
  tiles: Uint32Array
  /** Whether only the validity is read, for conditions on nulls. */
  validityOnly?: boolean | undefined
  /** Number of the call. Reads with the same number belong to the same call. */
  call: number
}

/**
 * The reads with every tile of a field once. A reader without the memory for all tiles reads some of them again, for other cells of the
 * same tiles. Reads stay as they are if none repeats another.
 */
export function eachTileOnce(reads: readonly TileRead[]): readonly TileRead[] {
  const groups = groupBy(reads, ({ fragment, slot, validityOnly }) => `${fragment} ${slot} ${validityOnly}`)
  if (groups.size === reads.length) return reads
  let repeated = 0
  const merged = Array.from(groups.values(), (some): TileRead => {
    const tiles = new Set<number>()
    for (const read of some) for (const tile of read.tiles) tiles.add(tile)
    repeated += sum(some, (read) => read.tiles.length) - tiles.size
    return { ...some[0], tiles: Uint32Array.from(tiles).sort() }
  })
  return repeated === 0 ? reads : merged
}

/** A section of a fragment's metadata that a reader loads in addition to the footer. */
export interface MetadataRead {
  fragment: FragmentAt
  section: SectionName
  /** Position of the field among the fragment's slots, for sections that exist once per field. */
  slot?: number | undefined
}

/** The lists of a field's tiles that a reader loads: their offsets in each of the field's files, and the sizes of var-sized tiles. */
export function tileListReads(fragment: number, slot: number, { varSized, nullable }: Slot): MetadataRead[] {
  const sections: SectionName[] = ['tile_offsets']
  if (varSized) sections.push('tile_var_offsets', 'tile_var_sizes')
  if (nullable) sections.push('tile_validity_offsets')
  return sections.map((section) => ({ fragment, section, slot }))
}

/** What a reader does for a query. */
export interface ReadPlan {
  reader: ReaderName
  /** One entry per fragment, in the order of {@link OpenedArray.fragments}. */
  fragments: FragmentPlan[]
  tile_reads: TileRead[]
  metadata_reads: MetadataRead[]
  /**
   * TileDB's counter `cell_num` with one thread. With more threads than tiles, SparseIndexReaderBase::compute_tile_bitmaps counts each tile
   * once for every thread that works on it.
   */
  cells_read: number
  /** TileDB's counter `result_num`; null unless {@link ExplainQuery.exact}. */
  cells_found: number | null
  /** The smallest `sm.mem.total_budget`, in bytes, with which the query makes progress; Infinity if TileDB crashes with every budget. */
  least_memory_budget: number
}
