import { InspectError } from '../base/errors.ts'
import { InspectArray, LABELS_FOLDER } from '../objects/array.ts'
import { COMMITS_FOLDER } from '../objects/commits.ts'
import { InspectGroup, memberPath, objectType } from '../objects/group.ts'
import type { ReadContext } from '../objects/read-context.ts'
import { type Entry, Folder, hasEntry, notFound, type Storage } from '../storage/source.ts'
import type { Need } from './answer.ts'

/** A file or folder, and the array or group to which it belongs. */
export interface PathInRoot {
  root: InspectArray | InspectGroup
  /** Path inside of the root; empty for the root itself. */
  path: string
  kind: Entry['kind']
}

/** Limit on the folders searched above a path. Files of label arrays lie deepest. */
export const MAX_LEVELS_ABOVE = 8

/**
 * Finds the array or group around a path, which may be the path itself.
 * @throws InspectError NOT_FOUND; NOT_TILEDB if there is none
 */
export async function findPlace(storage: Storage, path: string, cx: ReadContext): Promise<PathInRoot> {
  const folder = new Folder(storage, path)
  const kind = await storage.kind(folder.path)
  if (kind === undefined) throw notFound(path)
  const start = kind === 'folder' ? folder : folder.parent()
  const root = start && (await rootAround(storage, start.path, cx))
  if (root) return { root, path: folder.path.slice(root.folder.path.length + 1), kind }
  throw new InspectError(
    'NOT_TILEDB',
    { expected: 'a part of an array or group', found: 'neither around it' },
    { file: path },
  )
}

/**
 * The innermost array or group that holds a folder, or is the folder; undefined if there is none.
 * @param known what is known of folders, by path. Calls that share it look at each folder once.
 */
export async function rootAround(
  storage: Storage,
  path: string,
  cx: ReadContext,
  known = new Map<string, PathInRoot['root'] | undefined>(),
): Promise<PathInRoot['root'] | undefined> {
  let at: Folder | undefined = new Folder(storage, path)
  for (let up = 0; at && up < MAX_LEVELS_ABOVE; up++) {
    if (!known.has(at.path))
      known.set(at.path, (await at.storage.kind(at.path)) === 'folder' ? await rootAt(at, cx) : undefined)
    const root = known.get(at.path)
    if (root) return root
    at = at.parent()
  }
  return undefined
}

/** The folder as an array or group; undefined if it is neither. */
export async function rootAt(folder: Folder, cx: ReadContext): Promise<PathInRoot['root'] | undefined> {
  const entries = await folder.list().catch((error: unknown) => {
    if (error instanceof InspectError && error.code === 'NO_PERMISSION') return []
    throw error
  })
  const type = objectType(entries)
  if (type === 'group') return new InspectGroup(folder, cx)
  // An array that lost its schema still has its commits.
  return type === 'array' || hasEntry(entries, COMMITS_FOLDER, 'folder') ? new InspectArray(folder, cx) : undefined
}

/** Limit on the folders above an array that are searched for a group. */
const GROUP_LEVELS = 3

/** What needs an array or group as a whole: the array whose labels it holds, or the groups that list it, up to the topmost. */
export async function needsOfRoot({ folder, cx }: PathInRoot['root']): Promise<Need[]> {
  const found: Need[] = []
  let at = folder.parent()
  if (at?.name === LABELS_FOLDER) {
    const around = at.parent()
    const outer = around && (await rootAt(around, cx))
    if (outer instanceof InspectArray) {
      const labels = await outer
        .newestSchema()
        .then(({ schema }) => schema.dimension_labels.filter(({ uri }) => lastPart(uri) === folder.name))
        .catch(() => [])
      const names = labels.map(({ name, dimension_index }) => `the label ${name} of dimension ${dimension_index}`)
      const what = names.length > 0 ? `the array whose labels it holds: ${names.join(', ')}` : 'the array around it'
      found.push({ path: outer.folder.path, what, needed_by: await needsOfRoot(outer) })
    }
    return found
  }
  for (let up = 0; at && up < GROUP_LEVELS; up++) {
    const around = await rootAt(at, cx).catch(() => undefined)
    if (around instanceof InspectGroup) {
      const members = await around.members().catch(() => [])
      const member = members.find((one) => memberPath(around.folder.path, one) === folder.path)
      if (member) {
        const what = `the group of which it is a member${member.name === undefined ? '' : ` (${member.name})`}`
        found.push({ path: around.folder.path, what, needed_by: await needsOfRoot(around) })
      }
    }
    at = at.parent()
  }
  return found
}

function lastPart(uri: string): string {
  return uri.slice(uri.replace(/\/+$/, '').lastIndexOf('/') + 1).replace(/\/+$/, '')
}
