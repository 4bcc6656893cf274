import type { FooterFields, FooterHead } from '../format/fragment-footer.ts'
import type { SlotSectionName } from '../format/metadata-sections.ts'
import type {
  Binary,
  Bytes,
  Count,
  DocumentHead,
  FormatVersion,
  Int64,
  NotExamined,
  Offset,
  ValueRange,
} from './common.ts'

/**
 * `tiledb-inspect footer <target> --json`, one document for each fragment, or for each entry of a `.meta` file. Keys that
 * the format version does not have are left out. If the schema is not found, the keys that depend on it are left out, too.
 */
export type FooterDocument = WholeFooter | OldFooter | FooterWithoutSchema

/** A footer that was read to its end. Its fields have the names of the format. */
export interface WholeFooter extends FooterPlace, FooterFields {
  /** Name of the fragment. Only for entries of a consolidated fragment metadata file. */
  fragment_name?: string | undefined
  format_version: FormatVersion
  /** Non-empty domain: `[lo, hi]` of each dimension, both inclusive. */
  nonempty_domain: readonly ValueRange[]
  /** Every slot in stored order. */
  fields: readonly FooterField[]
  /** Sections that readers may skip. Since format 23. */
  optional_sections?: readonly FooterOptionalSection[] | undefined
  /** Bytes after the last known field. */
  slack_size?: Bytes | undefined
}

/** The facts of a footer in formats 1 and 2, which have none. */
export interface OldFooter extends DocumentHead<'footer'> {
  format_version: FormatVersion
  array_schema_name: string
  dense: boolean
  null_nonempty_domain: boolean
  /** Non-empty domain: `[lo, hi]` of each dimension, both inclusive; null if there is none. */
  nonempty_domain: readonly ValueRange[] | null
  sparse_tile_num: Count
  last_tile_cell_num: Int64
  /** Every slot in stored order. */
  fields: readonly FooterField[]
  /** Name of the file that contains these facts. */
  metadata_file: string
}

/** The part of a footer that can be read without its schema. */
export interface FooterWithoutSchema extends FooterPlace, Omit<FooterHead, 'version'> {
  format_version: FormatVersion
  /** What could not be read, and why. */
  not_examined: readonly NotExamined[]
}

/** Position of a footer. */
export interface FooterPlace extends DocumentHead<'footer'> {
  /** Byte offset of the footer in the file; for a `.meta` file, in its content. */
  footer_offset: Offset
  /** Bytes of the footer. */
  footer_size: Bytes
}

export interface FooterOptionalSection {
  /** Identifier of the section; 0: offsets of the first and last cells of the tiles in global order. */
  identifier: Count
  size: Bytes
  /** Bytes of the section. */
  payload: Binary
}

/** A slot. */
export interface FooterField {
  /** Name of the attribute, dimension or internal field, or `__coords`. */
  name: string
  /** True for the unused slot `__coords`, if each dimension has a slot of its own. */
  phantom?: true | undefined
  /** Bytes of the data file; for var-sized fields, of the offsets file. */
  file_size: Bytes
  /** Bytes of the file of var-sized values. */
  file_var_size?: Bytes | undefined
  /** Bytes of the validity file. Since format 7. */
  file_validity_size?: Bytes | undefined
  /** Offsets of the sections of the field. Since format 3. */
  offsets?: FooterFieldOffsets | undefined
}

/** Byte offset in the metadata file of each section of the field that the format version has. */
export type FooterFieldOffsets = Partial<Record<SlotSectionName, Offset>>
