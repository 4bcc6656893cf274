import { element } from '../base/element.ts'
import { FRAGMENT_METADATA_FILE } from '../format/fragment-footer.ts'
import { type Entry, type Folder, withSource } from '../storage/source.ts'
import { type FieldFile, type Fragment, type FragmentInfo, storedCellNum } from './fragment.ts'

/** Bytes of the offset of a var-sized cell. */
const OFFSET_BYTES = 8

/** {@link unfilteredFileSize}, if the footer tells. It does not for var-sized values since version 3. */
export function unfilteredSizeByFooter(info: FragmentInfo, file: FieldFile): number | undefined {
  const slot = element(info.slots, file.slot)
  if (file.role === 'var') return info.v1 && sum(info.v1.tile_var_sizes[file.slot]?.values)
  const cells = storedCellNum(info)
  if (file.role === 'validity') return cells
  return cells * (slot.varSized ? OFFSET_BYTES : slot.cellSize)
}

/** Unfiltered bytes of a file's tiles. Reads the list of the sizes of var tiles if needed. */
export async function unfilteredFileSize(fragment: Fragment, file: FieldFile): Promise<number> {
  const known = unfilteredSizeByFooter(await fragment.info(), file)
  return known ?? sum(await fragment.offsets('tile_var_sizes', file.slot))
}

function sum(values: Float64Array | undefined): number {
  let total = 0
  for (const value of values ?? []) total += value
  return total
}

/**
 * Sizes in bytes of a folder's files, by name.
 * @param entries entries of the folder, if they are known
 */
export async function fileSizes(folder: Folder, entries?: readonly Entry[]): Promise<Map<string, number>> {
  const sizes = new Map<string, number>()
  const asked: Promise<unknown>[] = []
  for (const entry of entries ?? (await folder.list())) {
    const { name, kind } = entry
    if (kind !== 'file') continue
    const size = entrySize(folder, entry)
    // Set now, so that names keep the order of the entries even if the size comes later.
    sizes.set(name, typeof size === 'number' ? size : 0)
    if (typeof size !== 'number') asked.push(size.then((found) => sizes.set(name, found)))
  }
  await Promise.all(asked)
  return sizes
}

/** Sizes in bytes of the files in a fragment's folder, by name. */
export async function fragmentFileSizes(fragment: Fragment): Promise<Map<string, number>> {
  const found = fileSizesSync(fragment)
  if (found) return found
  const entries = (await fragment.entries()).map((entry) =>
    entry.name === FRAGMENT_METADATA_FILE ? { ...entry, size: entry.size ?? fragment.metadataSize } : entry,
  )
  return fileSizes(fragment.folder, entries)
}

/** {@link fragmentFileSizes}, found synchronously as by {@link Storage.listSized}. If the result is undefined, they may still be found. */
export function fileSizesSync({ folder, metadataSize }: Fragment): Map<string, number> | undefined {
  const known = metadataSize === undefined ? undefined : { name: FRAGMENT_METADATA_FILE, size: metadataSize }
  const entries = folder.storage.listSized?.(folder.path, known)
  if (!entries) return undefined
  const sizes = new Map<string, number>()
  for (const { name, kind, size } of entries) {
    if (kind !== 'file') continue
    if (size === undefined) return undefined
    sizes.set(name, size)
  }
  return sizes
}

/** Bytes of one file. Asks the storage only if the listing did not give the size. */
export function entrySize(folder: Folder, { name, size }: Entry): number | Promise<number> {
  const found = size ?? folder.storage.fileSize?.(`${folder.path}/${name}`)
  return found ?? withSource(folder.file(name), (source) => source.size())
}

/** `unfiltered` divided by `stored`, rounded to four decimal places. `stored` must not be 0. */
export function ratioOf(unfiltered: number, stored: number): number {
  return Math.round((unfiltered / stored) * 10_000) / 10_000
}
