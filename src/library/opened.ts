import type { MetadataEntry } from '../format/array-metadata.ts'
import type { ArraySchema } from '../format/array-schema.ts'
import type { Enumeration } from '../format/enumeration.ts'
import type { SlotStatistics } from '../format/fragment-min-max-sum-null-count.ts'
import type { GroupMember } from '../format/group-details.ts'
import type { OffsetsList } from '../format/metadata-sections.ts'
import type { RTree } from '../format/rtree.ts'
import type { TileMinMax } from '../format/tile-min-max.ts'
import type { FragmentEntry, SchemaFile } from '../objects/array.ts'
import type { FieldFile, FragmentInfo } from '../objects/fragment.ts'

/**
 * How users of the library see an array, a fragment and a group. Nothing is read until it is asked for, and what was read is
 * kept. Every call may throw an InspectError with the code, file, offset and field of the fault. Sizes and offsets are in
 * bytes, times in milliseconds since 1970.
 */

/** A TileDB array. */
export interface InspectArray {
  /** All fragment folders, oldest first, whether TileDB lists them or not: see {@link FragmentEntry.state}. */
  fragments(): Promise<FragmentEntry[]>
  /** A fragment by its path in the array, as in {@link FragmentEntry.path}. */
  fragment(path: string): Fragment
  /** All schema files, oldest first. */
  schemaFiles(): Promise<SchemaFile[]>
  /** The schema of a file, by its name. @throws InspectError NOT_FOUND */
  schema(name: string): Promise<ArraySchema>
  /** The current schema of the array. @throws InspectError MISSING_FILE */
  newestSchema(): Promise<{ file: SchemaFile; schema: ArraySchema }>
  /** The enumerations that a schema names, with their values as bytes. */
  enumerations(schema: ArraySchema): Promise<Enumeration[]>
  /** Current key-value metadata: the newest value of each key, as bytes. */
  metadata(): Promise<Map<string, MetadataEntry>>
  encryption(): Promise<'NO_ENCRYPTION' | 'AES_256_GCM'>
}

/** A fragment: one write to an array, or several that were consolidated. Its metadata file stays open until it is closed. */
export interface Fragment {
  /** Name of its folder. */
  readonly name: string
  /** Footer and schema: format version, non-empty domain, number of tiles, and the fields as `slots`. */
  info(): Promise<FragmentInfo>
  /** Bounding boxes of a sparse fragment's tiles. A dense fragment has an R-tree without levels. */
  rtree(): Promise<RTree>
  /**
   * One number per tile, by slot of {@link FragmentInfo.slots}; undefined if the format version or the slot has no such list.
   */
  offsets(list: OffsetsList, slot: number): Promise<Float64Array | undefined>
  /** Smallest or largest value of each tile, as bytes. */
  tileMinMax(which: 'min' | 'max', slot: number): Promise<TileMinMax | undefined>
  /** Sum of each tile: 8 bytes, INT64, UINT64 or FLOAT64 depending on the field's type. */
  tileSums(slot: number): Promise<Uint8Array | undefined>
  /** Minimum, maximum, sum and null count of each slot over the fragment. */
  statistics(): Promise<SlotStatistics[] | undefined>
  /** The data files that the metadata names, with the sizes that it gives. */
  fieldFiles(): Promise<FieldFile[]>
  close(): Promise<void>
}

/** A group of arrays and other groups. */
export interface InspectGroup {
  members(): Promise<GroupMember[]>
  /** Current key-value metadata, as bytes. */
  metadata(): Promise<Map<string, MetadataEntry>>
}

/** What was found at a path. */
export type Target =
  | { type: 'array'; path: string; array: InspectArray }
  | { type: 'fragment'; path: string; fragment: Fragment; array: InspectArray | undefined }
  | { type: 'group'; path: string; group: InspectGroup }
  | { type: 'file'; path: string; name: string; array: InspectArray | undefined; fragment: Fragment | undefined }
