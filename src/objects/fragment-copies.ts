import { sameBytes } from '../filters/bytes.ts'
import { FRAGMENT_METADATA_FILE } from '../format/fragment-footer.ts'
import { type ByteSource, type Folder, hasEntry, withSource } from '../storage/source.ts'
import { fileSizes } from './file-sizes.ts'

/** Bytes of each file that are compared at a time. */
const BLOCK_BYTES = 2 ** 20

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
    if (others.get(file) !== size) return undefined
    const isSame = await withSource(one.file(file), (a) => withSource(other.file(file), (b) => haveSame(a, b, size)))
    if (!isSame) return undefined
  }
  return own
}

async function haveSame(one: ByteSource, other: ByteSource, size: number): Promise<boolean> {
  for (let from = 0; from < size; from += BLOCK_BYTES) {
    const length = Math.min(BLOCK_BYTES, size - from)
    const [a, b] = await Promise.all([one.read(from, length), other.read(from, length)])
    if (!sameBytes(a, b)) return false
  }
  return true
}
