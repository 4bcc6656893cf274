import { badValue, hasCode, InspectError } from '../base/errors.ts'
import { viewOf } from '../filters/bytes.ts'
import { FOOTER_LENGTH_BYTES, FRAGMENT_METADATA_FILE } from '../format/fragment-footer.ts'
import { u64 } from '../format/u32.ts'
import { type ByteSource, type Folder, TAIL_BYTES } from '../storage/source.ts'
import type { InspectArray } from './array.ts'
import type { GenericTilePlace } from './generic-tile.ts'

/** The end of the file that {@link endSync} has read last. */
const room = new Uint8Array(TAIL_BYTES)
let last: FileEnd | undefined

/** The end of the metadata file of a fragment. */
export interface FileEnd {
  folder: Folder
  /** Its size in bytes. */
  size: number
  /** The last bytes. The next call for another fragment overwrites them. */
  bytes: Uint8Array
}

/** Reads the end of a fragment's metadata file synchronously, unless it was read last: see {@link Storage.readEnd}. */
export function endSync(folder: Folder): FileEnd | undefined {
  if (last?.folder === folder) return last
  const end = folder.storage.readEnd?.(`${folder.path}/${FRAGMENT_METADATA_FILE}`, room)
  last = end && { folder, size: end.size, bytes: room.subarray(0, end.length) }
  return last
}

/** A part of the end that {@link endSync} has read last, if that was of this fragment. */
function copiedEnd(folder: Folder, offset: number, length: number): Tail | undefined {
  if (last?.folder !== folder) return undefined
  const at = offset - (last.size - last.bytes.length)
  return at < 0 ? undefined : { fileSize: last.size, offset, bytes: last.bytes.slice(at, at + length) }
}

/** The footer of a fragment, if its length is stored after it, as {@link endSync}. */
export function footerSync(folder: Folder): { bytes: Uint8Array; offset: number } | undefined {
  const { bytes, size } = endSync(folder) ?? {}
  if (!bytes || size === undefined || bytes.length < FOOTER_LENGTH_BYTES) return undefined
  const to = bytes.length - FOOTER_LENGTH_BYTES
  const length = u64(bytes, to)
  return length > to
    ? undefined
    : { bytes: bytes.subarray(to - length, to), offset: size - FOOTER_LENGTH_BYTES - length }
}

/** The end of the file. */
interface Tail {
  fileSize: number
  offset: number
  bytes: Uint8Array
}

/** The bytes of `__fragment_metadata.tdb`. The end of the file is read once and kept. */
export class MetadataFile {
  private readonly folder: Folder
  private readonly array: InspectArray | undefined
  private opened: ByteSource | undefined
  private tailRead: Promise<Tail> | undefined

  constructor(folder: Folder, array: InspectArray | undefined) {
    this.folder = folder
    this.array = array
  }

  source(): ByteSource {
    this.opened ??= this.folder.file(FRAGMENT_METADATA_FILE)
    return this.opened
  }

  async close(): Promise<void> {
    await this.opened?.close()
    this.opened = undefined
    this.tailRead = undefined
  }

  tail(): Promise<Tail> {
    this.tailRead ??= this.readTail()
    return this.tailRead
  }

  private async readTail(): Promise<Tail> {
    // Where that is possible, one call opens the file, which then need not be opened again.
    endSync(this.folder)
    const source = this.source()
    const fileSize = await this.size()
    const offset = Math.max(0, fileSize - TAIL_BYTES)
    return { fileSize, offset, bytes: await source.read(offset, fileSize - offset) }
  }

  /**
   * Size of the file in bytes.
   * @throws InspectError MISSING_FILE if TileDB needs the file; NOT_FOUND if there is no fragment, or TileDB ignores it
   */
  async size(): Promise<number> {
    try {
      return await this.source().size()
    } catch (error) {
      const { array, folder } = this
      if (!hasCode(error, 'NOT_FOUND')) throw error
      if ((await folder.storage.kind(folder.path)) !== 'folder') throw error
      const entry = await array?.entryOf(folder)
      if (entry && !entry.isRead) throw error
      const fault = { expected: 'the metadata file of the fragment', found: 'no such file' }
      throw new InspectError('MISSING_FILE', fault, error.at, { cause: error })
    }
  }

  /** Bytes of the file that the tail has in part or in full. One more read fetches the others. */
  private async fromTail(tail: Tail, start: number, size: number): Promise<Uint8Array> {
    const from = start - tail.offset
    if (from >= 0) return tail.bytes.subarray(from, from + size)
    const before = await this.source().read(start, Math.min(size, tail.offset - start))
    const out = new Uint8Array(size)
    out.set(before)
    out.set(tail.bytes.subarray(0, size - before.length), before.length)
    return out
  }

  /** The bytes of the footer, and where it is. @param length its length; undefined if that is stored after the footer */
  async footerBytes(length?: number): Promise<{ bytes: Uint8Array; place: GenericTilePlace }> {
    const tail = await this.tail()
    const file = this.source().name
    const size = length ?? storedFooterLength(tail, file)
    const start = tail.fileSize - size - (length === undefined ? FOOTER_LENGTH_BYTES : 0)
    const place = { file, offset: start }
    if (start < 0) {
      const fault = { expected: `a footer of ${size} bytes`, found: `a file of ${tail.fileSize}` }
      throw new InspectError('TRUNCATED', fault, { ...place, offset: 0, field: 'footer' })
    }
    return { bytes: await this.fromTail(tail, start, size), place }
  }

  /** Reads bytes, from the tail if it has them, as it has all bytes of a small file. */
  async read(offset: number, length: number, into?: Uint8Array): Promise<Uint8Array> {
    const tail = (await this.tailRead) ?? copiedEnd(this.folder, offset, length)
    if (!tail || offset < tail.offset || offset + length > tail.fileSize)
      return this.source().read(offset, length, into)
    return tail.bytes.subarray(offset - tail.offset, offset - tail.offset + length)
  }
}

/** The length that is stored after a footer. */
function storedFooterLength({ fileSize, bytes }: Tail, file: string): number {
  const room = fileSize - FOOTER_LENGTH_BYTES
  const field = 'footer_length'
  if (room < 0) {
    const fault = { expected: 'a footer and its length', found: `a file of ${fileSize} bytes` }
    throw new InspectError('TRUNCATED', fault, { file, offset: 0, field })
  }
  const length = viewOf(bytes).getBigUint64(bytes.length - FOOTER_LENGTH_BYTES, true)
  if (length <= BigInt(room)) return Number(length)
  throw badValue({ expected: `a footer length of at most ${room}`, found: length }, { file, offset: room, field })
}
