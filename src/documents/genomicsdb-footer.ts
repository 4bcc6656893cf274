import type { Bytes, Count, DocumentHead, Int64, StoredName, ValueRange } from './common.ts'

/** `tiledb-inspect footer <target> --json` of fragments of GenomicsDB: what their book-keeping says. One document a fragment. */
export interface GenomicsdbFooterDocument extends DocumentHead<'genomicsdb-footer'> {
  /** Whether the fragment has its mark. GenomicsDB passes over fragments without it. */
  marked: boolean
  /** Milliseconds since 1970, by the name of the fragment; left out if the name has no time. */
  timestamp?: Int64 | undefined
  /** Bytes of the file with the book-keeping, which is a gzip stream. */
  size: Bytes
  /** Bytes of its content. */
  content_size: Bytes
  /** Bytes in the file after the gzip stream; left out if there are none. */
  extra_size?: Bytes | undefined
  /** `[lo, hi]` of each dimension, both inclusive. In sparse fragments it is the domain of the array. */
  domain: readonly ValueRange[]
  tile_num: Count
  cell_num: Count
  /** Number of cells of the last tile. */
  last_tile_cell_num: Count
  /** Attributes in order, then the coordinates (`__coords`). */
  fields: readonly GenomicsdbFooterField[]
}

/** A field, its files, and the lengths of its lists. A field without compression has empty lists. */
export interface GenomicsdbFooterField {
  name: StoredName
  /** Bytes of the data file; for var-sized fields, of the offsets file; null if there is no such file. */
  file_size: Count | null
  /** Bytes of the file of var-sized values; null if there is no such file. */
  file_var_size?: Count | null | undefined
  /** Number of tile offsets. */
  tile_offset_num: Count
  /** Number of tile offsets in the file of var-sized values. */
  tile_var_offset_num?: Count | undefined
  /** Number of sizes of tiles in the file of var-sized values. */
  tile_var_size_num?: Count | undefined
}
