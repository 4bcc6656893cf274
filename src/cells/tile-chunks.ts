import { concat, NO_BYTES } from '../base/bytes.ts'
import { type InspectError, inconsistent } from '../base/errors.ts'
import { sizeText } from '../base/sizes.ts'
import { withRoom } from '../filters/pipeline.ts'
import {
  CHUNK_COUNT_BYTES,
  CHUNK_HEAD_BYTES,
  chunkIn,
  type StoredChunk,
  storedChunkLength,
} from '../format/tile-chunks.ts'
import { u64 } from '../format/u32.ts'

/** A tile with more bytes than this, stored or unfiltered, is read chunk by chunk. */
export const LARGE_TILE = 16 * 2 ** 20
/** Stored bytes of a large tile that are read at once. Planned reads of the tile are split into such blocks, from its start. */
export const BLOCK_BYTES = 2 ** 20

/** A stored chunk and its place. */
export interface PlacedChunk {
  chunk: StoredChunk
  index: number
  /** Offset in the file of the chunk's metadata. */
  offset: number
  /** Offset of its content in the unfiltered tile. */
  from: number
}

/** The chunks of a tile in memory. @param offset offset of the tile in its file */
export function* placedChunks(
  chunks: readonly StoredChunk[],
  stored: Uint8Array,
  offset: number,
): Generator<PlacedChunk> {
  let from = 0
  for (const [index, chunk] of chunks.entries()) {
    yield { chunk, index, offset: offset + chunk.metadata.byteOffset - stored.byteOffset, from }
    from += chunk.original_length
  }
}

/**
 * Reads the chunks of a stored tile one after another, with at most one block or chunk in memory.
 * @param read reads bytes of the file
 * @param broken called if lengths do not fit the tile; throws the error that describes the fault
 * @param readNow reads bytes of the file without waiting, if it can. The next chunk may then overwrite the last.
 */
export async function* storedChunks(
  { offset, size }: { offset: number; size: number },
  read: (offset: number, length: number) => Promise<Uint8Array>,
  broken: () => Promise<never>,
  readNow?: (offset: number, length: number) => Uint8Array | undefined,
): AsyncGenerator<PlacedChunk> {
  const end = offset + size
  let held: Uint8Array = NO_BYTES
  let heldAt = offset
  /** Bytes that are asked for together: as many as the last chunk has, and the head of the next. */
  let likely = CHUNK_HEAD_BYTES
  const isHeld = (from: number, length: number): boolean => from + length <= heldAt + held.length
  const heldBytes = (from: number, length: number): Uint8Array => held.subarray(from - heldAt, from - heldAt + length)
  /** Bytes of the tile that are there without waiting. `from` must not fall from call to call. */
  const bytesNow = (from: number, length: number): Uint8Array | undefined => {
    if (isHeld(from, length)) return heldBytes(from, length)
    const now = from + length > end ? undefined : readNow?.(from, Math.min(end - from, Math.max(length, likely)))
    if (!now) return undefined
    held = now
    heldAt = from
    return heldBytes(from, length)
  }
  /** {@link bytesNow}, read in blocks. */
  const bytes = async (from: number, length: number): Promise<Uint8Array> => {
    if (from + length > end) await broken()
    const next = heldAt + held.length
    const blocks = Math.ceil((from + length - next) / BLOCK_BYTES)
    // A copy, because the next read may use the memory of the last block.
    const rest = held.slice(from - heldAt)
    const more = await read(next, Math.min(blocks * BLOCK_BYTES, end - next))
    held = rest.length > 0 ? concat([rest, more]) : more
    heldAt = next - rest.length
    return heldBytes(from, length)
  }
  const counted = bytesNow(offset, CHUNK_COUNT_BYTES) ?? (await bytes(offset, CHUNK_COUNT_BYTES))
  const count = u64(counted, 0)
  let at = offset + CHUNK_COUNT_BYTES
  let from = 0
  for (let index = 0; index < count; index++) {
    const length = storedChunkLength(bytesNow(at, CHUNK_HEAD_BYTES) ?? (await bytes(at, CHUNK_HEAD_BYTES)))
    const chunk = chunkIn(bytesNow(at, length) ?? (await bytes(at, length)))
    likely = length + CHUNK_HEAD_BYTES
    yield { chunk, index, offset: at + CHUNK_HEAD_BYTES, from }
    at += length
    from += chunk.original_length
  }
}

/**
 * {@link storedChunks} without waiting, for a tile without faults. Calling a function takes a fifth of the time of an asynchronous generator.
 * @param readNow reads bytes of the file without waiting, if it can. The next chunk may overwrite the last.
 * @param visit returns whether to go on
 * @returns whether all chunks were visited, and fill the tile
 */
export function visitStoredChunks(
  { offset, size }: { offset: number; size: number },
  readNow: (offset: number, length: number) => Uint8Array | undefined,
  visit: (chunk: StoredChunk, index: number) => boolean,
): boolean {
  const end = offset + size
  if (size < CHUNK_COUNT_BYTES + CHUNK_HEAD_BYTES) return false
  const first = readNow(offset, CHUNK_COUNT_BYTES + CHUNK_HEAD_BYTES)
  if (!first) return false
  const count = u64(first, 0)
  let at = offset + CHUNK_COUNT_BYTES
  let length = storedChunkLength(first.subarray(CHUNK_COUNT_BYTES))
  for (let index = 0; index < count; index++) {
    // The head of the next chunk is read with this one.
    const together = length + (index + 1 < count ? CHUNK_HEAD_BYTES : 0)
    const bytes = at + together > end ? undefined : readNow(at, together)
    if (!bytes || !visit(chunkIn(bytes.subarray(0, length)), index)) return false
    at += length
    if (together > length) length = storedChunkLength(bytes.subarray(length))
  }
  return at === end
}

/** The tile that {@link TilePieces} reads. */
interface PiecesOf {
  /** Unfiltered bytes of the tile. */
  expected: number
  /** The chunks, starting with the first. */
  chunks(): AsyncGenerator<PlacedChunk>
  /** Unfilters a chunk. */
  undo(placed: PlacedChunk): Promise<Uint8Array>
  /** Adds the place of the tile to an error. */
  fault(error: InspectError): unknown
}

/** Reads the unfiltered bytes of one tile from start to end. A chunk is unfiltered when its bytes are needed. */
export class TilePieces {
  private readonly tile: PiecesOf
  private chunks: AsyncGenerator<PlacedChunk> | undefined
  /** End of the chunks that were read so far, in the unfiltered tile. */
  private seen = 0
  private last: { from: number; data: Uint8Array } | undefined
  /** Unfiltered length of the last chunk, known from its bytes. */
  private proven: number | undefined

  constructor(tile: PiecesOf) {
    this.tile = tile
  }

  /**
   * Reads bytes `[from, to)` of the tile, as {@link storedChunks} does: `from` rises from call to call.
   * @throws InspectError INCONSISTENT if the chunks have more or fewer bytes than the tile must have
   */
  async read(from: number, to: number): Promise<Uint8Array> {
    // Memory grows with the content of the chunks, because a damaged schema may have cells of any size.
    let out: Uint8Array = NO_BYTES
    let end = 0
    const take = (start: number, data: Uint8Array): void => {
      const part = data.subarray(Math.max(0, from - start), Math.max(0, to - start))
      if (part.length === 0) return
      const at = Math.max(0, start - from)
      out = withRoom(out, end, at + part.length, to - from)
      out.set(part, at)
      end = at + part.length
    }
    if (this.last) take(this.last.from, this.last.data)
    const { expected } = this.tile
    while (this.seen < to || (to === expected && this.chunks)) {
      this.chunks ??= this.tile.chunks()
      const { value: placed, done } = await this.chunks.next()
      if (done) {
        this.chunks = undefined
        if (this.seen === expected) break
        throw this.wrongSize(this.seen)
      }
      this.seen = placed.from + placed.chunk.original_length
      if (this.seen > expected) throw this.wrongSize(this.seen)
      // Skips a chunk without unfiltering it. Writers give all chunks but the last the same length, so a different length may
      // be wrong, and would shift all later cells.
      if (this.seen <= from && placed.chunk.original_length === this.proven) continue
      // So that memory never holds two chunks, which may be large.
      this.last = undefined
      const data = await this.tile.undo(placed)
      this.proven = data.length
      this.last = { from: placed.from, data }
      take(placed.from, data)
    }
    return out
  }

  /** Unfilters all remaining chunks, only to throw their errors. */
  async skip(): Promise<void> {
    const { expected } = this.tile
    for (let at = 0; at < expected; at += BLOCK_BYTES) await this.read(at, Math.min(expected, at + BLOCK_BYTES))
  }

  private wrongSize(found: number): unknown {
    const { expected } = this.tile
    const fault = {
      expected: `${sizeText(expected)} unfiltered bytes`,
      found: `chunks of ${found > expected ? 'more' : found}`,
    }
    return this.tile.fault(inconsistent(fault, { field: 'chunks.original_length' }))
  }
}
