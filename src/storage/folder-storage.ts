import { InspectError } from '../base/errors.ts'
import { folderOf, nameOf } from '../base/paths.ts'
import type { Prose } from '../base/prose.ts'
import { listedAsOne, NAMES_IN_ONE_STEP } from './one-state.ts'
import { type ByteSource, byName, checkRange, type Entry, notFound, type Storage, truncated } from './source.ts'

/** The part of a browser's `File` or `Blob` that is used here. */
export interface FileContent {
  /** In bytes. */
  readonly size: number
  slice(from: number, to: number): { arrayBuffer(): Promise<ArrayBuffer> }
}

/** A browser's `File` in a folder: from `<input webkitdirectory>`, or dropped by the user, with a path that the page adds. */
export interface ListedFile extends FileContent {
  readonly name: string
  /** Path that begins with the name of the chosen folder. If it is empty, the name is the path. */
  readonly webkitRelativePath: string
}

/** The part of a browser's `FileSystemDirectoryHandle` that is used here. */
export interface DirectoryHandle {
  readonly name: string
  values(): AsyncIterable<{ readonly kind: 'file' | 'directory'; readonly name: string }>
  getDirectoryHandle(name: string): Promise<DirectoryHandle>
  getFileHandle(name: string): Promise<{ getFile(): Promise<FileContent> }>
}

/**
 * The files of a folder that the user of a page chose or dropped. Only the needed bytes are read. Paths begin
 * with the name of the folder: `openArray(handle.name, { storage: folderStorage(handle) })`.
 * @param folder a `FileSystemDirectoryHandle`, or all files of a folder: a `FileList`, or an array of `File`
 */
export function folderStorage(folder: DirectoryHandle | Iterable<ListedFile>): Storage {
  if (Symbol.iterator in folder) return new FolderStorage(listedFolder(folder))
  // The private folder of an origin has no name.
  return new FolderStorage(folder.name === '' ? new HandleFolder(folder) : parentOf(folder))
}

/** One folder, from a handle or from a list of files. */
interface PickedFolder {
  /** Whether the list is the browser's, and does not change. */
  readonly isStill: boolean
  list(): Promise<Entry[]>
  folder(name: string): Promise<PickedFolder | undefined>
  file(name: string): Promise<FileContent | undefined>
}

/** A folder that has only the given one in it. */
function parentOf(handle: DirectoryHandle): PickedFolder {
  const { name } = handle
  return {
    isStill: true,
    list: async () => [{ name, kind: 'folder' }],
    folder: async (asked) => (asked === name ? new HandleFolder(handle) : undefined),
    file: async () => undefined,
  }
}

class HandleFolder implements PickedFolder {
  readonly isStill = false
  private readonly handle: DirectoryHandle

  constructor(handle: DirectoryHandle) {
    this.handle = handle
  }

  async list(): Promise<Entry[]> {
    const entries: Entry[] = []
    for await (const { name, kind } of this.handle.values())
      entries.push({ name, kind: kind === 'file' ? 'file' : 'folder' })
    return entries
  }

  async folder(name: string): Promise<PickedFolder | undefined> {
    const handle = await unlessAbsent(this.handle.getDirectoryHandle(name))
    return handle && new HandleFolder(handle)
  }

  async file(name: string): Promise<FileContent | undefined> {
    return (await unlessAbsent(this.handle.getFileHandle(name)))?.getFile()
  }
}

/** Names of errors for a name that does not exist, cannot exist (TypeError), or is of the other kind. */
const ABSENT = new Set(['NotFoundError', 'TypeMismatchError', 'TypeError'])

async function unlessAbsent<T>(found: Promise<T>): Promise<T | undefined> {
  try {
    return await found
  } catch (error) {
    if (ABSENT.has(described(error).name)) return undefined
    throw error
  }
}

class ListedFolder implements PickedFolder {
  readonly isStill = true
  readonly folders = new Map<string, ListedFolder>()
  readonly files = new Map<string, FileContent>()

  async list(): Promise<Entry[]> {
    return [
      ...[...this.folders.keys()].map((name): Entry => ({ name, kind: 'folder' })),
      ...[...this.files].map(([name, { size }]): Entry => ({ name, kind: 'file', size })),
    ]
  }

  async folder(name: string): Promise<PickedFolder | undefined> {
    return this.folders.get(name)
  }

  async file(name: string): Promise<FileContent | undefined> {
    return this.files.get(name)
  }
}

function listedFolder(files: Iterable<ListedFile>): ListedFolder {
  const top = new ListedFolder()
  for (const file of files) {
    const parts = (file.webkitRelativePath || file.name).split('/')
    const name = parts.pop() ?? ''
    let folder = top
    for (const part of parts) {
      const inside = folder.folders.get(part) ?? new ListedFolder()
      folder.folders.set(part, inside)
      folder = inside
    }
    folder.files.set(name, file)
  }
  return top
}

class FolderStorage implements Storage {
  /** Folders that were found, by path. */
  private readonly folders: Map<string, PickedFolder>

  constructor(top: PickedFolder) {
    this.folders = new Map([['', top]])
  }

  async kind(path: string): Promise<Entry['kind'] | undefined> {
    return withPath(path, async () => {
      if (await this.folder(path)) return 'folder'
      return (await this.file(path)) && 'file'
    })
  }

  async list(path: string): Promise<readonly Entry[]> {
    return withPath(path, async () => {
      const folder = await this.folder(path)
      if (!folder) throw notFound(path)
      return listedAsOne(
        path,
        'near',
        async () => (await folder.list()).sort(byName),
        (found) => found.length <= NAMES_IN_ONE_STEP || folder.isStill,
      )
    })
  }

  open(path: string): ByteSource {
    let opened: FileContent | undefined
    const content = async (): Promise<FileContent> => {
      opened ??= await this.file(path)
      if (!opened) throw notFound(path)
      return opened
    }
    return {
      name: path,
      size: () => withPath(path, async () => (await content()).size),
      read: (offset, length) =>
        withPath(path, async () => {
          checkRange(path, offset, length)
          const bytes = await (await content()).slice(offset, offset + length).arrayBuffer()
          if (bytes.byteLength === length) return new Uint8Array(bytes)
          throw truncated(path, offset, length, bytes.byteLength)
        }),
      close: async () => {},
    }
  }

  private async folder(path: string): Promise<PickedFolder | undefined> {
    const known = this.folders.get(path)
    if (known) return known
    const found = await (await this.folder(folderOf(path)))?.folder(nameOf(path))
    if (found) this.folders.set(path, found)
    return found
  }

  private async file(path: string): Promise<FileContent | undefined> {
    return (await this.folder(folderOf(path)))?.file(nameOf(path))
  }
}

/** Turns errors of the browser into InspectErrors that name the path. */
async function withPath<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (cause) {
    if (cause instanceof InspectError) throw cause
    const { name, message } = described(cause)
    const [code, what] =
      name === 'NotAllowedError'
        ? (['NO_PERMISSION', 'no permission to read'] as const)
        : (['IO', 'the browser cannot read it'] as const)
    throw new InspectError(code, `${what}: ${message}`, { file: path }, { cause })
  }
}

/** Name and message of an error. It may come from another frame, so `instanceof Error` would not do. */
function described(error: unknown): { name: string; message: Prose } {
  const { name = '', message = '' } = Object(error) as { name?: string; message?: Prose }
  return { name, message }
}
