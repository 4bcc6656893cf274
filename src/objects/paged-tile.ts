import { NO_BYTES } from '../base/bytes.ts'
import { element } from '../base/element.ts'
import { badValue, type InspectError, inconsistent } from '../base/errors.ts'
import { Pipeline } from '../filters/pipeline.ts'
import { genericTileHeader } from '../format/generic-tile.ts'
import { decodePrefix } from '../format/io.ts'
import { CHUNK_COUNT_BYTES, CHUNK_HEAD_BYTES, storedChunk, storedChunkLength } from '../format/tile-chunks.ts'
import { u64 } from '../format/u32.ts'
import {
  checkChunkNum,
  GENERIC_TILE_HEADER_BYTES,
  genericTileType,
  oddCompressor,
  openedWithKey,
} from './generic-tile.ts'
import type { ReadContext } from './read-context.ts'

/** The stored bytes of one or more generic tiles. */
export interface StoredSection {
  /** Reads bytes of the file. @param into memory that may be used for them */
  read(offset: number, length: number, into?: Uint8Array): Promise<Uint8Array>
  /** Offset where the next tile or the footer begins. Nothing is read from there on. */
  end: number
  /** Number of bytes that are read at once and kept. A longer chunk is read whole. */
  window: number
}

/** Called once per chunk, in order, with its unfiltered content. `at` is the offset of the chunk in the content. */
export type Scan = (bytes: Uint8Array, at: number) => void

/** A generic tile whose content is never in memory as a whole. */
export interface PagedTile {
  /** Bytes of unfiltered content. */
  readonly length: number
  /** A cursor for sequential reading. Several cursors may be at different places. */
  cursor(): Cursor
}

/** Reads the content of a {@link PagedTile}. It keeps the last chunk. */
export interface Cursor {
  /**
   * Bytes `[start, end)` of the content. The caller must not change them.
   * @throws InspectError INCONSISTENT beyond its end
   */
  bytes(start: number, end: number): Promise<Uint8Array>
  /** Frees the last chunk and the stored bytes. They are read again when needed. */
  release(): void
}

/**
 * Opens a generic tile in pages. It unfilters every chunk once to find damage, and keeps the offsets of the chunks. Later
 * reads unfilter only the chunks that they need.
 *
 * @param offset offset of the tile in its file, in bytes
 * @throws InspectError for any damage, but with other messages than openGenericTile
 */
export async function openPagedTile(
  section: StoredSection,
  offset: number,
  cx: ReadContext,
  scan?: Scan,
): Promise<PagedTile> {
  const window = new StoredWindow(section)
  const { value: header, length } = decodePrefix(await window.header(offset), genericTileHeader, { offset })
  const start = offset + length
  const last = start + header.persisted_size
  if (last > section.end) throw wrong('persisted_size', section.end - start, header.persisted_size)
  // The usual code notes what TileDB refuses of a tile.
  const odd = oddCompressor(header)
  if (odd) throw badValue({ expected: `the number of ${odd.name}`, found: odd.compressor }, { field: 'compressor' })
  const type = genericTileType(header, cx, { offset })
  const most = Math.min(type.room ?? header.tile_size, type.plausible?.bytes ?? header.tile_size)
  if (header.tile_size > most) throw wrong('tile_size', most, header.tile_size)
  const pipeline = await Pipeline.load(header.filters.filters, type, cx.codecs)
  const chunks: Chunk[] = []
  let total = 0
  const count = u64(await window.within(start, CHUNK_COUNT_BYTES, last), 0)
  checkChunkNum(count, header, cx)
  let at = start + CHUNK_COUNT_BYTES
  for (let index = 0; index < count; index++) {
    const bytes = await window.within(at, storedChunkLength(await window.within(at, CHUNK_HEAD_BYTES, last)), last)
    const { data } = pipeline.reverseChunk(decodePrefix(bytes, storedChunk).value, index)
    scan?.(data, total)
    chunks.push({ index, offset: at, size: bytes.length, start: total, end: total + data.length })
    at += bytes.length
    total += data.length
    if (total > header.tile_size) break
  }
  if (total !== header.tile_size) throw wrong('tile_size', header.tile_size, total)
  openedWithKey(header, cx)
  // A tile that fits in one window is read once for all cursors.
  const shared = section.end - offset <= section.window ? window : undefined
  return { length: total, cursor: () => cursorOf(chunks, pipeline, total, shared ?? new StoredWindow(section)) }
}

/** A chunk: its place in the file, and the start and end of its content. */
interface Chunk {
  index: number
  offset: number
  size: number
  start: number
  end: number
}

const NO_CHUNK: Chunk = { index: -1, offset: 0, size: 0, start: 0, end: 0 }

function cursorOf(chunks: readonly Chunk[], pipeline: Pipeline, length: number, window: StoredWindow): Cursor {
  let chunk = NO_CHUNK
  let data: Uint8Array = NO_BYTES
  /** Unfilters the chunk that has byte `at` of the content, unless it is the last chunk. */
  const load = async (at: number): Promise<void> => {
    if (at >= chunk.start && at < chunk.end) return
    let low = 0
    let high = chunks.length
    // Find the last chunk that begins at or before `at`. Several begin at one offset if some are empty.
    while (high - low > 1) {
      const middle = (low + high) >>> 1
      if (element(chunks, middle).start <= at) low = middle
      else high = middle
    }
    const found = element(chunks, low)
    const { index, offset, size, start, end } = found
    const stored = decodePrefix(await window.bytes(offset, size), storedChunk, { offset }).value
    const undone = pipeline.reverseChunk(stored, index).data
    if (undone.length !== end - start) throw wrong(`chunks.${index}`, end - start, undone.length)
    data = undone
    chunk = found
  }
  return {
    async bytes(start, end) {
      if (end > length) throw wrong('content', length, end)
      if (end <= start) return NO_BYTES
      await load(start)
      if (end <= chunk.end) return data.subarray(start - chunk.start, end - chunk.start)
      const out = new Uint8Array(end - start)
      for (let at = start; at < end; at = chunk.end) {
        await load(at)
        out.set(data.subarray(at - chunk.start, end - chunk.start), at - start)
      }
      return out
    },
    release() {
      window.release()
      chunk = NO_CHUNK
      data = NO_BYTES
    },
  }
}

/** Keeps the stored bytes of the last read. */
export class StoredWindow {
  private readonly section: StoredSection
  private start = 0
  private held: Uint8Array = NO_BYTES
  /** Memory for the next read. */
  private buffer = NO_BYTES

  constructor(section: StoredSection) {
    this.section = section
  }

  async bytes(offset: number, length: number): Promise<Uint8Array> {
    const { section } = this
    if (offset < this.start || offset + length > this.start + this.held.length) {
      const some = Math.max(length, Math.min(section.window, section.end - offset))
      // Longer reads get no memory in advance, because the file may not have so many bytes.
      if (this.buffer.length < some && some <= section.window) this.buffer = new Uint8Array(some)
      this.held = NO_BYTES
      this.held = await section.read(offset, some, this.buffer)
      this.start = offset
    }
    return this.held.subarray(offset - this.start, offset - this.start + length)
  }

  /** Enough bytes for the header of a generic tile, or fewer if the section ends before. */
  header(offset: number): Promise<Uint8Array> {
    return this.bytes(offset, Math.min(GENERIC_TILE_HEADER_BYTES, this.section.end - offset))
  }

  /** {@link bytes}, but throws if they end after `last`. */
  async within(offset: number, length: number, last: number): Promise<Uint8Array> {
    if (length > last - offset) throw wrong('chunks', last - offset, length)
    return this.bytes(offset, length)
  }

  release(): void {
    this.held = NO_BYTES
    this.buffer = NO_BYTES
  }
}

function wrong(field: string, expected: number, found: number): InspectError {
  return inconsistent({ expected: `${expected} bytes`, found }, { field })
}
