import { InspectError } from '../base/errors.ts'

/**
 * Where bytes come from. Everything above reads through these two interfaces, so that local files, memory, HTTP and object
 * stores are the same to it.
 */

/** A part of a file, bytes. */
export interface ByteRange {
  offset: number
  length: number
}

/** A file that is read by ranges. */
export interface ByteSource {
  /** For messages: a path or URL. */
  readonly name: string
  /**
   * Bytes.
   * @param end most bytes of the file's end that will be read as well: one request may give both
   * @throws InspectError NOT_FOUND, NO_PERMISSION, IO
   */
  size(end?: number): Promise<number>
  /**
   * Exactly `length` bytes from `offset`. They belong to the caller to read, not to write.
   * @param into room that may be used for them, so that the caller can have it used again
   * @throws InspectError TRUNCATED, saying how many there are, when the file is shorter
   */
  read(offset: number, length: number, into?: Uint8Array): Promise<Uint8Array>
  /**
   * Told which ranges will be read, so that far-away sources can fetch those close together at once.
   * @param together most bytes to fetch, and keep, at once
   * @param first the same, at the start: for readers that may stop early
   */
  plan?(ranges: readonly ByteRange[], together?: number, first?: number): void
  close(): Promise<void>
}

/** One name in a folder. */
export interface Entry {
  name: string
  kind: 'file' | 'folder' | 'other'
  /** Bytes, where listing tells it. */
  size?: number | undefined
  /** Whether it is a link to what `kind` says. */
  link?: boolean | undefined
}

/** Files and folders by path. Paths are the storage's own, joined with `/`. */
export interface Storage {
  /** What stands at `path`, or undefined. @throws InspectError NO_PERMISSION, IO */
  kind(path: string): Promise<Entry['kind'] | undefined>
  /** Sorted by name. @throws InspectError NOT_FOUND, NO_PERMISSION, IO; NO_LISTING where the server tells no names */
  list(path: string): Promise<readonly Entry[]>
  /** The file at `path`; it is opened when first read. */
  open(path: string): ByteSource
  /** Whether reading what lies at `path` crosses a network: then requests count, and are worth making side by side. */
  isRemote?(path: string): boolean
  /** The one path of what several lead to, where links are followed. */
  realPath?(path: string): string
  /** Whether names tell what lies at `path` better than asking: some servers list nothing. */
  mayNotList?(path: string): boolean
  /**
   * Told that all folders in `path` will be listed, so that a storage that can lists them together.
   * @returns bytes of all files there, where it did
   */
  listAhead?(path: string): Promise<number | undefined>
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
    return this.path.slice(this.path.lastIndexOf('/') + 1)
  }

  list(): Promise<readonly Entry[]> {
    return this.storage.list(this.path)
  }

  /** Like {@link list}, with nothing for a folder that is not there. */
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

  /** The folder that holds this one; undefined at the top, which of URLs is the host or bucket. */
  parent(): Folder | undefined {
    if (/^[a-z0-9]+:\/\/[^/]*$/.test(this.path)) return undefined
    const slash = this.path.lastIndexOf('/')
    if (slash < 0) return undefined
    if (slash === 0) return this.path === '/' ? undefined : new Folder(this.storage, '/')
    return new Folder(this.storage, this.path.slice(0, slash))
  }
}

/**
 * No file has a part that begins before it, or has fewer bytes than none: such a range was worked out from what is stored.
 * @throws InspectError BAD_VALUE
 */
export function checkRange(file: string, offset: number, length: number): void {
  if (Number.isSafeInteger(offset) && Number.isSafeInteger(length) && offset >= 0 && length >= 0) return
  throw new InspectError('BAD_VALUE', `expected a part of the file, found ${length} bytes from ${offset} on`, { file })
}

/** Whether an error says that a server tells no names: others may be known all the same. */
export function isNoListing(error: unknown): boolean {
  return error instanceof InspectError && error.code === 'NO_LISTING'
}

/** All bytes of a source. */
export async function readAll(source: ByteSource): Promise<Uint8Array> {
  const size = await source.size()
  return size === 0 ? new Uint8Array(0) : source.read(0, size)
}
