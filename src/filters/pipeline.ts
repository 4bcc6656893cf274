import { concat, NO_BYTES } from '../base/bytes.ts'
import { element } from '../base/element.ts'
import { type ErrorPlace, faultOf, InspectError, inconsistent, longer, withHint } from '../base/errors.ts'
import { OPTION_OF_MEMORY } from '../base/memory.ts'
import { sizeText } from '../base/sizes.ts'
import type { Datatype } from '../format/datatype.ts'
import { type FilterConfig, filterByNumber } from '../format/filter-pipeline.ts'
import { decode, encode } from '../format/io.ts'
import { onlyChunk, type StoredChunk, tileChunks } from '../format/tile-chunks.ts'
import { badData } from './bytes.ts'
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

/** What a pipeline must know about the tiles that it filters. */
export interface TileType {
  /**
   * Element type before all filters: the field's; UINT64 for offsets and times, UINT8 for validity, CHAR for generic
   * tiles.
   */
  datatype: Datatype
  /** A second type to try, for tiles whose chunks may have been filtered as another type than `datatype`. */
  otherDatatype?: Datatype | undefined
  /** Bytes of a cell: see {@link FilterContext.cellSize}. */
  cellSize: number
  /** Format version of the fragment, or of the generic tile's header. */
  formatVersion: number
  /** AES-256 key, if the pipeline has the AES filter. */
  key?: Uint8Array | undefined
  /** Whether the data includes the offsets of var-sized strings (RLE, DICTIONARY_ENCODING). */
  stringOffsets?: boolean | undefined
  /** Upper limit on the unfiltered bytes of a tile, and on what each filter gives: {@link Memory.room}. Undefined: no limit. */
  room?: number | undefined
  /** Whether the tile may have this many bytes for any number of stored bytes: the user set the limit. */
  isRoomSet?: boolean | undefined
  /** Whether kernels are not worth loading: most tiles have few bytes. */
  withoutKernels?: boolean | undefined
  /** A smaller limit on the unfiltered bytes of the tile: what is plausible for the stored bytes. */
  plausible?: { bytes: number; stored: number } | undefined
}

/** One step of undoing a chunk, for {@link TileReadOptions.onStage}. */
export interface StageResult {
  config: FilterConfig
  /** Element type that the filter saw when writing. */
  datatype: Datatype
  /** Whether the filter used its layout for strings with offsets in the data. */
  stringOffsets: boolean
  input: FilteredBytes
  output: FilteredBytes
}

export interface TileReadOptions {
  /** Unfiltered bytes that the tile must have. If its chunks have another sum, INCONSISTENT is thrown. */
  expectedSize?: number | undefined
  /** Offset of the stored tile in its file, for errors. */
  offset?: number | undefined
  /** Called for each comparison of a digest or tag, with its chunk. Mismatches then do not throw. */
  onVerdict?: ((verdict: ChecksumVerdict, chunk: number) => void) | undefined
  /** Called for data that TileDB cannot read, though none of it is lost. */
  onRefused?: FilterContext['onRefused']
  /** Called for parts whose ends were dropped when they were written. */
  onLostTail?: FilterContext['onLostTail']
  /** Called for each filter that was undone, with its chunk. */
  onStage?: ((stage: StageResult, chunk: number) => void) | undefined
  /** Called for each chunk that was filtered as {@link TileType.otherDatatype}. */
  onOtherType?: ((chunk: number) => void) | undefined
  /** Called for each chunk that only the types of the filters undo, where TileDB goes by the numbers of other compressors. */
  onNamed?: ((chunk: number) => void) | undefined
  /**
   * Memory for the tile's unfiltered bytes. If it is large enough, the result is a part of it. New memory costs 0.1 ms
   * for each MiB, as much as the faster filters.
   */
  into?: Uint8Array | undefined
  /** Called with the unfiltered bytes of the tile before they are made. It may throw. */
  beforeUndone?: ((bytes: number) => void) | undefined
  /** Whether nobody reads the unfiltered bytes: see {@link FilterContext.unread}. */
  unread?: boolean | undefined
  /** Whether to undo only as many filters as it takes to compare every checksum and tag. */
  checksumsOnly?: boolean | undefined
}

interface WriteOptions {
  /** As in {@link UnfilteredTile}. A tile with offsets is one chunk. */
  offsets?: Float64Array | undefined
  randomBytes?: FilterContext['randomBytes']
}

export interface UnfilteredTile {
  data: Uint8Array
  /** Start of each cell in bytes, if the filters keep offsets in the data. */
  offsets: Float64Array | undefined
}

interface Stage {
  config: FilterConfig
  definition: FilterDefinition
  filter: Filter
  /** Element type that this filter sees when writing. */
  datatype: Datatype
  /** Upper bound of this filter's input when writing, as a multiple of the chunk's original length. */
  growth: number
}

/**
 * Upper limit on {@link Stage.growth}. Each earlier filter may have made the data larger, so the growths of several
 * filters multiply.
 */
const MAX_GROWTH = 64
/** Output in bytes that undoing a filter may always give, however short the chunk is. */
const MIN_LIMIT = 1 << 16
/** {@link MIN_LIMIT} for strings with offsets in the data: empty strings take no bytes, but their counts do. */
const MIN_STRING_LIMIT = 1 << 24
/** Default of {@link FilterDefinition.growth}. */
const SMALL_GROWTH = 2

/**
 * Unfiltered bytes that a tile may always have. A larger size must follow from the schema, or be plausible for the bytes
 * that are stored.
 */
const MIN_UNFILTERED_LIMIT = 1 << 26
/**
 * Unfiltered bytes that are plausible for one stored byte. DEFLATE gives at most 1,032, and TileDB uses nothing else for
 * metadata. zstd gives 1,365 for zeros in chunks of 64 KiB.
 */
const UNFILTERED_PER_STORED = 2048

/** Returns the unfiltered bytes that are plausible for `stored` bytes: the limit for tiles of unknown size. */
export function unfilteredLimit(stored: number, least = MIN_UNFILTERED_LIMIT): number {
  return Math.max(least, stored * UNFILTERED_PER_STORED)
}

/** Upper limit on the bytes that are allocated for a tile before its chunks have given as many. */
const FIRST_ALLOCATION = 1 << 26

/**
 * Returns `data` if it has `needed` bytes, otherwise a larger copy. The copy grows in steps, up to `total`.
 * @param used bytes of `data` to copy
 */
export function withRoom(data: Uint8Array, used: number, needed: number, total: number): Uint8Array {
  if (needed <= data.length) return data
  const larger = new Uint8Array(Math.max(needed, Math.min(total, Math.max(FIRST_ALLOCATION, 2 * needed))))
  larger.set(data.subarray(0, used))
  return larger
}

/** The contexts of all filters, for the chunk that is being undone. */
interface Contexts {
  readonly options: TileReadOptions
  readonly stages: readonly Stage[]
  /** One for each stage. */
  readonly ofStages: FilterContext[]
  /** Index of the chunk in its tile. */
  index: number
  /** Bytes that TileDB dropped in later filters when it wrote the chunk. */
  lost: number
}

type Loaded = Pick<Stage, 'config' | 'definition' | 'filter'>

async function loadedFilters(filters: readonly FilterConfig[], codecs: Codecs): Promise<Loaded[]> {
  const known = filters.map((config) => ({ config, definition: definitionOf(config.name) }))
  const loaded: Loaded[] = []
  for (const one of known) loaded.push({ ...one, filter: await one.definition.load(codecs) })
  return loaded
}

function stagesOf(loaded: readonly Loaded[], first: Datatype, formatVersion: number): Stage[] {
  let datatype = first
  let growth = 1
  return loaded.map((one) => {
    const stage = { ...one, datatype, growth }
    growth = Math.min(MAX_GROWTH, growth * (one.definition.growth ?? SMALL_GROWTH))
    datatype = typeAfter(one.config, datatype, formatVersion)
    return stage
  })
}

/** A loaded filter pipeline. It handles chunks and the order of filters; a filter sees one chunk at a time. */
export class Pipeline {
  private readonly stages: readonly Stage[]
  /** The same filters over {@link TileType.otherDatatype}. */
  private readonly others: readonly Stage[] | undefined
  /** The filters by their types, if the numbers of compressors in their options say something else. */
  private readonly named: readonly Stage[] | undefined
  private readonly tile: TileType
  private readonly kernels: LazyKernels | undefined
  /** Whether the first chunk is worth compiling the kernels. */
  private readonly usesKernelsAtOnce: boolean
  /** The contexts of the last chunk. */
  private contexts: Contexts | undefined

  private constructor(
    loaded: readonly Loaded[],
    named: readonly Loaded[] | undefined,
    tile: TileType,
    kernels: LazyKernels | undefined,
  ) {
    this.named = named && stagesOf(named, tile.datatype, tile.formatVersion)
    this.stages = stagesOf(loaded, tile.datatype, tile.formatVersion)
    this.others = tile.otherDatatype && stagesOf(loaded, tile.otherDatatype, tile.formatVersion)
    this.tile = tile
    this.kernels = kernels
    this.usesKernelsAtOnce = loaded.some(({ definition }) => definition.usesKernels === 'at once')
  }

  /**
   * @param filters in writing order
   * @throws InspectError UNSUPPORTED_FILTER
   */
  static async load(filters: readonly FilterConfig[], tile: TileType, codecs: Codecs): Promise<Pipeline> {
    const byNumber = filters.map(filterByNumber)
    const loaded = await loadedFilters(byNumber, codecs)
    const isOdd = byNumber.some((config, at) => config !== filters[at])
    const named = isOdd ? await loadedFilters(filters, codecs) : undefined
    const used = [...loaded, ...(named ?? [])].some(({ definition }) => definition.usesKernels) && !tile.withoutKernels
    const kernels = used ? await (await import('./kernels/kernels.ts')).loadKernels() : undefined
    return new Pipeline(loaded, named, tile, kernels)
  }

  /**
   * Undoes a whole stored tile.
   * @throws InspectError those of the filters, with the chunk's offset; INCONSISTENT if sizes disagree; TOO_LARGE
   */
  reverseTile(stored: Uint8Array, options: TileReadOptions = {}): UnfilteredTile {
    const steps = this.reverseSteps(stored, options)
    let step = steps.next()
    while (!step.done) step = steps.next()
    return step.value
  }

  /** {@link reverseTile} chunk by chunk, for callers that do something else in between. */
  *reverseSteps(stored: Uint8Array, options: TileReadOptions = {}): Generator<void, UnfilteredTile> {
    const base = options.offset ?? 0
    const only = onlyChunk(stored)
    const chunks = only ? [only] : decode(stored, tileChunks, { offset: base }).chunks
    let total = 0
    for (const chunk of chunks) total += chunk.original_length
    if (options.expectedSize !== undefined && total !== options.expectedSize) {
      throw inconsistent(
        { expected: `${sizeText(options.expectedSize)} unfiltered bytes`, found: `chunks of ${total}` },
        {
          offset: base,
          field: 'chunks.original_length',
        },
      )
    }
    for (const chunk of chunks) this.refuseClaim(chunk, base)
    if (options.expectedSize === undefined) this.refuseUnlikely(total, stored.length, base)
    this.refuseLarger(total, base)
    options.beforeUndone?.(total * this.undoneTimes)
    let data = options.into !== undefined && options.into.length >= total ? options.into : NO_BYTES
    let at = 0
    let offsets: Float64Array | undefined
    for (const [index, chunk] of chunks.entries()) {
      const { original_length } = chunk
      let room: Uint8Array | undefined
      if (data.length >= total || (chunks.length > 1 && total <= FIRST_ALLOCATION)) {
        data = withRoom(data, at, total, total)
        room = data.subarray(at, at + original_length)
      }
      const out = this.undoAt(metadataOffset(chunk, stored, base), chunk, index, options, room)
      if (out.offsets) {
        if (index > 0) throw inconsistent({ expected: 'one chunk of strings', found: chunks.length }, { offset: base })
        offsets = out.offsets
      }
      const end = at + out.data.length
      if (chunks.length === 1 && !this.kernels?.holds(out.data)) data = out.data
      else {
        data = withRoom(data, at, end, total)
        if (out.data !== room) data.set(out.data, at)
      }
      at = end
      // By now the chunk's bytes are out of the kernels' memory, so that another tile may use it.
      yield
    }
    return { data: at < data.length ? data.subarray(0, at) : data, offsets }
  }

  /**
   * Refuses a chunk that claims more bytes than its filters can make of it. It is damaged, whatever memory has room for.
   * @throws InspectError INCONSISTENT
   */
  refuseClaim({ original_length, metadata, data }: StoredChunk, offset?: number): void {
    // Undoing a short chunk says more precisely what is wrong.
    if (original_length <= MIN_LIMIT) return
    const stored = metadata.length + data.length
    const most = Math.max(...[this.stages, this.named ?? []].map((one) => this.mostOf(one, stored, original_length)))
    if (original_length <= most) return
    const expected = `at most ${most} bytes, all that ${stored} stored ones can give`
    throw inconsistent(
      { expected, found: `an original length of ${original_length}` },
      { offset, field: 'original_length' },
    )
  }

  /** What stages can make of stored bytes, as far as it is less than is asked for. */
  private mostOf(stages: readonly Stage[], stored: number, asked: number): number {
    let most = stored
    for (let i = stages.length - 1; i >= 0 && most < asked; i--) most = this.mostUndone(stages, i, most)
    return most
  }

  /** {@link FilterDefinition.mostUndone} of a stage. */
  private mostUndone(stages: readonly Stage[], stage: number, stored: number): number {
    const { definition } = element(stages, stage)
    return Math.floor(definition.mostUndone(stored, stage === 0 && this.tile.stringOffsets === true))
  }

  /** Refuses bytes of one tile that are more than memory has room for, by callers that hold all of them. @throws InspectError TOO_LARGE */
  refuseLarger(size: number, offset?: number): void {
    const { room, plausible } = this.tile
    const at = { offset, field: 'chunks.original_length' }
    if (plausible !== undefined && size > plausible.bytes) throw tooLarge(plausible.bytes, size, at, plausible.stored)
    const most = room === undefined ? undefined : Math.floor(room / this.undoneTimes)
    if (most !== undefined && size > most) throw tooLarge(most, size, at)
  }

  /** {@link FilterDefinition.undoneTimes} of all filters. */
  private get undoneTimes(): number {
    return Math.max(1, ...this.stages.map(({ definition }) => definition.undoneTimes ?? 1))
  }

  /**
   * Refuses a tile of unknown size that is implausibly large, before its chunks are undone.
   * @param total sum of the chunks' original lengths
   */
  private refuseUnlikely(total: number, stored: number, offset?: number): void {
    const most = unfilteredLimit(stored)
    if (this.tile.isRoomSet || total <= most) return
    throw tooLarge(most, total, { offset, field: 'chunks.original_length' }, stored)
  }

  /**
   * Refuses a chunk that makes its tile too large. Callers that undo one chunk at a time need it.
   * @param end sum of the original lengths of the chunks so far, including this one
   * @param expected unfiltered bytes of the tile; undefined if this is unknown
   * @param stored stored bytes of the tile
   * @throws InspectError INCONSISTENT, TOO_LARGE if their sum is not plausible
   */
  refuseBeyond(end: number, expected: number | undefined, stored: number): void {
    if (expected === undefined) this.refuseUnlikely(end, stored)
    else if (end > expected)
      throw inconsistent({ expected: `${expected} unfiltered bytes in the tile`, found: 'chunks of more' })
  }

  /** Index of the first filter, in writing order, with a checksum or tag; the number of filters if there is none. */
  get firstChecksum(): number {
    const at = this.stages.findIndex(({ definition }) => definition.tellsDamage)
    return at < 0 ? this.stages.length : at
  }

  /** Undoes one chunk, with a result that stays valid. @throws InspectError those of the filters, and TOO_LARGE */
  reverseChunk(chunk: StoredChunk, index: number, options: TileReadOptions = {}): FilteredBytes {
    const out = this.undo(chunk, index, options)
    return { ...out, metadata: this.owned(out.metadata), data: this.owned(out.data) }
  }

  /** Returns the bytes, copied if they are in the kernels' memory. */
  owned(bytes: Uint8Array): Uint8Array {
    return this.kernels?.holds(bytes) ? bytes.slice() : bytes
  }

  /**
   * Undoes one chunk. The result may be in the kernels' memory: it is then valid for this chunk only (see {@link owned}).
   * @param room memory for the unfiltered bytes, of exactly their length. The result may be in it.
   */
  undo(chunk: StoredChunk, index: number, options: TileReadOptions, room?: Uint8Array): FilteredBytes {
    const { stages, others, named } = this
    if (!others && !named) return this.undoAs(stages, chunk, index, options, room)
    const [first] = [stages, others, named].filter((one) => one && this.fits(one, chunk, index))
    if (first && first === others) options.onOtherType?.(index)
    if (first && first === named) options.onNamed?.(index)
    return this.undoAs(first ?? named ?? stages, chunk, index, options, room)
  }

  /** Whether a chunk can be undone with these stages. */
  private fits(stages: readonly Stage[], chunk: StoredChunk, index: number): boolean {
    try {
      // Checksum verdicts are reported later, when the chunk is really undone.
      this.undoAs(stages, chunk, index, { onVerdict: () => {} })
      return true
    } catch (error) {
      faultOf(error)
      return false
    }
  }

  /** {@link undo} with one of the two lists of stages. */
  private undoAs(
    stages: readonly Stage[],
    chunk: StoredChunk,
    index: number,
    options: TileReadOptions,
    room?: Uint8Array,
  ): FilteredBytes {
    // Comparing checksums makes nothing of this length.
    if (!options.checksumsOnly) this.refuseClaim(chunk)
    this.refuseLarger(chunk.original_length)
    if (this.tile.stringOffsets && chunk.metadata.length + chunk.data.length === 0) return this.chunkOfNothing(chunk)
    const contexts = this.contextsFor(stages, options)
    contexts.index = index
    contexts.lost = 0
    let bytes: FilteredBytes = { metadata: chunk.metadata, data: chunk.data }
    const last = options.checksumsOnly ? this.firstChecksum : 0
    // Callers of onStage keep the bytes of each stage, so those must not be in the kernels' memory.
    const kernels = options.onStage ? undefined : this.kernels?.forChunk(chunk.original_length, this.usesKernelsAtOnce)
    const least = this.tile.stringOffsets ? MIN_STRING_LIMIT : MIN_LIMIT
    for (let i = stages.length - 1; i >= last; i--) {
      const { config, filter, datatype, growth } = element(stages, i)
      const cx = element(contexts.ofStages, i)
      cx.limit =
        least +
        Math.min(chunk.original_length * growth, this.mostUndone(stages, i, bytes.metadata.length + bytes.data.length))
      cx.kernels = kernels
      cx.into = i === 0 ? room : undefined
      let output: FilteredBytes
      try {
        output = filter.reverse(bytes, config, cx)
      } catch (error) {
        throw inFilter(error, config, contexts.lost)
      }
      options.onStage?.({ config, datatype, stringOffsets: cx.stringOffsets, input: bytes, output }, index)
      bytes = output
    }
    if (last > 0) return bytes
    if (bytes.metadata.length > 0) {
      const fault = { expected: "no metadata after the filters' own", found: `${bytes.metadata.length} bytes` }
      throw inconsistent(fault, { field: 'metadata' })
    }
    if (bytes.data.length !== chunk.original_length) {
      throw inconsistent(
        {
          expected: `${chunk.original_length} bytes (the chunk's original length)`,
          found: `${bytes.data.length} after undoing its filters`,
        },
        { field: 'original_length' },
      )
    }
    return bytes
  }

  /** Returns the contexts for a chunk. They are kept for the next one: making them costs as much as undoing a small chunk. */
  private contextsFor(stages: readonly Stage[], options: TileReadOptions): Contexts {
    if (this.contexts?.stages === stages && areAlike(this.contexts.options, options)) return this.contexts
    const { cellSize, formatVersion, key, stringOffsets } = this.tile
    const contexts: Contexts = { options, stages, index: 0, lost: 0, ofStages: [] }
    const onVerdict = options.onVerdict && ((verdict: ChecksumVerdict) => options.onVerdict?.(verdict, contexts.index))
    const onLostTail = (tail: LostTail): void => {
      contexts.lost += tail.length
      options.onLostTail?.(tail)
    }
    for (const [i, { datatype }] of stages.entries()) {
      const next = options.onRefused && stages[i + 1]
      contexts.ofStages.push({
        datatype,
        cellSize,
        formatVersion,
        key,
        stringOffsets: i === 0 && stringOffsets === true,
        limit: 0,
        room: this.tile.room,
        onVerdict,
        onRefused: options.onRefused,
        losesEmptyParts: next && losesEmptyPart(next, formatVersion),
        onLostTail,
        kernels: undefined,
        into: undefined,
        unread: i === 0 && options.unread === true,
        otherType: stages === this.others,
      })
    }
    this.contexts = contexts
    return contexts
  }

  /**
   * Undoes an empty chunk. TileDB 2.9 to 2.11 (format versions 13 to 15) store a tile of empty strings as a chunk of no
   * bytes, without metadata of any filter. They and later releases can read it if the string filter is the only one.
   * Other filters find no metadata, and fail.
   */
  private chunkOfNothing({ original_length }: StoredChunk): FilteredBytes {
    if (original_length > 0) {
      throw badData({
        expected: `${original_length} bytes of strings`,
        found: 'an empty chunk: the release that wrote it lost them',
      })
    }
    const last = this.stages.at(-1)
    if (last && this.stages.length > 1) {
      const { name } = last.config
      throw badData(
        {
          expected: `metadata of ${name}`,
          found:
            'an empty chunk: the release that wrote it dropped that of a tile of empty strings, and TileDB cannot read it',
        },
        name,
      )
    }
    return { metadata: NO_BYTES, data: NO_BYTES }
  }

  /**
   * Filters a tile as TileDB's writer does: each chunk separately.
   * @param data unfiltered bytes
   * @param chunkLengths bytes of each chunk; their sum is the length of `data`
   */
  forwardTile(data: Uint8Array, chunkLengths: readonly number[], options: WriteOptions = {}): Uint8Array {
    let at = 0
    const chunks = chunkLengths.map((length): StoredChunk => {
      const part = data.subarray(at, at + length)
      at += length
      return this.forwardChunk(part, options)
    })
    return encode({ chunks, extra: NO_BYTES }, tileChunks)
  }

  private forwardChunk(data: Uint8Array, options: WriteOptions): StoredChunk {
    let nothing = false
    let parts: FilterParts = { metadata: [], data: [data], ...(options.offsets && { offsets: options.offsets }) }
    for (let i = 0; i < this.stages.length; i++) {
      const stage = element(this.stages, i)
      const { config, filter, datatype } = stage
      // This filter loses an empty part that an earlier filter expects. TileDB writes such chunks, but cannot read them.
      // Here the filters begin again without any part.
      const losesPart =
        i > 0 && losesEmptyPart(stage, this.tile.formatVersion) && parts.data.every(({ length }) => length === 0)
      if (!nothing && losesPart && data.length === 0 && !options.offsets) {
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

  /**
   * {@link undo}, with the chunk's index and offset in errors.
   * @param metadata offset of the chunk's metadata in its file
   */
  undoAt(
    metadata: number,
    chunk: StoredChunk,
    index: number,
    options: TileReadOptions,
    room?: Uint8Array,
  ): FilteredBytes {
    try {
      return this.undo(chunk, index, options, room)
    } catch (error) {
      const { code, fault, at, cause } = faultOf(error)
      const part = at.field
      // An error that names only a filter is about its data, which come after the metadata of all filters. Tags and digests
      // cover both.
      const isData = this.stages.some(({ config, definition }) => config.name === part && !definition.tellsDamage)
      const offset = isData ? metadata + chunk.metadata.length : metadata
      const field = part === undefined ? `chunks.${index}` : `chunks.${index}.${part}`
      throw new InspectError(code, fault, { field, offset }, { cause })
    }
  }
}

/** Offset in its file of the metadata of a chunk that lies in `stored`. @param base offset of `stored` in the file */
export function metadataOffset({ metadata }: StoredChunk, stored: Uint8Array, base: number): number {
  return base + (metadata.byteOffset - stored.byteOffset)
}

/** Whether contexts for some options are those for others. */
function areAlike(a: TileReadOptions, b: TileReadOptions): boolean {
  if (a === b) return true
  return (
    a.onVerdict === b.onVerdict &&
    a.onRefused === b.onRefused &&
    a.onLostTail === b.onLostTail &&
    (a.unread === true) === (b.unread === true)
  )
}

function losesEmptyPart({ definition, datatype }: Stage, formatVersion: number): boolean {
  return definition.losesEmptyPart?.(datatype, formatVersion) === true
}

/** Adds the filter's name to its error. @param lost as in {@link Contexts} */
function inFilter(error: unknown, { name }: FilterConfig, lost = 0): unknown {
  if (!(error instanceof InspectError)) return error
  const field = error.at.field === undefined ? name : `${name}.${error.at.field}`
  const dropped = lost > 0 ? `; TileDB dropped ${lost} bytes of the chunk when it wrote` : ''
  return new InspectError(error.code, longer(error.fault, dropped), { field }, { cause: error })
}

/** @param stored stored bytes that the limit is for; undefined if the user set it */
function tooLarge(most: number, found: number, at: ErrorPlace, stored?: number): InspectError {
  const bound = `at most ${most} unfiltered bytes in a tile`
  if (stored === undefined)
    return new InspectError('TOO_LARGE', withHint({ expected: bound, found }, OPTION_OF_MEMORY), at)
  const { commandLine } = withHint(
    { expected: bound, found },
    `(for ${stored} stored bytes; --memory sets another bound)`,
  )
  return new InspectError('TOO_LARGE', { expected: `${bound} (for ${stored} stored bytes)`, found, commandLine }, at)
}
