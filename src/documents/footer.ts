import type { Binary, Bytes, Count, DocumentHead, FormatVersion, Int64, Offset, ValueRange } from './common.ts'

/**
 * `tiledb-inspect footer <target> --json`, one document a fragment; of a `.meta` file one an entry. A key that the
 * format version does not have is left out; where the schema is not found, so is all that only it explains.
 */
export type FooterDocument = WholeFooter | FooterWithoutSchema

/** A footer that is read to its end. */
export interface WholeFooter extends FooterHead {
  /** Name of the fragment. Entries of a consolidated fragment metadata file only. */
  fragment_name?: string | undefined
  /** Non-empty domain: `[lo, hi]` of each dimension, inclusive. */
  nonempty_domain: readonly ValueRange[] | null
  /** Tiles of a sparse fragment; 0 in dense ones. */
  sparse_tile_num: Count
  /** Cells in the last tile; in dense fragments the cells of a tile. */
  last_tile_cell_num: Int64
  /** Whether cells have time stamps of their own. Since format 14. */
  includes_timestamps?: boolean | undefined
  /** Whether cells say when they were deleted. Since format 15. */
  includes_delete_metadata?: boolean | undefined
  /** Every slot in stored order. */
  fields: readonly FooterField[]
  /** Byte offset of the R-tree. Since format 3 (a list of MBRs before 5). */
  rtree_offset?: Offset | undefined
  /** Byte offset of the statistics over the fragment. Since format 12. */
  fragment_min_max_sum_null_count_offset?: Offset | undefined
  /** Byte offset of the list of processed delete conditions. Since format 16. */
  processed_conditions_offset?: Offset | undefined
  /** Sections that readers may pass over. Since format 23. */
  optional_sections?: readonly FooterOptionalSection[] | undefined
  /** Bytes behind the last known field. */
  slack_size?: Bytes | undefined
  /** File that holds it all. Formats 1 and 2, which have no footer. */
  metadata_file?: string | undefined
}

/** What a footer tells without its schema. */
export interface FooterWithoutSchema extends FooterHead {
  /** What could not be read, and why, in words. */
  not_examined: readonly string[]
}

/** What needs no schema to be read. */
export interface FooterHead extends DocumentHead<'footer'> {
  format_version: FormatVersion
  /** File of the schema. */
  array_schema_name?: string | undefined
  /** Whether the fragment is dense. */
  dense: boolean
  /** Whether there is no non-empty domain. */
  null_nonempty_domain: boolean
  /** Where the footer begins: byte offset in the file, in a `.meta` file in its content. */
  footer_offset?: Offset | undefined
  /** Bytes of the footer. */
  footer_size?: Bytes | undefined
}

export interface FooterOptionalSection {
  /** Identifier of the section; 0: the extremes in global order. */
  identifier: Count
  size: Bytes
  /** Its bytes. */
  payload: Binary
}

/** A slot. */
export interface FooterField {
  /** Attribute, dimension, `__coords` or internal field. */
  name: string
  /** The slot of coordinates that are stored dimension by dimension. */
  phantom?: true | undefined
  /** Bytes of the data file, of var-sized fields of the offsets file. */
  file_size: Bytes
  /** Bytes of the file of var-sized values. */
  file_var_size?: Bytes | undefined
  /** Bytes of the validity file. Since format 7. */
  file_validity_size?: Bytes | undefined
  /** Where the sections of the field are. Since format 3. */
  offsets?: FooterFieldOffsets | undefined
}

/** Where the sections of the field are. Since format 3. */
export interface FooterFieldOffsets {
  /** Byte offset in the metadata file of the section with offsets of its tiles. */
  tile_offsets: Offset
  /** Byte offset in the metadata file of the section with offsets of its var tiles. */
  tile_var_offsets?: Offset | undefined
  /** Byte offset in the metadata file of the section with sizes of its var tiles. */
  tile_var_sizes?: Offset | undefined
  /** Byte offset in the metadata file of the section with offsets of its validity tiles. */
  tile_validity_offsets?: Offset | undefined
  /** Byte offset in the metadata file of the section with minima. */
  tile_mins?: Offset | undefined
  /** Byte offset in the metadata file of the section with maxima. */
  tile_maxs?: Offset | undefined
  /** Byte offset in the metadata file of the section with sums. */
  tile_sums?: Offset | undefined
  /** Byte offset in the metadata file of the section with null counts. */
  tile_null_counts?: Offset | undefined
}
