import {
  type ByteSource,
  byName,
  checkRange,
  type Entry,
  missingSource,
  notFound,
  type Storage,
  truncated,
} from './source.ts'

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
    if (offset + length > this.bytes.length) throw truncated(this.name, offset, length, this.bytes.length - offset)
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
    if (entries.size === 0) throw notFound(path)
    return [...entries.values()].sort(byName)
  }

  open(path: string): ByteSource {
    const bytes = this.files.get(path)
    return bytes ? new MemorySource(path, bytes) : missingSource(path)
  }
}
