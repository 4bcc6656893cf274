import { element } from '../base/element.ts'
import { addPlace, badValue, hasCode, InspectError, withHint } from '../base/errors.ts'
import { Lease, OPTION_OF_MEMORY } from '../base/memory.ts'
import type { LostTail, RefusedPart } from '../filters/filter.ts'
import { Pipeline, type TileReadOptions, type TileType, type UnfilteredTile } from '../filters/pipeline.ts'
import type { FileRole } from '../format/field-files.ts'
import type { FilterConfig } from '../format/filter-pipeline.ts'
import { decode } from '../format/io.ts'
import { CHUNK_COUNT_BYTES, chunkCount, onlyChunk, type StoredChunk, tileChunks } from '../format/tile-chunks.ts'
import { type Fragment, type FragmentInfo, filePipeline, valuesHoldOffsets } from '../objects/fragment.ts'
import { keyOrDamage } from '../objects/generic-tile.ts'
import { roomOf } from '../objects/read-context.ts'
import { countReadBytes } from '../storage/lean-heap.ts'
import { type PlanOptions, ReadAhead } from '../storage/read-ahead.ts'
import { type ByteRange, type ByteSource, changedWhileRead } from '../storage/source.ts'
import {
  BLOCK_BYTES,
  LARGE_TILE,
  type PlacedChunk,
  storedChunks,
  TilePieces,
  visitStoredChunks,
} from './large-tiles.ts'
import { tileDatatypes } from './slot-type.ts'
import {
  checkOffsetCount,
  fieldTileFile,
  fileCellSize,
  sizeBetween,
  type TilePlace,
  type TileRole,
  tileCellNum,
} from './tile-places.ts'

export type { TilePlace, TileRole } from './tile-places.ts'

/** Upper limit on the planned blocks of large tiles, as damaged metadata may have any size. Other blocks are still read. */
const MAX_PLANNED = 2 ** 16

/** Tiles that are not large, and that memory can hold at once at least. */
const LARGE_SHARE = 4

/** Tiles of which this many would fill the memory. */
const COLLECTED_SHARE = 32

/** Bytes that stay in the cache of a processor from reading them to using them. */
const CACHED_BYTES = 2 ** 17

/** Room for a stored chunk of the usual 64 KiB. */
const CHUNK_ROOM = 2 ** 17

/** How the tiles of a plan will be read. */
interface TilePlan extends PlanOptions {
  /** Whether the tile with this number will not be read. */
  skip?: ((tile: number) => boolean) | undefined
}

/** The tiles of one data file of a fragment: their places, filters and unfiltered bytes. */
export class TileFile {
  readonly name: string
  readonly slot: number
  readonly role: TileRole
  readonly source: ByteSource
  /** Whether the file has values that hold their offsets, by the schema. See {@link valuesHoldOffsets}. */
  readonly holdsOffsets: boolean
  /** Offsets of the tiles, in bytes. */
  readonly offsets: Float64Array
  private readonly stream: ReadAhead
  readonly fragment: Fragment
  readonly info: FragmentInfo
  /** Size of the file in bytes, from the metadata. */
  private readonly size: number
  /** Unfiltered bytes of a cell; 0 for var-sized values. */
  private readonly cellSize: number
  private readonly varSizes: Float64Array | undefined
  /** Pipelines by whether the values have the offsets in them. */
  private readonly pipelines = new Map<boolean, Promise<Pipeline>>()
  /** The pipeline of values without offsets, once it is loaded. */
  loaded: Pipeline | undefined
  /** Tiles that another thread has unfiltered; {@link read} returns them. */
  lent: ReadonlyMap<number, Uint8Array> | undefined
  /** Whether the caller holds the memory of all tiles that it reads. */
  isHeld = false
  /** The memory of the tile, or of the piece of a large tile, that was read last. */
  private readonly lease: Lease
  /** Where {@link chunks} reads one. */
  private chunkRoom: Uint8Array | undefined
  /** Called for tiles of which the writer lost the end of a part. */
  onLostTail: ((tile: number, lost: LostTail) => void) | undefined
  /** Called for chunks that TileDB cannot read. */
  onRefused: ((tile: number, part: RefusedPart) => void) | undefined
  /** Called for tiles that were filtered with another type than the one with which TileDB reads them. */
  onOtherType: ((tile: number) => void) | undefined

  /** The tile that is undone. */
  private undone = 0
  // Not made anew for each tile: pipelines keep what they know of the last options.
  private readonly lostTail = (lost: LostTail): void => this.onLostTail?.(this.undone, lost)
  private readonly refused = (part: RefusedPart): void => this.onRefused?.(this.undone, part)
  private readonly otherType = (): void => this.onOtherType?.(this.undone)

  private constructor(
    fragment: Fragment,
    info: FragmentInfo,
    { slot, role }: { slot: number; role: TileRole },
    { offsets, varSizes }: { offsets: Float64Array; varSizes: Float64Array | undefined },
  ) {
    this.fragment = fragment
    this.info = info
    this.slot = slot
    this.role = role
    this.offsets = offsets
    this.varSizes = varSizes
    const { name, size } = fieldTileFile(info, slot, role)
    this.name = name
    this.size = size
    this.holdsOffsets = role === 'var' && valuesHoldOffsets(info, slot)
    this.cellSize = role === 'var' ? 0 : fileCellSize(info, slot, role)
    this.lease = new Lease(fragment.cx.memory)
    this.source = fragment.folder.file(this.name)
    this.stream = new ReadAhead(this.source)
  }

  /** Opens a data file. @throws InspectError INCONSISTENT if the metadata does not have an offset for each tile */
  static async open(fragment: Fragment, slot: number, role: TileRole): Promise<TileFile> {
    const info = await fragment.info()
    const { offsetsList } = fieldTileFile(info, slot, role)
    const offsets = (await fragment.offsets(offsetsList, slot)) ?? new Float64Array(0)
    checkOffsetCount(fragment, info, `${offsetsList}.${element(info.slots, slot).name}`, offsets.length)
    const varSizes = role === 'var' ? await fragment.offsets('tile_var_sizes', slot) : undefined
    return new TileFile(fragment, info, { slot, role }, { offsets, varSizes })
  }

  get tileNum(): number {
    return this.info.tile_num
  }

  /** {@link tileCellNum} */
  cells(tile: number): number {
    return tileCellNum(this.info, tile)
  }

  /**
   * The place of a stored tile. A tile ends where the next one begins. The last tile ends at the file size in the footer, even
   * if the file is longer.
   * @throws InspectError INCONSISTENT if offsets do not rise
   */
  place(tile: number): TilePlace {
    const offset = this.start(tile)
    return { offset, size: sizeBetween(offset, this.end(tile), tile, this.source.name) }
  }

  /** The bytes from which on a tile is large. With little memory they are fewer: the files of all columns are read together. */
  private get large(): number {
    return Math.max(BLOCK_BYTES, Math.min(LARGE_TILE, this.fragment.cx.memory.room / LARGE_SHARE))
  }

  /** The bytes from which on the garbage of a tile is collected soon. It costs time, so smaller tiles count only if the user gives little memory. */
  private get collected(): number {
    const { room, isSet } = this.fragment.cx.memory
    return isSet ? Math.min(LARGE_TILE, room / COLLECTED_SHARE) : LARGE_TILE
  }

  /** Bytes that memory has room for. */
  get room(): number {
    return this.fragment.cx.memory.room
  }

  private start(tile: number): number {
    return element(this.offsets, tile)
  }

  private end(tile: number): number {
    return tile + 1 < this.info.tile_num ? this.start(tile + 1) : this.size
  }

  /** Whether a tile has so many bytes, stored or unfiltered, that it should be read by {@link chunks} or {@link pieces}. */
  isLarge(tile: number): boolean {
    if (this.end(tile) - this.start(tile) > this.large) return true
    // An offsets tile may have only the few bytes that say that the offsets are among the values.
    return this.role !== 'offsets' && (this.expectedSize(tile) ?? 0) > this.large
  }

  /** Whether {@link pieces} can read tiles. It cannot read var-sized values, as chunks do not show where their cells are. */
  get canReadPieces(): boolean {
    return this.role !== 'var'
  }

  /**
   * Whether {@link chunks} reads a tile faster than {@link stored}, if nothing is kept of a chunk: the bytes of one stay in the cache of the
   * processor, while those of a tile do not.
   */
  isFasterInChunks(tile: number): boolean {
    return !this.fragment.folder.isRemote && this.end(tile) - this.start(tile) > CACHED_BYTES
  }

  /**
   * Reads the stored chunks of a tile, with few in memory at once.
   * @param reuse whether the next chunk may overwrite the last
   * @throws InspectError like reading the tile
   */
  chunks(tile: number, reuse = false): AsyncGenerator<PlacedChunk> {
    const { offset, size } = this.place(tile)
    // Decoding the whole tile throws the error.
    const broken = async (): Promise<never> => {
      decode(await this.readListed(offset, size), tileChunks, { file: this.source.name, offset })
      throw changedWhileRead(this.source.name, { expected: 'the file as it was', found: 'it changed' })
    }
    const read = (at: number, length: number): Promise<Uint8Array> =>
      this.stream.read(at, length).catch((error: unknown) => {
        if (hasCode(error, 'NOT_FOUND', 'TRUNCATED')) return broken()
        throw error
      })
    if (!reuse) return storedChunks({ offset, size }, read, broken)
    this.chunkRoom ??= new Uint8Array(CHUNK_ROOM)
    const room = this.chunkRoom
    return storedChunks({ offset, size }, read, broken, (at, length) => this.stream.fetched(at, length, room))
  }

  /**
   * Visits the stored chunks of a tile without waiting. Each overwrites the one before.
   * @param visit returns whether to go on
   * @returns whether all were visited; false if the tile has to be read by {@link chunks}
   */
  visitChunks(tile: number, visit: (chunk: StoredChunk, index: number) => boolean): boolean {
    this.chunkRoom ??= new Uint8Array(CHUNK_ROOM)
    const room = this.chunkRoom
    return visitStoredChunks(this.place(tile), (at, length) => this.stream.fetched(at, length, room), visit)
  }

  /** Reads the unfiltered bytes of a tile piece by piece, from start to end. */
  pieces(tile: number, options: TileReadOptions = {}): TilePieces {
    const expected = this.expectedSize(tile) ?? 0
    return new TilePieces({
      expected,
      chunks: () => this.chunks(tile),
      undo: async ({ chunk, index, offset }) => {
        try {
          const pipeline = await this.pipeline(false)
          pipeline.refuseClaim(chunk)
          this.holdNew(chunk.original_length)
          return pipeline.owned(pipeline.undoAt(offset, chunk, index, options).data)
        } catch (error) {
          throw this.placed(error, tile)
        }
      },
      fault: (error) => this.placed(error, tile),
    })
  }

  /** Unfiltered bytes that a tile must have; undefined if the metadata does not say. */
  expectedSize(tile: number): number | undefined {
    return this.role === 'var' ? this.varSizes?.[tile] : this.cells(tile) * this.cellSize
  }

  /**
   * Holds the memory of a tile, or of a piece of one, in place of the one before.
   * @param bytes unfiltered bytes
   * @throws InspectError TOO_LARGE if they do not fit
   */
  hold(bytes: number): void {
    if (!this.isHeld) this.lease.hold(bytes)
  }

  /** {@link hold} for bytes that are about to be made. What was there before is garbage: of much, the next would come beside it. */
  private readonly holdNew = (bytes: number): void => {
    this.hold(bytes)
    if (bytes > this.collected) countReadBytes(bytes)
  }

  /** Called when what was read is no longer used. */
  release(): void {
    this.lease.release()
  }

  /** Announces that tiles `from` to `to` will be read, in this order. */
  plan(from: number, to: number, { skip, ...options }: TilePlan = {}): void {
    this.stream.plan(this.ranges(from, to, skip), options)
  }

  /** The byte ranges of tiles, with large tiles split into blocks. A tile that ends before it starts has none. */
  private *ranges(from: number, to: number, skip: TilePlan['skip']): Generator<ByteRange> {
    let blocks = 0
    for (let tile = from; tile <= to; tile++) {
      if (skip?.(tile)) continue
      const [offset, end] = [this.start(tile), this.end(tile)]
      const inBlocks = this.isLarge(tile)
      const step = inBlocks ? BLOCK_BYTES : end - offset
      for (let at = offset; at < end && blocks < MAX_PLANNED; at += step) {
        yield { offset: at, length: Math.min(step, end - at) }
        if (inBlocks) blocks++
      }
    }
  }

  /** The stored bytes of a tile. @throws InspectError MISSING_FILE if a file that the metadata lists is not there; TOO_LARGE */
  async stored(tile: number): Promise<Uint8Array> {
    const { offset, size } = this.place(tile)
    const { room } = this.fragment.cx.memory
    if (size > room && size > LARGE_TILE && offset + size <= (await this.source.size())) {
      const fault = withHint(
        { expected: `at most ${room} stored bytes in a tile that is read whole`, found: size },
        OPTION_OF_MEMORY,
      )
      throw this.placed(new InspectError('TOO_LARGE', fault), tile)
    }
    return this.stream.fetched(offset, size) ?? this.readListed(offset, size)
  }

  /** The stored bytes of a tile, if an earlier read fetched them. */
  fetched(tile: number): Uint8Array | undefined {
    const { offset, size } = this.place(tile)
    return this.stream.fetched(offset, size)
  }

  /** The chunk of a tile that has only one, if an earlier read fetched it. */
  fetchedChunk(tile: number): StoredChunk | undefined {
    const { held } = this.stream
    if (!held) return undefined
    const at = this.start(tile) - held.offset
    const end = this.end(tile) - held.offset
    return at >= 0 && end <= held.bytes.length ? onlyChunk(held.bytes, at, end) : undefined
  }

  private async readListed(offset: number, size: number): Promise<Uint8Array> {
    try {
      return await this.stream.read(offset, size)
    } catch (error) {
      if (!hasCode(error, 'NOT_FOUND')) throw error
      // A recovery counts a file that is gone as empty, so that it goes on without it.
      const expected = this.size > 0 ? `a file of ${this.size} bytes` : 'a file of tiles'
      const message = `expected ${expected}, which the metadata lists; found no such file`
      throw new InspectError('MISSING_FILE', message, error.at, { cause: error })
    }
  }

  /** {@link read}, done synchronously. Undefined if the stored bytes or the filters are not in memory. */
  readFetched(tile: number, options: TileReadOptions = {}): UnfilteredTile | undefined {
    const lent = this.lent?.get(tile)
    if (lent) return { data: lent, offsets: undefined }
    const stored = this.loaded && this.fetched(tile)
    return this.loaded && stored && this.reversed(this.loaded, tile, stored, options)
  }

  /** Reads a tile and unfilters it. Set `stringOffsets` if the offsets file says that the offsets are among the values. */
  async read(tile: number, options: TileReadOptions & { stringOffsets?: boolean } = {}): Promise<UnfilteredTile> {
    const now = options.stringOffsets ? undefined : this.readFetched(tile, options)
    return now ?? this.unfilter(tile, await this.stored(tile), options)
  }

  /** Unfilters the stored bytes of a tile. */
  async unfilter(
    tile: number,
    stored: Uint8Array,
    options: TileReadOptions & { stringOffsets?: boolean } = {},
  ): Promise<UnfilteredTile> {
    let pipeline: Pipeline
    try {
      pipeline = await this.pipeline(options.stringOffsets === true)
    } catch (error) {
      throw this.placed(error, tile)
    }
    return this.reversed(pipeline, tile, stored, options)
  }

  private reversed(pipeline: Pipeline, tile: number, stored: Uint8Array, options: TileReadOptions): UnfilteredTile {
    this.undone = tile
    try {
      return pipeline.reverseTile(stored, {
        beforeUndone: this.holdNew,
        expectedSize: this.expectedSize(tile),
        onLostTail: this.onLostTail && this.lostTail,
        onRefused: this.onRefused && this.refused,
        onOtherType: this.onOtherType && this.otherType,
        ...options,
        offset: this.offsets[tile],
      })
    } catch (error) {
      throw this.placed(error, tile)
    }
  }

  /** An error with the place of a tile. */
  private placed(error: unknown, tile: number): unknown {
    return addPlace(keyOrDamage(error, this.fragment.cx), { file: this.source.name, offset: this.offsets[tile] })
  }

  /** Filters of this file, in writing order. */
  get filters(): readonly FilterConfig[] {
    const { varSized } = element(this.info.slots, this.slot)
    const role: FileRole = this.role === 'data' && varSized ? 'offsets' : this.role
    return filePipeline(this.info, { slot: this.slot, role }, this.fragment.cx.encrypted)
  }

  /** The pipeline of this file's tiles. */
  pipeline(stringOffsets: boolean): Promise<Pipeline> {
    const known = this.pipelines.get(stringOffsets)
    const pipeline = known ?? this.loadPipeline(stringOffsets)
    if (!known) this.pipelines.set(stringOffsets, pipeline)
    return pipeline
  }

  private async loadPipeline(stringOffsets: boolean): Promise<Pipeline> {
    const { info, fragment, role } = this
    if (!fragment.cx.encrypted && this.filters.some(({ name }) => name === 'AES_256_GCM')) {
      const expected = 'no AES filter in the schema of an array without encryption, which has no key'
      throw badValue({ expected, found: 'one' }, { field: 'filters' })
    }
    const slot = element(info.slots, this.slot)
    const tile: TileType = {
      ...tileDatatypes(info, slot, role),
      cellSize: fileCellSize(info, this.slot, role === 'var' ? 'data' : role),
      formatVersion: info.format_version,
      key: fragment.cx.key,
      stringOffsets,
      ...roomOf(fragment.cx),
    }
    const pipeline = await Pipeline.load(this.filters, tile, fragment.cx.codecs)
    if (!stringOffsets) this.loaded = pipeline
    return pipeline
  }

  close(): Promise<void> {
    this.release()
    return this.stream.close()
  }
}

/** Limit on the bytes that are fetched ahead, over all files that are read together. With little memory, it is a share of that. */
const TOGETHER_BYTES = 64 * 2 ** 20
const TOGETHER_SHARE = 4
/** Limit on the bytes that are fetched ahead for one file. */
const MAX_BYTES = 8 * 2 ** 20
/** The same limit for the first read, as a reader may want only a few cells. */
const FIRST_BYTES = 2 ** 20

/**
 * Announces to files that are read together which tiles will be read: all tiles by default.
 * @param reuse see {@link PlanOptions.reuse}
 */
export function planTiles(
  files: readonly TileFile[],
  from = 0,
  to = Number.POSITIVE_INFINITY,
  skip?: (tile: number) => boolean,
  reuse = false,
): void {
  const [first] = files
  if (!first) return
  const most = Math.min(TOGETHER_BYTES, first.room / TOGETHER_SHARE)
  const together = Math.floor(Math.min(MAX_BYTES, most / files.length))
  for (const file of files)
    file.plan(from, Math.min(to, file.tileNum - 1), { together, first: FIRST_BYTES, skip, reuse })
}

/** Runs `work` on the tiles of a data file, then closes the file. */
export async function withTileFile<T>(
  fragment: Fragment,
  slot: number,
  role: TileRole,
  work: (tiles: TileFile) => Promise<T>,
): Promise<T> {
  const tiles = await TileFile.open(fragment, slot, role)
  try {
    return await work(tiles)
  } finally {
    await tiles.close()
  }
}

/** Whether a tile of var-sized values has the offsets of its cells in it. */
export async function holdsStringOffsets(file: TileFile, tile: number): Promise<boolean> {
  const { fragment, slot, role, holdsOffsets } = file
  if (role !== 'var' || holdsOffsets) return holdsOffsets
  return withTileFile(
    fragment,
    slot,
    'offsets',
    async (offsets) => offsets.cells(tile) > 0 && isStringOffsetsTile(await offsets.stored(tile)),
  )
}

/**
 * Whether an offsets tile has no chunks, which means that the offsets are in the var tile (RLE and dictionary of strings). It tells
 * where the schema does not ({@link TileFile.holdsOffsets}): TileDB's newer releases append such tiles to old arrays. TileDB cannot
 * read them there, as it decides by the schema's version alone.
 */
export function isStringOffsetsTile(stored: Uint8Array): boolean {
  return stored.length >= CHUNK_COUNT_BYTES && chunkCount(stored) === 0
}
