import type { Result } from './base/result.ts'
import type { CellBatch, ColumnType } from './cells/column.ts'
import { type CellSelection, FragmentCells as CellsOfFragment } from './cells/fragment-cells.ts'
import { batchRows, columnValue } from './cells/rows.ts'
import type { MetadataEntry } from './format/array-metadata.ts'
import type { ArraySchema } from './format/array-schema.ts'
import type { Enumeration } from './format/enumeration.ts'
import type { SlotStatistics } from './format/fragment-min-max-sum-null-count.ts'
import type { GroupMember } from './format/group-details.ts'
import type { OffsetsList } from './format/metadata-sections.ts'
import type { RTree } from './format/rtree.ts'
import type { TileMinMax } from './format/tile-min-max.ts'
import type { ArrayCells, ReadOptions } from './read/array-cells.ts'
import type { CellVersion, CellWanted, HistoryOptions } from './read/array-history.ts'
import type { ColumnValues } from './render/collect-columns.ts'
import { type FragmentEntry, InspectArray as OpenedArray, type SchemaFile } from './store/array.ts'
import { type FieldFile, type FragmentInfo, Fragment as OpenedFragment } from './store/fragment.ts'

export { ERROR_CODES, type ErrorCode, type ErrorPlace, InspectError } from './base/errors.ts'
export type { Result } from './base/result.ts'
export type { CellBatch, ColumnData, ColumnType } from './cells/column.ts'
export type { MetadataEntry } from './format/array-metadata.ts'
export type { ArraySchema } from './format/array-schema.ts'
export type { Attribute } from './format/attribute.ts'
export type { Datatype } from './format/datatype.ts'
export type { Dimension } from './format/dimension.ts'
export type { Enumeration } from './format/enumeration.ts'
export type { FragmentFooter } from './format/fragment-footer.ts'
export type { SlotStatistics } from './format/fragment-min-max-sum-null-count.ts'
export type { GroupMember } from './format/group-details.ts'
export type { OffsetsList } from './format/metadata-sections.ts'
export type { NDRange, Range } from './format/range.ts'
export { leafLevel, mbrAt, type RTree, type RTreeLevel } from './format/rtree.ts'
export type { TileMinMax } from './format/tile-min-max.ts'
export { cellValue } from './format/value.ts'
export type { ArrayCells, RangeEnd, ReadOptions, ReadTime, ReadTimes, WantedRange } from './read/array-cells.ts'
export type { CellVersion, CellWanted, HistoryOptions, VersionHiddenBy } from './read/array-history.ts'
export type { VersionState } from './read/history.ts'
export type { ReadOrder } from './read/query.ts'
export type { ColumnValues } from './render/collect-columns.ts'
export { type DirectoryHandle, type FileContent, folderStorage, type ListedFile } from './source/folder-storage.ts'
export { MemorySource, MemoryStorage } from './source/memory.ts'
export type { ByteSource, Entry, Storage } from './source/source.ts'
export type { FragmentEntry, FragmentState, SchemaFile } from './store/array.ts'
export type { FieldFile, FragmentInfo } from './store/fragment.ts'

/**
 * The part of the library that all entries share: how its users see an array, a fragment and a group. Nothing is read until
 * it is asked for, and what was read is kept. Every call may throw an InspectError with the code, file, offset and field of
 * the fault. Sizes and offsets are in bytes, times in milliseconds since 1970.
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

/** Cells as columns of bytes, batch by batch. */
export interface Cells {
  /** In the order of {@link CellBatch.columns}. */
  readonly columns: readonly ColumnType[]
  /** From the first cell on, each time. */
  batches(): AsyncGenerator<CellBatch>
}

/** The cells of a fragment: a batch is a tile, or a part of a large one, in stored order; memory holds one. */
export interface FragmentCells extends Cells {
  close(): Promise<void>
}

/** Which cells to read. */
export type CellsWanted = Pick<CellSelection, 'fields' | 'tiles' | 'skipTile'>

/**
 * The cells of a fragment as columns of bytes, tile by tile in stored order. Fixed-sized cells lie back to back. Var-sized
 * cells come with the start of each. Validity is one byte per cell.
 * @throws InspectError USAGE if the fragment does not have a selected field
 */
export function openCells(fragment: Fragment, selection: CellsWanted = {}): Promise<FragmentCells> {
  return CellsOfFragment.open(opened(fragment), selection)
}

/**
 * The cells of an array as TileDB returns them, all fragments merged: newer cells hide older ones, deleted cells are left out,
 * and attributes that were added later have fill values. Memory does not grow with the array.
 * @throws InspectError USAGE for a field, dimension, order, value or condition that does not fit the array; MISSING_FILE
 */
export async function readArray(array: InspectArray, options: ReadOptions = {}): Promise<ArrayCells> {
  return (await import('./read/array-cells.ts')).openArrayCells(openedArray(array), options)
}

/**
 * Every version of a cell, oldest first: what each fragment on disk holds of it, and what a read makes of it. Of a cell without
 * versions the list is empty.
 * @param cell a value for each dimension: `{ station: 1, day: 7 }`
 * @throws InspectError USAGE for a field, dimension or value that does not fit the array
 */
export async function cellHistory(
  array: InspectArray,
  cell: CellWanted,
  options: HistoryOptions = {},
): Promise<CellVersion[]> {
  return (await import('./read/array-history.ts')).versionsOfCell(openedArray(array), cell, options)
}

/**
 * Cells as objects with one key per field: of a fragment in stored order, or of {@link readArray}. First dimensions, then
 * attributes, then `__timestamps` and the like. 64-bit integers are bigint, text is a string, dates are ISO text (with `raw`:
 * as stored), several values an array, and bytes a Uint8Array. Memory holds one batch.
 * @param selection of a fragment's cells only
 * @throws InspectError USAGE if the fragment does not have a selected field; any fault of the files
 */
export async function* readCells(
  from: Fragment | Cells,
  { raw = false, ...selection }: CellsWanted & { raw?: boolean } = {},
): AsyncGenerator<{ [field: string]: Result }> {
  const own = 'batches' in from ? undefined : await CellsOfFragment.open(opened(from), selection)
  const cells = own ?? (from as Cells)
  const { columns } = cells
  const values = columns.map((column) => columnValue(column, { raw }))
  const all = columns.map((_, i) => i)
  try {
    for await (const batch of cells.batches()) yield* batchRows(batch, columns, values, all)
  } finally {
    await own?.close()
  }
}

/**
 * All cells in typed arrays, one a column, by its name: a Float32Array for FLOAT32, a BigInt64Array for INT64 and dates, and so
 * on. Memory holds all of them.
 * @param cells are read to their end, and not closed
 * @throws InspectError any fault of the files
 */
export async function collectColumns(cells: Cells): Promise<Map<string, ColumnValues>> {
  return (await import('./render/collect-columns.ts')).collectColumns(cells.columns, cells.batches())
}

/**
 * Writes cells as an Arrow IPC stream, as `decode --format arrow` does: memory holds a batch. Dates are timestamps, text is
 * UTF-8, null cells are nulls.
 * @param cells are read to their end, and not closed
 * @param write gets the stream piece by piece, each memory of its own; the next comes when what it returns has resolved
 * @throws InspectError BAD_VALUE for invalid text; TOO_LARGE for 2 GiB in a column of a tile; any fault of the files
 */
export async function writeArrowStream(
  cells: Cells,
  write: (piece: Uint8Array) => Promise<void> | void,
): Promise<void> {
  const { writeArrow } = await import('./render/arrow.ts')
  // Large pieces are parts of the batch.
  const out = {
    write: (piece: string | Uint8Array) => write((piece as Uint8Array).slice()),
    columns: undefined,
    color: false,
  }
  await writeArrow({ columns: cells.columns, batches: cells.batches() }, out, { file: false, raw: false })
}

function openedArray(array: InspectArray): OpenedArray {
  if (array instanceof OpenedArray) return array
  throw new TypeError('expected an array that this library opened')
}

function opened(fragment: Fragment): OpenedFragment {
  if (fragment instanceof OpenedFragment) return fragment
  throw new TypeError('expected a fragment that this library opened')
}
