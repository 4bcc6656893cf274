import { InspectError } from '../base/errors.ts'
import type { ReportHead } from '../commands/page-data.ts'
import { MemorySource } from '../source/memory.ts'
import { type ByteSource, byName, type Entry, notFound, type Storage } from '../source/source.ts'
import { breath } from './breath.ts'

interface File {
  size: number
  /** All, or those of its end. Undefined if the report left them out. */
  bytes: Uint8Array | undefined
  /** Where the whole file begins in the rest of the report; undefined if `bytes` are all. */
  at: number | undefined
}

/** A file of a report. No read of it waits for anything, so without a breath a document of 10,000 files would stop the page. */
class ReportSource extends MemorySource {
  override async read(offset: number, length: number): Promise<Uint8Array> {
    await breath()
    return super.read(offset, length)
  }
}

/** A file of whose bytes those of its end are there, and all once the rest of the report is. */
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

/** The files of a report. Those that were left out are listed, and cannot be read. */
export class ReportStorage implements Storage {
  private readonly files = new Map<string, File>()
  private readonly folders = new Map<string, Map<string, Entry>>()
  private readonly rest: Promise<Uint8Array>

  /**
   * @param content the bytes of all files that are there, as far as they come first, one after the other
   * @param rest those of the files that do not come first as a whole
   */
  constructor({ top, files }: Pick<ReportHead, 'top' | 'files'>, content: Uint8Array, rest: Promise<Uint8Array>) {
    this.rest = rest
    // Whoever reads it is told.
    rest.catch(() => {})
    let [at, later] = [0, 0]
    this.folders.set(top, new Map())
    for (const { path, size, isLeftOut, first } of files) {
      const bytes = isLeftOut ? undefined : content.subarray(at, at + (first ?? size))
      at += bytes?.length ?? 0
      this.files.set(`${top}/${path}`, { size, bytes, at: first === undefined ? undefined : later })
      if (first !== undefined) later += size
      this.note(`${top}/${path}`, { kind: 'file', size })
    }
  }

  async kind(path: string): Promise<Entry['kind'] | undefined> {
    return this.files.has(path) ? 'file' : this.folders.has(path) ? 'folder' : undefined
  }

  async list(path: string): Promise<readonly Entry[]> {
    const entries = this.folders.get(path)
    if (!entries) throw notFound(path)
    return [...entries.values()].sort(byName)
  }

  open(path: string): ByteSource {
    const file = this.files.get(path)
    if (file?.bytes) {
      const { size, bytes, at } = file
      if (at === undefined) return new ReportSource(path, bytes)
      return laterSource(path, size, bytes, async () => (await this.rest).subarray(at, at + size))
    }
    const size = async (): Promise<number> => {
      if (file) return file.size
      throw notFound(path)
    }
    const read = async (): Promise<never> => {
      await size()
      throw new InspectError('IO', 'expected the bytes of the file, found that this report left them out', {
        file: path,
      })
    }
    return { name: path, size, read, close: async () => {} }
  }

  /** Enters a file or folder into the folders around it. */
  private note(path: string, { kind, size }: Pick<Entry, 'kind' | 'size'>): void {
    const slash = path.lastIndexOf('/')
    const [around, name] = [path.slice(0, slash), path.slice(slash + 1)]
    const entries = this.folders.get(around)
    if (entries?.has(name)) return
    if (entries) entries.set(name, { name, kind, size })
    else {
      this.folders.set(around, new Map([[name, { name, kind, size }]]))
      if (around !== '') this.note(around, { kind: 'folder', size: undefined })
    }
  }
}
