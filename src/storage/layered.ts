import { hasCode } from '../base/errors.ts'
import { isWithinFolder } from '../base/paths.ts'
import { type ByteSource, byName, type Entry, type Storage } from './source.ts'

/**
 * A storage in which the files of another folder have been added to a folder.
 * @param root path of the folder in `under`
 * @param added path of the other folder in `over`
 */
export function layeredStorage(under: Storage, root: string, over: Storage, added: string): Storage {
  const other = (path: string): string | undefined =>
    isWithinFolder(path, root) ? added + path.slice(root.length) : undefined
  const kindOver = async (path: string): Promise<Entry['kind'] | undefined> => {
    const place = other(path)
    return place === undefined ? undefined : over.kind(place)
  }
  return {
    async kind(path) {
      return (await kindOver(path)) ?? under.kind(path)
    },
    async list(path) {
      if ((await kindOver(path)) !== 'folder') return under.list(path)
      const entries = new Map<string, Entry>()
      if ((await under.kind(path)) === 'folder') for (const one of await under.list(path)) entries.set(one.name, one)
      for (const one of await over.list(other(path) as string)) entries.set(one.name, one)
      return [...entries.values()].sort(byName)
    },
    open(path) {
      let opened: Promise<ByteSource> | undefined
      const source = (): Promise<ByteSource> => {
        opened ??= kindOver(path).then((kind) =>
          kind === 'file' ? over.open(other(path) as string) : under.open(path),
        )
        return opened
      }
      return {
        name: path,
        size: async (end) => (await source()).size(end),
        read: async (offset, length, into) => (await source()).read(offset, length, into),
        close: async () => (await opened)?.close(),
      }
    },
    realPath(path) {
      try {
        return under.realPath?.(path) ?? path
      } catch (error) {
        // A path that only the other folder has: there are no links in it.
        if (hasCode(error, 'NOT_FOUND') && other(path) !== undefined) return path
        throw error
      }
    },
  }
}
