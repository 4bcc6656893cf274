import { folderOf, isWithinFolder } from '../base/paths.ts'
import { InspectArray, METADATA_FOLDER, SCHEMA_FOLDER } from '../objects/array.ts'
import type { Condition } from '../objects/condition.ts'
import type { ReadContext } from '../objects/read-context.ts'
import type { Storage } from '../storage/source.ts'
import type { Answer } from './answer.ts'
import { whyInArray } from './array.ts'
import { cellNum } from './cells.ts'
import { concluded } from './conclusion.ts'
import { whyInGroup } from './group.ts'
import { findPlace, needsOfRoot, type PathInRoot } from './place.ts'
import { arrayView } from './views.ts'

/** Examines parts of an array, by their paths in it. Those that it leaves out are unseen. */
export type Examine = (array: InspectArray, paths: readonly string[]) => Promise<Condition>

/**
 * Tells what a file or folder of an array or group is for, what a reader loses without it, and whether it may be deleted.
 * @param examine examines what holds the same in place of what may be deleted
 * @throws InspectError NOT_FOUND; NOT_TILEDB if there is neither an array nor a group around it; KEY_NEEDED, WRONG_KEY
 */
export async function why(storage: Storage, path: string, cx: ReadContext, examine: Examine): Promise<Answer> {
  const place = await findPlace(storage, path, cx)
  if (place.path === '') return whyRoot(place.root)
  if (place.root instanceof InspectArray) {
    const answer = await whyInArray(place.root, place.path, place.kind)
    const own = await mayBeRefused(place.root, place)
    return concluded(answer, own, await examine(place.root, [...own, ...(answer.stands_in ?? [])]))
  }
  return whyInGroup(place.root, place.path)
}

/** Paths of the files at a place whose content may make TileDB refuse the array, or its metadata. */
async function mayBeRefused(
  { folder }: InspectArray,
  { path, kind }: Pick<PathInRoot, 'path' | 'kind'>,
): Promise<string[]> {
  if (path === METADATA_FOLDER) {
    const entries = await folder.folder(path).listIfThere()
    return entries.map(({ name }) => `${path}/${name}`)
  }
  const folders = [METADATA_FOLDER, SCHEMA_FOLDER]
  // TileDB reads the folders there, too, as if they were files.
  if (folders.includes(folderOf(path))) return [path]
  const isOne = folders.some((one) => isWithinFolder(path, one)) || path.endsWith('.del')
  return isOne && kind === 'file' ? [path] : []
}

/** The answer for an array or a group as a whole. */
async function whyRoot(root: PathInRoot['root']): Promise<Answer> {
  const needed_by = await needsOfRoot(root)
  const shared = { root: root.folder.path, needed_by, noticed: ['open'] as const, delete: 'no' as const }
  if (!(root instanceof InspectArray)) {
    const members = await root.members().catch(() => [])
    const inside = members.filter(({ relative }) => relative).length
    return {
      ...shared,
      what: `a group of ${members.length} members`,
      without: [{ outcome: 'members', as_of: [0n, null], names: members.map(({ name, uri }) => name ?? uri) }],
      reason: inside === 1 ? '1 member lies in its folder' : `${inside} members lie in its folder`,
      how: needed_by.length > 0 ? undefined : 'delete_group',
    }
  }
  const view = await arrayView(root, [0n, root.cx.now])
  const cells = await cellNum(root, view.fragments)
  return {
    ...shared,
    what: `an array; fragments that are read now: ${view.fragments.length}`,
    without: [
      {
        outcome: 'cells',
        as_of: [0n, null],
        cells_lost: cells,
        cells_added: 0,
        cells_changed: 0,
        certainty: 'at most',
      },
    ],
    reason: needed_by.length > 0 ? 'others name it, and would no longer find it' : 'all its cells are in it',
    how: needed_by.length > 0 ? undefined : 'delete_array',
  }
}
