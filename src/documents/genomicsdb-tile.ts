import type { ColumnRole } from '../genomicsdb/column-file.ts'
import type { Bytes, Count, DocumentHead, ErrorBrief, Offset, StoredName, TileIndex } from './common.ts'

/** `tiledb-inspect tile <fragment> <field> [index] --json` of a fragment of GenomicsDB. */
export interface GenomicsdbTileDocument extends DocumentHead<'genomicsdb-tile'> {
  /** Name of the attribute; `__coords` for the coordinates. */
  field: StoredName
  /** Name of the file. */
  file: StoredName
  /** What the file holds of the field. */
  role: ColumnRole
  tile: TileIndex
  /** Number of tiles in the file. */
  tile_num: Count
  /** Number of cells in the tile. */
  cell_num: Count
  /** How the tile is compressed: the compressor, and what is done before it. */
  compression: string
  /** Byte offset of the tile in the file. */
  offset: Offset
  /** Stored bytes. */
  size: Bytes
  /** Bytes of the tile when it is undone, by the book-keeping. */
  unfiltered_size: Bytes
  /** Bytes after the zlib stream of the tile, which readers skip; left out if there are none. */
  extra_size?: Bytes | undefined
  /** Why the tile could not be undone. */
  error?: ErrorBrief | undefined
}
