import { NO_BYTES } from '../base/bytes.ts'
import { InspectError } from '../base/errors.ts'
import type { ReportHead } from '../calls/page-data.ts'
import { MemorySource } from '../storage/memory.ts'
import { type ByteSource, byName, type Entry, missingSource, notFound, type Storage } from '../storage/source.ts'
import { yieldToBrowser } from './yield-to-browser.ts'

interface File {
  size: number
  /** All bytes, or the bytes at the file's end. Undefined if the report left the file out. */
  bytes: Uint8Array | undefined
  /** Offset of the whole file in the rest of the report; undefined if `bytes` are all. */
  at: number | undefined
}

/** A file of a report. A read waits for nothing else, so it has to yield: a document of 10,000 files would block the page. */
class ReportSource extends MemorySource {
  override async read(offset: number, length: number): Promise<Uint8Array> {
    await yieldToBrowser()
    return super.read(offset, length)
  }
}

/** A file with the bytes at its end. @param whole gives all bytes */
function laterSource(name: string, size: number, end: Uint8Array, whole: () => Promise<Uint8Array>): ByteSource {
  const from = size - end.length
  return {
    name,
    size: async () => size,
    async read(offset, length) {
      if (offset >= from && offset + length <= size) return new ReportSource(name, end).read(offset - from, length)
      return new ReportSource(name, await whole()).read(offset, length)
    },
    close: async () => {},
  }
}

/** The files of a report. Files that the report left out are listed, but cannot be read. */
export class ReportStorage implements Storage {
  private readonly files = new Map<string, File>()
  private readonly folders = new Map<string, Map<string, Entry>>()
  private readonly rest: Promise<Uint8Array>

  /**
   * @param content what comes first in the report, file after file: all bytes of a file, or the bytes at its end
   * @param rest the files that do not come first as a whole
   */
  constructor({ top, files }: Pick<ReportHead, 'top' | 'files'>, content: Uint8Array, rest: Promise<Uint8Array>) {
    this.rest = rest
    // A read of the rest throws this error.
    rest.catch(() => {})
    let [at, later] = [0, 0]
    this.folders.set(top, new Map())
    for (const { path, size, isLeftOut, first } of files) {
      const bytes = isLeftOut ? undefined : content.subarray(at, at + (first ?? size))
      at += bytes?.length ?? 0
      this.files.set(`${top}/${path}`, { size, bytes, at: first === undefined ? undefined : later })
      if (first !== undefined) later += size
      this.add(`${top}/${path}`, { kind: 'file', size })
    }
  }

  async kind(path: string): Promise<Entry['kind'] | undefined> {
    if (this.files.has(path)) return 'file'
    return this.folders.has(path) ? 'folder' : undefined
  }

  async list(path: string): Promise<readonly Entry[]> {
    const entries = this.folders.get(path)
    if (!entries) throw notFound(path)
    return [...entries.values()].sort(byName)
  }

  open(path: string): ByteSource {
    const file = this.files.get(path)
    if (!file) return missingSource(path)
    const { size, bytes, at } = file
    if (bytes && at === undefined) return new ReportSource(path, bytes)
    return laterSource(path, size, bytes ?? NO_BYTES, async () => {
      if (at !== undefined) return (await this.rest).subarray(at, at + size)
      throw new InspectError(
        'IO',
        { expected: 'the bytes of the file', found: 'that this report left them out' },
        {
          file: path,
        },
      )
    })
  }

  /** Adds a file or folder to its parent folder, and the parent folder to its own. */
  private add(path: string, { kind, size }: Pick<Entry, 'kind' | 'size'>): void {
    const slash = path.lastIndexOf('/')
    const [parent, name] = [path.slice(0, slash), path.slice(slash + 1)]
    const entries = this.folders.get(parent)
    if (entries?.has(name)) return
    if (entries) entries.set(name, { name, kind, size })
    else {
      this.folders.set(parent, new Map([[name, { name, kind, size }]]))
      if (parent !== '') this.add(parent, { kind: 'folder', size: undefined })
    }
  }
}
