import type { FileHandle } from 'node:fs/promises'
import { open, readdir, stat } from 'node:fs/promises'
import { InspectError } from '../errors.ts'
import type { ByteSource, Entry, Storage } from './source.ts'

const CODES: Readonly<Record<string, ['NOT_FOUND' | 'NO_PERMISSION', string]>> = {
  ENOENT: ['NOT_FOUND', 'no such file or folder'],
  ENOTDIR: ['NOT_FOUND', 'no such file or folder'],
  EACCES: ['NO_PERMISSION', 'no permission to read'],
  EPERM: ['NO_PERMISSION', 'no permission to read'],
}

/** The system's error as one of ours; the path goes into the place. */
export function systemError(error: unknown, path: string): unknown {
  const code = error instanceof Error && 'code' in error ? String(error.code) : undefined
  if (code === undefined) return error
  const [ours, message] = CODES[code] ?? ['IO', `the system says ${code}`]
  return new InspectError(ours, message, { file: path }, { cause: error })
}

async function guarded<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw systemError(error, path)
  }
}

/** A local file, read at positions through one handle. */
class FileSource implements ByteSource {
  readonly name: string
  private handle: Promise<FileHandle> | undefined
  private bytes: number | undefined

  constructor(path: string) {
    this.name = path
  }

  private opened(): Promise<FileHandle> {
    this.handle ??= guarded(this.name, () => open(this.name, 'r'))
    return this.handle
  }

  async size(): Promise<number> {
    const handle = await this.opened()
    this.bytes ??= (await guarded(this.name, () => handle.stat())).size
    return this.bytes
  }

  async read(offset: number, length: number): Promise<Uint8Array> {
    const available = Math.max(0, (await this.size()) - offset)
    if (length > available) this.short(offset, length, available)
    const handle = await this.opened()
    const out = new Uint8Array(length)
    let done = 0
    while (done < length) {
      const { bytesRead } = await guarded(this.name, () => handle.read(out, done, length - done, offset + done))
      if (bytesRead === 0) this.short(offset, length, done)
      done += bytesRead
    }
    return out
  }

  async close(): Promise<void> {
    const handle = this.handle
    this.handle = undefined
    if (handle) await (await handle).close()
  }

  private short(offset: number, length: number, found: number): never {
    throw new InspectError('TRUNCATED', `expected ${length} bytes, found ${found}`, { file: this.name, offset })
  }
}

/** The local file system. */
export const localStorage: Storage = {
  async kind(path) {
    try {
      const status = await stat(path)
      return status.isFile() ? 'file' : status.isDirectory() ? 'folder' : 'other'
    } catch (error) {
      const ours = systemError(error, path)
      if (ours instanceof InspectError && ours.code === 'NOT_FOUND') return undefined
      throw ours
    }
  },

  async list(path) {
    const entries = await guarded(path, () => readdir(path, { withFileTypes: true }))
    const listed = await Promise.all(
      entries.map(async (entry): Promise<Entry> => {
        if (entry.isFile()) return { name: entry.name, kind: 'file' }
        if (entry.isDirectory()) return { name: entry.name, kind: 'folder' }
        return { name: entry.name, kind: (await localStorage.kind(`${path}/${entry.name}`)) ?? 'other' }
      }),
    )
    return listed.sort((a, b) => (a.name < b.name ? -1 : 1))
  },

  open(path) {
    return new FileSource(path)
  },
}
