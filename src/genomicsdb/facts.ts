import { InspectError, orError } from '../base/errors.ts'
import { CALLSET_FILE, FRAGMENT_LIST_FILE, HEADER_FILE, VIDMAP_FILE } from '../format/genomicsdb/names.ts'
import { type Folder, withSource } from '../storage/source.ts'
import type { GenomicsdbArray, GenomicsdbFragmentFolder } from './array.ts'
import { END } from './call-fields.ts'
import { FragmentColumns, placeFields } from './calls.ts'
import { type ColumnFile, columnFiles, columnTiles } from './column-file.ts'
import { type GenomicsdbFragment, openGenomicsdbFragment } from './fragment.ts'
import type { IntervalMeta } from './maps.ts'
import { int64Numbers, least, mergedCalls, most } from './merge.ts'
import { type FragmentFolderState, folderState, type Interval, type Workspace } from './workspace.ts'

/** What a listing says of a folder of a fragment. Counts are undefined if its book-keeping cannot be read. */
export interface FolderFacts {
  name: string
  path: string
  state: FragmentFolderState
  time: bigint | undefined
  size: number
  tile_num: number | undefined
  cell_num: number | undefined
  /** First and last row, and column, by its boxes. */
  rows: readonly [number, number] | undefined
  columns: readonly [number, number] | undefined
  fault: InspectError | undefined
  /** Files that are missing. */
  missing: readonly InspectError[]
}

export interface IntervalFacts {
  interval: Interval
  folders: readonly FolderFacts[]
  /** Bytes outside of its fragments. */
  other_size: number
  /** Undefined if the folder of their files cannot be listed. */
  batch_num: number | undefined
  /** First and last column of a partition, whose name does not tell them. Undefined if its metadata does not, either. */
  bounds: IntervalMeta['bounds']
  schema_version: number | undefined
  field_num: number | undefined
  /** Why its schema cannot be read. */
  fault: InspectError | undefined
}

/** Looks at the folders and the book-keeping of an interval. Reads no cells. */
export async function intervalFacts(interval: Interval): Promise<IntervalFacts> {
  const array = await orError(() => interval.array())
  const batches = await orError(() => interval.batchNum())
  const meta = interval.place ? undefined : await orError(() => interval.meta())
  const folders: FolderFacts[] = []
  const isFault = array instanceof InspectError
  // The same for all fragments.
  const files = filesByName(array)
  for (const one of await interval.folders()) folders.push(await folderFacts(array, files, one))
  return {
    interval,
    folders,
    other_size: await filesSize(interval.folder, await interval.entries()),
    batch_num: batches instanceof InspectError ? undefined : batches,
    bounds: meta instanceof InspectError ? undefined : meta?.bounds,
    schema_version: isFault ? undefined : (array.schema.version ?? 0),
    field_num: isFault ? undefined : array.fields.filter(({ name }) => name !== END).length - 1,
    fault: isFault ? array : undefined,
  }
}

/** The files that a fragment of an array has. None if the schema cannot be read. */
export function filesByName(array: GenomicsdbArray | InspectError): ReadonlyMap<string, ColumnFile> {
  return new Map(array instanceof InspectError ? [] : columnFiles({ array }).map((file) => [file.name, file]))
}

/**
 * Looks at a folder and its book-keeping.
 * @param array the error, if the schema cannot be read
 * @param files those of {@link filesByName}
 */
export async function folderFacts(
  array: GenomicsdbArray | InspectError,
  files: ReadonlyMap<string, ColumnFile>,
  one: GenomicsdbFragmentFolder,
): Promise<FolderFacts> {
  const opened = array instanceof InspectError ? undefined : await orError(() => openedFragment(array, one))
  const fault = opened instanceof InspectError ? opened : undefined
  const known = opened instanceof InspectError ? undefined : opened
  return {
    ...{ name: one.name, path: one.folder.path, state: folderState(one), time: one.time, fault },
    size: await filesSize(one.folder, one.entries),
    tile_num: known?.fragment.tile_num,
    cell_num: known?.fragment.cell_num,
    missing: known ? await missingFiles(known.fragment, files) : [],
    rows: known?.rows,
    columns: known?.columns,
  }
}

async function openedFragment(
  array: GenomicsdbArray,
  one: GenomicsdbFragmentFolder,
): Promise<{ fragment: GenomicsdbFragment } & Pick<FolderFacts, 'rows' | 'columns'>> {
  const fragment = await openGenomicsdbFragment(array, one)
  return { fragment, ...boxOf(fragment) }
}

/** The faults of files that are not there. A file that would have no bytes need not exist. */
async function missingFiles(
  fragment: GenomicsdbFragment,
  files: ReadonlyMap<string, ColumnFile>,
): Promise<InspectError[]> {
  const there = fragment.entries.filter(({ name, kind }) => kind === 'file' && files.has(name))
  if (there.length === files.size) return []
  const faults: InspectError[] = []
  for (const [name, file] of files) {
    if (there.some((entry) => entry.name === name)) continue
    const tiles = await orError(() => columnTiles(fragment, file))
    if (tiles instanceof InspectError) faults.push(tiles)
  }
  return faults
}

/** The box around the cells of a fragment. @throws InspectError of {@link int64Numbers} */
function boxOf({ book, tile_num }: GenomicsdbFragment): Pick<FolderFacts, 'rows' | 'columns'> {
  if (tile_num === 0) return { rows: undefined, columns: undefined }
  const ends = (one: number): Float64Array => int64Numbers(book.mbrs, tile_num, one, 4, 'mbrs')
  return { rows: [least(ends(0)), most(ends(1))], columns: [least(ends(2)), most(ends(3))] }
}

/** Bytes of the files that lie directly in a folder. */
export async function filesSize(folder: Folder, entries: Awaited<ReturnType<Folder['list']>>): Promise<number> {
  let sum = 0
  for (const { name, kind, size } of entries) {
    if (kind !== 'file') continue
    const known = size ?? folder.storage.fileSize?.(`${folder.path}/${name}`)
    sum += known ?? (await withSource(folder.file(name), (source) => source.size()))
  }
  return sum
}

/** Number of calls of an interval by their rows, all fragments merged. @throws InspectError if they cannot be read */
export async function callsByRow(interval: Interval): Promise<Map<number, number>> {
  const counts = new Map<number, number>()
  const array = await interval.array()
  const fragments: GenomicsdbFragment[] = []
  for (const one of await interval.fragments()) fragments.push(await openGenomicsdbFragment(array, one))
  const fields = fragments[0] && placeFields(fragments[0])
  if (!fields) return counts
  const merged = fragments.map((fragment) => new FragmentColumns(fragment))
  for await (const runs of mergedCalls(merged, fields, {}))
    for (const { tile, from, count } of runs)
      for (const row of tile.places.rows.subarray(from, from + count)) counts.set(row, (counts.get(row) ?? 0) + 1)
  return counts
}

/** What shows an import that did not end. */
export type ImportSign = 'list' | 'callset' | 'folder'

/** What is known of the last import of a workspace. */
export interface ImportFacts {
  signs: readonly ImportSign[]
  /** Fragments that readers see, though the import that wrote them did not end. */
  fresh: readonly FolderFacts[]
  /** When the workspace was last changed, in milliseconds since 1970, as far as its folders tell it. */
  changed: number
}

/** Finds out whether an import did not end. */
export async function importFacts(workspace: Workspace, intervals: readonly IntervalFacts[]): Promise<ImportFacts> {
  const listed = await orError(() => workspace.fragmentList())
  const names = listed instanceof InspectError || !listed ? undefined : new Set(listed)
  const folders = intervals.flatMap((one) => one.folders)
  // An empty folder is what a consolidation of nothing leaves.
  const unfinished = folders.filter(({ state, size }) => state === 'unfinished' && size > 0)
  const signs: ImportSign[] = []
  if (await workspace.hasFile(FRAGMENT_LIST_FILE)) signs.push('list')
  // The importer of GATK writes `callset.json` last. Other loaders keep all maps elsewhere.
  const [hasCallset, ...hasOthers] = await Promise.all(
    [CALLSET_FILE, VIDMAP_FILE, HEADER_FILE].map((name) => workspace.hasFile(name)),
  )
  if (!hasCallset && hasOthers.includes(true)) signs.push('callset')
  if (unfinished.length > 0) signs.push('folder')
  const { storage, path } = workspace.folder
  const watched = [path, ...intervals.map(({ interval }) => interval.folder.path), ...unfinished.map((one) => one.path)]
  return {
    signs,
    fresh: names ? folders.filter(({ state, name }) => state === 'read' && !names.has(name)) : [],
    changed: watched.reduce((last, one) => Math.max(last, storage.modified?.(one) ?? 0), 0),
  }
}
