import { type ErrorPlace, InspectError } from '../base/errors.ts'
import type { Datatype } from '../format/datatype.ts'
import type { FilterConfig } from '../format/filter-pipeline.ts'
import { decode, encode } from '../format/io.ts'
import { onlyChunk, type StoredChunk, tileChunks } from '../format/tile-chunks.ts'
import { badData, concat, NO_BYTES } from './bytes.ts'
import type { Codecs } from './codecs/codecs.ts'
import type {
  ChecksumVerdict,
  Filter,
  FilterContext,
  FilterDefinition,
  FilteredBytes,
  FilterParts,
  LostTail,
} from './filter.ts'
import type { LazyKernels } from './kernels/kernels.ts'
import { definitionOf, typeAfter } from './registry.ts'

/** What a pipeline must know of the tiles it serves. */
export interface TileType {
  /** Element type ahead of all filters: the field's; UINT64 for offsets and times, UINT8 for validity, CHAR for generic tiles. */
  datatype: Datatype
  /** Where chunks may have been filtered as another type: the one to take for chunks that do not fit `datatype`. */
  otherDatatype?: Datatype | undefined
  /** Bytes of a cell: see {@link FilterContext.cellSize}. */
  cellSize: number
  /** Of the fragment, or of the generic tile's header. */
  formatVersion: number
  /** AES-256 key, where the pipeline has the AES filter. */
  key?: Uint8Array | undefined
  /** Var-sized strings whose offsets live in the data (RLE, DICTIONARY_ENCODING). */
  stringOffsets?: boolean | undefined
  /** Most unfiltered bytes of a tile that are made, whatever it declares; no bound without it. */
  maxTileSize?: number | undefined
  /** Why that is the bound, for the error; the user's own without it. */
  maxTileSizeIs?: string | undefined
}

/** One step of undoing a chunk, as told to {@link ReadOptions.onStage}. */
export interface StageResult {
  config: FilterConfig
  /** Element type that the filter saw when writing. */
  datatype: Datatype
  /** Whether the filter used its layout for strings with offsets inside. */
  stringOffsets: boolean
  input: FilteredBytes
  output: FilteredBytes
}

export interface ReadOptions {
  /** Unfiltered bytes that the tile must have; a different sum of chunk lengths is INCONSISTENT. */
  expectedSize?: number | undefined
  /** Where `stored` begins in its file, for errors. */
  offset?: number | undefined
  /** Receives each comparison of a digest or tag, and which chunk it belongs to; mismatches then do not raise. */
  onVerdict?: ((verdict: ChecksumVerdict, chunk: number) => void) | undefined
  /** Told of what TileDB cannot read though nothing of it is lost. */
  onRefused?: FilterContext['onRefused']
  /** Told of parts whose ends were dropped when they were written. */
  onLostTail?: FilterContext['onLostTail']
  onStage?: ((stage: StageResult, chunk: number) => void) | undefined
  /** Told of each chunk that was filtered as {@link TileType.otherDatatype}. */
  onOtherType?: ((chunk: number) => void) | undefined
  /**
   * Room for a tile's unfiltered bytes, used if it is large enough: the result is then a part of it. New memory costs a
   * tenth of a millisecond a MiB, as much as the faster filters do.
   */
  into?: Uint8Array | undefined
  /** Undo only as many filters as it takes to compare every checksum and tag. */
  checksumsOnly?: boolean | undefined
}

export interface UnfilteredTile {
  data: Uint8Array
  /** Byte start of each cell, where the filters keep offsets inside the data. */
  offsets: Float64Array | undefined
}

interface Stage {
  config: FilterConfig
  definition: FilterDefinition
  filter: Filter
  /** Element type this filter sees when writing. */
  datatype: Datatype
  /** Most that this filter was given when writing, as a multiple of the chunk's original length. */
  growth: number
}

/**
 * Most output that undoing one filter may declare, as a multiple of the chunk's original length: filters ahead may have
 * made data larger, and may be stacked.
 */
const MAX_GROWTH = 64
const SMALLEST_LIMIT = 1 << 16
/** Cells without any text have numbers, too. */
const LEAST_OF_STRINGS = 1 << 24
/** What most filters may make of their input: headers of parts, and what cannot be compressed. */
const SMALL_GROWTH = 2

/** More than this is unfolded only where its size follows from the schema, or where so much is stored. */
const LEAST_UNFOLDED = 1 << 26
/**
 * Most unfiltered bytes that are believed of a stored one. DEFLATE gives 1,032 at most, and is all that TileDB uses for
 * metadata; zstd gives 1,365 of zeros in chunks of 64 KiB.
 */
const MOST_OF_A_BYTE = 2048

/** Most unfiltered bytes that are believed of so many stored ones, where nothing else tells how many there are. */
export function mostUnfolded(stored: number, least = LEAST_UNFOLDED): number {
  return Math.max(least, stored * MOST_OF_A_BYTE)
}

/** Most that is set aside for a tile before its chunks have shown that they hold so much. */
const FIRST_ROOM = 1 << 26

/** `data`, whose first `used` bytes count, or a larger copy that has room for `needed`, and soon for `total`. */
export function withRoom(data: Uint8Array, used: number, needed: number, total: number): Uint8Array {
  if (needed <= data.length) return data
  const larger = new Uint8Array(Math.max(needed, Math.min(total, Math.max(FIRST_ROOM, 2 * needed))))
  larger.set(data.subarray(0, used))
  return larger
}

/** A filter pipeline, loaded. It alone knows chunks and order: filters see one chunk at a time. */
export class Pipeline {
  private readonly stages: readonly Stage[]
  /** The same filters over {@link TileType.otherDatatype}. */
  private readonly others: readonly Stage[] | undefined
  private readonly tile: TileType
  private readonly kernels: LazyKernels | undefined

  private constructor(
    stages: readonly Stage[],
    others: readonly Stage[] | undefined,
    tile: TileType,
    kernels: LazyKernels | undefined,
  ) {
    this.stages = stages
    this.others = others
    this.tile = tile
    this.kernels = kernels
  }

  /**
   * @param filters in writing order
   * @throws InspectError UNSUPPORTED_FILTER
   */
  static async load(filters: readonly FilterConfig[], tile: TileType, codecs: Codecs): Promise<Pipeline> {
    const definitions = filters.map(({ name }) => definitionOf(name))
    const loaded: Filter[] = []
    for (const definition of definitions) loaded.push(await definition.load(codecs))
    const stagesOf = (first: Datatype): Stage[] => {
      let datatype = first
      let growth = 1
      return loaded.map((filter, i) => {
        const config = filters[i]
        const definition = definitions[i]
        const stage = { config, definition, filter, datatype, growth }
        growth = Math.min(MAX_GROWTH, growth * (definition.growth ?? SMALL_GROWTH))
        datatype = typeAfter(config, datatype, tile.formatVersion)
        return stage
      })
    }
    const used = definitions.some(({ usesKernels }) => usesKernels)
    return new Pipeline(
      stagesOf(tile.datatype),
      tile.otherDatatype && stagesOf(tile.otherDatatype),
      tile,
      used ? await (await import('./kernels/kernels.ts')).loadKernels() : undefined,
    )
  }

  /**
   * Undoes a whole stored tile.
   * @throws InspectError as the filters do, with the chunk's offset; INCONSISTENT where sizes disagree; TOO_LARGE
   */
  reverseTile(stored: Uint8Array, options: ReadOptions = {}): UnfilteredTile {
    const base = options.offset ?? 0
    const only = onlyChunk(stored)
    const chunks = only ? [only] : decode(stored, tileChunks, { offset: base }).chunks
    let total = 0
    for (const chunk of chunks) total += chunk.original_length
    if (options.expectedSize === undefined) this.refuseUnlikely(total, stored.length, base)
    if (options.expectedSize !== undefined && total !== options.expectedSize) {
      throw inconsistent(`expected ${options.expectedSize} unfiltered bytes, found chunks of ${total}`, {
        offset: base,
        field: 'chunks.original_length',
      })
    }
    this.refuseLarger(total, base)
    let data = options.into !== undefined && options.into.length >= total ? options.into : NO_BYTES
    let at = 0
    let offsets: Float64Array | undefined
    for (let index = 0; index < chunks.length; index++) {
      const { original_length } = chunks[index]
      let room: Uint8Array | undefined
      if (data.length >= total || (chunks.length > 1 && total <= FIRST_ROOM)) {
        data = withRoom(data, at, total, total)
        room = data.subarray(at, at + original_length)
      }
      const out = this.undoAt(stored, base, chunks[index], index, options, room)
      if (out.offsets) {
        if (index > 0)
          throw inconsistent(`expected one chunk of strings, found ${chunks.length}`, {
            offset: base,
          })
        offsets = out.offsets
      }
      const end = at + out.data.length
      if (chunks.length === 1 && !this.kernels?.holds(out.data)) data = out.data
      else {
        data = withRoom(data, at, end, total)
        if (out.data !== room) data.set(out.data, at)
      }
      at = end
    }
    return { data: at < data.length ? data.subarray(0, at) : data, offsets }
  }

  private refuseLarger(size: number, offset?: number): void {
    const { maxTileSize, maxTileSizeIs } = this.tile
    if (maxTileSize === undefined || size <= maxTileSize) return
    throw tooLarge(maxTileSize, size, { offset, field: 'chunks.original_length' }, maxTileSizeIs)
  }

  /**
   * For a tile of unknown size, ahead of undoing its chunks.
   * @param total sum of the chunks' original lengths
   * @throws InspectError TOO_LARGE
   */
  refuseUnlikely(total: number, stored: number, offset?: number): void {
    const most = mostUnfolded(stored)
    if (this.tile.maxTileSize !== undefined || total <= most) return
    throw tooLarge(most, total, { offset, field: 'chunks.original_length' }, boundOf(stored))
  }

  /**
   * For whoever undoes chunk by chunk: refuses a chunk that ends behind what its tile can hold.
   * @param end sum of the chunks' original lengths up to this one's end
   * @param expected unfiltered bytes of the tile, where anything tells
   * @param stored bytes of the tile
   * @throws InspectError INCONSISTENT, TOO_LARGE
   */
  refuseBehind(end: number, expected: number | undefined, stored: number): void {
    if (expected === undefined) this.refuseUnlikely(end, stored)
    else if (end > expected)
      throw inconsistent(`expected ${expected} unfiltered bytes in the tile, found chunks of more`)
    this.refuseLarger(end)
  }

  /** Position of the first filter (in writing order) that carries a checksum or tag; the number of filters where none does. */
  get firstChecksum(): number {
    const at = this.stages.findIndex(({ definition }) => definition.tellsDamage)
    return at < 0 ? this.stages.length : at
  }

  /** Undoes one chunk. @throws InspectError TOO_LARGE beside what filters raise */
  reverseChunk(chunk: StoredChunk, index: number, options: ReadOptions = {}): FilteredBytes {
    const out = this.undo(chunk, index, options)
    return { ...out, metadata: this.owned(out.metadata), data: this.owned(out.data) }
  }

  /** {@link reverseChunk} for what it raises and tells `options.onVerdict`. */
  checkChunk(chunk: StoredChunk, index: number, options: ReadOptions): void {
    this.undo(chunk, index, options)
  }

  /**
   * Whether a filter expects a part of no bytes that the one behind it loses. Of all pairs of filters, TileDB 2.30 fails to read only
   * these, and those with a delta filter, which have a fault of their own.
   */
  private losesEmptyPart(): boolean {
    if (this.tile.stringOffsets) return false
    for (const [i, { config, definition }] of this.stages.entries()) {
      if (i > 0 && (config.name === 'NONE' || definition.losesEmptyPart)) return true
      if (!definition.expectsEmptyPart) return false
    }
    return false
  }

  /** The same bytes outside of the kernels' memory. */
  private owned(bytes: Uint8Array): Uint8Array {
    return this.kernels?.holds(bytes) ? bytes.slice() : bytes
  }

  /**
   * {@link reverseChunk}, with a result that may lie in the kernels' memory.
   * @param room for the unfiltered bytes, of their length: the result may be that
   */
  private undo(chunk: StoredChunk, index: number, options: ReadOptions, room?: Uint8Array): FilteredBytes {
    const other = this.others !== undefined && this.isOfOtherType(chunk, index)
    if (other) options.onOtherType?.(index)
    return this.undoAs(other ? (this.others as readonly Stage[]) : this.stages, chunk, index, options, room, other)
  }

  /** Whether only the other type's filters can be undone. */
  private isOfOtherType(chunk: StoredChunk, index: number): boolean {
    const fits = (stages: readonly Stage[], other: boolean): boolean => {
      try {
        // Damage is told by whoever undoes the chunk then.
        this.undoAs(stages, chunk, index, { onVerdict: () => {} }, undefined, other)
        return true
      } catch (error) {
        if (!(error instanceof InspectError)) throw error
        return false
      }
    }
    return !fits(this.stages, false) && this.others !== undefined && fits(this.others, true)
  }

  private undoAs(
    stages: readonly Stage[],
    chunk: StoredChunk,
    index: number,
    options: ReadOptions,
    room: Uint8Array | undefined,
    otherType: boolean,
  ): FilteredBytes {
    this.refuseLarger(chunk.original_length)
    if (this.tile.stringOffsets && chunk.metadata.length + chunk.data.length === 0) return this.chunkOfNothing(chunk)
    if (chunk.original_length === 0 && options.onRefused && this.losesEmptyPart()) options.onRefused('part of nothing')
    const onVerdict = options.onVerdict && ((verdict: ChecksumVerdict) => options.onVerdict?.(verdict, index))
    let bytes: FilteredBytes = { metadata: chunk.metadata, data: chunk.data }
    const { cellSize, formatVersion, key } = this.tile
    const { onRefused } = options
    const last = options.checksumsOnly ? this.firstChecksum : 0
    let lost = 0
    const onLostTail = (tail: LostTail): void => {
      lost += tail.length
      options.onLostTail?.(tail)
    }
    // Whoever looks at the stages keeps their bytes.
    const kernels = options.onStage ? undefined : this.kernels?.forChunk(chunk.original_length)
    for (let i = stages.length - 1; i >= last; i--) {
      const { config, filter, datatype, growth } = stages[i]
      const stringOffsets = i === 0 && this.tile.stringOffsets === true
      const limit = (this.tile.stringOffsets ? LEAST_OF_STRINGS : SMALLEST_LIMIT) + chunk.original_length * growth
      let output: FilteredBytes
      try {
        const into = i === 0 ? room : undefined
        // Written out: spreading an object costs as much as undoing a small chunk.
        const cx = {
          datatype,
          cellSize,
          formatVersion,
          key,
          stringOffsets,
          limit,
          onVerdict,
          onRefused,
          onLostTail,
          kernels,
          into,
          otherType,
        }
        output = filter.reverse(bytes, config, cx)
      } catch (error) {
        throw inFilter(error, config, lost)
      }
      options.onStage?.({ config, datatype, stringOffsets, input: bytes, output }, index)
      bytes = output
    }
    if (last > 0) return bytes
    if (bytes.metadata.length > 0) {
      throw inconsistent(`expected no metadata behind the filters' own, found ${bytes.metadata.length} bytes`)
    }
    if (bytes.data.length !== chunk.original_length) {
      throw inconsistent(
        `expected ${chunk.original_length} bytes (the chunk's original length), found ${bytes.data.length} after undoing its filters`,
      )
    }
    return bytes
  }

  /**
   * TileDB 2.9 to 2.11 (format versions 13 to 15) store a tile of empty strings as a chunk of nothing at all, without any
   * filter's metadata. They and later releases read it where the string filter stands alone; filters behind it miss
   * their metadata there.
   */
  private chunkOfNothing({ original_length }: StoredChunk): FilteredBytes {
    if (original_length > 0) {
      throw badData(
        `expected ${original_length} bytes of strings, found an empty chunk: the release that wrote it lost them`,
      )
    }
    if (this.stages.length > 1) {
      const { name } = this.stages[this.stages.length - 1].config
      throw badData(
        `expected metadata of ${name}, found an empty chunk: the release that wrote it dropped that of a tile of empty strings, and TileDB cannot read it`,
        name,
      )
    }
    return { metadata: NO_BYTES, data: NO_BYTES }
  }

  /**
   * Filters a tile as TileDB's writer does: each chunk alone.
   * @param data unfiltered bytes, cut at `chunkLengths`, whose sum they have
   * @param offsets byte start of each cell, where the filters keep offsets inside the data (then there is one chunk)
   */
  forwardTile(
    data: Uint8Array,
    chunkLengths: readonly number[],
    options: { offsets?: Float64Array | undefined; randomBytes?: (length: number) => Uint8Array } = {},
  ): Uint8Array {
    let at = 0
    const chunks = chunkLengths.map((length): StoredChunk => {
      const part = data.subarray(at, at + length)
      at += length
      return this.forwardChunk(part, options)
    })
    return encode({ chunks, extra: NO_BYTES }, tileChunks)
  }

  private forwardChunk(
    data: Uint8Array,
    options: { offsets?: Float64Array | undefined; randomBytes?: (length: number) => Uint8Array },
  ): StoredChunk {
    let nothing = false
    let parts: FilterParts = { metadata: [], data: [data], ...(options.offsets && { offsets: options.offsets }) }
    for (let i = 0; i < this.stages.length; i++) {
      const { config, definition, filter, datatype } = this.stages[i]
      // TileDB's readers do not get back the empty part that a filter before expects. So TileDB writes such chunks but cannot read
      // them. Here they go through the filters as no part at all.
      if (
        !nothing &&
        i > 0 &&
        definition.losesEmptyPart &&
        data.length === 0 &&
        !options.offsets &&
        isNothing(parts.data)
      ) {
        nothing = true
        parts = { metadata: [], data: [] }
        i = -1
        continue
      }
      const { cellSize, formatVersion, key } = this.tile
      const stringOffsets = i === 0 && this.tile.stringOffsets === true
      const limit = Number.POSITIVE_INFINITY
      const { randomBytes } = options
      const cx = { datatype, cellSize, formatVersion, key, stringOffsets, limit, randomBytes }
      try {
        parts = filter.forward(parts, config, cx)
      } catch (error) {
        throw inFilter(error, config)
      }
      if (nothing) parts = { ...parts, data: parts.data.filter(({ length }) => length > 0) }
    }
    return { original_length: data.length, metadata: concat(parts.metadata), data: concat(parts.data) }
  }

  /** {@link reverseChunk}; errors get the chunk's number and its place in `stored`, whose first byte is at `base`. */
  reverseChunkAt(
    stored: Uint8Array,
    base: number,
    chunk: StoredChunk,
    index: number,
    options: ReadOptions,
  ): FilteredBytes {
    const out = this.undoAt(stored, base, chunk, index, options)
    return { ...out, data: this.owned(out.data) }
  }

  private undoAt(
    stored: Uint8Array,
    base: number,
    chunk: StoredChunk,
    index: number,
    options: ReadOptions,
    room?: Uint8Array,
  ): FilteredBytes {
    try {
      return this.undo(chunk, index, options, room)
    } catch (error) {
      if (!(error instanceof InspectError)) throw error
      const offset = base + (chunk.metadata.byteOffset - stored.byteOffset)
      const field = `chunks.${index}${error.at.field === undefined ? '' : `.${error.at.field}`}`
      throw new InspectError(error.code, error.message, { field, offset }, { cause: error.cause })
    }
  }
}

function isNothing(parts: readonly Uint8Array[]): boolean {
  return parts.every(({ length }) => length === 0)
}

/** A filter's error with its name. @param lost bytes that the filters behind it did not store when the chunk was written */
function inFilter(error: unknown, { name }: FilterConfig, lost = 0): unknown {
  if (!(error instanceof InspectError)) return error
  const field = error.at.field === undefined ? name : `${name}.${error.at.field}`
  const message = lost > 0 ? `${error.message}; TileDB dropped ${lost} bytes of the chunk when it wrote` : error.message
  return new InspectError(error.code, message, { field }, { cause: error })
}

function inconsistent(message: string, at: ErrorPlace = {}): InspectError {
  return new InspectError('INCONSISTENT', message, at)
}

/** A bound that a tile of `stored` bytes has without `--max-tile-size`. */
export function boundOf(stored: number): string {
  return `for ${stored} stored bytes; --max-tile-size sets another bound`
}

export function tooLarge(most: number, found: number, at: ErrorPlace, bound = '--max-tile-size'): InspectError {
  return new InspectError(
    'TOO_LARGE',
    `expected at most ${most} unfiltered bytes in a tile (${bound}), found ${found}`,
    at,
  )
}
