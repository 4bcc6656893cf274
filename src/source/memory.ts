import { InspectError } from '../base/errors.ts'
import { type ByteSource, checkRange, type Entry, type Storage } from './source.ts'

/** A file in memory. */
export class MemorySource implements ByteSource {
  readonly name: string
  private readonly bytes: Uint8Array

  constructor(name: string, bytes: Uint8Array) {
    this.name = name
    this.bytes = bytes
  }

  async size(): Promise<number> {
    return this.bytes.length
  }

  async read(offset: number, length: number): Promise<Uint8Array> {
    checkRange(this.name, offset, length)
    if (offset + length > this.bytes.length) {
      const found = Math.max(0, this.bytes.length - offset)
      throw new InspectError('TRUNCATED', `expected ${length} bytes, found ${found}`, { file: this.name, offset })
    }
    return this.bytes.subarray(offset, offset + length)
  }

  async close(): Promise<void> {}
}

/** Files in memory, by path. Folders follow from the paths. For browsers, tests and fuzzing. */
export class MemoryStorage implements Storage {
  private readonly files: ReadonlyMap<string, Uint8Array>

  constructor(files: ReadonlyMap<string, Uint8Array>) {
    this.files = files
  }

  async kind(path: string): Promise<Entry['kind'] | undefined> {
    if (this.files.has(path)) return 'file'
    for (const file of this.files.keys()) if (file.startsWith(`${path}/`)) return 'folder'
    return undefined
  }

  async list(path: string): Promise<readonly Entry[]> {
    const entries = new Map<string, Entry>()
    for (const [file, bytes] of this.files) {
      if (!file.startsWith(`${path}/`)) continue
      const rest = file.slice(path.length + 1)
      const slash = rest.indexOf('/')
      const name = slash === -1 ? rest : rest.slice(0, slash)
      entries.set(name, slash === -1 ? { name, kind: 'file', size: bytes.length } : { name, kind: 'folder' })
    }
    if (entries.size === 0) throw new InspectError('NOT_FOUND', 'no such file or folder', { file: path })
    return [...entries.values()].sort((a, b) => (a.name < b.name ? -1 : 1))
  }

  open(path: string): ByteSource {
    const bytes = this.files.get(path)
    if (bytes) return new MemorySource(path, bytes)
    const missing = async (): Promise<never> => {
      throw new InspectError('NOT_FOUND', 'no such file or folder', { file: path })
    }
    return { name: path, size: missing, read: missing, close: async () => {} }
  }
}
