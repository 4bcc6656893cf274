import { InspectError } from '../base/errors.ts'
import { groupBy } from '../base/group-by.ts'
import { atOnce, inOrder } from '../base/in-order.ts'
import { sizeText } from '../base/sizes.ts'
import type { DamagedFile } from '../documents/common.ts'
import type { TileRead } from '../explain/plan.ts'
import { fragmentFileSizes } from '../objects/file-sizes.ts'
import type { FieldFile, Fragment } from '../objects/fragment.ts'
import type { OpenedArray } from '../read/query.ts'

/** The data files that are missing or too short, so that readers fail. @param onDisk bytes of the files that exist, by name */
export function damagedFiles(files: readonly FieldFile[], onDisk: ReadonlyMap<string, number>): DamagedFile[] {
  const damaged: DamagedFile[] = []
  for (const { name, size: listed_size } of files) {
    const size = onDisk.get(name) ?? null
    if ((size ?? 0) < listed_size) damaged.push({ name, listed_size, size })
  }
  return damaged
}

/** The error for the first of some damaged files, with the number of the others. */
export function damagedFault(
  { folder }: Fragment,
  [{ name, listed_size, size }, ...more]: readonly DamagedFile[],
): InspectError {
  const others = more.length === 0 ? '' : ` (and ${more.length} more files of the fragment)`
  const [code, found] =
    size === null ? (['MISSING_FILE', 'no such file'] as const) : (['TRUNCATED', `${size} bytes`] as const)
  const message = `expected the file ${name}, which the metadata lists with ${sizeText(listed_size)} bytes; found ${found}${others}`
  return new InspectError(code, message, { file: size === null ? folder.path : `${folder.path}/${name}` })
}

/** A damaged file of a field. */
interface DamagedFieldFile extends DamagedFile {
  fragment: Fragment
  field: string
}

/** The damaged files among those that a read needs. Only listings and sizes are read. */
export async function damagedFilesOf(
  { array, fragments }: OpenedArray,
  reads: readonly TileRead[],
): Promise<DamagedFieldFile[]> {
  const byFragment = groupBy(reads, (read) => read.fragment)
  const examine = async ([index, fragmentReads]: [number, TileRead[]]): Promise<DamagedFieldFile[]> => {
    const { fragment, info } = fragments[index]
    const slots = new Set(fragmentReads.map(({ slot }) => slot))
    const files = (await fragment.fieldFiles()).filter((file) => slots.has(file.slot))
    const { path, storage } = fragment.folder
    // If the storage can give sizes at once, that is faster than a listing.
    const isThere = ({ name, size }: FieldFile): boolean => (storage.fileSize?.(`${path}/${name}`) ?? -1) >= size
    if (files.every(isThere)) return []
    const onDisk = await fragmentFileSizes(fragment)
    return files.flatMap((file) =>
      damagedFiles([file], onDisk).map((one) => ({ ...one, fragment, field: info.slots[file.slot].name })),
    )
  }
  const damaged: DamagedFieldFile[] = []
  for await (const some of inOrder(byFragment, atOnce(array.folder), examine)) damaged.push(...some)
  return damaged
}
