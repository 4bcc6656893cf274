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

/** `tiledb-inspect schema <target> --json`; with `--all`, one document a schema. `write-sample --schema` reads it. */
export interface SchemaDocument extends DocumentHead<'schema'>, AsOf {
  /** File name of the schema. */
  name: string
  encryption: EncryptionType
  format_version: FormatVersion
  array_type: ArrayType
  /** Order of the tiles. */
  tile_order: Layout
  /** Order of the cells in a tile. */
  cell_order: Layout
  /** Number of cells of a tile in sparse fragments. */
  capacity: Int64
  /** Whether several cells may have the same coordinates. */
  allows_duplicates: boolean
  /** Filters of the dimensions that have no filters of their own. */
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
  /** Names of the enumerations whose files are missing, if there are any. */
  missing_enumerations?: readonly string[] | undefined
  /** Dimension labels. */
  dimension_labels: readonly SchemaDimensionLabel[]
  /** Current domain: `[lo, hi]` of each dimension; null if there is none. It can grow up to the domain, but never shrinks. */
  current_domain: Record<string, ValueRange> | null
  /** Changes since the previous schema that can be read; the first one has none. Only with `--all`. */
  changes?: readonly SchemaChange[] | undefined
}

/** A change of schema evolution. */
export interface SchemaChange {
  /** `changed`: of an attribute, it was dropped and added again in another form. */
  change: 'added' | 'dropped' | 'extended' | 'changed'
  /** What the change is about. */
  what: 'attribute' | 'enumeration' | 'current_domain' | 'other'
  /** Name of the attribute or enumeration; of `other`, the path of a key of this document; null for the current domain. */
  name: string | null
  /** The old form; left out if something was added or extended. */
  from?: unknown
  /** The new form; of an extended enumeration, the new values; left out if something was dropped. */
  to?: unknown
}

export interface SchemaDimensionLabel {
  /** Name of the label. */
  name: string
  /** Index of the dimension, starting at 0. */
  dimension_index: Count
  /** Order of the labels. */
  order: DataOrder
  type: Datatype
  cell_val_num: CellValNum
  /** Name of the attribute that contains the labels, in the array at `uri`. */
  attribute: string
  /** URI of the array of the labels, as stored. */
  uri: string
  /** Whether the URI is relative to this array. */
  relative: boolean
  /** Whether the array of the labels is an array of its own. */
  external: boolean
}

export interface SchemaEnumeration {
  /** Name of the enumeration. */
  name: string
  type: Datatype
  cell_val_num: CellValNum
  /** Whether the order of the values has a meaning. */
  ordered: boolean
  /** Values in the order of their indexes. */
  values: readonly CellValue[]
}
