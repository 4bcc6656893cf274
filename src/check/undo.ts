import { NO_BYTES } from '../base/bytes.ts'
import { faultOf, InspectError, unlessFault } from '../base/errors.ts'
import { Slab } from '../base/slab.ts'
import { type PlacedChunk, placedChunks } from '../cells/large-tiles.ts'
import { isStringOffsetsTile, type TileFile, type TileRole } from '../cells/tile-files.ts'
import type { ChecksumVerdict, LostTail, RefusedPart } from '../filters/filter.ts'
import { type TileReadOptions, unfilteredLimit, withRoom } from '../filters/pipeline.ts'
import { mayHoldOffsets } from '../filters/registry.ts'
import { decode } from '../format/io.ts'
import { CHUNK_COUNT_BYTES, onlyChunk, tileChunks } from '../format/tile-chunks.ts'

/** How often the bytes of a tile are held while its cells are checked: numbers also in the form by which they are compared. */
export const KEPT_TIMES: Readonly<Record<TileRole, number>> = { data: 2, offsets: 2, var: 1, validity: 1 }

/** Receives what undoing the chunks of a tile shows. `chunk` is the index in the tile, `offset` the offset in the file. */
export interface ChunkReports {
  readonly counts: { chunk_num: number }
  onVerdict(verdict: ChecksumVerdict, chunk: number, offset: number): void
  /** Called if a chunk cannot be undone, unless a wrong checksum was reported for it. */
  onFault(error: unknown, chunk: number, offset: number): void
  onLostTail(tail: LostTail, chunk: number, offset: number): void
  onRefused?(part: RefusedPart, chunk: number, offset: number): void
  onOtherType?(chunk: number, offset: number): void
}

/** A tile whose chunks were undone. */
export interface UndoneTile {
  /** Where the last chunk ends, in stored bytes from the start of the tile. */
  end: number
  /** Sum of the chunks' original lengths. */
  total: number
  /** Whether all chunks could be undone and have right checksums. */
  whole: boolean
  /** Unfiltered bytes; empty if they are not wanted. */
  data: Uint8Array
  /** For var-sized strings whose filters hold the offsets: start of each cell. */
  offsets: Float64Array | undefined
  /** Where each chunk ends in the unfiltered bytes. */
  ends: number[]
}

interface UndoOptions {
  /** Whether the tile holds the offsets of its strings. */
  stringOffsets: boolean
  /** Whether to return the unfiltered bytes. */
  keep?: boolean
  /** Whether to stop after the last checksum of each chunk. */
  checksumsOnly?: boolean
}

/**
 * Undoes the filters of a tile chunk by chunk, and continues after a fault.
 * @param stored undefined for a tile that is read chunk by chunk
 * @throws InspectError if the tile cannot be read, or is not made of chunks
 */
export async function undoTile(
  file: TileFile,
  tile: number,
  stored: Uint8Array | undefined,
  reports: ChunkReports,
  { stringOffsets, keep: wanted = false, checksumsOnly = false }: UndoOptions,
): Promise<UndoneTile> {
  const pipeline = await file.pipeline(stringOffsets)
  const { offset: base, size } = file.place(tile)
  const expected = file.expectedSize(tile)
  const chunks = stored ? chunksInMemory(file, base, stored) : file.chunks(tile, !wanted)
  const out: UndoneTile = {
    end: CHUNK_COUNT_BYTES,
    total: 0,
    whole: true,
    data: NO_BYTES,
    offsets: undefined,
    ends: [],
  }
  const refused =
    wanted && expected !== undefined ? refusal(() => file.hold(KEPT_TIMES[file.role] * expected)) : undefined
  const keep = wanted && !refused
  let chunkIndex = 0
  let chunkOffset = 0
  let mismatch = false
  const options: TileReadOptions = {
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
      if (!checksumsOnly) pipeline.refuseClaim(chunk)
      pipeline.refuseBeyond(out.total, expected, size)
      file.hold(keep ? KEPT_TIMES[file.role] * Math.max(expected ?? 0, out.total) : chunk.original_length)
      const { data, offsets } = pipeline.undoAt(offset, chunk, index, options)
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
  // A tile whose chunks have another size, or faults, has no cells to keep.
  if (refused && out.whole && out.total === expected) throw refused
  if (keep) out.data = out.data.subarray(0, out.total)
  return out
}

/** The error of `work`, if it is one. */
function refusal(work: () => void): InspectError | undefined {
  try {
    work()
    return undefined
  } catch (error) {
    return faultOf(error)
  }
}

/**
 * Whether the strings of a tile come with their offsets in the same tile. The schema says so, or else the tile of the offsets.
 * @param offsets the file of the offsets, if it is there
 * @returns undefined if the tile of the offsets cannot be read
 */
export async function saysOffsetsInside(
  values: TileFile,
  offsets: TileFile | undefined,
  tile: number,
): Promise<boolean | undefined> {
  if (values.holdsOffsets) return true
  if (!mayHoldOffsets(values.filters) || values.cells(tile) === 0) return false
  return offsets?.stored(tile).then(isStringOffsetsTile).catch(unlessFault)
}

/** {@link saysOffsetsInside} if the tile of the offsets cannot be read: undoes the values to find out. */
export async function hasOffsetsInside(values: TileFile, tile: number): Promise<boolean> {
  const undone = await values
    .stored(tile)
    .then((stored) => values.unfilter(tile, stored, { stringOffsets: true }))
    .catch(unlessFault)
  return undone?.offsets?.length === values.cells(tile)
}

/** @throws InspectError if the tile is not made of chunks */
function chunksInMemory(file: TileFile, base: number, stored: Uint8Array): Iterable<PlacedChunk> {
  const only = onlyChunk(stored)
  const chunks = only ? [only] : decode(stored, tileChunks, { file: file.source.name, offset: base }).chunks
  return placedChunks(chunks, stored, base)
}

/**
 * The fast way to undo the tiles of a file that have no fault, and are in memory with one chunk, or can be read chunk by chunk without
 * waiting. Awaiting a tile or a chunk and making its reports may take longer than undoing it.
 */
export class FaultlessTiles {
  private readonly file: TileFile
  private readonly keep: boolean
  private hasReport = false
  private readonly slab = new Slab()
  /** Receives the bytes of a tile. All tiles share it if the bytes are not wanted. */
  private room: Uint8Array = NO_BYTES
  private readonly options: TileReadOptions
  /** Those of the tile that was undone last. */
  readonly verdicts: ChecksumVerdict[] = []
  /** Number of chunks of the tile that was undone last. */
  chunkNum = 0

  /** @param keep @param checksumsOnly as in {@link UndoOptions} */
  constructor(file: TileFile, keep: boolean, checksumsOnly = false) {
    this.file = file
    this.keep = keep
    const report = (): void => {
      this.hasReport = true
    }
    const onVerdict = (verdict: ChecksumVerdict): void => {
      if (!verdict.ok) report()
      this.verdicts.push(verdict)
    }
    const unread = !keep
    this.options = { onVerdict, onLostTail: report, onRefused: report, onOtherType: report, unread, checksumsOnly }
  }

  /** Returns the unfiltered bytes, empty if they are not wanted. Undefined if {@link undoTile} has to undo the tile. */
  undo(tile: number): Uint8Array | undefined {
    const { file, keep, options } = this
    const pipeline = file.loaded
    if (!pipeline || file.isLarge(tile)) return undefined
    try {
      const chunk = file.fetchedChunk(tile)
      if (!chunk || chunk.original_length !== file.expectedSize(tile)) return undefined
      this.start()
      this.chunkNum = 1
      if (keep) file.hold(KEPT_TIMES[file.role] * chunk.original_length)
      if (keep || this.room.length !== chunk.original_length) this.room = this.slab.take(chunk.original_length)
      const { data } = pipeline.undo(chunk, 0, options, this.room)
      if (this.hasReport) return undefined
      if (!keep) return NO_BYTES
      if (data !== this.room) this.room.set(data)
      return this.room
    } catch (error) {
      if (error instanceof InspectError) return undefined
      throw error
    }
  }

  /** Undoes a tile whose bytes are not wanted, chunk by chunk. @returns whether it has no fault; false if {@link undoTile} has to undo it */
  undoChunks(tile: number): boolean {
    const { file, options } = this
    const pipeline = file.loaded
    const expected = file.expectedSize(tile)
    if (!pipeline || expected === undefined) return false
    this.start()
    let total = 0
    try {
      const isRead = file.visitChunks(tile, (chunk, index) => {
        total += chunk.original_length
        if (total > expected) return false
        file.hold(chunk.original_length)
        pipeline.undo(chunk, index, options)
        this.chunkNum++
        return !this.hasReport
      })
      return isRead && total === expected
    } catch (error) {
      if (error instanceof InspectError) return false
      throw error
    }
  }

  private start(): void {
    this.hasReport = false
    this.verdicts.length = 0
    this.chunkNum = 0
  }
}
