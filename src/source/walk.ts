import type { Entry, Folder } from './source.ts'

/** Folders of an array, which may be links to where they lie. Other links may lead anywhere: to what is above them, to all of a disk. */
const LINKED: ReadonlySet<string> = new Set([
  '__fragments',
  '__commits',
  '__schema',
  '__enumerations',
  '__meta',
  '__fragment_meta',
  '__labels',
])

/** Whether an entry is a folder to walk into. */
export function leadsInside({ name, kind, link }: Entry): boolean {
  return kind === 'folder' && (!link || LINKED.has(name))
}

/** Whether a folder is entered for the first time, whatever links lead to it. @param entered is added to */
export function firstTime(folder: Folder, entered: Set<string>): boolean {
  const real = folder.storage.realPath?.(folder.path) ?? folder.path
  if (entered.has(real)) return false
  entered.add(real)
  return true
}

/** How deep TileDB's folders are below an array at most: a fragment of an array of labels, `__labels/NAME/__fragments/NAME`. */
export const FOLDERS_DEEP = 4

/**
 * Whether a folder is too deep to be walked into: a web server follows links without saying so, and they may lead in a circle.
 * @param path from the top of the walk
 */
export function tooDeep({ storage, path: full }: Folder, path: string): boolean {
  return storage.realPath === undefined && storage.mayNotList?.(full) === true && path.split('/').length > FOLDERS_DEEP
}

/**
 * Every file below a folder.
 * @param enter whether a folder, by its path from `top`, is wanted
 */
export async function* filesBelow(
  top: Folder,
  enter: (path: string, name: string) => boolean,
): AsyncGenerator<{ folder: Folder; entry: Entry }> {
  const entered = new Set<string>()
  async function* walk(folder: Folder, prefix: string): AsyncGenerator<{ folder: Folder; entry: Entry }> {
    if (!firstTime(folder, entered)) return
    for (const entry of await folder.list()) {
      const { name, kind } = entry
      if (kind === 'file') yield { folder, entry }
      else if (leadsInside(entry) && !tooDeep(folder, prefix + name) && enter(prefix + name, name))
        yield* walk(folder.folder(name), `${prefix}${name}/`)
    }
  }
  yield* walk(top, '')
}
