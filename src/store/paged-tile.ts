import { type InspectError, inconsistent } from '../base/errors.ts'
import { NO_BYTES } from '../filters/bytes.ts'
import { Pipeline } from '../filters/pipeline.ts'
import { genericTileHeader } from '../format/generic-tile.ts'
import { decodePrefix } from '../format/io.ts'
import { CHUNK_COUNT_BYTES, CHUNK_HEAD_BYTES, storedChunk, storedChunkLength } from '../format/tile-chunks.ts'
import {
  checkChunkNum,
  GENERIC_TILE_HEADER_BYTES,
  genericTileType,
  openedWithKey,
  type ReadContext,
} from './generic-tile.ts'

/** The stored bytes of a generic tile. */
export interface StoredSection {
  /** @param into memory that may be used, if it is large enough */
  read(offset: number, length: number, into?: Uint8Array): Promise<Uint8Array>
  /** Offset of the tile in its file, in bytes. */
  offset: number
  /** Offset at which the next tile or the footer begins. Nothing from there on is read. */
  end: number
  /** Bytes that are read at once and kept. More if a chunk is longer. */
  window: number
}

/** Called with the unfiltered content of each chunk, in order. `at` is the offset of the chunk in the content. */
export type Scan = (bytes: Uint8Array, at: number) => void

/**
 * A generic tile whose content is never in memory as a whole. Opening it undoes every chunk once, to find damage, and
 * keeps the offsets of the chunks. Later reads undo only the chunks that they need.
 */
export class PagedTile {
  /** Bytes of unfiltered content. */
  readonly length: number
  private readonly section: StoredSection
  private readonly pipeline: Pipeline
  /** Offset of each chunk in the file, and the end of the last. */
  private readonly stored: readonly number[]
  /** Offset of each chunk in the unfiltered content, and the end of the last. */
  private readonly starts: readonly number[]
  /** All stored bytes, if they fit in one window. */
  private held: Window | undefined

  private constructor(
    section: StoredSection,
    pipeline: Pipeline,
    table: { stored: readonly number[]; starts: readonly number[] },
    held: Window | undefined,
  ) {
    this.section = section
    this.pipeline = pipeline
    this.stored = table.stored
    this.starts = table.starts
    this.length = table.starts[table.starts.length - 1]
    this.held = held
  }

  /** @throws InspectError for any damage, but with other messages than openGenericTile */
  static async open(section: StoredSection, cx: ReadContext, scan?: Scan): Promise<PagedTile> {
    const { offset, end } = section
    const window = new Window(section)
    const head = await window.bytes(offset, Math.min(GENERIC_TILE_HEADER_BYTES, end - offset))
    const { value: header, length } = decodePrefix(head, genericTileHeader, { offset })
    const start = offset + length
    const last = start + header.persisted_size
    if (last > end) throw wrong('persisted_size', end - start, header.persisted_size)
    const type = genericTileType(header, cx, { offset })
    if (type.maxTileSize !== undefined && header.tile_size > type.maxTileSize)
      throw wrong('tile_size', type.maxTileSize, header.tile_size)
    const pipeline = await Pipeline.load(header.filters.filters, type, cx.codecs)
    const stored: number[] = []
    const starts: number[] = []
    let total = 0
    const count = sizeOf(await window.within(start, CHUNK_COUNT_BYTES, last))
    checkChunkNum(count, header, cx)
    let at = start + CHUNK_COUNT_BYTES
    for (let i = 0; i < count; i++) {
      const bytes = await window.within(at, storedChunkLength(await window.within(at, CHUNK_HEAD_BYTES, last)), last)
      const { data } = pipeline.reverseChunk(decodePrefix(bytes, storedChunk).value, i)
      stored.push(at)
      starts.push(total)
      scan?.(data, total)
      at += bytes.length
      total += data.length
      if (total > header.tile_size) break
    }
    if (total !== header.tile_size) throw wrong('tile_size', header.tile_size, total)
    openedWithKey(header, cx)
    return new PagedTile(
      section,
      pipeline,
      { stored: [...stored, at], starts: [...starts, total] },
      end - offset <= section.window ? window : undefined,
    )
  }

  /** For sequential reading. Several cursors may be at different places. */
  cursor(): Cursor {
    return new Cursor(this)
  }

  /** Frees the stored bytes. They are read again when needed. */
  release(): void {
    if (this.held) this.held = new Window(this.section)
  }

  /** @internal for {@link Cursor} */
  newWindow(): Window {
    return this.held ?? new Window(this.section)
  }

  /** @internal Index, start and end of the chunk with byte `at` of the content. */
  chunkAt(at: number): { index: number; start: number; end: number } {
    const { starts } = this
    let low = 0
    let high = starts.length - 1
    // Find the last chunk that begins at or before `at`: several may begin there, if they are empty.
    while (high - low > 1) {
      const middle = (low + high) >>> 1
      if (starts[middle] <= at) low = middle
      else high = middle
    }
    return { index: low, start: starts[low], end: starts[low + 1] }
  }

  /** @internal */
  async undo(index: number, window: Window): Promise<Uint8Array> {
    const start = this.stored[index]
    const bytes = await window.bytes(start, this.stored[index + 1] - start)
    const { data } = this.pipeline.reverseChunk(decodePrefix(bytes, storedChunk, { offset: start }).value, index)
    const expected = this.starts[index + 1] - this.starts[index]
    if (data.length !== expected) throw wrong(`chunks.${index}`, expected, data.length)
    return data
  }
}

/** Reads the content of a {@link PagedTile}, and keeps the last chunk. */
export class Cursor {
  private readonly tile: PagedTile
  private window: Window | undefined
  private chunk = { index: -1, start: 0, end: 0 }
  private data: Uint8Array = NO_BYTES

  constructor(tile: PagedTile) {
    this.tile = tile
  }

  /**
   * Bytes `[start, end)` of the content. The caller must not change them.
   * @throws InspectError INCONSISTENT beyond its end
   */
  async bytes(start: number, end: number): Promise<Uint8Array> {
    if (end > this.tile.length) throw wrong('content', this.tile.length, end)
    if (end <= start) return NO_BYTES
    if (!this.holds(start)) await this.load(start)
    if (end <= this.chunk.end) return this.data.subarray(start - this.chunk.start, end - this.chunk.start)
    const out = new Uint8Array(end - start)
    for (let at = start; at < end; ) {
      if (!this.holds(at)) await this.load(at)
      const to = Math.min(end, this.chunk.end)
      out.set(this.data.subarray(at - this.chunk.start, to - this.chunk.start), at - start)
      at = to
    }
    return out
  }

  /** Frees what it keeps. */
  release(): void {
    this.window = undefined
    this.chunk = { index: -1, start: 0, end: 0 }
    this.data = NO_BYTES
    this.tile.release()
  }

  private holds(at: number): boolean {
    return at >= this.chunk.start && at < this.chunk.end
  }

  private async load(at: number): Promise<void> {
    this.window ??= this.tile.newWindow()
    const chunk = this.tile.chunkAt(at)
    this.data = await this.tile.undo(chunk.index, this.window)
    this.chunk = chunk
  }
}

/** Keeps the stored bytes of the last read. */
class Window {
  private readonly section: StoredSection
  private start = 0
  private held: Uint8Array = NO_BYTES
  private room = NO_BYTES

  constructor(section: StoredSection) {
    this.section = section
  }

  async bytes(offset: number, length: number): Promise<Uint8Array> {
    const { section } = this
    if (offset < this.start || offset + length > this.start + this.held.length) {
      const some = Math.max(length, Math.min(section.window, section.end - offset))
      // Longer reads get no memory in advance: the file may not have so many bytes.
      if (this.room.length < some && some <= section.window) this.room = new Uint8Array(some)
      this.held = NO_BYTES
      this.held = await section.read(offset, some, this.room)
      this.start = offset
    }
    return this.held.subarray(offset - this.start, offset - this.start + length)
  }

  /** {@link bytes}, but throws if they end after `last`. */
  async within(offset: number, length: number, last: number): Promise<Uint8Array> {
    if (length > last - offset) throw wrong('chunks', last - offset, length)
    return this.bytes(offset, length)
  }
}

function sizeOf(bytes: Uint8Array): number {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  return view.getUint32(4, true) * 2 ** 32 + view.getUint32(0, true)
}

function wrong(field: string, expected: number, found: number): InspectError {
  return inconsistent(`expected ${expected} bytes, found ${found}`, { field })
}
