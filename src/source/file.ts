import { closeSync, fstatSync, openSync, read as readAsync, readdirSync, readSync, statSync } from 'node:fs'
import { InspectError } from '../errors.ts'
import { listedNames } from './lean-heap.ts'
import type { ByteSource, Entry, Storage } from './source.ts'

/**
 * Reads up to this size are done at once, on the calling thread: handing one to the thread pool and back takes longer than
 * copying 64 KiB out of the page cache (0.1 ms against 0.01), and `node:fs/promises` alone costs a millisecond at start-up.
 */
const SMALL_READ = 64 * 1024

/** A pipe or device is read whole, up to this much. */
const MOST_PIPED = 2 ** 30

const CODES: Readonly<Record<string, ['NOT_FOUND' | 'NO_PERMISSION' | 'IO', string]>> = {
  ENOENT: ['NOT_FOUND', 'no such file or folder'],
  ENOTDIR: ['NOT_FOUND', 'no such file or folder'],
  EACCES: ['NO_PERMISSION', 'no permission to'],
  EPERM: ['NO_PERMISSION', 'no permission to'],
  EROFS: ['NO_PERMISSION', 'the file system is read-only: it cannot'],
  ENOSPC: ['IO', 'no space left to'],
  EDQUOT: ['IO', 'no space left to'],
}

/** The system's error as one of ours; the path goes into the place. @param doing what could not be done */
export function systemError(error: unknown, path: string, doing: 'read' | 'write' = 'read'): unknown {
  const code = error instanceof Error && 'code' in error ? String(error.code) : undefined
  if (code === undefined || error instanceof InspectError) return error
  const [ours, message] = CODES[code] ?? ['IO', `the system says ${code}`]
  const text = /(to|cannot)$/.test(message) ? `${message} ${doing}` : message
  return new InspectError(ours, text, { file: path }, { cause: error })
}

function guarded<T>(path: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw systemError(error, path)
  }
}

/** A local file, read at positions through one descriptor. What is no regular file is read whole at the first touch. */
class FileSource implements ByteSource {
  readonly name: string
  private descriptor: number | undefined
  private bytes: number | undefined
  private piped: Uint8Array | undefined

  constructor(path: string) {
    this.name = path
  }

  /** Asked of the name while the file is not open: listings ask of many files that they never read. */
  async size(): Promise<number> {
    if (this.descriptor === undefined) this.bytes ??= guarded(this.name, () => this.sizeByName())
    return this.knownSize()
  }

  /** Undefined for pipes and devices, which have to be read to tell. */
  private sizeByName(): number | undefined {
    const status = statSync(this.name)
    return status.isFile() ? status.size : undefined
  }

  async read(offset: number, length: number, into?: Uint8Array): Promise<Uint8Array> {
    const available = Math.max(0, this.knownSize() - offset)
    if (length > available) this.short(offset, length, available)
    if (this.piped) return this.piped.slice(offset, offset + length)
    const descriptor = this.opened()
    const out = into && into.length >= length ? into.subarray(0, length) : new Uint8Array(length)
    for (let done = 0; done < length; ) {
      const bytesRead =
        length <= SMALL_READ
          ? guarded(this.name, () => readSync(descriptor, out, done, length - done, offset + done))
          : await this.readLarge(descriptor, out, done, offset + done)
      if (bytesRead === 0) this.short(offset, length, done)
      done += bytesRead
    }
    return out
  }

  async close(): Promise<void> {
    if (this.descriptor !== undefined) closeSync(this.descriptor)
    this.descriptor = undefined
  }

  private opened(): number {
    this.descriptor ??= guarded(this.name, () => openSync(this.name, 'r'))
    return this.descriptor
  }

  private knownSize(): number {
    if (this.bytes === undefined) {
      const descriptor = this.opened()
      const status = fstatSync(descriptor)
      if (!status.isFile()) this.piped = guarded(this.name, () => drained(descriptor, this.name))
      this.bytes = this.piped?.length ?? status.size
    }
    return this.bytes
  }

  private readLarge(descriptor: number, out: Uint8Array, at: number, offset: number): Promise<number> {
    return new Promise((resolve, reject) => {
      readAsync(descriptor, out, at, out.length - at, offset, (error, bytesRead) => {
        if (error) reject(systemError(error, this.name))
        else resolve(bytesRead)
      })
    })
  }

  private short(offset: number, length: number, found: number): never {
    throw new InspectError('TRUNCATED', `expected ${length} bytes, found ${found}`, { file: this.name, offset })
  }
}

/** What pipes gave, by path: they give it once. */
const pipes = new Map<string, Uint8Array>()

function drained(descriptor: number, file: string): Uint8Array {
  const known = pipes.get(file)
  if (known) return known
  const bytes = drain(descriptor, file)
  pipes.set(file, bytes)
  return bytes
}

/** All that a pipe or device gives. @throws InspectError TOO_LARGE */
function drain(descriptor: number, file: string): Uint8Array {
  const pieces: Uint8Array[] = []
  let total = 0
  for (;;) {
    const piece = new Uint8Array(SMALL_READ)
    const length = readSync(descriptor, piece)
    if (length === 0) return Buffer.concat(pieces, total)
    pieces.push(piece.subarray(0, length))
    total += length
    if (total > MOST_PIPED)
      throw new InspectError('TOO_LARGE', `expected a pipe of at most ${MOST_PIPED} bytes, found more`, { file })
  }
}

function kindOf(path: string): Entry['kind'] | undefined {
  try {
    const status = statSync(path, { throwIfNoEntry: false })
    if (!status) return undefined
    return status.isFile() ? 'file' : status.isDirectory() ? 'folder' : 'other'
  } catch (error) {
    const ours = systemError(error, path)
    if (ours instanceof InspectError && ours.code === 'NOT_FOUND') return undefined
    throw ours
  }
}

/** What a link leads to; a link that leads nowhere, or in a circle, is no reason not to list a folder. */
function kindOfLink(path: string): Entry['kind'] {
  try {
    return kindOf(path) ?? 'other'
  } catch (error) {
    if (!(error instanceof InspectError)) throw error
    return 'other'
  }
}

/** The local file system. */
export const localStorage: Storage = {
  async kind(path) {
    return kindOf(path)
  },

  async list(path) {
    const entries = guarded(path, () => readdirSync(path, { withFileTypes: true })).map((entry): Entry => {
      if (entry.isFile()) return { name: entry.name, kind: 'file' }
      if (entry.isDirectory()) return { name: entry.name, kind: 'folder' }
      return { name: entry.name, kind: kindOfLink(`${path}/${entry.name}`) }
    })
    listedNames(entries.length)
    return entries.sort((a, b) => (a.name < b.name ? -1 : 1))
  },

  open(path) {
    return new FileSource(path)
  },
}
