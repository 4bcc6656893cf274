import { NO_BYTES } from '../base/bytes.ts'
import { unlessDamaged } from '../base/errors.ts'
import { FRAGMENT_METADATA_FILE } from '../format/fragment-footer.ts'
import type { InspectArray } from '../objects/array.ts'
import { fileSizes } from '../objects/file-sizes.ts'
import { Fragment } from '../objects/fragment.ts'
import { sameFiles } from '../objects/same-ranges.ts'
import { withFile } from '../storage/overlay.ts'
import { Folder } from '../storage/source.ts'

/**
 * Whether the metadata of a fragment is a copy of that of another one: the bytes are equal, and only the data files of the other have the sizes
 * that it says. What it says of this fragment is then wrong, and its data files tell more without it.
 */
export async function hasForeignMetadata(array: InspectArray, fragment: Fragment): Promise<boolean> {
  if (await fitsFiles(fragment)) return false
  if (!(await hasMetadata(fragment))) return false
  for (const { path, name } of await array.fragments()) {
    if (name === fragment.name) continue
    const isCopied = await array.withFragment(
      path,
      async (other) =>
        (await hasMetadata(other)) &&
        (await sameFiles(fragment.folder, other.folder, FRAGMENT_METADATA_FILE)) &&
        (await fitsFiles(other.asStored())),
    )
    if (isCopied) return true
  }
  return false
}

/** Whether every data file has the size that the metadata says; not if that cannot be read. */
async function fitsFiles(fragment: Fragment): Promise<boolean> {
  const files = await fragment.fieldFiles().catch(unlessDamaged)
  const sizes = files && (await fileSizes(fragment.folder))
  return files?.every(({ name, size }) => (sizes?.get(name) ?? 0) === size) ?? false
}

async function hasMetadata({ folder }: Fragment): Promise<boolean> {
  return (await folder.kind(FRAGMENT_METADATA_FILE)) === 'file'
}

/** The fragment as it is without metadata of another one: its metadata file is then taken to be empty. */
export async function withoutForeignMetadata(array: InspectArray, fragment: Fragment): Promise<Fragment> {
  return (await hasForeignMetadata(array, fragment)) ? withMetadata(fragment, NO_BYTES) : fragment
}

/** The fragment with these bytes as its metadata file. */
export function withMetadata({ folder, cx, array }: Fragment, metadata: Uint8Array): Fragment {
  const storage = withFile(folder.storage, `${folder.path}/${FRAGMENT_METADATA_FILE}`, metadata)
  return new Fragment(new Folder(storage, folder.path), cx, array).asStored()
}
