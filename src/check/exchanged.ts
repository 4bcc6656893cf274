import { unlessFault } from '../base/errors.ts'
import type { InspectArray } from '../objects/array.ts'
import { fileSizes } from '../objects/file-sizes.ts'
import type { FieldFile, Fragment } from '../objects/fragment.ts'

/** Names of fragments by file name, its size in their footer, and the size that it has, of those whose file has another size. */
type Misfits = ReadonlyMap<string, readonly string[]>

const known = new WeakMap<InspectArray, Promise<Misfits>>()

/**
 * The fragment whose footer a file fits, and whose own file fits the footer of this fragment: the two were exchanged. Undefined if there is
 * none, or several.
 * @param actual size of the file
 */
export async function otherOwner(
  { array, name: own }: Fragment,
  { name, size }: FieldFile,
  actual: number,
): Promise<string | undefined> {
  if (!array) return undefined
  const misfits = known.get(array) ?? misfitsOf(array)
  known.set(array, misfits)
  const found = (await misfits).get(keyOf(name, actual, size)) ?? []
  return found.length === 1 && found[0] !== own ? found[0] : undefined
}

async function misfitsOf(array: InspectArray): Promise<Misfits> {
  const misfits = new Map<string, string[]>()
  for (const { path, name: fragmentName } of await array.fragments()) {
    await array.withFragment(path, async (fragment) => {
      const files = await fragment.fieldFiles().catch(unlessFault)
      const sizes = files && (await fileSizes(fragment.folder))
      for (const { name, size } of files ?? []) {
        const actual = sizes?.get(name)
        if (actual === undefined || actual === size) continue
        const key = keyOf(name, size, actual)
        misfits.set(key, [...(misfits.get(key) ?? []), fragmentName])
      }
    })
  }
  return misfits
}

function keyOf(name: string, size: number, actual: number): string {
  return `${name} ${size} ${actual}`
}
