import type {
  AsOf,
  Bytes,
  CellValue,
  Count,
  DocumentHead,
  FormatVersion,
  Offset,
  Sum,
  TileIndex,
  ValueRange,
} from './common.ts'

/** `tiledb-inspect tiles <target> --json`, one document for each fragment. NDJSON: one tile a line (`$defs/line`). */
export interface TilesDocument extends DocumentHead<'tiles'>, AsOf {
  format_version: FormatVersion
  /** Whether the fragment is dense. */
  dense: boolean
  /** Number of all tiles of the fragment, including those that are not shown. */
  tile_num: Count
  /** Tiles in order. */
  tiles: AsyncIterable<TilesLine>
}

/** A tile. */
export interface TilesLine {
  /** Name of the fragment; left out if there is only one. */
  fragment?: string | undefined
  tile: TileIndex
  /** Number of cells in the tile. */
  cell_num: Count
  /** MBR of the tile: a range for each dimension. Sparse fragments only. */
  mbr?: readonly ValueRange[] | null | undefined
  /** The part of the non-empty domain that is in the tile: a range for each dimension. Dense fragments only. */
  tile_domain?: readonly ValueRange[] | null | undefined
  /** Fields in order. */
  fields: readonly TilesLineField[]
}

/** What a tile has of a field. The data file of a var-sized field is its offsets file. */
export interface TilesLineField {
  /** Name of the attribute, dimension or internal field. */
  name: string
  /** Byte offset of the tile in the data file. */
  offset: Offset
  /** Stored bytes of the tile in the data file. */
  size: Bytes
  /** Unfiltered bytes of the tile in the data file. */
  unfiltered_size: Bytes
  /** Byte offset of the tile in the file of var-sized values. */
  var_offset?: Offset | undefined
  /** Stored bytes of the tile in the file of var-sized values. */
  var_size?: Bytes | undefined
  /** Unfiltered bytes of the tile in the file of var-sized values. */
  var_unfiltered_size?: Bytes | undefined
  /** Byte offset of the tile in the validity file. */
  validity_offset?: Offset | undefined
  /** Stored bytes of the tile in the validity file. */
  validity_size?: Bytes | undefined
  /** Unfiltered bytes of the tile in the validity file. */
  validity_unfiltered_size?: Bytes | undefined
  /** Minimum of the tile; null if there is none. Since format 11. */
  min?: CellValue | undefined
  /** Maximum of the tile; null if there is none. Since format 11. */
  max?: CellValue | undefined
  sum?: Sum | null | undefined
  /** Number of null cells in the tile. Since format 11. */
  null_count?: Count | null | undefined
}
