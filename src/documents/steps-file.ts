import type { Datatype } from '../format/datatype.ts'
import type { ArrayType } from '../format/layout.ts'
import type { ConsolidationMode } from '../store/vacuum.ts'
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

/** What `tiledb-inspect write-sample --steps` reads: steps, each done to what those before it left. A list of steps alone is read, too. */
export interface StepsFileDocument {
  /** The schema of this file, for editors. */
  $schema?: string
  /** Steps in their order. */
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

/** Milliseconds since 1970, or a date as in 2024-01-31T12:00:00. */
export type StepTime = Count | string

export interface PlacedStep {
  /** The array or group in the folder that it is about; without it, the folder itself. */
  path?: string
}

export interface TimedStep extends PlacedStep {
  /** When it happens; without it, a millisecond after the step before. */
  time?: StepTime
}

/** Makes an array without cells. */
export interface CreateStep extends TimedStep {
  /** What is done. */
  step: 'create'
  /** Its schema; arrays of dimension labels are made, too. */
  schema: GivenSchema
}

/** Writes a fragment, or one for each group of rows. Either `cells` or `data` is given. */
export interface WriteStep extends TimedStep {
  /** What is done. */
  step: 'write'
  /** Rows: values of dimensions and attributes by name, as `decode` prints them. */
  cells?: readonly Record<string, CellValue>[]
  /** A file of rows, by its path from that of the steps: NDJSON, CSV, TSV or Arrow IPC. */
  data?: string
  /** Whether attributes with an enumeration have its values, not indexes (false). */
  labels?: boolean
}

/** Deletes cells of a sparse array. Since format 16. */
export interface DeleteStep extends TimedStep {
  /** What is done. */
  step: 'delete'
  /** Which cells, as for `read --where`. */
  where: string
}

/** Consolidates; `commits` since format 12. */
export interface ConsolidateStep extends PlacedStep {
  /** What is done. */
  step: 'consolidate'
  /** What is consolidated (`fragments`). */
  mode?: ConsolidationMode
  /** Names of the fragments, with `fragments`; all of them without it. */
  fragments?: readonly string[]
  /** Fragments that are written between these times, both included. */
  between?: readonly [first: StepTime | null, last: StepTime | null]
  /** Whether deleted cells are left out (false). */
  purge?: boolean
}

/** Removes what consolidation has replaced. */
export interface VacuumStep extends PlacedStep {
  /** What is done. */
  step: 'vacuum'
  /** What is removed (`fragments`). */
  mode?: ConsolidationMode
}

/** Changes the schema of an array. Since format 10. */
export interface EvolveStep extends TimedStep {
  /** What is done. */
  step: 'evolve'
  /** Attributes to add. */
  add_attributes?: readonly GivenAttribute[]
  /** Names of attributes to drop. */
  drop_attributes?: readonly string[]
  /** Enumerations to add. Since format 20. */
  add_enumerations?: readonly GivenEnumeration[]
  /** Enumerations that get values behind those that they have. Since format 20. */
  extend_enumerations?: readonly ExtendedEnumeration[]
  /** Names of enumerations to drop. Since format 20. */
  drop_enumerations?: readonly string[]
  /** `[lo, hi]` by dimension; it may only grow. Since format 22. */
  current_domain?: Record<string, ValueRange>
  /** The version that the array is upgraded to. */
  format_version?: FormatVersion
}

export interface ExtendedEnumeration {
  /** Name. */
  name: string
  /** Values to add. */
  values: readonly CellValue[]
}

/** Changes key-value metadata of an array or group. Since format 4. */
export interface MetadataStep extends TimedStep {
  /** What is done. */
  step: 'metadata'
  /** Values by key: text, a number, true or false, several numbers, `{"base64": …}`, or `{"type": …, "value": …}`. */
  put?: Record<string, CellValue | GivenKeyValue>
  /** Keys to delete. */
  delete?: readonly string[]
}

/** A value of metadata with its type. */
export interface GivenKeyValue {
  type: Datatype
  value: CellValue
  /** Number of values, or of bytes of text; not looked at. */
  value_num?: Count
}

/** Changes the members of a group; makes the group if none is there. */
export interface GroupStep extends TimedStep {
  /** What is done. */
  step: 'group'
  /** Members to add. */
  add?: readonly GivenMember[]
  /** Names of members to remove; URIs of those without a name. */
  remove?: readonly string[]
  /** Version of the format that the group is written in: before 12 it lists no members (22). */
  format_version?: FormatVersion
}

export interface GivenMember {
  /** Where it is, from the group or absolute. */
  uri: string
  /** Name in the group. */
  name?: string
  /** What it is; found out if it is there. */
  type?: 'array' | 'group'
  /** Whether the URI is relative to the group (true). */
  relative?: boolean
}

/** A schema as `schema --json` prints it. Most keys may be left out, and have the defaults of TileDB then. */
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
  /** Filters of dimensions that have none of their own (`ZSTD`). */
  coords_filters?: GivenPipeline
  /** Filters of the offsets of var-sized cells (`ZSTD`). */
  offsets_filters?: GivenPipeline
  /** Filters of the validity of nullable attributes (`RLE`). */
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

/** A filter with those of its options that have other values than TileDB's defaults. */
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
