import type { CellValNum } from '../format/cell-val-num.ts'
import type { Datatype } from '../format/datatype.ts'
import type { OldLayout } from '../format/genomicsdb/codings.ts'
import type { ArrayType } from '../format/layout.ts'
import type { CellValue, Count, DocumentHead, Integer, StoredName, ValueRange } from './common.ts'

/** `tiledb-inspect schema <target> --json` of an array of GenomicsDB. */
export interface GenomicsdbSchemaDocument extends DocumentHead<'genomicsdb-schema'> {
  /** Version of the schema, 0 to 2. */
  format_version: Count
  /** Path of the workspace, mostly empty; left out before version 1. */
  workspace?: StoredName | undefined
  /** Path of the array when it was made. A move does not change it. */
  name: StoredName
  array_type: ArrayType
  /** Order of the tiles in dense arrays. */
  tile_order: OldLayout
  /** Order of the cells in a fragment. */
  cell_order: OldLayout
  /** Number of cells of a tile, except the last. */
  capacity: Count
  /** Dimensions in order. */
  dimensions: readonly GenomicsdbDimensionDescription[]
  /** Attributes in order, then the coordinates (`__coords`). */
  fields: readonly GenomicsdbFieldDescription[]
}

export interface GenomicsdbDimensionDescription {
  name: StoredName
  type: Datatype
  /** Lower and upper bound, both inclusive. */
  domain: ValueRange
  /** Extent of a tile; null if there is none. */
  tile_extent: CellValue
}

export interface GenomicsdbFieldDescription {
  name: StoredName
  type: Datatype
  cell_val_num: CellValNum
  /** How tiles are compressed: the compressor, and what is done before it, as in `GZIP+DELTA`. */
  compression: string
  /** Level of the compressor; negative for its default. Since version 1. */
  level?: Integer | undefined
  /** Compression of the offsets; left out for cells of a fixed size. */
  offsets_compression?: string | undefined
  /** Level of the compressor of the offsets. */
  offsets_level?: Integer | undefined
}
