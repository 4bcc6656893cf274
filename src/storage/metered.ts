import type { ByteSource, Storage } from './source.ts'

/**
 * Counts what is read of the files of a storage, for progress. A file counts up to the last byte that was read of it. So bytes that
 * are read twice count once, and bytes that a reader skips count when it has come to what follows them.
 */
export class Meter {
  /** Bytes of all files so far. */
  bytes = 0
  private readonly ends = new Map<string, number>()

  /** Begins to count anew. */
  restart(): void {
    this.bytes = 0
    this.ends.clear()
  }

  /** The storage, with its reads counted. */
  metered(storage: Storage): Storage {
    // Everything else is inherited, because a storage has optional methods.
    return Object.assign(Object.create(storage) as Storage, { open: (path: string) => this.source(storage.open(path)) })
  }

  private source(source: ByteSource): ByteSource {
    const counted: Partial<ByteSource> = {
      size: (end) => source.size(end),
      close: () => source.close(),
      read: async (offset, length, into) => {
        const bytes = await source.read(offset, length, into)
        this.count(source.name, offset + bytes.length)
        return bytes
      },
    }
    if (source.readNow) {
      counted.readNow = (offset, length, into) => {
        const bytes = source.readNow?.(offset, length, into)
        if (bytes) this.count(source.name, offset + length)
        return bytes
      }
    }
    if (source.fetch) {
      const fetch = source.fetch.bind(source)
      counted.fetch = async (offset, length) => {
        const bytes = await fetch(offset, length)
        this.count(source.name, offset + bytes.length)
        return bytes
      }
    }
    return Object.assign(Object.create(source) as ByteSource, counted)
  }

  private count(file: string, end: number): void {
    const before = this.ends.get(file) ?? 0
    if (end <= before) return
    this.ends.set(file, end)
    this.bytes += end - before
  }
}
