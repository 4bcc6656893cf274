import { unlessFault } from '../base/errors.ts'
import type { InspectArray } from '../objects/array.ts'
import { fileSizes } from '../objects/file-sizes.ts'
import type { FieldFile, Fragment } from '../objects/fragment.ts'

/** A data file that has another size than the footer says. */
interface Misfit {
  /** Path of its fragment in the array. */
  fragment: string
  name: string
}

/** The misfits, by the size in the footer and the size that the file has. */
type Misfits = ReadonlyMap<string, readonly Misfit[]>

const known = new WeakMap<InspectArray, Promise<Misfits>>()

/**
 * The file with which a file was exchanged: each has the size that the footer says of the other. It is that of the same field in another
 * fragment, or that of another field in this one. Undefined if there is none, or several.
 * @param actual size of the file
 * @returns its path in the array
 */
export async function exchangedWith(
  { array, folder }: Fragment,
  { name, size }: FieldFile,
  actual: number,
): Promise<string | undefined> {
  if (!array) return undefined
  const misfits = known.get(array) ?? misfitsOf(array)
  known.set(array, misfits)
  const path = folder.path.slice(array.folder.path.length + 1)
  const fitting = (await misfits).get(keyOf(actual, size)) ?? []
  const alike = fitting.filter((one) => one.name === name && one.fragment !== path)
  const [found, ...others] =
    alike.length > 0 ? alike : fitting.filter((one) => one.fragment === path && one.name !== name)
  return found && others.length === 0 ? `${found.fragment}/${found.name}` : undefined
}

async function misfitsOf(array: InspectArray): Promise<Misfits> {
  const misfits = new Map<string, Misfit[]>()
  for (const { path } of await array.fragments()) {
    await array.withFragment(path, async (fragment) => {
      const files = await fragment.fieldFiles().catch(unlessFault)
      const sizes = files && (await fileSizes(fragment.folder))
      for (const { name, size } of files ?? []) {
        const actual = sizes?.get(name)
        if (actual === undefined || actual === size) continue
        const key = keyOf(size, actual)
        misfits.set(key, [...(misfits.get(key) ?? []), { fragment: path, name }])
      }
    })
  }
  return misfits
}

function keyOf(size: number, actual: number): string {
  return `${size} ${actual}`
}
