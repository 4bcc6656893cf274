import type { ByteSource, Storage } from '../../src/storage/source.ts'

/** One read of a file. */
export interface CountedRead {
  path: string
  offset: number
  length: number
}

/** A storage that records every read. The files in `replaced` take the place of those in the inner storage. */
export class CountedStorage implements Storage {
  readonly reads: CountedRead[] = []
  private readonly inner: Storage
  private readonly replaced: ReadonlyMap<string, ByteSource>

  constructor(inner: Storage, replaced: ReadonlyMap<string, ByteSource> = new Map()) {
    this.inner = inner
    this.replaced = replaced
  }

  kind: Storage['kind'] = async (path) => (this.replaced.has(path) ? 'file' : this.inner.kind(path))
  list: Storage['list'] = (path) => this.inner.list(path)

  open(path: string): ByteSource {
    const source = this.replaced.get(path) ?? this.inner.open(path)
    return {
      name: source.name,
      size: () => source.size(),
      read: (offset, length) => {
        this.reads.push({ path, offset, length })
        return source.read(offset, length)
      },
      close: () => source.close(),
    }
  }

  /** Counts the reads of the files whose path ends with `end`, and their bytes. */
  of(end: string): { read_num: number; bytes: number } {
    const reads = this.reads.filter(({ path }) => path.endsWith(end))
    return { read_num: reads.length, bytes: reads.reduce((sum, { length }) => sum + length, 0) }
  }
}

/** A file of any size that is nothing but zeros up to its end. */
export function hugeSource(name: string, size: number, end: Uint8Array): ByteSource {
  return {
    name,
    size: async () => size,
    async read(offset, length) {
      const out = new Uint8Array(length)
      const from = size - end.length
      const first = Math.max(offset, from)
      if (offset + length > first) out.set(end.subarray(first - from, offset + length - from), first - offset)
      return out
    },
    close: async () => {},
  }
}
