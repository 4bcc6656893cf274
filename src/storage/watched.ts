import { hasCode, type InspectError, type Mismatch } from '../base/errors.ts'
import { folderOf, nameOf } from '../base/paths.ts'
import { KeptEnds } from './kept-ends.ts'
import { mayBeChangedSince } from './one-state.ts'
import {
  type ByteSource,
  changedWhileRead,
  type Entry,
  findEntry,
  type SizedFile,
  type Storage,
  TAIL_BYTES,
} from './source.ts'
import { LINKED } from './walk.ts'

/*
 * Arrays are read while others write, consolidate and vacuum them. Files of TileDB never change once a commit names them, so a reader
 * sees one state as long as nothing that it found goes away. A watched storage notices what went away, so that nobody takes it for
 * damage.
 */

/** A storage that notices changes of what a run reads. Each run has its own. */
export interface Watch {
  readonly storage: Storage
  /** The first change that was noticed: CHANGED_WHILE_READ. From then on, what was read is of no one state. */
  changed(): InspectError | undefined
  /**
   * Looks once more at what was listed, as {@link Storage.confirm} does, over a network even if that was done a moment ago.
   * @returns the change, or one that was noticed before
   */
  confirm(files?: readonly string[]): Promise<InspectError | undefined>
}

/** What a run knows of a folder. */
interface Listing {
  entries: readonly Entry[]
  /** When it was listed, in milliseconds since 1970. */
  at: number
  /** When the folder was last changed before it was listed, if that is known. */
  modified: number | undefined
}

/** Number of folders that are listed once in a run, and once more by `confirm`, besides those that are the same in every array. */
const FOLDERS_WATCHED = 16
/** Numbers of listings and of answers that are kept, so that memory does not grow with the array. */
const LISTINGS_KEPT = 256
const KINDS_KEPT = 1024
/** Over a network, `confirm` asks at most this often, in milliseconds. */
const CONFIRMED_EVERY = 1000
/** What TileDB writes before it removes fragments whose commits were consolidated. */
const IGNORE_SUFFIX = '.ign'

/**
 * A watched storage: see {@link Watch}.
 * @param storage a storage that has kept no listings of the target
 * @param mostKept limit on the bytes of small files that are kept when they were read: for a run, which ends soon. 0 keeps none
 */
export function watched(storage: Storage, mostKept?: number): Watch {
  const watch = new WatchedStorage(storage, mostKept)
  return {
    storage: watch.storage(),
    changed: () => watch.changed,
    confirm: (files) => watch.confirm(files, true),
  }
}

class WatchedStorage {
  changed: InspectError | undefined
  private readonly under: Storage
  /** Files that were changed after this time, in milliseconds since 1970, may have been read in part. */
  private readonly begun = Date.now() + 1
  /** Folders that {@link confirm} lists once more. */
  private readonly listings = new Map<string, Listing>()
  /** Other folders: their names alone count. */
  private readonly others = new Map<string, Listing>()
  /** When a path was found, in milliseconds since 1970. */
  private readonly found = new Map<string, number>()
  /** What was read of small files; undefined if it is not kept. A storage over a network keeps these itself. */
  private readonly ends: KeptEnds | undefined
  private confirmed = 0

  constructor(under: Storage, mostKept: number | undefined) {
    this.under = under
    this.ends = mostKept === 0 ? undefined : new KeptEnds(mostKept)
  }

  storage(): Storage {
    const { under } = this
    const watched: Storage = {
      kind: (path) => this.kind(path),
      list: (path) => this.list(path),
      open: (path) => this.open(path),
      anew: under.anew ?? under,
      confirm: async (files) => {
        const changed = await this.confirm(files ?? [], false)
        if (changed) throw changed
      },
    }
    // A method that a storage does not have means that its callers take another way.
    if (under.isRemote) watched.isRemote = (path) => under.isRemote?.(path) ?? false
    if (under.readEnd) watched.readEnd = (path, into) => this.readEnd(path, into)
    if (under.listSized) watched.listSized = (path, known) => this.listSized(path, known)
    if (under.fileSize) watched.fileSize = (path) => under.fileSize?.(path)
    if (under.modified) watched.modified = (path) => under.modified?.(path)
    if (under.realPath) watched.realPath = (path) => under.realPath?.(path) ?? path
    if (under.mayNotList) watched.mayNotList = (path) => under.mayNotList?.(path) ?? false
    if (under.listAhead) watched.listAhead = async (path) => this.judged(path, async () => under.listAhead?.(path))
    return watched
  }

  private async kind(path: string): Promise<Entry['kind'] | undefined> {
    const kind = await this.under.kind(path)
    const since = kind === undefined ? this.foundAt(path) : undefined
    if (since !== undefined) throw this.gone(path, since)
    // Over a network some answers are only assumed, as that a bucket is there.
    const isCertain = kind !== undefined && kind !== 'other' && !this.under.isRemote?.(path)
    if (isCertain && this.found.size < KINDS_KEPT) this.found.set(path, Date.now())
    return kind
  }

  private async list(path: string): Promise<readonly Entry[]> {
    const known = this.listings.get(path) ?? this.others.get(path)
    if (known) return known.entries
    return this.judged(path, async () => {
      const isWatched = this.listings.size < FOLDERS_WATCHED || LINKED.has(nameOf(path))
      const modified = isWatched ? this.timeOfChange(path) : undefined
      const listing = { entries: await this.under.list(path), at: Date.now(), modified }
      if (isWatched) this.listings.set(path, listing)
      else if (this.others.size < LISTINGS_KEPT) this.others.set(path, listing)
      return listing.entries
    })
  }

  /** Keeps a listing as {@link list} keeps those that {@link confirm} does not look at again. */
  private listSized(path: string, known: SizedFile | undefined): readonly Entry[] | undefined {
    const entries = this.under.listSized?.(path, known)
    if (entries && this.others.size < LISTINGS_KEPT)
      this.others.set(path, { entries, at: Date.now(), modified: undefined })
    return entries
  }

  /** When a folder was last changed; undefined if that is not known, or so short ago that another change may bear the same time. */
  private timeOfChange(path: string): number | undefined {
    const modified = this.under.modified?.(path)
    return modified === undefined || mayBeChangedSince(Date.now(), modified) ? undefined : modified
  }

  private open(path: string): ByteSource {
    const source = this.under.open(path)
    const fail = (error: unknown, since: number | undefined): Promise<never> => this.failed(path, error, since)
    if (source.fetch) return new WatchedRemoteFile(source, fail)
    return this.ends ? new WatchedLocalFile(source, fail, this.ends) : new WatchedFile(source, fail)
  }

  private readEnd(path: string, into: Uint8Array): ReturnType<NonNullable<Storage['readEnd']>> {
    const kept = this.ends?.get(path)
    if (kept && kept.bytes.length >= Math.min(kept.size, into.length)) {
      const bytes = kept.bytes.subarray(-into.length)
      into.set(bytes)
      return { size: kept.size, length: bytes.length }
    }
    const end = this.under.readEnd?.(path, into)
    if (end) this.ends?.keep(path, end.size, into.subarray(0, end.length))
    return end
  }

  private async failed(path: string, error: unknown, since: number | undefined): Promise<never> {
    if (since !== undefined && hasCode(error, 'NOT_FOUND')) throw this.gone(path, since)
    throw await this.cause(path, error)
  }

  private async judged<T>(path: string, work: () => Promise<T>): Promise<T> {
    try {
      return await work()
    } catch (error) {
      throw await this.cause(path, error)
    }
  }

  /** The error to throw for an error of the storage: the change that caused it, if one did. */
  private async cause(path: string, error: unknown): Promise<unknown> {
    if (hasCode(error, 'CHANGED_WHILE_READ')) {
      this.changed ??= error
      return error
    }
    if (!hasCode(error, 'NOT_FOUND')) return error
    const since = this.foundAt(path)
    if (since !== undefined) return this.gone(path, since)
    // The file was not listed, but its fragment may be: vacuum removes the commit, then the files.
    return (await this.confirm([], false)) ?? error
  }

  /** The same, of a listed path also: by the time of its listing. */
  private foundAt(path: string): number | undefined {
    const found = this.found.get(path)
    if (found !== undefined) return found
    const folder = folderOf(path)
    const listing = this.listings.get(folder) ?? this.others.get(folder)
    const entry = listing && findEntry(listing.entries, nameOf(path))
    return entry && entry.kind !== 'other' ? listing.at : undefined
  }

  /**
   * The change, if there was one since the folders were listed.
   * @param files files of which damage is to be told: they may be written right now
   * @param always whether to ask even if that was done a moment ago
   */
  async confirm(files: readonly string[] = [], always: boolean): Promise<InspectError | undefined> {
    const { under, begun } = this
    if (this.changed) return this.changed
    for (const file of files)
      if ((under.modified?.(file) ?? 0) >= begun) return this.written(file, 'that it was written to after that')
    const now = Date.now()
    const asksRemote = always || now - this.confirmed >= CONFIRMED_EVERY
    for (const [path, listing] of this.listings) {
      const isRemote = under.isRemote?.(path) ?? false
      if (isRemote && !asksRemote) continue
      if (isRemote) this.confirmed = now
      const change = await this.changeOf(path, listing)
      if (change) return change
    }
    return undefined
  }

  private async changeOf(path: string, listing: Listing): Promise<InspectError | undefined> {
    const { under, begun } = this
    const { entries, at } = listing
    for (const { name } of entries) {
      if (!name.endsWith(IGNORE_SUFFIX)) continue
      const file = `${path}/${name}`
      if ((under.modified?.(file) ?? 0) >= begun) return this.written(file, 'that it was written to after that')
    }
    const modified = this.timeOfChange(path)
    if (modified !== undefined && modified === listing.modified) return undefined
    let now: readonly Entry[]
    try {
      now = await (under.listAgain?.(path) ?? under.list(path))
    } catch (error) {
      if (hasCode(error, 'NOT_FOUND')) return this.gone(path, at)
      // Whoever reads there gets the error.
      return undefined
    }
    const names = new Set(now.map(({ name }) => name))
    const gone = entries.find(({ name, kind }) => kind !== 'other' && isOfTileDB(name) && !names.has(name))
    if (gone) return this.gone(`${path}/${gone.name}`, at)
    const before = new Set(entries.map(({ name }) => name))
    const ignores = now.find(({ name }) => name.endsWith(IGNORE_SUFFIX) && !before.has(name))
    if (ignores) return this.written(`${path}/${ignores.name}`, 'that it is new: fragments are removed')
    listing.modified = modified
    return undefined
  }

  private gone(path: string, since: number): InspectError {
    return this.noted(path, { expected: `what was there at ${timeOf(since)}`, found: 'that it is gone' })
  }

  private written(path: string, found: string): InspectError {
    return this.noted(path, { expected: `it as it was at ${timeOf(this.begun)}`, found })
  }

  private noted(file: string, fault: Mismatch): InspectError {
    this.changed ??= changedWhileRead(file, fault)
    return this.changed
  }
}

/** A file of a watched storage. Arrays have thousands, so that classes and promises are few. */
class WatchedFile implements ByteSource {
  readonly name: string
  protected readonly source: ByteSource
  private readonly fail: (error: unknown, since: number | undefined) => Promise<never>
  /** When the file was there, in milliseconds since 1970. */
  private since: number | undefined

  /** @param fail throws the error, or the change that caused it */
  constructor(source: ByteSource, fail: (error: unknown, since: number | undefined) => Promise<never>) {
    this.name = source.name
    this.source = source
    this.fail = fail
  }

  get stamp(): string | undefined {
    return this.source.stamp
  }

  size(end?: number): Promise<number> {
    return this.judged(this.source.size(end))
  }

  read(offset: number, length: number, into?: Uint8Array): Promise<Uint8Array> {
    return this.judged(this.source.read(offset, length, into))
  }

  readNow(offset: number, length: number, into?: Uint8Array): Uint8Array | undefined {
    return this.source.readNow?.(offset, length, into)
  }

  close(): Promise<void> {
    return this.source.close()
  }

  protected judged<T>(work: Promise<T>): Promise<T> {
    return work.then(this.found, this.lost) as Promise<T>
  }

  private readonly found = <T>(result: T): T => {
    this.since ??= Date.now()
    return result
  }

  private readonly lost = (error: unknown): Promise<never> => this.fail(error, this.since)
}

/** A file that is not opened for bytes that were read of it before. */
class WatchedLocalFile extends WatchedFile {
  private readonly ends: KeptEnds

  constructor(source: ByteSource, fail: (error: unknown, since: number | undefined) => Promise<never>, ends: KeptEnds) {
    super(source, fail)
    this.ends = ends
  }

  override size(end?: number): Promise<number> {
    const kept = this.ends.get(this.name)
    return kept ? Promise.resolve(kept.size) : super.size(end)
  }

  override read(offset: number, length: number, into?: Uint8Array): Promise<Uint8Array> {
    const kept = this.ends.part(this.name, offset, length)
    // A copy: callers may write into what they read.
    if (kept) return Promise.resolve(kept.slice())
    const read = super.read(offset, length, into)
    return length > TAIL_BYTES ? read : read.then((bytes) => this.kept(offset, bytes))
  }

  /** Keeps what was read, if the file ends with it. */
  private async kept(offset: number, bytes: Uint8Array): Promise<Uint8Array> {
    const size = await this.source.size()
    if (offset + bytes.length === size) this.ends.keep(this.name, size, bytes)
    return bytes
  }
}

class WatchedRemoteFile extends WatchedFile {
  fetch(offset: number, length: number): Promise<Uint8Array> {
    const { source } = this
    return this.judged(source.fetch?.(offset, length) ?? source.read(offset, length))
  }
}

function timeOf(milliseconds: number): string {
  return new Date(milliseconds).toISOString()
}

/** Whether TileDB may have made a file of this name. Others come and go without effect on what is read. */
function isOfTileDB(name: string): boolean {
  return name.startsWith('__') || name.endsWith('.tdb')
}
