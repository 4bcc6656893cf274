import { InspectError } from '../base/errors.ts'
import { concat } from '../filters/bytes.ts'
import type { StoredChunk } from '../format/tile-chunks.ts'
import { u32 } from '../format/u32.ts'

/** A tile that has more bytes than this, stored or unfiltered, is read chunk by chunk. */
export const LARGE_TILE = 16 * 2 ** 20
/** Stored bytes of a large tile that are read at once. Those who plan reads of it cut it so, from its start. */
export const BLOCK_BYTES = 2 ** 20

const COUNT_BYTES = 8
const HEAD_BYTES = 12

/** A chunk, and where it is. */
export interface PlacedChunk {
  chunk: StoredChunk
  index: number
  /** Of the chunk's metadata, in the file. */
  offset: number
  /** Unfiltered bytes of the tile ahead of it. */
  from: number
}

/** Chunks of a tile that is in memory. @param offset of the tile in its file */
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

/** A run of stored bytes, read from its start to its end, with no more than a block or a chunk of it in memory. */
class Blocks {
  private held: Uint8Array = new Uint8Array(0)
  private at: number
  private readonly end: number
  private readonly read: (offset: number, length: number) => Promise<Uint8Array>

  constructor(offset: number, size: number, read: (offset: number, length: number) => Promise<Uint8Array>) {
    this.at = offset
    this.end = offset + size
    this.read = read
  }

  /** Whether so many bytes are left from `offset` on. */
  has(offset: number, length: number): boolean {
    return offset + length <= this.end
  }

  /** Bytes of the run; `offset` never falls. */
  async bytes(offset: number, length: number): Promise<Uint8Array> {
    const next = this.at + this.held.length
    if (offset + length > next) {
      const blocks = Math.ceil((offset + length - next) / BLOCK_BYTES)
      const more = await this.read(next, Math.min(blocks * BLOCK_BYTES, this.end - next))
      const rest = this.held.subarray(offset - this.at)
      this.held = rest.length > 0 ? concat([rest, more]) : more
      this.at = next - rest.length
    }
    return this.held.subarray(offset - this.at, offset - this.at + length)
  }
}

/**
 * The chunks of a stored tile one after the other.
 * @param read of the file
 * @param broken told that lengths do not fit the tile: raises what is wrong with it
 */
export async function* storedChunks(
  { offset, size }: { offset: number; size: number },
  read: (offset: number, length: number) => Promise<Uint8Array>,
  broken: () => Promise<never>,
): AsyncGenerator<PlacedChunk> {
  const blocks = new Blocks(offset, size, read)
  if (!blocks.has(offset, COUNT_BYTES)) await broken()
  const head = await blocks.bytes(offset, COUNT_BYTES)
  const count = u32(head, 0) + u32(head, 4) * 2 ** 32
  let at = offset + COUNT_BYTES
  let from = 0
  for (let index = 0; index < count; index++) {
    if (!blocks.has(at, HEAD_BYTES)) await broken()
    const lengths = await blocks.bytes(at, HEAD_BYTES)
    const [original_length, dataLength, metadataLength] = [u32(lengths, 0), u32(lengths, 4), u32(lengths, 8)]
    at += HEAD_BYTES
    if (!blocks.has(at, metadataLength + dataLength)) await broken()
    const bytes = await blocks.bytes(at, metadataLength + dataLength)
    const chunk = { original_length, metadata: bytes.subarray(0, metadataLength), data: bytes.subarray(metadataLength) }
    yield { chunk, index, offset: at, from }
    at += bytes.length
    from += original_length
  }
}

/** What {@link TilePieces} needs of the file that the tile is in. */
export interface PiecesOf {
  /** Unfiltered bytes of the tile. */
  expected: number
  /** From the first chunk on. */
  chunks(): AsyncGenerator<PlacedChunk>
  undo(placed: PlacedChunk): Promise<Uint8Array>
  fault(error: InspectError): unknown
}

/** The unfiltered bytes of one tile, from its start to its end: chunks are undone when bytes of them are asked for. */
export class TilePieces {
  private readonly tile: PiecesOf
  private chunks: AsyncGenerator<PlacedChunk> | undefined
  /** Ends of what was gone through. */
  private seen = 0
  private last: { from: number; data: Uint8Array } | undefined

  constructor(tile: PiecesOf) {
    this.tile = tile
  }

  /**
   * Bytes `from` to `to` of the tile; `from` never falls.
   * @throws InspectError INCONSISTENT where the chunks hold more or fewer bytes than the tile, as far as they were gone through
   */
  async read(from: number, to: number): Promise<Uint8Array> {
    const out = new Uint8Array(to - from)
    const take = (start: number, data: Uint8Array): void => {
      const part = data.subarray(Math.max(0, from - start), Math.max(0, to - start))
      out.set(part, Math.max(0, start - from))
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
      if (this.seen <= from) continue
      const data = await this.tile.undo(placed)
      this.last = { from: placed.from, data }
      take(placed.from, data)
    }
    return out
  }

  /** Undoes all chunks, for what that raises. */
  async skip(): Promise<void> {
    const { expected } = this.tile
    for (let at = 0; at < expected; at += BLOCK_BYTES) await this.read(at, Math.min(expected, at + BLOCK_BYTES))
  }

  private wrongSize(found: number): unknown {
    const { expected } = this.tile
    const message = `expected ${expected} unfiltered bytes, found chunks of ${found > expected ? 'more' : found}`
    return this.tile.fault(new InspectError('INCONSISTENT', message, { field: 'chunks.original_length' }))
  }
}
