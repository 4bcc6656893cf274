import { vacuumNote } from '../advice/vacuum-note.ts'
import { unlessFault } from '../base/errors.ts'
import { atOnce, inOrder } from '../base/in-order.ts'
import { lastPathPart } from '../base/paths.ts'
import { nameFacts } from '../format/timestamped-name.ts'
import type { InspectArray } from '../objects/array.ts'
import { pathOfCommit } from '../objects/commits.ts'
import { entrySize, fileSizes } from '../objects/file-sizes.ts'
import { replacedFragments } from '../objects/vacuum.ts'
import { counted, fullSizeText } from '../render/views/wording.ts'
import type { Inspected } from './inspected.ts'
import { loadedValue, useLoaded } from './use-loaded.tsx'

/**
 * States of the fragments that readers skip, and of their commit and vacuum files, by path below the array. Empty for a target that is
 * no array, and for an array whose listing cannot be read.
 */
export async function unreadStates({ target }: Inspected): Promise<ReadonlyMap<string, string>> {
  const states = new Map<string, string>()
  if (target.type !== 'array') return states
  const { array } = target
  const read = new Set<string>()
  for (const { path, state, isRead } of (await array.fragments().catch(unlessFault)) ?? []) {
    if (isRead) read.add(path).add(pathOfCommit(path))
    else states.set(path, state).set(pathOfCommit(path), state)
  }
  for (const path of await vacuumed(array)) if (!states.has(path) && !read.has(path)) states.set(path, 'to-vacuum')
  return states
}

/** Paths of what a vacuum of fragments removes; empty if the array cannot be read. */
async function vacuumed(array: InspectArray): Promise<readonly string[]> {
  return (await replacedFragments(array).catch(unlessFault))?.gone ?? []
}

/** A line about what a vacuum of fragments would remove, and at what cost; nothing if it would remove nothing. */
export function Removable({ inspected }: { inspected: Inspected }) {
  const text = useLoaded(async () => {
    const { target } = inspected
    return target.type === 'array' ? removableText(target.array) : undefined
  }, [inspected])
  const words = loadedValue(text)
  return words === undefined ? null : <p>{words}</p>
}

async function removableText(array: InspectArray): Promise<string | undefined> {
  const paths = await vacuumed(array)
  if (paths.length === 0) return undefined
  const { folder } = array
  let [file_num, size] = [0, 0]
  const sizes = inOrder(paths, atOnce(folder), async (path) => {
    // Commit files are empty.
    if (/\.(?:wrt|ok)$/.test(path)) return [0]
    if (path.endsWith('.vac')) return [await vacSize(array, path)]
    return [...(await fileSizes(folder.folder(path))).values()]
  })
  for await (const found of sizes) {
    file_num += found.length
    for (const one of found) size += one
  }
  const versions = paths.map((path) => nameFacts(lastPathPart(path))?.format_version ?? 0)
  const { schema } = await array.newestSchema()
  const gone = new Set(paths)
  const lost = (await array.fragments()).filter(({ path, isRead }) => isRead && gone.has(path)).length
  const note =
    lost > 0
      ? `takes the cells of ${counted(lost, 'fragment')} that readers still see: a .vac file dated ahead lists them`
      : vacuumNote({ schema }, Math.min(...versions))
  return `to-vacuum: a vacuum of fragments deletes ${counted(file_num, 'file')}, ${fullSizeText(size)}. It ${note}.`
}

async function vacSize({ folder }: InspectArray, path: string): Promise<number> {
  const name = lastPathPart(path)
  const parent = path === name ? folder : folder.folder(path.slice(0, -name.length - 1))
  return entrySize(parent, { name, kind: 'file' })
}
