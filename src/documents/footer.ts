import type { FooterFields, FooterHead } from '../format/fragment-footer.ts'
import type { SlotSectionName } from '../format/metadata-sections.ts'
import type { Binary, Bytes, Count, DocumentHead, FormatVersion, Int64, Offset, ValueRange } from './common.ts'

/**
 * `tiledb-inspect footer <target> --json`, one document for each fragment, or for each entry of a `.meta` file. A key
 * that the format version does not have is left out. If the schema is not found, so are the keys that need it.
 */
export type FooterDocument = WholeFooter | OldFooter | FooterWithoutSchema

/** A footer that is read to its end. Fields of the footer have its names. */
export interface WholeFooter extends FooterPlace, FooterFields {
  /** Name of the fragment. Entries of a consolidated fragment metadata file only. */
  fragment_name?: string | undefined
  format_version: FormatVersion
  /** Non-empty domain: `[lo, hi]` of each dimension, inclusive. */
  nonempty_domain: readonly ValueRange[]
  /** Every slot in stored order. */
  fields: readonly FooterField[]
  /** Sections that readers may skip. Since format 23. */
  optional_sections?: readonly FooterOptionalSection[] | undefined
  /** Bytes after the last known field. */
  slack_size?: Bytes | undefined
}

/** The same facts for formats 1 and 2, which have no footer. */
export interface OldFooter extends DocumentHead<'footer'> {
  format_version: FormatVersion
  array_schema_name: string
  dense: boolean
  null_nonempty_domain: boolean
  /** Non-empty domain: `[lo, hi]` of each dimension, inclusive; null where there is none. */
  nonempty_domain: readonly ValueRange[] | null
  sparse_tile_num: Count
  last_tile_cell_num: Int64
  /** Every slot in stored order. */
  fields: readonly FooterField[]
  /** File that holds it all. */
  metadata_file: string
}

/** What a footer says without its schema. */
export interface FooterWithoutSchema extends FooterPlace, Omit<FooterHead, 'version'> {
  format_version: FormatVersion
  /** What could not be read, and why, in words. */
  not_examined: readonly string[]
}

/** Where a footer is. */
export interface FooterPlace extends DocumentHead<'footer'> {
  /** Where the footer begins: byte offset in the file; for a `.meta` file, in its content. */
  footer_offset: Offset
  /** Bytes of the footer. */
  footer_size: Bytes
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
  /** Bytes of the data file; for var-sized fields, of the offsets file. */
  file_size: Bytes
  /** Bytes of the file of var-sized values. */
  file_var_size?: Bytes | undefined
  /** Bytes of the validity file. Since format 7. */
  file_validity_size?: Bytes | undefined
  /** Where the sections of the field are. Since format 3. */
  offsets?: FooterFieldOffsets | undefined
}

/** Byte offsets in the metadata file of the sections of a field, where the format version has them. */
export type FooterFieldOffsets = Partial<Record<SlotSectionName, Offset>>
