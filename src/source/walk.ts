import { allInOrder, atOnce } from '../base/in-order.ts'
import type { Entry, Folder } from './source.ts'

/** Folders of an array that are entered even if they are links. Other links are not: they may lead anywhere. */
export const LINKED: ReadonlySet<string> = new Set([
  '__fragments',
  '__commits',
  '__schema',
  '__enumerations',
  '__meta',
  '__fragment_meta',
  '__labels',
])

/** Whether a walk enters an entry: a folder, and not one of the other links. */
function shouldEnter({ name, kind, link }: Entry): boolean {
  return kind === 'folder' && (!link || LINKED.has(name))
}

/** Whether a folder was not entered before, through this or another link. Adds it to `entered`. */
function firstTime(folder: Folder, entered: Set<string>): boolean {
  const real = folder.storage.realPath?.(folder.path) ?? folder.path
  if (entered.has(real)) return false
  entered.add(real)
  return true
}

/** Most levels of folders below an array: a fragment of a label array is `__labels/NAME/__fragments/NAME`. */
export const FOLDERS_DEEP = 4

/**
 * Whether a folder is too deep to enter. Web servers follow links without saying so, and links may form a cycle.
 * @param path path of the folder from the top of the walk
 */
function tooDeep({ storage, path: full }: Folder, path: string): boolean {
  return storage.realPath === undefined && storage.mayNotList?.(full) === true && path.split('/').length > FOLDERS_DEEP
}

/**
 * All files below a folder. No folder is entered twice; over a network, several are listed at once.
 * @param enter whether to enter a folder; it gets its path from `top`, and its name
 * @param leaveOut called with the path of each folder that is too deep to enter
 */
export async function* filesBelow(
  top: Folder,
  enter: (path: string, name: string) => boolean,
  leaveOut?: (path: string) => void,
): AsyncGenerator<{ folder: Folder; entry: Entry }> {
  const entered = new Set<string>()
  async function* walk(folder: Folder, prefix: string): AsyncGenerator<{ folder: Folder; entry: Entry }> {
    if (!firstTime(folder, entered)) return
    yield* allInOrder(await folder.list(), atOnce(folder), async function* (entry) {
      const path = `${prefix}${entry.name}`
      if (entry.kind === 'file') yield { folder, entry }
      else if (!shouldEnter(entry) || !enter(path, entry.name)) return
      else if (tooDeep(folder, path)) leaveOut?.(path)
      else yield* walk(folder.folder(entry.name), `${path}/`)
    })
  }
  yield* walk(top, '')
}
