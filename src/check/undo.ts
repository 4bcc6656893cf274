import { InspectError } from '../base/errors.ts'
import { Slab } from '../base/slab.ts'
import { type PlacedChunk, placedChunks } from '../cells/tile-chunks.ts'
import type { TileFile } from '../cells/tile-files.ts'
import { NO_BYTES } from '../filters/bytes.ts'
import type { ChecksumVerdict, LostTail, RefusedPart } from '../filters/filter.ts'
import { type Pipeline, type ReadOptions, unfilteredLimit, withRoom } from '../filters/pipeline.ts'
import { decode } from '../format/io.ts'
import { onlyChunk, tileChunks } from '../format/tile-chunks.ts'

/** Size in bytes of a tile without chunks. */
const EMPTY_TILE = 8

/** A stored tile whose chunks can be undone. */
interface OpenTile {
  /** Offset of the tile in its file. */
  readonly base: number
  readonly pipeline: Pipeline
  /** Unfiltered bytes that the tile must have; undefined if the metadata does not say. */
  readonly expected: number | undefined
  /** Stored bytes. */
  readonly size: number
  /** Undefined for a large tile, which is not in memory. */
  readonly extent: TileExtent | undefined
  readonly chunks: ReturnType<typeof placedChunks> | ReturnType<TileFile['chunks']>
}

/** Where the last chunk ends in the stored bytes of a tile, and the sum of the chunks' original lengths. */
export interface TileExtent {
  end: number
  total: number
}

/** What undoing a chunk reports. `chunk` is its index in the tile, `offset` its offset in the file. */
export interface ChunkReports {
  /** Each chunk is counted. */
  readonly counts: { chunk_num: number }
  onVerdict(verdict: ChecksumVerdict, chunk: number, offset: number): void
  /** Why a chunk could not be undone, if no wrong checksum was reported for it. */
  onFault(error: unknown, chunk: number, offset: number): void
  onLostTail(tail: LostTail, chunk: number, offset: number): void
  onRefused?(part: RefusedPart, chunk: number, offset: number): void
  onOtherType?(chunk: number, offset: number): void
}

/** A tile whose chunks were undone. */
export interface UndoneTile extends TileExtent {
  /** Whether all chunks could be undone and have right checksums. */
  whole: boolean
  /** Unfiltered bytes; empty if they are not wanted. */
  data: Uint8Array
  /** For var-sized strings whose filters hold the offsets: start of each cell. */
  offsets: Float64Array | undefined
  /** Where each chunk ends in the unfiltered bytes. */
  ends: number[]
}

/**
 * Finds the chunks of a tile.
 * @param stored undefined for a large tile, which is read chunk by chunk
 * @throws InspectError if the tile is not made of chunks
 */
export function openTile(file: TileFile, tile: number, stored: Uint8Array | undefined, pipeline: Pipeline): OpenTile {
  const base = file.offsets[tile]
  const only = stored && onlyChunk(stored)
  const whole = only
    ? { chunks: [only], extra: NO_BYTES }
    : stored && decode(stored, tileChunks, { file: file.source.name, offset: base })
  const { size } = file.place(tile)
  const total = whole?.chunks.reduce((sum, { original_length }) => sum + original_length, 0) ?? 0
  return {
    base,
    pipeline,
    expected: file.expectedSize(tile),
    size,
    extent: whole && { end: size - whole.extra.length, total },
    chunks: whole ? placedChunks(whole.chunks, stored as Uint8Array, base) : file.chunks(tile),
  }
}

/**
 * Undoes the filters of a tile chunk by chunk, and continues after a fault.
 * @param keep whether to give the unfiltered bytes
 * @param checksumsOnly whether to stop after the last checksum of each chunk
 * @throws InspectError if a large tile cannot be read, or is not made of chunks
 */
export async function undoTile(
  { base, pipeline, expected, size, chunks }: OpenTile,
  reports: ChunkReports,
  { keep = false, checksumsOnly = false }: { keep?: boolean; checksumsOnly?: boolean },
): Promise<UndoneTile> {
  const out: UndoneTile = { end: EMPTY_TILE, total: 0, whole: true, data: NO_BYTES, offsets: undefined, ends: [] }
  let chunkIndex = 0
  let chunkOffset = 0
  let mismatch = false
  const options: ReadOptions = {
    onVerdict(verdict) {
      if (!verdict.ok) mismatch = true
      reports.onVerdict(verdict, chunkIndex, chunkOffset)
    },
    onLostTail: (tail) => reports.onLostTail(tail, chunkIndex, chunkOffset),
    onRefused: reports.onRefused && ((part) => reports.onRefused?.(part, chunkIndex, chunkOffset)),
    onOtherType: () => reports.onOtherType?.(chunkIndex, chunkOffset),
    checksumsOnly,
  }
  const undo = ({ chunk, index, offset, from }: PlacedChunk): void => {
    chunkIndex = index
    chunkOffset = offset
    mismatch = false
    reports.counts.chunk_num++
    out.total = from + chunk.original_length
    out.end = offset + chunk.metadata.length + chunk.data.length - base
    out.ends.push(out.total)
    try {
      // A chunk is not undone if its size contradicts the metadata. The tile's size is wrong then, too.
      if (expected !== undefined && out.total > expected) return
      pipeline.refuseBeyond(out.total, expected, size)
      const { data, offsets } = pipeline.undoAt(chunk.metadata, offset, chunk, index, options)
      out.offsets ??= offsets
      if (keep && from === 0 && out.total === expected) out.data = pipeline.owned(data)
      else if (keep) {
        // Memory costs nothing until it is written to.
        if (out.data.length === 0) out.data = new Uint8Array(Math.min(expected ?? 0, unfilteredLimit(size)))
        out.data = withRoom(out.data, from, out.total, 2 * out.total)
        out.data.set(data, from)
      }
    } catch (error) {
      out.whole = false
      if (!(mismatch && error instanceof InspectError)) reports.onFault(error, index, offset)
    }
    if (mismatch) out.whole = false
  }
  // Waiting for each chunk of a small tile would cost as much as undoing it.
  if (Symbol.iterator in chunks) for (const one of chunks) undo(one)
  else for await (const one of chunks) undo(one)
  if (keep) out.data = out.data.subarray(0, out.total)
  return out
}

/**
 * Undoes tiles that need no report: those in memory, of one chunk, without any fault. Waiting and places for reports take
 * longer than undoing a small tile.
 */
export class SoundTiles {
  private readonly file: TileFile
  private readonly keep: boolean
  private isOdd = false
  private readonly slab = new Slab()
  /** For the bytes of a tile: the same for every tile if they are not wanted. */
  private room: Uint8Array = NO_BYTES
  private readonly options: ReadOptions
  /** Of the tile that was undone last. */
  readonly verdicts: ChecksumVerdict[] = []

  /**
   * @param keep whether to give the unfiltered bytes
   * @param checksumsOnly as in {@link undoTile}
   */
  constructor(file: TileFile, keep: boolean, checksumsOnly = false) {
    this.file = file
    this.keep = keep
    const odd = (): void => {
      this.isOdd = true
    }
    const onVerdict = (verdict: ChecksumVerdict): void => {
      if (!verdict.ok) odd()
      this.verdicts.push(verdict)
    }
    this.options = { onVerdict, onLostTail: odd, onRefused: odd, onOtherType: odd, unread: !keep, checksumsOnly }
  }

  /** The unfiltered bytes, empty if they are not wanted. Undefined if {@link openTile} and {@link undoTile} must do the tile. */
  undo(tile: number): Uint8Array | undefined {
    const { file, keep, options } = this
    const pipeline = file.pipelineNow
    if (!pipeline || file.isLarge(tile)) return undefined
    try {
      const chunk = file.onlyChunkNow(tile)
      if (!chunk || chunk.original_length !== file.expectedSize(tile)) return undefined
      this.isOdd = false
      this.verdicts.length = 0
      if (keep || this.room.length !== chunk.original_length) this.room = this.slab.take(chunk.original_length)
      const { data } = pipeline.undo(chunk, 0, options, this.room)
      if (this.isOdd) return undefined
      if (!keep) return NO_BYTES
      if (data !== this.room) this.room.set(data)
      return this.room
    } catch (error) {
      if (error instanceof InspectError) return undefined
      throw error
    }
  }
}
