import { folderOf, isWithinFolder, nameOf } from '../base/paths.ts'
import { MemorySource } from './memory.ts'
import { byName, type Entry, type Storage } from './source.ts'

/** A storage in which one file has the given bytes, whether or not the storage has a file there. */
export function withFile(storage: Storage, path: string, bytes: Uint8Array): Storage {
  const [folder, name] = [folderOf(path), nameOf(path)]
  return {
    ...passedOn(storage),
    kind: async (at) => (at === path ? 'file' : storage.kind(at)),
    async list(at) {
      const entries = await storage.list(at)
      if (at !== folder) return entries
      const now: Entry[] = [...entries.filter((one) => one.name !== name), { name, kind: 'file', size: bytes.length }]
      return now.sort(byName)
    },
    open: (at) => (at === path ? new MemorySource(path, bytes) : storage.open(at)),
  }
}

/** A storage in which a folder is read from the path `place`. */
export function mounted(storage: Storage, folder: string, place: string): Storage {
  const to = (at: string): string => (isWithinFolder(at, folder) ? place + at.slice(folder.length) : at)
  return {
    ...passedOn(storage),
    kind: (at) => storage.kind(to(at)),
    list: (at) => storage.list(to(at)),
    open: (at) => storage.open(to(at)),
  }
}

/** A storage in which the entry `from` of a folder has the name `to`. */
export function renamed(storage: Storage, folder: string, from: string, to: string): Storage {
  const moved = mounted(storage, `${folder}/${to}`, `${folder}/${from}`)
  return {
    ...moved,
    async list(at) {
      const entries = await moved.list(at)
      return at === folder ? entries.map((one) => (one.name === from ? { ...one, name: to } : one)) : entries
    },
  }
}

/** Methods that an overlay passes on to its storage. It leaves out the optional methods that would read past the overlay. */
export function passedOn(storage: Storage): Pick<Storage, 'isRemote' | 'realPath' | 'mayNotList'> {
  return {
    isRemote: (path) => storage.isRemote?.(path) ?? false,
    realPath: (path) => storage.realPath?.(path) ?? path,
    mayNotList: (path) => storage.mayNotList?.(path) ?? false,
  }
}
