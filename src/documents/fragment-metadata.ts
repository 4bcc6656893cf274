import type { PagedBytes, Pages } from '../base/result.ts'
import type { Binary, CellValue, Count, DocumentHead, FormatVersion, Sum } from './common.ts'

/** `tiledb-inspect metadata <fragment> --json`: by field, one value a tile. `tiles` has the same by tile. */
export interface FragmentMetadataDocument extends DocumentHead<'fragment-metadata'> {
  format_version: FormatVersion
  /** Number of tiles. */
  tile_num: Count
  /** Every slot in stored order. */
  fields: readonly FragmentMetadataField[]
  /** Delete commits whose conditions were applied to the cells. Since format 16. */
  processed_conditions?: readonly string[] | undefined
}

/** One value a tile. Those of many tiles come in pages. */
export type TileValues<T> = Iterable<T> | Pages<T>

/** A slot. */
export interface FragmentMetadataField {
  /** Attribute, dimension, `__coords` or internal field. */
  name: string
  /** The slot of coordinates that are stored dimension by dimension. */
  phantom?: true | undefined
  /** Byte offset of each tile in the data file (for var-sized fields: the offsets file). */
  tile_offsets: TileValues<Count>
  /** Byte offset of each tile in the file of var-sized values. */
  tile_var_offsets?: TileValues<Count> | undefined
  /** Bytes of each tile of var-sized values before filtering. */
  tile_var_sizes?: TileValues<Count> | undefined
  /** Byte offset of each tile in the validity file. Since format 7. */
  tile_validity_offsets?: TileValues<Count> | undefined
  /**
   * Minimum of each tile, null where it has none, in the unit of the field. Since format 11. Bytes where they do not
   * divide into values: the phantom slot.
   */
  tile_mins?: TileValues<CellValue> | Binary | PagedBytes | undefined
  /**
   * Maximum of each tile, null where it has none, in the unit of the field. Since format 11. Bytes where they do not
   * divide into values: the phantom slot.
   */
  tile_maxs?: TileValues<CellValue> | Binary | PagedBytes | undefined
  /** Sum of each tile, in the unit of the field. Since format 11. */
  tile_sums?: TileValues<Sum> | undefined
  /** Null cells of each tile. Since format 11. */
  tile_null_counts?: TileValues<Count> | undefined
  /** Minimum over the fragment; null where there is none. Since format 12. */
  min?: CellValue | undefined
  /** Maximum over the fragment; null where there is none. Since format 12. */
  max?: CellValue | undefined
  sum?: Sum | undefined
  /** Null cells of the fragment. Since format 12. */
  null_count?: Count | undefined
}
