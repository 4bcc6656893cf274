import { allInOrder, atOnce } from '../base/in-order.ts'
import type { Entry, Folder } from './source.ts'

/** Names of an array's folders, which are entered even if they are links. Other links are not, as they may lead anywhere. */
export const LINKED: ReadonlySet<string> = new Set([
  '__fragments',
  '__commits',
  '__schema',
  '__enumerations',
  '__meta',
  '__fragment_meta',
  '__labels',
])

/** Whether a walk enters an entry. */
function shouldEnter({ name, kind, link }: Entry): boolean {
  return kind === 'folder' && (!link || LINKED.has(name))
}

/** Adds a folder to `entered`. Returns false if it was there already, even if other links led to it. */
export function enterOnce({ realPath }: Folder, entered: Set<string>): boolean {
  if (entered.has(realPath)) return false
  entered.add(realPath)
  return true
}

/** Number of levels of folders below an array: a fragment of a label array is `__labels/NAME/__fragments/NAME`. */
export const FOLDERS_DEEP = 4

/**
 * Whether a folder is too deep to enter. Web servers follow links without saying so, and links may form a cycle.
 * @param path path of the folder, relative to the top of the walk
 */
function tooDeep({ storage, path: full }: Folder, path: string): boolean {
  return storage.realPath === undefined && storage.mayNotList?.(full) === true && path.split('/').length > FOLDERS_DEEP
}

/**
 * All files below a folder. No folder is entered twice; over a network, several are listed at once.
 * @param enter whether to enter a folder, by its path relative to `top` and its name
 * @param leaveOut called with the path of each folder that is too deep to enter
 */
export async function* filesBelow(
  top: Folder,
  enter: (path: string, name: string) => boolean,
  leaveOut?: (path: string) => void,
): AsyncGenerator<{ folder: Folder; entry: Entry }> {
  const entered = new Set<string>()
  async function* walk(folder: Folder, prefix: string): AsyncGenerator<{ folder: Folder; entry: Entry }> {
    if (!enterOnce(folder, entered)) return
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
