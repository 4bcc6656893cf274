/**
 * Reads TileDB arrays, fragments and groups without the TileDB library.
 *
 * ```js
 * import { openArray } from 'tiledb-inspect'
 * const array = await openArray('path/to/array')
 * for (const { name, visible } of await array.fragments()) console.log(name, visible)
 * ```
 */
import type { InspectArray } from './array.ts'
import { type CellSelection, FragmentCells } from './cells/fragment-cells.ts'
import { batchRows, columnValue } from './cells/rows.ts'
import { InspectError } from './errors.ts'
import type { Fragment } from './fragment.ts'
import { readContext } from './generic-tile.ts'
import type { InspectGroup } from './group.ts'
import type { Result } from './render/result.ts'
import { localStorage } from './source/file.ts'
import { parseKey } from './source/key.ts'
import { nodeCodecs } from './source/node-codecs.ts'
import type { Storage } from './source/source.ts'
import { openTarget, type Target, withArticle } from './target.ts'

export { type FragmentEntry, type FragmentState, InspectArray, type SchemaFile } from './array.ts'
export type { CellBatch, ColumnData, ColumnType } from './cells/column.ts'
export { type CellSelection, FragmentCells } from './cells/fragment-cells.ts'
export { ERROR_CODES, type ErrorCode, type ErrorPlace, InspectError } from './errors.ts'
export type { ArraySchema } from './format/array-schema.ts'
export type { Attribute } from './format/attribute.ts'
export type { Datatype } from './format/datatype.ts'
export type { Dimension } from './format/dimension.ts'
export type { FragmentFooter } from './format/fragment-footer.ts'
export type { NDRange, Range } from './format/range.ts'
export { leafLevel, mbrAt, type RTree, type RTreeLevel } from './format/rtree.ts'
export { cellValue } from './format/value.ts'
export { type FieldFile, Fragment, type FragmentInfo, storedCellNum } from './fragment.ts'
export { InspectGroup } from './group.ts'
export type { Result } from './render/result.ts'
export { MemorySource, MemoryStorage } from './source/memory.ts'
export type { ByteSource, Entry, Storage } from './source/source.ts'
export type { Target } from './target.ts'

export interface OpenOptions {
  /** AES-256-GCM key of an encrypted array: 32 bytes, or text as `--key` takes it. */
  key?: Uint8Array | string
  /** Where paths lead; the local file system unless given. */
  storage?: Storage
}

/**
 * Opens whatever stands at `path`.
 * @throws InspectError NOT_FOUND, NOT_TILEDB
 */
export function open(path: string, options: OpenOptions = {}): Promise<Target> {
  const { key, storage = localStorage } = options
  const bytes = typeof key === 'string' ? new TextEncoder().encode(key) : key
  return openTarget(storage, path, readContext(nodeCodecs, bytes && parseKey(bytes, 'key')))
}

/** Opens an array. @throws InspectError WRONG_TARGET where something else stands there */
export async function openArray(path: string, options?: OpenOptions): Promise<InspectArray> {
  const target = await open(path, options)
  if (target.type === 'array') return target.array
  throw new InspectError('WRONG_TARGET', `expected an array, found ${withArticle(target.type)}`, { file: path })
}

/** Opens a fragment by its folder. @throws InspectError WRONG_TARGET where something else stands there */
export async function openFragment(path: string, options?: OpenOptions): Promise<Fragment> {
  const target = await open(path, options)
  if (target.type === 'fragment') return target.fragment
  throw new InspectError('WRONG_TARGET', `expected a fragment, found ${withArticle(target.type)}`, { file: path })
}

/** Opens a group. @throws InspectError WRONG_TARGET where something else stands there */
export async function openGroup(path: string, options?: OpenOptions): Promise<InspectGroup> {
  const target = await open(path, options)
  if (target.type === 'group') return target.group
  throw new InspectError('WRONG_TARGET', `expected a group, found ${withArticle(target.type)}`, { file: path })
}

/**
 * The cells of a fragment in stored order, as objects by field: dimensions, attributes, then `__timestamps` and the like. 64-bit
 * integers are bigint, text is a string, dates are ISO text (`raw`: as stored), several values an array, bytes a Uint8Array.
 * Memory holds one tile. {@link FragmentCells} gives the same as columns.
 * @throws InspectError USAGE for a field that the fragment does not have; whatever is wrong with the files
 */
export async function* readCells(
  fragment: Fragment,
  { raw = false, ...selection }: CellSelection & { raw?: boolean } = {},
): AsyncGenerator<{ [field: string]: Result }> {
  const cells = await FragmentCells.open(fragment, selection)
  const { columns } = cells
  const values = columns.map((column) => columnValue(column, { raw }))
  const all = columns.map((_, i) => i)
  try {
    for await (const batch of cells.batches()) yield* batchRows(batch, columns, values, all)
  } finally {
    await cells.close()
  }
}
