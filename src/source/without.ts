import { lastPathPart } from '../format/commit-files.ts'
import { MemorySource } from './memory.ts'
import { plain } from './overlay.ts'
import { byName, type Entry, missingSource, notFound, type Storage } from './source.ts'

/**
 * A storage as it would be without some files and folders: the paths, and all below them, are not there. An object store has no empty
 * folders: there a folder is gone with the last file in it.
 * @param added a file that is there instead, in a folder that stays
 */
export function storageWithout(
  storage: Storage,
  paths: readonly string[],
  added?: { path: string; bytes: Uint8Array },
): Storage {
  const gone = new Set(paths)
  const isGone = (path: string): boolean => {
    for (let at = path; ; ) {
      if (gone.has(at)) return true
      const slash = at.lastIndexOf('/')
      if (slash <= 0) return false
      at = at.slice(0, slash)
    }
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
    ...plain(storage),
    async kind(path) {
      if (path === added?.path) return 'file'
      if (isGone(path)) return undefined
      const kind = await storage.kind(path)
      return kind === 'folder' && (await isEmptied(path)) ? undefined : kind
    },
    async list(path) {
      if (isGone(path)) throw notFound(path)
      const entries: Entry[] = []
      for (const entry of await rest(path))
        if (entry.kind !== 'folder' || !(await isEmptied(`${path}/${entry.name}`))) entries.push(entry)
      const name = added && lastPathPart(added.path)
      if (name && added.path === `${path}/${name}`) entries.push({ name, kind: 'file', size: added.bytes.length })
      return entries.sort(byName)
    },
    open(path) {
      if (path === added?.path) return new MemorySource(path, added.bytes)
      return isGone(path) ? missingSource(path) : storage.open(path)
    },
  }
}
