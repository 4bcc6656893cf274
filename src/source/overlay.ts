import { MemoryStorage } from './memory.ts'
import { byName, type Entry, type Storage } from './source.ts'

/** A storage with another content of one file, which is there whether the storage has it or not. */
export function withFile(storage: Storage, path: string, bytes: Uint8Array): Storage {
  const own = new MemoryStorage(new Map([[path, bytes]]))
  const slash = path.lastIndexOf('/')
  const [folder, name] = [path.slice(0, slash), path.slice(slash + 1)]
  return {
    ...plain(storage),
    kind: async (at) => (at === path ? 'file' : storage.kind(at)),
    async list(at) {
      const entries = await storage.list(at)
      if (at !== folder) return entries
      const now: Entry[] = [...entries.filter((one) => one.name !== name), { name, kind: 'file', size: bytes.length }]
      return now.sort(byName)
    },
    open: (at) => (at === path ? own.open(at) : storage.open(at)),
  }
}

/** A storage in which a folder, and everything below it, is read from another place. */
export function mounted(storage: Storage, folder: string, place: string): Storage {
  const to = (at: string): string =>
    at === folder || at.startsWith(`${folder}/`) ? place + at.slice(folder.length) : at
  return {
    ...plain(storage),
    kind: (at) => storage.kind(to(at)),
    list: (at) => storage.list(to(at)),
    open: (at) => storage.open(to(at)),
  }
}

/** A storage in which an entry of a folder has another name. */
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

/** What an overlay passes on. It leaves out the ways of reading that do not ask it. */
export function plain(storage: Storage): Pick<Storage, 'isRemote' | 'realPath' | 'mayNotList'> {
  return {
    isRemote: (path) => storage.isRemote?.(path) ?? false,
    realPath: (path) => storage.realPath?.(path) ?? path,
    mayNotList: (path) => storage.mayNotList?.(path) ?? false,
  }
}
