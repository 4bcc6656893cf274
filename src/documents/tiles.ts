import type { AsOf, Bytes, CellValue, Count, DocumentHead, FormatVersion, Offset, Sum, ValueRange } from './common.ts'

/** `tiledb-inspect tiles <target> --json`, one document a fragment. NDJSON: one tile a line (`$defs/line`). */
export interface TilesDocument extends DocumentHead<'tiles'>, AsOf {
  format_version: FormatVersion
  /** Whether the fragment is dense. */
  dense: boolean
  /** Number of all tiles of the fragment, shown or not. */
  tile_num: Count
  /** Tiles in order. */
  tiles: AsyncIterable<TilesLine>
}

/** A tile. */
export interface TilesLine {
  /** Name of the fragment, with several of them. */
  fragment?: string | undefined
  /** Index of the tile. */
  tile: Count
  /** Cells of the tile. */
  cell_num: Count
  /** Sparse fragments: MBR. */
  mbr?: readonly ValueRange[] | null | undefined
  /** Dense fragments: the part of the non-empty domain that the tile holds. */
  tile_domain?: readonly ValueRange[] | null | undefined
  /** Fields in order. */
  fields: readonly TilesLineField[]
}

export interface TilesLineField {
  /** Attribute, dimension or internal field. */
  name: string
  /** Byte offset of the tile in the data file (for var-sized fields: the offsets file). */
  offset: Offset
  /** Stored bytes of the tile in the data file (for var-sized fields: the offsets file). */
  size: Bytes
  /** Unfiltered bytes of the tile in the data file (for var-sized fields: the offsets file). */
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
  /** Minimum; null where there is none. Since format 11. */
  min?: CellValue | undefined
  /** Maximum; null where there is none. Since format 11. */
  max?: CellValue | undefined
  sum?: Sum | null | undefined
  /** Null cells. Since format 11. */
  null_count?: Count | null | undefined
}
