import type { PagedBytes, Pages } from '../base/result.ts'
import type { Binary, CellValue, Count, DocumentHead, FormatVersion, Sum, TileNum } from './common.ts'

/** `tiledb-inspect metadata <fragment> --json`: for each field, lists with one value a tile. `tiles` shows the same by tile. */
export interface FragmentMetadataDocument extends DocumentHead<'fragment-metadata'> {
  format_version: FormatVersion
  tile_num: TileNum
  /** Every slot in stored order. */
  fields: readonly FragmentMetadataField[]
  /** Names of the delete commits whose conditions were applied to the cells. Since format 16. */
  processed_conditions?: readonly string[] | undefined
}

/** A list with one value a tile. Long lists come in pages. */
export type TileValues<T> = Iterable<T> | Pages<T>

/** A slot. */
export interface FragmentMetadataField {
  /** Name of the attribute, dimension or internal field, or `__coords`. */
  name: string
  /** True for the unused slot `__coords`, if each dimension has a slot of its own. */
  phantom?: true | undefined
  /** Byte offset of each tile in the data file; for var-sized fields, in the offsets file. */
  tile_offsets: TileValues<Count>
  /** Byte offset of each tile in the file of var-sized values. */
  tile_var_offsets?: TileValues<Count> | undefined
  /** Bytes of each tile of var-sized values before filtering. */
  tile_var_sizes?: TileValues<Count> | undefined
  /** Byte offset of each tile in the validity file. Since format 7. */
  tile_validity_offsets?: TileValues<Count> | undefined
  /**
   * Minimum of each tile, in the unit of the field; null for a tile without one. Since format 11. For a phantom slot, these
   * are bytes.
   */
  tile_mins?: TileValues<CellValue> | Binary | PagedBytes | undefined
  /** Maximum of each tile, in the form of `tile_mins`. Since format 11. */
  tile_maxs?: TileValues<CellValue> | Binary | PagedBytes | undefined
  /** Sum of each tile, in the unit of the field. Since format 11. */
  tile_sums?: TileValues<Sum> | undefined
  /** Number of null cells of each tile; left out if TileDB does not count those of the field. Since format 11. */
  tile_null_counts?: TileValues<Count> | undefined
  /** Minimum over the fragment; null if there is none. Since format 12. */
  min?: CellValue | undefined
  /** Maximum over the fragment; null if there is none. Since format 12. */
  max?: CellValue | undefined
  sum?: Sum | undefined
  /** Number of null cells of the fragment; null if TileDB does not count those of the field. Since format 12. */
  null_count?: Count | null | undefined
}
