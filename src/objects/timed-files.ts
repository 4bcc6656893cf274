import { ERROR_CODES, InspectError, orError, unlessDamaged } from '../base/errors.ts'
import { atOnce, inOrder } from '../base/in-order.ts'
import { librarySort } from '../base/library-sort.ts'
import { rising } from '../base/rising.ts'
import { arrayMetadata } from '../format/array-metadata.ts'
import type { GenericTileHeader } from '../format/generic-tile.ts'
import type { Describe } from '../format/io.ts'
import { hasTimes, isTimedName, nameFacts } from '../format/timestamped-name.ts'
import { type ByteSource, type Entry, type Folder, withSource } from '../storage/source.ts'
import { oddCompressor, readGenericTileHeader, readTileFile } from './generic-tile.ts'
import type { ReadContext } from './read-context.ts'
import { isWithin } from './visibility.ts'

/** Whether the name of an entry of `__meta` or `__group` has another form than those that TileDB gives. */
export function isStray({ name, kind }: Entry): boolean {
  return kind !== 'file' || !(isTimedName(name) || name.endsWith('.vac')) || !hasTimes(name)
}

/**
 * Whether an opening of TileDB may fail because of an entry of `__meta`, or a reading of the metadata: a stray, a `.vac` file, whose lines
 * it takes for paths, or an empty file. check/key-values.ts finds out.
 */
export function isOdd(entry: Entry): boolean {
  return isPassedOver(entry) || entry.size === 0
}

/** Whether a reading of the metadata passes over an entry, or says nothing if it fails to read it. */
export function isPassedOver(entry: Entry): boolean {
  return isStray(entry) || entry.name.endsWith('.vac')
}

/**
 * The entries of `__meta` for which {@link isOdd} is true, and, where that costs no request, files that are empty, begin with no generic
 * tile, are not encrypted as the array is, begin with a tile that TileDB fails to open, or hold what is no metadata. Of many files, only
 * the first are read whole.
 */
export async function oddEntries(
  inside: Folder,
  entries: readonly Entry[],
  cx: ReadContext,
  encryption: () => Promise<GenericTileHeader['encryption_type']>,
): Promise<readonly Entry[]> {
  const odd: Entry[] = []
  let read = 0
  for (const entry of entries) {
    if (isOdd(entry)) odd.push(entry)
    else if (!inside.isRemote) {
      const file = inside.file(entry.name)
      const header = await withSource(file, readGenericTileHeader).catch(unlessDamaged)
      const isRefused =
        header === undefined || oddCompressor(header) !== undefined || header.encryption_type !== (await encryption())
      const isWhole = !isRefused && header.persisted_size <= LARGE_METADATA && read++ < MAX_METADATA
      if (isRefused || (isWhole && (await isDamaged(file, cx)))) odd.push(entry)
    }
  }
  return odd
}

/** Stored bytes from which on a file of metadata is not read only to know whether it can be, and the number of those that are. */
const LARGE_METADATA = 2 ** 16
const MAX_METADATA = 100

async function isDamaged(file: ByteSource, cx: ReadContext): Promise<boolean> {
  const fault = await orError<unknown>(() => readTileFile(file, arrayMetadata, cx))
  return fault instanceof InspectError && ERROR_CODES[fault.code] === 1
}

/**
 * Reads the files of `__meta` or `__group` that count now, in the order in which TileDB applies them: by their first
 * timestamp, sorted by {@link librarySort}. TileDB reads every file there, whatever its name, except `.vac` files. Damaged
 * files are skipped, and reported to the context at the end. Those with unusual names are not reported here, but by `check`.
 *
 * @param inside the folder
 * @param entries entries of the folder
 * @param gone names of vacuumed files, which do not count
 * @throws errors that are not damage; the first damage if there is no `onFault`, or if all files are damaged
 * @see tiledb/sm/array/array_directory.cc: load_array_meta_uris; tiledb/sm/group/group_directory.cc; measured with TileDB 2.30
 */
export async function* timedFiles<T>(
  inside: Folder,
  entries: readonly Entry[],
  cx: ReadContext,
  describe: Describe<T>,
  gone: ReadonlySet<string> = new Set(),
): AsyncGenerator<{ name: string; content: T }> {
  const found: { name: string; first: bigint }[] = []
  for (const entry of entries) {
    const { name, kind } = entry
    const times = nameFacts(name)?.timestamp_range
    const [first, last] = times ?? [1n, 0n]
    if (kind !== 'folder' && !name.endsWith('.vac') && !gone.has(name) && first <= last && isWithin([first, last], cx))
      found.push({ name, first })
  }
  found.sort((a, b) => rising(a.name, b.name))
  librarySort(found, ({ first }) => first)
  const read = (name: string): Promise<T> => readTileFile(inside.file(name), describe, cx)
  const files: { name: string; value?: Awaited<T> | undefined }[] = []
  for (const { name } of found) {
    const value = isTimedName(name) ? undefined : await read(name).catch(unlessDamaged)
    if (value !== undefined || isTimedName(name)) files.push({ name, value })
  }
  const { onFault } = cx
  const faults: InspectError[] = []
  const ifDamaged = (fault: unknown): InspectError => {
    if (onFault && fault instanceof InspectError && ERROR_CODES[fault.code] === 1) return fault
    throw fault
  }
  const contents = inOrder(files, atOnce(inside), async ({ name, value }) => ({
    name,
    content: value ?? (await read(name).catch(ifDamaged)),
  }))
  for await (const { name, content } of contents) {
    if (content instanceof InspectError) faults.push(content)
    else yield { name, content }
  }
  if (faults.length > 0 && faults.length === files.length) throw faults[0]
  for (const fault of faults) onFault?.(fault)
}
