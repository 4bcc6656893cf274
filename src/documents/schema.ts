import type { CellValNum } from '../format/cell-val-num.ts'
import type { Datatype } from '../format/datatype.ts'
import type { ArrayType, DataOrder, EncryptionType, Layout } from '../format/layout.ts'
import type {
  AsOf,
  AttributeDescription,
  CellValue,
  Count,
  DimensionDescription,
  DocumentHead,
  FormatVersion,
  Int64,
  PipelineDescription,
  ValueRange,
} from './common.ts'

/** `tiledb-inspect schema <target> --json`; with `--all` one document a schema. `write-sample --schema` reads it. */
export interface SchemaDocument extends DocumentHead<'schema'>, AsOf {
  /** File of the schema. */
  name: string
  encryption: EncryptionType
  format_version: FormatVersion
  array_type: ArrayType
  /** Order of the tiles. */
  tile_order: Layout
  /** Order of the cells in a tile. */
  cell_order: Layout
  /** Cells of a tile in sparse fragments. */
  capacity: Int64
  /** Whether several cells may have the same coordinates. */
  allows_duplicates: boolean
  /** Filters of dimensions that have none of their own. */
  coords_filters: PipelineDescription
  /** Filters of the offsets of var-sized cells. */
  offsets_filters: PipelineDescription
  /** Filters of the validity of nullable attributes. Since format 7. */
  validity_filters?: PipelineDescription | undefined
  /** Dimensions in order. */
  dimensions: readonly DimensionDescription[]
  /** Attributes in order. */
  attributes: readonly AttributeDescription[]
  /** Enumerations with their values. */
  enumerations: readonly SchemaEnumeration[]
  /** Dimension labels. */
  dimension_labels: readonly SchemaDimensionLabel[]
  /** `[lo, hi]` by dimension; null where there is none. It may grow up to the domain, and never shrink. */
  current_domain: Record<string, ValueRange> | null
  /** What is other than in the schema before; the oldest has none. Only with `--all`. */
  changes?: readonly SchemaChange[] | undefined
}

/** A step of schema evolution. */
export interface SchemaChange {
  /** An attribute that is dropped and added again in another form has changed. */
  change: 'added' | 'dropped' | 'extended' | 'changed'
  /** What changed. */
  what: 'attribute' | 'enumeration' | 'current_domain' | 'other'
  /** Its name; of anything else, the path of a key of this document; null for the current domain. */
  name: string | null
  /** What it was; left out of what was added or extended by values. */
  from?: unknown
  /** What it is; of an extended enumeration, the new values; left out of what was dropped. */
  to?: unknown
}

export interface SchemaDimensionLabel {
  /** Name. */
  name: string
  /** Index of the dimension, from 0. */
  dimension_index: Count
  /** Order of the labels. */
  order: DataOrder
  type: Datatype
  cell_val_num: CellValNum
  /** Attribute of the array that holds the labels. */
  attribute: string
  /** Where that array is, as stored. */
  uri: string
  /** Whether the URI is relative to the array. */
  relative: boolean
  /** Whether it is an array of its own. */
  external: boolean
}

export interface SchemaEnumeration {
  /** Name. */
  name: string
  type: Datatype
  cell_val_num: CellValNum
  /** Whether the order of the values means something. */
  ordered: boolean
  /** Values in the order of their indexes. */
  values: readonly CellValue[]
}
