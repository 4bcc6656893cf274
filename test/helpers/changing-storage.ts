import { folderOf } from '../../src/base/paths.ts'
import { MemoryStorage } from '../../src/storage/memory.ts'
import type { ByteSource, Entry, Storage } from '../../src/storage/source.ts'

/** One thing that a writer does: it gives a file its bytes, or removes it. */
export interface Event {
  path: string
  /** Undefined if the file is removed. */
  bytes: Uint8Array | undefined
}

/** Does an event to files. */
export function apply(files: Map<string, Uint8Array>, { path, bytes }: Event): void {
  if (bytes) files.set(path, bytes)
  else files.delete(path)
}

/** Files in memory that a writer changes while they are read: before each call of the storage, some events happen. */
export class ChangingStorage implements Storage {
  /** Number of calls so far. */
  calls = 0
  /** Number of events so far. */
  done = 0
  private readonly files: Map<string, Uint8Array>
  private readonly inner: MemoryStorage
  private readonly events: readonly Event[]
  /** The number of events that happen before the call with this number. */
  private readonly before: (call: number) => number
  private readonly changed = new Map<string, number>()

  constructor(files: ReadonlyMap<string, Uint8Array>, events: readonly Event[], before: (call: number) => number) {
    this.files = new Map(files)
    this.inner = new MemoryStorage(this.files)
    this.events = events
    this.before = before
  }

  async kind(path: string): Promise<Entry['kind'] | undefined> {
    this.happen()
    return this.inner.kind(path)
  }

  async list(path: string): Promise<readonly Entry[]> {
    this.happen()
    return this.inner.list(path)
  }

  /** As on a disk: an open file can be read after it was removed, once something of it was read. */
  open(path: string): ByteSource {
    let opened: ByteSource | undefined
    const source = (): ByteSource => {
      this.happen()
      opened ??= this.inner.open(path)
      return opened
    }
    return {
      name: path,
      size: async () => source().size(),
      read: async (offset, length) => source().read(offset, length),
      close: async () => {},
    }
  }

  modified(path: string): number {
    return this.changed.get(path) ?? 0
  }

  private happen(): void {
    for (let left = this.before(this.calls++); left > 0 && this.done < this.events.length; left--) {
      const event = this.events[this.done++]
      apply(this.files, event)
      // Later than the beginning of any run, and another time for each event.
      const time = Date.now() + 1000 + this.done
      for (let at = event.path; at !== ''; at = folderOf(at)) this.changed.set(at, time)
    }
  }
}
