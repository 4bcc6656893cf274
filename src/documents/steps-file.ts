import type { Datatype } from '../format/datatype.ts'
import type { ArrayType } from '../format/layout.ts'
import type { ConsolidationMode } from '../objects/vacuum.ts'
import type {
  AttributeDescription,
  CellValue,
  Count,
  DimensionDescription,
  FilterDescription,
  FormatVersion,
  PipelineDescription,
  ValueRange,
} from './common.ts'
import type { SchemaDimensionLabel, SchemaDocument, SchemaEnumeration } from './schema.ts'

/** The input of `tiledb-inspect write-sample --steps`: steps that run one after another. A bare list of steps is accepted, too. */
export interface StepsFileDocument {
  /** URL or path of this JSON Schema, for editors. */
  $schema?: string
  /** The steps, in order. */
  steps: readonly Step[]
}

export type Step =
  | CreateStep
  | WriteStep
  | DeleteStep
  | ConsolidateStep
  | VacuumStep
  | EvolveStep
  | MetadataStep
  | GroupStep

/** Milliseconds since 1970, or a date such as 2024-01-31T12:00:00. */
export type StepTime = Count | string

export interface PlacedStep {
  /** Path of the array or group inside the folder; by default, the folder itself. */
  path?: string
}

export interface TimedStep extends PlacedStep {
  /** Time of the step; by default, one millisecond after the previous step. */
  time?: StepTime
}

/** Creates an array without cells. */
export interface CreateStep extends TimedStep {
  /** Kind of the step. */
  step: 'create'
  /** Schema of the array. The arrays of its dimension labels are created, too. */
  schema: GivenSchema
}

/** Writes a fragment, or one fragment for each group of rows. Needs either `cells` or `data`. */
export interface WriteStep extends TimedStep {
  /** Kind of the step. */
  step: 'write'
  /** Rows: values of dimensions and attributes by name, as `decode` prints them. */
  cells?: readonly Record<string, CellValue>[]
  /** Path of a file with rows, relative to the file of steps: NDJSON, CSV, TSV or Arrow IPC. */
  data?: string
  /** Whether the rows have values of enumerations in place of their indexes (default: false). */
  labels?: boolean
}

/** Deletes cells of a sparse array. Since format 16. */
export interface DeleteStep extends TimedStep {
  /** Kind of the step. */
  step: 'delete'
  /** Condition of the cells to delete, as for `read --where`. */
  where: string
}

/** Consolidates an array or group. The mode `commits` exists since format 12. */
export interface ConsolidateStep extends PlacedStep {
  /** Kind of the step. */
  step: 'consolidate'
  /** What to consolidate (default: `fragments`). */
  mode?: ConsolidationMode
  /** Names of the fragments to consolidate, with mode `fragments`; by default, all. */
  fragments?: readonly string[]
  /** First and last time, both included, of the fragments to consolidate. */
  between?: readonly [first: StepTime | null, last: StepTime | null]
  /** Whether to leave out deleted cells (default: false). */
  purge?: boolean
}

/** Removes the files that consolidation has replaced. */
export interface VacuumStep extends PlacedStep {
  /** Kind of the step. */
  step: 'vacuum'
  /** What to remove (default: `fragments`). */
  mode?: ConsolidationMode
}

/** Changes the schema of an array. Since format 10. */
export interface EvolveStep extends TimedStep {
  /** Kind of the step. */
  step: 'evolve'
  /** Attributes to add. */
  add_attributes?: readonly GivenAttribute[]
  /** Names of attributes to drop. */
  drop_attributes?: readonly string[]
  /** Enumerations to add. Since format 20. */
  add_enumerations?: readonly GivenEnumeration[]
  /** Enumerations to extend with further values. Since format 20. */
  extend_enumerations?: readonly ExtendedEnumeration[]
  /** Names of enumerations to drop. Since format 20. */
  drop_enumerations?: readonly string[]
  /** New current domain: `[lo, hi]` of each dimension. It can only grow. Since format 22. */
  current_domain?: Record<string, ValueRange>
  /** Format version to which the array is upgraded. */
  format_version?: FormatVersion
}

export interface ExtendedEnumeration {
  /** Name of the enumeration. */
  name: string
  /** Values to add at the end. */
  values: readonly CellValue[]
}

/** Changes key-value metadata of an array or group. Since format 4. */
export interface MetadataStep extends TimedStep {
  /** Kind of the step. */
  step: 'metadata'
  /** Values to set, by key: text, a number, true or false, a list of numbers, `{"base64": …}`, or `{"type": …, "value": …}`. */
  put?: Record<string, CellValue | GivenKeyValue>
  /** Keys to delete. */
  delete?: readonly string[]
}

/** A value of key-value metadata, with its type. */
export interface GivenKeyValue {
  type: Datatype
  value: CellValue
  /** Number of values; of text, number of bytes. It is ignored. */
  value_num?: Count
}

/** Changes the members of a group. Creates the group if it does not exist. */
export interface GroupStep extends TimedStep {
  /** Kind of the step. */
  step: 'group'
  /** Members to add. */
  add?: readonly GivenMember[]
  /** Names of members to remove, or the URIs of members without a name. */
  remove?: readonly string[]
  /** Format version in which the group is written (default: 22). Before version 12, groups have no list of members. */
  format_version?: FormatVersion
}

export interface GivenMember {
  /** URI of the member, absolute or relative to the group. */
  uri: string
  /** Name of the member in the group. */
  name?: string
  /** Type of the member; by default, the type that is found at the URI. */
  type?: 'array' | 'group'
  /** Whether the URI is relative to the group (default: true). */
  relative?: boolean
}

/** A schema as `schema --json` prints it. Most keys may be left out, and then have TileDB's defaults. */
export interface GivenSchema
  extends Partial<
    Omit<
      SchemaDocument,
      | 'array_type'
      | 'dimensions'
      | 'attributes'
      | 'enumerations'
      | 'dimension_labels'
      | 'coords_filters'
      | 'offsets_filters'
      | 'validity_filters'
    >
  > {
  array_type: ArrayType
  /** Filters of the dimensions that have no filters of their own (default: `ZSTD`). */
  coords_filters?: GivenPipeline
  /** Filters of the offsets of var-sized cells (default: `ZSTD`). */
  offsets_filters?: GivenPipeline
  /** Filters of the validity of nullable attributes (default: `RLE`). */
  validity_filters?: GivenPipeline
  /** Dimensions in order. */
  dimensions: readonly GivenDimension[]
  /** Attributes in order. */
  attributes: readonly GivenAttribute[]
  /** Enumerations with their values. */
  enumerations?: readonly GivenEnumeration[]
  /** Dimension labels. */
  dimension_labels?: readonly GivenDimensionLabel[]
}

/** A filter pipeline; filters in writing order. */
export interface GivenPipeline extends Partial<Pick<PipelineDescription, 'max_chunk_size'>> {
  /** Filters in writing order. */
  filters?: readonly GivenFilter[]
}

/** A filter with its options. Options that are left out have TileDB's defaults. */
export interface GivenFilter extends Pick<FilterDescription, 'name'>, Partial<Omit<FilterDescription, 'name'>> {}

export interface GivenDimension
  extends Pick<DimensionDescription, 'name' | 'type'>,
    Partial<Pick<DimensionDescription, 'cell_val_num' | 'domain' | 'tile_extent'>> {
  filters?: GivenPipeline
}

export interface GivenAttribute
  extends Pick<AttributeDescription, 'name' | 'type'>,
    Partial<Omit<AttributeDescription, 'name' | 'type' | 'filters'>> {
  filters?: GivenPipeline
}

export interface GivenEnumeration
  extends Pick<SchemaEnumeration, 'name' | 'type' | 'values'>,
    Partial<Pick<SchemaEnumeration, 'cell_val_num' | 'ordered'>> {}

export interface GivenDimensionLabel
  extends Pick<SchemaDimensionLabel, 'name' | 'dimension_index' | 'order' | 'type'>,
    Partial<Omit<SchemaDimensionLabel, 'name' | 'dimension_index' | 'order' | 'type'>> {}
