import { type InspectError, inconsistent } from '../base/errors.ts'
import { concat, NO_BYTES } from '../filters/bytes.ts'
import { withRoom } from '../filters/pipeline.ts'
import type { StoredChunk } from '../format/tile-chunks.ts'
import { u32 } from '../format/u32.ts'

/** A tile with more bytes than this, stored or unfiltered, is read chunk by chunk. */
export const LARGE_TILE = 16 * 2 ** 20
/**
 * Stored bytes of a large tile that are read at once. Code that plans reads of a large tile splits it into such blocks, from
 * its start.
 */
export const BLOCK_BYTES = 2 ** 20

const COUNT_BYTES = 8
const HEAD_BYTES = 12

/** A chunk and its place. */
export interface PlacedChunk {
  chunk: StoredChunk
  index: number
  /** Offset in the file of the chunk's metadata. */
  offset: number
  /** Unfiltered bytes of the tile before it. */
  from: number
}

/** The chunks of a tile in memory. @param offset of the tile in its file */
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
 * The chunks of a stored tile, one after another, with at most one block or chunk of it in memory.
 * @param read reads bytes of the file
 * @param broken called if lengths do not fit the tile; throws the error that describes the fault
 */
export async function* storedChunks(
  { offset, size }: { offset: number; size: number },
  read: (offset: number, length: number) => Promise<Uint8Array>,
  broken: () => Promise<never>,
): AsyncGenerator<PlacedChunk> {
  const end = offset + size
  let held: Uint8Array = NO_BYTES
  let heldAt = offset
  /** Bytes of the tile; `from` must not fall from call to call. */
  const bytes = async (from: number, length: number): Promise<Uint8Array> => {
    if (from + length > end) await broken()
    const next = heldAt + held.length
    if (from + length > next) {
      const blocks = Math.ceil((from + length - next) / BLOCK_BYTES)
      // A copy, as reading on may use the memory of the block before.
      const rest = held.slice(from - heldAt)
      const more = await read(next, Math.min(blocks * BLOCK_BYTES, end - next))
      held = rest.length > 0 ? concat([rest, more]) : more
      heldAt = next - rest.length
    }
    return held.subarray(from - heldAt, from - heldAt + length)
  }
  const head = await bytes(offset, COUNT_BYTES)
  const count = u32(head, 0) + u32(head, 4) * 2 ** 32
  let at = offset + COUNT_BYTES
  let from = 0
  for (let index = 0; index < count; index++) {
    const lengths = await bytes(at, HEAD_BYTES)
    const [original_length, dataLength, metadataLength] = [u32(lengths, 0), u32(lengths, 4), u32(lengths, 8)]
    at += HEAD_BYTES
    const both = await bytes(at, metadataLength + dataLength)
    const chunk = { original_length, metadata: both.subarray(0, metadataLength), data: both.subarray(metadataLength) }
    yield { chunk, index, offset: at, from }
    at += both.length
    from += original_length
  }
}

/** What {@link TilePieces} needs from the tile's file. */
interface PiecesOf {
  /** Unfiltered bytes of the tile. */
  expected: number
  /** The chunks, starting with the first. */
  chunks(): AsyncGenerator<PlacedChunk>
  undo(placed: PlacedChunk): Promise<Uint8Array>
  fault(error: InspectError): unknown
}

/** The unfiltered bytes of one tile, from start to end. A chunk is undone when its bytes are asked for. */
export class TilePieces {
  private readonly tile: PiecesOf
  private chunks: AsyncGenerator<PlacedChunk> | undefined
  /** Where the chunks read so far end. */
  private seen = 0
  private last: { from: number; data: Uint8Array } | undefined
  /** Unfiltered bytes of the chunk that was undone last. */
  private proven: number | undefined

  constructor(tile: PiecesOf) {
    this.tile = tile
  }

  /**
   * Bytes `from` to `to` of the tile; `from` must not fall from call to call.
   * @throws InspectError INCONSISTENT if the chunks read so far show more or fewer bytes than the tile has
   */
  async read(from: number, to: number): Promise<Uint8Array> {
    // Memory grows with what the chunks hold: the schema may claim cells of any size.
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
      // Writers give all chunks but the last the same length. A different length may be wrong, and would shift all later cells.
      if (this.seen <= from && placed.chunk.original_length === this.proven) continue
      const data = await this.tile.undo(placed)
      this.proven = data.length
      this.last = { from: placed.from, data }
      take(placed.from, data)
    }
    return out
  }

  /** Undoes all remaining chunks, only to raise their errors. */
  async skip(): Promise<void> {
    const { expected } = this.tile
    for (let at = 0; at < expected; at += BLOCK_BYTES) await this.read(at, Math.min(expected, at + BLOCK_BYTES))
  }

  private wrongSize(found: number): unknown {
    const { expected } = this.tile
    const message = `expected ${expected} unfiltered bytes, found chunks of ${found > expected ? 'more' : found}`
    return this.tile.fault(inconsistent(message, { field: 'chunks.original_length' }))
  }
}
