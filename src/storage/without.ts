import { folderOf } from '../base/paths.ts'
import { passedOn } from './overlay.ts'
import { type Entry, missingSource, notFound, type Storage } from './source.ts'

/**
 * A storage without some files and folders. An object store has no empty folders: there a folder is gone with the last file
 * in it.
 */
export function storageWithout(storage: Storage, paths: readonly string[]): Storage {
  const gone = new Set(paths)
  const isGone = (path: string): boolean => {
    for (let at = path; at !== ''; at = folderOf(at)) if (gone.has(at)) return true
    return false
  }
  const rest = async (path: string): Promise<readonly Entry[]> =>
    (await storage.list(path)).filter(({ name }) => !gone.has(`${path}/${name}`))
  const isEmptied = async (path: string): Promise<boolean> => {
    if (!storage.isRemote?.(path) || !paths.some((one) => one.startsWith(`${path}/`))) return false
    for (const { name, kind } of await rest(path))
      if (kind !== 'folder' || !(await isEmptied(`${path}/${name}`))) return false
    return true
  }
  return {
    ...passedOn(storage),
    async kind(path) {
      if (isGone(path)) return undefined
      const kind = await storage.kind(path)
      return kind === 'folder' && (await isEmptied(path)) ? undefined : kind
    },
    async list(path) {
      if (isGone(path)) throw notFound(path)
      const entries: Entry[] = []
      for (const entry of await rest(path))
        if (entry.kind !== 'folder' || !(await isEmptied(`${path}/${entry.name}`))) entries.push(entry)
      return entries
    },
    open: (path) => (isGone(path) ? missingSource(path) : storage.open(path)),
  }
}
