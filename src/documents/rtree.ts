import type { AsOf, Count, DocumentHead, TileIndex, ValueRange } from './common.ts'

/**
 * `tiledb-inspect rtree <target> --json`, one document for each fragment. With `--range`, it lists the tiles that the
 * range touches instead of the levels.
 */
export type RtreeDocument = RtreeLevels | RtreeTouched

/** Keys of both forms. */
export interface RtreeHead extends DocumentHead<'rtree'>, AsOf {
  /** Maximum number of MBRs below one MBR. */
  fanout: Count
  /** Number of levels; 0 in dense fragments. */
  level_num: Count
  /** Number of MBRs in the leaf level, one a tile. */
  mbr_num: Count
}

/** The whole R-tree. */
export interface RtreeLevels extends RtreeHead {
  /** Levels, root first; the last has one MBR a tile. */
  levels: readonly Iterable<readonly ValueRange[]>[]
}

/** With `--range`. */
export interface RtreeTouched extends RtreeHead {
  /** Tiles that the range touches. */
  tiles: readonly RtreeTile[]
}

export interface RtreeTile {
  tile: TileIndex
  /** MBR of the tile: a range for each dimension. */
  mbr: readonly ValueRange[]
}
