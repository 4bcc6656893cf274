import { FRAGMENT_METADATA_FILE } from '../format/fragment-footer.ts'
import { type Folder, hasEntry } from '../storage/source.ts'
import { fileSizes } from './file-sizes.ts'
import { sameFiles } from './same-ranges.ts'

/**
 * The fragment of which a folder beside it is a copy: the name of the folder holds that of the fragment, as in `<fragment> copy`, and all files
 * are equal. Undefined if it is none.
 * @param inside the folder of fragments
 */
export async function copiedFragment(inside: Folder, name: string): Promise<string | undefined> {
  const [own] = /__\d+_\d+_[\da-f]{32}(?:_\d+)?/.exec(name) ?? []
  if (own === undefined || own === name || !hasEntry(await inside.list(), own, 'folder')) return undefined
  const [one, other] = [inside.folder(own), inside.folder(name)]
  const [sizes, others] = await Promise.all([fileSizes(one), fileSizes(other)])
  if (sizes.size !== others.size || !sizes.has(FRAGMENT_METADATA_FILE)) return undefined
  for (const [file, size] of sizes) {
    if (others.get(file) !== size || !(await sameFiles(one, other, file))) return undefined
  }
  return own
}
