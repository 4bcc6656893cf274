import {
  closeSync,
  constants,
  type Dirent,
  fstatSync,
  lstatSync,
  openSync,
  read,
  readdirSync,
  readSync,
  realpathSync,
  type Stats,
  statSync,
} from 'node:fs'
import { getSystemErrorMap, promisify } from 'node:util'
import { attempt, InspectError, tooManyFiles, unlessCode, unlessFault } from '../base/errors.ts'
import { decodeText, encodeText } from '../format/text.ts'
import { countListedNames } from '../storage/lean-heap.ts'
import { listedAsOne, mayBeChangedSince, NAMES_IN_ONE_STEP } from '../storage/one-state.ts'
import { type ByteSource, byName, checkRange, type Entry, type Storage, truncated } from '../storage/source.ts'
import { eventsWereHandled, pauseForEvents } from './pause.ts'

/**
 * Reads of up to this many bytes are synchronous. The thread pool takes longer than copying 64 KiB from the page cache (0.1 ms
 * against 0.01). A chunk of 64 KiB is a little longer with what filters add. `node:fs/promises` alone adds a millisecond to start-up.
 */
const SMALL_READ = 96 * 1024

/** Upper limit on the bytes that one call reads or writes. Node refuses 2 GiB and more. */
export const MAX_AT_ONCE = 2 ** 30

/** Upper limit on the bytes of a pipe, which is read whole. */
const MAX_PIPED = 2 ** 30

/** Code and message for each of the system's error codes. */
const CODES: Readonly<Record<string, ['NOT_FOUND' | 'NO_PERMISSION' | 'IO', string]>> = {
  ENOENT: ['NOT_FOUND', 'no such file or folder'],
  ENOTDIR: ['NOT_FOUND', 'no such file or folder'],
  // Names in damaged files may be too long for the system, or have a zero byte, which Node refuses.
  ENAMETOOLONG: ['NOT_FOUND', 'no file can have such a name'],
  ERR_INVALID_ARG_VALUE: ['NOT_FOUND', 'no file can have such a name'],
  EACCES: ['NO_PERMISSION', 'no permission to'],
  EPERM: ['NO_PERMISSION', 'no permission to'],
  EROFS: ['NO_PERMISSION', 'the file system is read-only: it cannot'],
  ENOSPC: ['IO', 'no space left to'],
  EDQUOT: ['IO', 'no space left to'],
  EISDIR: ['IO', 'expected a file, found a folder'],
  EIO: ['IO', 'the device failed: it cannot'],
}

/** The system's error in words: `too many symbolic links encountered (ELOOP)`. */
function systemWords(error: Error, code: string): string {
  const number = 'errno' in error ? Number(error.errno) : 0
  const [, words] = getSystemErrorMap().get(number) ?? []
  return words === undefined ? `the system says ${code}` : `the system says: ${words} (${code})`
}

/** The code of an error of the system, such as `ENOENT`. */
export function systemCode(error: unknown): unknown {
  return typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined
}

/** Turns an error of the system into an InspectError that names the path. @param doing the action that failed */
export function systemError(error: unknown, path: string, doing: 'read' | 'write' = 'read'): unknown {
  if (!(error instanceof Error && 'code' in error) || error instanceof InspectError) return error
  const tooMany = tooManyFiles(error)
  if (tooMany !== undefined) return new InspectError('TOO_MANY_FILES', tooMany, { file: path }, { cause: error })
  const code = String(error.code)
  const [ours, message] = CODES[code] ?? ['IO', systemWords(error, code)]
  const text = / (?:to|cannot)$/.test(message) ? `${message} ${doing}` : message
  return new InspectError(ours, text, { file: path }, { cause: error })
}

/** Runs `work`, and turns errors of the system into InspectErrors. */
export function withSystemErrors<T>(path: string, work: () => T, doing: 'read' | 'write' = 'read'): T {
  try {
    return work()
  } catch (error) {
    throw systemError(error, path, doing)
  }
}

/**
 * A local file, read by position through one descriptor. Only regular files are read, because a pipe without a writer blocks,
 * and a device may have no end. The exception is a pipe that the shell has opened for this process (`<(…)`, `/dev/stdin`). It
 * is read whole at first use.
 */
class FileSource implements ByteSource {
  readonly name: string
  private descriptor: number | undefined
  private bytes: number | undefined
  private status: Stats | undefined

  constructor(path: string) {
    this.name = path
  }

  /** Finds the size by name, without opening the file: listings need the sizes of many files that they never read. */
  async size(): Promise<number> {
    return this.knownSize()
  }

  get stamp(): string | undefined {
    return this.status && `${this.status.size}-${this.status.mtimeMs}-${this.status.ino}`
  }

  async read(offset: number, length: number, into?: Uint8Array): Promise<Uint8Array> {
    checkRange(this.name, offset, length)
    if (this.bytes === undefined) this.openUnknown()
    const available = Math.max(0, this.knownSize() - offset)
    if (length > available) throw truncated(this.name, offset, length, available)
    const piped = pipes.get(this.name)
    if (piped) return piped.slice(offset, offset + length)
    // Longer reads let the event loop turn themselves.
    const pause = length <= SMALL_READ ? pauseForEvents() : undefined
    if (pause) await pause
    const descriptor = this.opened()
    const out = into && into.length >= length ? into.subarray(0, length) : new Uint8Array(length)
    for (let done = 0; done < length; ) {
      const bytesRead =
        length <= SMALL_READ
          ? withSystemErrors(this.name, () => readSync(descriptor, out, done, length - done, offset + done))
          : await this.readLarge(descriptor, out, done, offset + done)
      if (bytesRead === 0) throw truncated(this.name, offset, length, done)
      done += bytesRead
    }
    return out
  }

  readNow(offset: number, length: number, into?: Uint8Array): Uint8Array | undefined {
    const { descriptor, bytes = 0 } = this
    if (descriptor === undefined || length > SMALL_READ || offset + length > bytes) return undefined
    // Then `read` waits for it.
    if (pauseForEvents()) return undefined
    const out = into && into.length >= length ? into.subarray(0, length) : new Uint8Array(length)
    try {
      return readSync(descriptor, out, 0, length, offset) === length ? out : undefined
    } catch {
      return undefined
    }
  }

  async close(): Promise<void> {
    this.closeNow()
  }

  private closeNow(): void {
    if (this.descriptor !== undefined) closeSync(this.descriptor)
    this.descriptor = undefined
  }

  /** Opens a file of which nothing is known yet. Its descriptor then tells the size, so that nothing is asked by name. */
  private openUnknown(): void {
    if (OPEN_PIPE.test(this.name)) return
    const descriptor = attempt(() => this.opened())
    const status = descriptor === undefined ? undefined : attempt(() => fstatSync(descriptor))
    // What is no file, or cannot be opened, gives its error when it is asked by name.
    if (!status?.isFile()) {
      this.closeNow()
      return
    }
    this.status = status
    this.bytes = status.size
  }

  private opened(): number {
    // Opening must not block, even if a pipe has taken the file's place.
    this.descriptor ??= withSystemErrors(this.name, () =>
      openSync(systemPath(this.name), constants.O_RDONLY | constants.O_NONBLOCK),
    )
    return this.descriptor
  }

  private knownSize(): number {
    if (this.bytes === undefined) {
      this.status = statusByName(this.name)
      this.bytes = this.status?.size ?? pipeContent(this.name).length
    }
    return this.bytes
  }

  private async readLarge(descriptor: number, out: Uint8Array, at: number, offset: number): Promise<number> {
    try {
      const { bytesRead } = await promisify(read)(descriptor, out, at, Math.min(out.length - at, MAX_AT_ONCE), offset)
      eventsWereHandled()
      return bytesRead
    } catch (error) {
      throw systemError(error, this.name)
    }
  }
}

/** The status of a file; undefined for an open pipe, whose size is not known. @throws InspectError IO for anything else */
function statusByName(file: string): Stats | undefined {
  const status = withSystemErrors(file, () => statSync(systemPath(file)))
  if (status.isFile()) return status
  if (isOpenPipe(file, status)) return undefined
  throw new InspectError('IO', { expected: 'a regular file', found: kindInWords(status) }, { file })
}

/** Paths of files that are open already: the shell may have opened a pipe there. */
const OPEN_PIPE = /^\/(?:dev\/(?:fd\/\d+|stdin)|proc\/(?:self|\d+)\/fd\/\d+)$/

/** Whether the path is a pipe that was opened for this process, so that it has a writer and an end. */
function isOpenPipe(path: string, status: Stats): boolean {
  return (status.isFIFO() || status.isSocket()) && OPEN_PIPE.test(path)
}

function kindInWords(status: Stats): string {
  if (status.isDirectory()) return 'a folder'
  if (status.isFIFO()) return 'a named pipe'
  if (status.isSocket()) return 'a socket'
  return 'a device'
}

/** The content of pipes, by path. A pipe can be read only once. */
const pipes = new Map<string, Uint8Array>()

/** The whole content of a pipe. */
function pipeContent(file: string): Uint8Array {
  const bytes = pipes.get(file) ?? readWhole(file, MAX_PIPED)
  pipes.set(file, bytes)
  return bytes
}

/** Reads a file or pipe to its end. @throws InspectError TOO_LARGE for more than `most` bytes */
function readWhole(file: string, most: number): Uint8Array {
  return withSystemErrors(file, () => {
    const descriptor = openSync(systemPath(file), 'r')
    const pieces: Uint8Array[] = []
    let total = 0
    try {
      for (;;) {
        const piece = new Uint8Array(SMALL_READ)
        const length = readSync(descriptor, piece)
        if (length === 0) return Buffer.concat(pieces, total)
        pieces.push(piece.subarray(0, length))
        total += length
        if (total > most)
          throw new InspectError('TOO_LARGE', { expected: `a pipe of at most ${most} bytes`, found: 'more' }, { file })
      }
    } finally {
      closeSync(descriptor)
    }
  })
}

/** Reads a short file, or a short pipe that was opened for this process. @throws InspectError TOO_LARGE; those of reading */
export function readShort(path: string, most: number): Uint8Array {
  const size = statusByName(path)?.size
  if (size !== undefined && size > most)
    throw new InspectError('TOO_LARGE', { expected: `at most ${most} bytes`, found: size }, { file: path })
  return readWhole(path, most)
}

function kindOf(path: string): Entry['kind'] | undefined {
  try {
    const status = statSync(systemPath(path), { throwIfNoEntry: false })
    if (!status) return undefined
    if (status.isFile()) return 'file'
    return status.isDirectory() ? 'folder' : 'other'
  } catch (error) {
    return unlessCode('NOT_FOUND')(systemError(error, path))
  }
}

/** The kind of a link's target: `other` for a link to nowhere or in a circle, which must not stop the listing of a folder. */
function kindOfLink(path: string): Entry['kind'] {
  try {
    return kindOf(path) ?? 'other'
  } catch (error) {
    return unlessFault(error) ?? 'other'
  }
}

/** A path for system calls: as bytes, if a name in it is not UTF-8. */
export function systemPath(path: string): string | Buffer {
  return path.isWellFormed() ? path : Buffer.from(encodeText(path))
}

/** The character that replaces bytes that are not UTF-8 when names are read as text. */
export const REPLACED = '\ufffd'

/** A folder's entries. Each name is text that {@link systemPath} can turn back into bytes. */
function entriesOf(path: string): Dirent[] {
  const entries = readdirSync(systemPath(path), { withFileTypes: true })
  if (!entries.some(({ name }) => name.includes(REPLACED))) return entries
  return readdirSync(systemPath(path), { withFileTypes: true, encoding: 'buffer' }).map((entry) =>
    Object.assign(Object.create(entry), { name: decodeText(entry.name) }),
  )
}

/** A folder's entries, sorted by name. The system reads a large folder in several steps. */
async function listedOnce(path: string): Promise<Entry[]> {
  const pause = pauseForEvents()
  if (pause) await pause
  const entries = withSystemErrors(path, () => entriesOf(path)).map((entry) => entryOf(entry, path))
  return entries.sort(byName)
}

function entryOf(entry: Dirent, folder: string): Entry {
  const { name } = entry
  if (entry.isFile()) return { name, kind: 'file' }
  if (entry.isDirectory()) return { name, kind: 'folder' }
  const link = entry.isSymbolicLink()
  return { name, kind: link ? kindOfLink(`${folder}/${name}`) : 'other', link }
}

/** An entry with the size of a file, by one call of the system. Undefined if it is gone. */
function sizedEntryOf(name: string, path: string): Entry | undefined {
  const status = lstatSync(path, { throwIfNoEntry: false })
  if (!status) return undefined
  if (status.isFile()) return { name, kind: 'file', size: status.size }
  if (status.isDirectory()) return { name, kind: 'folder' }
  const link = status.isSymbolicLink()
  if (!link) return { name, kind: 'other', link }
  const kind = kindOfLink(path)
  return { name, kind, link, ...(kind === 'file' && { size: statSync(path, { throwIfNoEntry: false })?.size }) }
}

/** Whether it is sure that no name came or went in a folder since a time, in milliseconds since 1970. */
function isUnchangedSince(path: string, time: number): boolean {
  return !mayBeChangedSince(time, modifiedAt(path) ?? time)
}

function modifiedAt(path: string): number | undefined {
  return attempt(() => statSync(systemPath(path), { throwIfNoEntry: false }))?.mtimeMs
}

/** The local file system. */
export const localFiles: Storage = {
  async kind(path) {
    return kindOf(path)
  },

  async list(path) {
    const entries = await listedAsOne(
      path,
      'near',
      () => listedOnce(path),
      (found, begun) => found.length <= NAMES_IN_ONE_STEP || isUnchangedSince(path, begun),
    )
    countListedNames(entries.length)
    return entries
  },

  listSized(path, known) {
    return attempt(() => {
      const at = systemPath(path)
      // Names are enough: the call that finds a size tells the kind, too.
      const names = typeof at === 'string' ? readdirSync(at) : undefined
      if (!names || names.length > NAMES_IN_ONE_STEP || names.some((name) => name.includes(REPLACED))) return undefined
      countListedNames(names.length)
      const entries: Entry[] = []
      for (const name of names.sort()) {
        const entry: Entry | undefined =
          name === known?.name ? { name, kind: 'file', size: known.size } : sizedEntryOf(name, `${path}/${name}`)
        if (entry) entries.push(entry)
      }
      return entries
    })
  },

  open(path) {
    return new FileSource(path)
  },

  fileSize(path) {
    const status = attempt(() => statSync(systemPath(path), { throwIfNoEntry: false }))
    return status?.isFile() ? status.size : undefined
  },

  modified: modifiedAt,

  readEnd(path, into) {
    let descriptor: number | undefined
    try {
      descriptor = openSync(systemPath(path), constants.O_RDONLY | constants.O_NONBLOCK)
      // If the file is small, one call reads all of it, and its size is then known.
      const length = readSync(descriptor, into, 0, into.length, 0)
      if (length < into.length) return { size: length, length }
      const status = fstatSync(descriptor)
      if (!status.isFile()) return undefined
      const { size } = status
      return { size, length: readSync(descriptor, into, 0, into.length, Math.max(0, size - into.length)) }
    } catch {
      return undefined
    } finally {
      if (descriptor !== undefined) closeSync(descriptor)
    }
  },

  realPath(path) {
    return withSystemErrors(path, () => decodeText(realpathSync.native(systemPath(path), 'buffer')))
  },
}
