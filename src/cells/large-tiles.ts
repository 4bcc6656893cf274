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
import type { TilePlace } from './tile-places.ts'

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

/** Reads bytes of the file without waiting, if it can. They may then overwrite those of the last call. */
type ReadNow = (offset: number, length: number) => Uint8Array | undefined

/** Bytes of the file that are not there without waiting. */
interface Missing {
  from: number
  length: number
}

/** The bytes of a stored tile: at most one block or chunk is in memory. Each call must begin where the last one did, or after it. */
class StoredBytes {
  private readonly end: number
  private readonly readNow: ReadNow | undefined
  private held: Uint8Array = NO_BYTES
  private heldAt: number

  constructor({ offset, size }: TilePlace, readNow: ReadNow | undefined) {
    this.heldAt = offset
    this.end = offset + size
    this.readNow = readNow
  }

  /** The bytes, if they are there without waiting. @param likely bytes that are read together, if they have to be read */
  now(from: number, length: number, likely: number): Uint8Array | undefined {
    const known = this.known(from, length)
    if (known || from + length > this.end) return known
    const now = this.readNow?.(from, Math.min(this.end - from, likely))
    if (!now) return undefined
    this.held = now
    this.heldAt = from
    return now.subarray(0, length)
  }

  /** Reads the bytes, in blocks; undefined if the tile ends before them. */
  async load(
    { from, length }: Missing,
    read: (offset: number, length: number) => Promise<Uint8Array>,
  ): Promise<Uint8Array | undefined> {
    if (from + length > this.end) return undefined
    const next = this.heldAt + this.held.length
    const blocks = Math.ceil((from + length - next) / BLOCK_BYTES)
    // A copy, because the next read may use the memory of the last block.
    const rest = this.held.slice(from - this.heldAt)
    const more = await read(next, Math.min(blocks * BLOCK_BYTES, this.end - next))
    this.held = rest.length > 0 ? concat([rest, more]) : more
    this.heldAt = next - rest.length
    return this.known(from, length)
  }

  private known(from: number, length: number): Uint8Array | undefined {
    const at = from - this.heldAt
    return at + length <= this.held.length ? this.held.subarray(at, at + length) : undefined
  }
}

/**
 * Walks from chunk to chunk without waiting. It yields which bytes are missing, and is given them for the next step.
 * @returns the end of the last chunk
 */
function* chunkWalk({ offset }: TilePlace, bytes: StoredBytes): Generator<PlacedChunk | Missing, number, Uint8Array> {
  const count = u64(
    bytes.now(offset, CHUNK_COUNT_BYTES, FIRST_BYTES) ?? (yield { from: offset, length: CHUNK_COUNT_BYTES }),
    0,
  )
  let at = offset + CHUNK_COUNT_BYTES
  let from = 0
  for (let index = 0; index < count; index++) {
    const head = bytes.now(at, CHUNK_HEAD_BYTES, CHUNK_HEAD_BYTES) ?? (yield { from: at, length: CHUNK_HEAD_BYTES })
    const length = storedChunkLength(head)
    // The head of the next chunk is read with this one.
    const chunk = chunkIn(bytes.now(at, length, length + CHUNK_HEAD_BYTES) ?? (yield { from: at, length }))
    yield { chunk, index, offset: at + CHUNK_HEAD_BYTES, from }
    at += length
    from += chunk.original_length
  }
  return at
}

/** Bytes before the content of the first chunk. */
const FIRST_BYTES = CHUNK_COUNT_BYTES + CHUNK_HEAD_BYTES

/**
 * Reads the chunks of a stored tile one after another.
 * @param read reads bytes of the file
 * @param broken called if lengths do not fit the tile; throws the error that describes the fault
 */
export async function* storedChunks(
  place: TilePlace,
  read: (offset: number, length: number) => Promise<Uint8Array>,
  broken: () => Promise<never>,
  readNow?: ReadNow,
): AsyncGenerator<PlacedChunk> {
  const bytes = new StoredBytes(place, readNow)
  const walk = chunkWalk(place, bytes)
  let step = walk.next(NO_BYTES)
  while (!step.done) {
    const one = step.value
    if ('chunk' in one) yield one
    step = walk.next('chunk' in one ? NO_BYTES : ((await bytes.load(one, read)) ?? (await broken())))
  }
}

/**
 * {@link storedChunks} without waiting, because an asynchronous generator takes five times as long for each chunk.
 * @param visit returns whether to go on
 * @returns whether all chunks were visited, and fill the tile
 */
export function visitStoredChunks(
  place: TilePlace,
  readNow: ReadNow,
  visit: (chunk: StoredChunk, index: number) => boolean,
): boolean {
  const walk = chunkWalk(place, new StoredBytes(place, readNow))
  let step = walk.next(NO_BYTES)
  while (!step.done) {
    if (!('chunk' in step.value) || !visit(step.value.chunk, step.value.index)) return false
    step = walk.next(NO_BYTES)
  }
  return step.value === place.offset + place.size
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
