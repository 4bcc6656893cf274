import type { CellCoordinates, Count, DocumentHead, TileIndex, ValueRange } from './common.ts'

/** `tiledb-inspect rtree <target> --json` of fragments of GenomicsDB, which have a list of boxes and no tree. One document a fragment. */
export interface GenomicsdbRtreeDocument extends DocumentHead<'genomicsdb-rtree'> {
  /** Number of MBRs, one a tile. */
  mbr_num: Count
  /** Tiles in order; with `--range`, those that the range touches. */
  tiles: Iterable<GenomicsdbBox>
}

export interface GenomicsdbBox {
  tile: TileIndex
  /** Number of cells in the tile. */
  cell_num: Count
  /** MBR of the tile: a range for each dimension. */
  mbr: readonly ValueRange[]
  /** Coordinates of the first cell. */
  first_cell: CellCoordinates
  /** Coordinates of the last cell. */
  last_cell: CellCoordinates
}
