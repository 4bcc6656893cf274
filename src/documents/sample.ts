import type { Prose } from '../base/prose.ts'
import type { Bytes, Count, DocumentHead } from './common.ts'
import type { SchemaDocument } from './schema.ts'

/** Keys of the schema that the document of a sample repeats. */
type OfSchema =
  | 'format_version'
  | 'array_type'
  | 'encryption'
  | 'cell_order'
  | 'tile_order'
  | 'capacity'
  | 'coords_filters'
  | 'dimensions'
  | 'attributes'

/** `tiledb-inspect write-sample <dir> --json`. */
export interface SampleDocument extends DocumentHead<'sample'>, Pick<SchemaDocument, OfSchema> {
  /** Seed of the cells. */
  seed: string
  /** Number of cells in all fragments. */
  cell_num: Count
  /** Bytes of all files. */
  total_size: Bytes
  /** Names of the enumerations. */
  enumerations: readonly string[]
  /** Keys of the array metadata. */
  metadata_keys: readonly string[]
  /** Fragments that were written. */
  fragments: readonly SampleFragment[]
  /** Files that were written. */
  files: readonly SampleFile[]
  /** What was chosen or left out, in words. */
  notes: readonly Prose[]
  /** Commands to try on the sample. */
  next: readonly string[]
}

export interface SampleFragment {
  /** Name of the fragment. */
  name: string
  /** Number of cells, as TileDB counts them. */
  cell_num: Count
}

export interface SampleFile {
  /** Path of the file in the folder that was written. */
  path: string
  size: Bytes
}
