/**
 * Reads TileDB arrays, fragments and groups without the TileDB library.
 *
 * ```js
 * import { openArray } from 'tiledb-inspect'
 * const array = await openArray('path/to/array')
 * for (const { name, visible } of await array.fragments()) console.log(name, visible)
 * ```
 *
 * What stands here is all that is promised; an object may carry more, which can change with any release.
 */
import process from 'node:process'
import { InspectError } from './base/errors.ts'
import type { Result } from './base/result.ts'
import { FragmentCells as Cells } from './cells/fragment-cells.ts'
import { batchRows, columnValue } from './cells/rows.ts'
import type { CellsWanted, Fragment, FragmentCells, InspectArray, InspectGroup, Target } from './library.ts'
import { localStorage } from './node/file.ts'
import { parseKey } from './node/key.ts'
import { nodeCodecs } from './node/node-codecs.ts'
import { isRemotePath, refuseOtherSchemes, remoteTarget } from './source/remote/urls.ts'
import type { Storage } from './source/source.ts'
import { Fragment as OpenedFragment } from './store/fragment.ts'
import { readContext } from './store/generic-tile.ts'
import { openTarget, withArticle } from './store/target.ts'

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
export type { CellsWanted, Fragment, FragmentCells, InspectArray, InspectGroup, Target } from './library.ts'
export { MemorySource, MemoryStorage } from './source/memory.ts'
export type { ByteSource, Entry, Storage } from './source/source.ts'
export type { FragmentEntry, FragmentState, SchemaFile } from './store/array.ts'
export type { FieldFile, FragmentInfo } from './store/fragment.ts'

export interface OpenOptions {
  /** AES-256-GCM key of an encrypted array: 32 bytes, or text as `--key` takes it. */
  key?: Uint8Array | string
  /** Where paths lead; unless given, the local file system, and for `s3://`, `http://` and `https://` the network. */
  storage?: Storage
  /** Whether requests to S3 are signed with the credentials that the environment leads to (true). */
  signRequests?: boolean
  /** Told what is worth knowing of a network, such as a server that sends whole files. */
  onNote?: (text: string) => void
}

/**
 * Opens whatever stands at `path`: a local path, or a URL as the command line takes it (`s3://bucket/array`, with the settings of the
 * environment: docs/remote.md).
 * @throws InspectError NOT_FOUND, NOT_TILEDB; USAGE for URLs of other schemes
 */
export async function open(path: string, options: OpenOptions = {}): Promise<Target> {
  const { key } = options
  const bytes = typeof key === 'string' ? new TextEncoder().encode(key) : key
  const place = await placeOf(path, options)
  return openTarget(place.storage, place.path, readContext(nodeCodecs, bytes && parseKey(bytes, 'key')))
}

async function placeOf(path: string, options: OpenOptions): Promise<{ storage: Storage; path: string }> {
  const { storage, signRequests = true, onNote } = options
  if (storage) return { storage, path }
  refuseOtherSchemes(path)
  // TileDB takes the path of a file:// URL as it is.
  if (!isRemotePath(path)) return { storage: localStorage, path: path.replace(/^file:\/\/(localhost)?(?=\/)/, '') }
  const { openPlaces } = await import('./source/remote/places.ts')
  const note = onNote ?? (() => {})
  const { storage: remote, given } = openPlaces(localStorage, [path], {
    env: process.env,
    signRequests,
    note,
    show: undefined,
  })
  return { storage: remote, path: remoteTarget(given[0]).path }
}

/** Opens an array. @throws InspectError WRONG_TARGET where something else stands there; as {@link open} */
export async function openArray(path: string, options?: OpenOptions): Promise<InspectArray> {
  const target = await open(path, options)
  if (target.type === 'array') return target.array
  throw wrongTarget('an array', target, path)
}

/** Opens a fragment by its folder. @throws InspectError WRONG_TARGET where something else stands there; as {@link open} */
export async function openFragment(path: string, options?: OpenOptions): Promise<Fragment> {
  const target = await open(path, options)
  if (target.type === 'fragment') return target.fragment
  throw wrongTarget('a fragment', target, path)
}

/** Opens a group. @throws InspectError WRONG_TARGET where something else stands there; as {@link open} */
export async function openGroup(path: string, options?: OpenOptions): Promise<InspectGroup> {
  const target = await open(path, options)
  if (target.type === 'group') return target.group
  throw wrongTarget('a group', target, path)
}

function wrongTarget(expected: string, { type }: Target, path: string): InspectError {
  const file = isRemotePath(path) ? path.replace(/\?.*$/s, '').replace(/\/\/[^/]*@/, '//') : path
  return new InspectError('WRONG_TARGET', `expected ${expected}, found ${withArticle(type)}`, { file })
}

/**
 * The cells of a fragment as columns of bytes, tile by tile in stored order: fixed-sized cells back to back, var-sized ones with where
 * each starts, validity as one byte a cell.
 * @throws InspectError USAGE for a field that the fragment does not have
 */
export function openCells(fragment: Fragment, selection: CellsWanted = {}): Promise<FragmentCells> {
  return Cells.open(opened(fragment), selection)
}

/**
 * The cells of a fragment in stored order, as objects by field: dimensions, attributes, then `__timestamps` and the like. 64-bit
 * integers are bigint, text is a string, dates are ISO text (`raw`: as stored), several values an array, bytes a Uint8Array.
 * Memory holds one tile. {@link openCells} gives the same as columns.
 * @throws InspectError USAGE for a field that the fragment does not have; whatever is wrong with the files
 */
export async function* readCells(
  fragment: Fragment,
  { raw = false, ...selection }: CellsWanted & { raw?: boolean } = {},
): AsyncGenerator<{ [field: string]: Result }> {
  const cells = await Cells.open(opened(fragment), selection)
  const { columns } = cells
  const values = columns.map((column) => columnValue(column, { raw }))
  const all = columns.map((_, i) => i)
  try {
    for await (const batch of cells.batches()) yield* batchRows(batch, columns, values, all)
  } finally {
    await cells.close()
  }
}

function opened(fragment: Fragment): OpenedFragment {
  if (fragment instanceof OpenedFragment) return fragment
  throw new TypeError('expected a fragment that this library opened')
}
