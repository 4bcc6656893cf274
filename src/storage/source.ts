import { badValue, faultText, InspectError, type Mismatch } from '../base/errors.ts'
import { nameOf } from '../base/paths.ts'
import { rising } from '../base/rising.ts'
import { sizeText } from '../base/sizes.ts'

/**
 * Where bytes come from. All other code reads through these interfaces, so that local files, memory, HTTP and object stores
 * look the same to it.
 */

/** Bytes that are read at a file's end to learn its size. Nearly every fragment has its whole footer in them. */
export const TAIL_BYTES = 64 * 1024

/** A part of a file, in bytes. */
export interface ByteRange {
  offset: number
  length: number
}

/** A file that is read by ranges. */
export interface ByteSource {
  /** Path or URL, for messages. */
  readonly name: string
  /** A text that changes when the file changes. Only sources of local files have it, once they know the size. */
  readonly stamp?: string | undefined
  /**
   * Size of the file in bytes.
   * @param end number of bytes at the file's end that will be read next: one request may fetch them and the size
   * @throws InspectError NOT_FOUND, NO_PERMISSION, IO
   */
  size(end?: number): Promise<number>
  /**
   * Exactly `length` bytes from `offset`. The caller must not change them.
   * @param into memory that may be used for the bytes, so that the caller can reuse it
   * @throws InspectError TRUNCATED if the file is shorter. The message has the number of bytes that are there.
   */
  read(offset: number, length: number, into?: Uint8Array): Promise<Uint8Array>
  /**
   * The bytes of {@link read} without waiting, if there are not many and the file is open. Undefined if that fails, for which `read`
   * gives the reason, or if events wait to be handled. Only sources of local files have it.
   * @param into as in {@link read}
   */
  readNow?(offset: number, length: number, into?: Uint8Array): Uint8Array | undefined
  /**
   * Like {@link read}, but returns fewer bytes at the end of the file, and fetches nothing ahead. Only sources over a network
   * have this, for readers that plan what they read. The bytes belong to the caller and share their memory with nothing else.
   */
  fetch?(offset: number, length: number): Promise<Uint8Array>
  close(): Promise<void>
}

/** One name in a folder. */
export interface Entry {
  name: string
  kind: 'file' | 'folder' | 'other'
  /** In bytes, if the listing has it. */
  size?: number | undefined
  /** Whether it is a link. `kind` is then that of its target. */
  link?: boolean | undefined
}

/** A file whose size is known, in bytes. */
export interface SizedFile {
  readonly name: string
  readonly size: number
}

/** Files and folders by path. Paths are the storage's own, joined with `/`. */
export interface Storage {
  /** What is at `path`; undefined for nothing. @throws InspectError NO_PERMISSION, IO */
  kind(path: string): Promise<Entry['kind'] | undefined>
  /**
   * The entries of a folder, sorted by name.
   * @throws InspectError NOT_FOUND, NO_PERMISSION, IO; NO_LISTING if the server cannot list
   */
  list(path: string): Promise<readonly Entry[]>
  /** The file at `path`. It is opened on the first read. */
  open(path: string): ByteSource
  /** Whether reading at `path` uses a network. Then requests are slow, and worth making concurrently. */
  isRemote?(path: string): boolean
  /**
   * Reads the last bytes of a file synchronously, and leaves it closed. Only storages of local files have this: for a thousand
   * small files, waiting takes longer than reading.
   * @param into memory that is filled from its start
   * @returns size of the file and number of bytes read; undefined if that fails, for which the other calls give the reason
   */
  readEnd?(path: string, into: Uint8Array): { size: number; length: number } | undefined
  /** Size of a file in bytes, found synchronously as by {@link readEnd}. Undefined if that fails. */
  fileSize?(path: string): number | undefined
  /**
   * {@link list} with the sizes of all files, found synchronously as by {@link readEnd}. Undefined if that fails, or if the folder has
   * so many names that the listing may be of no state of the folder: one-state.ts.
   * @param known a file there whose size need not be found
   */
  listSized?(path: string, known?: SizedFile): readonly Entry[] | undefined
  /** The path with all links resolved, if the storage has links. */
  realPath?(path: string): string
  /** Whether the server may be unable to list folders. Callers then rely on names instead of listings. */
  mayNotList?(path: string): boolean
  /**
   * Announces that all folders below `path` will be listed. A storage may then list them together.
   * @returns total bytes of the files there; undefined if the storage did not list them
   */
  listAhead?(path: string): Promise<number | undefined>
  /** {@link list}, past any listing that the storage has kept. */
  listAgain?(path: string): Promise<readonly Entry[]>
  /**
   * When a file or folder was last changed, in milliseconds since 1970, found synchronously as by {@link readEnd}. Undefined if
   * that fails.
   */
  modified?(path: string): number | undefined
  /**
   * Makes sure that nothing that was read has changed since it was listed. To be called before damage is told: what a writer is
   * removing looks damaged. Only watched storages have it.
   * @param files the files that look damaged
   * @throws InspectError CHANGED_WHILE_READ
   */
  confirm?(files?: readonly string[]): Promise<void>
  /** The same files, for those who want them as they are now, not as a run has found them. Only watched storages have it. */
  readonly anew?: Storage | undefined
}

/** A folder of a storage. */
export class Folder {
  readonly storage: Storage
  readonly path: string

  constructor(storage: Storage, path: string) {
    this.storage = storage
    this.path = path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path
  }

  /** Last part of the path. */
  get name(): string {
    return nameOf(this.path)
  }

  list(): Promise<readonly Entry[]> {
    return this.storage.list(this.path)
  }

  /** The path with all links resolved. */
  get realPath(): string {
    return this.storage.realPath?.(this.path) ?? this.path
  }

  /** {@link list}, or an empty list if there is no such folder. */
  async listIfThere(): Promise<readonly Entry[]> {
    return (await this.storage.kind(this.path)) === 'folder' ? this.list() : []
  }

  folder(name: string): Folder {
    return new Folder(this.storage, `${this.path}/${name}`)
  }

  file(name: string): ByteSource {
    return this.storage.open(`${this.path}/${name}`)
  }

  kind(name: string): Promise<Entry['kind'] | undefined> {
    return this.storage.kind(`${this.path}/${name}`)
  }

  get isRemote(): boolean {
    return this.storage.isRemote?.(this.path) ?? false
  }

  /** The folder around this one; undefined at the top, which for URLs is the host or bucket. */
  parent(): Folder | undefined {
    if (/^[a-z0-9]+:\/\/[^/]*$/.test(this.path)) return undefined
    const slash = this.path.lastIndexOf('/')
    if (slash < 0) return undefined
    if (slash === 0) return this.path === '/' ? undefined : new Folder(this.storage, '/')
    return new Folder(this.storage, this.path.slice(0, slash))
  }
}

/** Refuses a range with a negative offset or length, which wrong numbers in a file lead to. @throws InspectError BAD_VALUE */
export function checkRange(file: string, offset: number, length: number): void {
  if (Number.isSafeInteger(offset) && Number.isSafeInteger(length) && offset >= 0 && length >= 0) return
  throw badValue(
    { expected: 'a part of the file', found: `${sizeText(length)} bytes from ${sizeText(offset)} on` },
    { file },
  )
}

export function notFound(path: string): InspectError {
  return new InspectError('NOT_FOUND', 'no such file or folder', { file: path })
}

/** The error for a target that a writer changed, so that what was read is of no one state. */
export function changedWhileRead(file: string, fault: Mismatch, options?: { cause?: unknown }): InspectError {
  const message = `the array was changed while it was read: ${faultText(fault)}`
  return new InspectError('CHANGED_WHILE_READ', message, { file }, options)
}

/** The error for a range that goes beyond the end of a file. @param found number of bytes of the range that the file has */
export function truncated(file: string, offset: number, length: number, found: number): InspectError {
  return new InspectError('TRUNCATED', { expected: `${length} bytes`, found: Math.max(0, found) }, { file, offset })
}

/** A source for a file that does not exist. Its reads throw NOT_FOUND. */
export function missingSource(name: string): ByteSource {
  const missing = async (): Promise<never> => {
    throw notFound(name)
  }
  return { name, size: missing, read: missing, close: async () => {} }
}

/** Compares two entries of a listing, whose names all differ. */
export function byName(a: Entry, b: Entry): number {
  return rising(a.name, b.name)
}

/** Finds an entry by name in a sorted listing. */
export function findEntry(entries: readonly Entry[], name: string): Entry | undefined {
  let low = 0
  let high = entries.length
  while (low < high) {
    const middle = (low + high) >>> 1
    const entry = entries[middle]
    if (entry?.name === name) return entry
    if (entry && entry.name < name) low = middle + 1
    else high = middle
  }
  return undefined
}

/** All bytes of a source. */
export async function readAll(source: ByteSource): Promise<Uint8Array> {
  const size = await source.size()
  return size === 0 ? new Uint8Array(0) : source.read(0, size)
}

/** Runs `work` on a source, then closes the source. */
export async function withSource<T>(source: ByteSource, work: (source: ByteSource) => Promise<T>): Promise<T> {
  try {
    return await work(source)
  } finally {
    await source.close()
  }
}

/** Whether a listing has a file or a folder of this name. */
export function hasEntry(entries: readonly Entry[], name: string, kind: Entry['kind']): boolean {
  return entries.some((entry) => entry.name === name && entry.kind === kind)
}
