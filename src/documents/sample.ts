import type { ArrayType, EncryptionType, Layout } from '../format/layout.ts'
import type {
  AttributeDescription,
  Bytes,
  Count,
  DimensionDescription,
  DocumentHead,
  FormatVersion,
  Int64,
  PipelineDescription,
} from './common.ts'

/** `tiledb-inspect write-sample <dir> --json`. */
export interface SampleDocument extends DocumentHead<'sample'> {
  format_version: FormatVersion
  array_type: ArrayType
  encryption: EncryptionType
  /** Seed of the cells. */
  seed: string
  /** Cells of all fragments. */
  cell_num: Count
  /** Bytes of all files. */
  total_size: Bytes
  /** Order of the cells in a tile. */
  cell_order: Layout
  /** Order of the tiles. */
  tile_order: Layout
  /** Cells of a tile in sparse fragments. */
  capacity: Int64
  coords_filters: PipelineDescription
  /** Dimensions in order. */
  dimensions: readonly DimensionDescription[]
  /** Attributes in order. */
  attributes: readonly AttributeDescription[]
  /** Names of the enumerations. */
  enumerations: readonly string[]
  /** Keys of the array metadata. */
  metadata: readonly string[]
  /** Fragments that were written. */
  fragments: readonly SampleFragment[]
  /** Files that were written. */
  files: readonly SampleFile[]
  /** What was chosen or left out, in words. */
  notes: readonly string[]
  /** Commands to try on it. */
  next: readonly string[]
}

export interface SampleFile {
  /** Path in the array. */
  path: string
  size: Bytes
}

export interface SampleFragment {
  /** Name. */
  name: string
  /** Cells as TileDB counts them. */
  cell_num: Count
}
