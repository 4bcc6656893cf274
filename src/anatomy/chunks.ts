import { exitCodeOf, InspectError, inconsistent } from '../base/errors.ts'
import { concat } from '../filters/bytes.ts'
import type { ChecksumVerdict, FilteredBytes } from '../filters/filter.ts'
import { mostUnfolded, type Pipeline, type StageResult, withRoom } from '../filters/pipeline.ts'
import { filterOf } from '../filters/registry.ts'
import { type DescribedValue, stageDescription } from '../filters/stage-metadata.ts'
import type { FilterConfig } from '../format/filter-pipeline.ts'
import { type Describe, trace } from '../format/io.ts'
import { type StoredChunk, tileChunks } from '../format/tile-chunks.ts'
import type { ValueStyle } from '../format/value.ts'
import { keyOrDamage, type ReadContext } from '../store/generic-tile.ts'
import { type CellRange, childList, gap, memorySpace, type Part, type Space } from './part.ts'
import { type Path, partOf, type Reading, tracedPart } from './spans.ts'

/** A run of chunks as stored, and how to undo and read it. */
export interface ChunkRun {
  space: Space
  file: string
  /** Offset of the run in `space`. */
  offset: number
  stored: Uint8Array
  pipeline: Pipeline
  /** In writing order. */
  filters: readonly FilterConfig[]
  cx: ReadContext
  style: ValueStyle
  /** Names content spaces, such as `tile 3 of a.tdb`. */
  what: string
  /** Unfiltered size in bytes according to the metadata; undefined if it gives none. */
  expectedSize: number | undefined
  /** A list in the content may claim at most this many elements. */
  mostElements?: number | undefined
  /** If no filter changes the bytes, content is shown where it is stored, not in a space of its own. */
  inPlace: boolean
  /** Makes a part of the unfiltered bytes, in a space of their own or in place. */
  content(bytes: Uint8Array, place: ContentPlace, offsets: Float64Array | undefined): Part
  /** The cells that the unfiltered bytes from `from` to `to` hold. */
  cellsOf?: ((from: number, to: number) => CellRange | undefined) | undefined
}

export interface ContentPlace {
  space: Space
  /** Offset of the first byte in `space`. */
  offset: number
  /** Unfiltered bytes that precede it in the tile. */
  from: number
}

interface UndoneStage {
  stage: StageResult
  verdicts: ChecksumVerdict[]
}

interface UndoneChunk {
  stages: UndoneStage[]
  out: FilteredBytes | undefined
  error: InspectError | undefined
  /** Checksums that the failed filter compared. */
  left: ChecksumVerdict[]
}

/** Whether the data of a chunk are already the unfiltered bytes. */
export function keepsData(filters: readonly FilterConfig[]): boolean {
  return filters.every(({ name }) => filterOf(name)?.keepsData)
}

/** The parts of a run of chunks. */
export interface ChunkParts {
  /** `chunk_num`, `chunks` and `extra`; together they cover the run. */
  parts: Part[]
  /** The content in its own space; undefined if there is none. */
  content: (() => Part) | undefined
  /** Whether framing, filters and sizes all agree. */
  whole(): boolean
  /** Sum of the chunks' unfiltered lengths; undefined if the chunks cannot be told apart. */
  total: number | undefined
}

/** Runs of up to this many unfiltered bytes keep the filter stages of every chunk, so no chunk is undone twice. */
const MOST_KEPT = 16 * 2 ** 20

/** Splits a run of chunks into parts. A chunk is undone when its part is opened. Large runs do not keep the stages. */
export function chunkParts(run: ChunkRun): ChunkParts {
  const { stored, space, offset, style } = run
  const traced = trace(stored, tileChunks, 'chunks', { file: run.file, space: space.name, offset })
  const reading: Reading = { space, bytes: stored, base: offset, style }
  const chunks = traced.value?.chunks
  if (!chunks) {
    const root = tracedPart('tile', tileChunks, reading, run.file)
    const parts = [{ ...root, name: 'chunks', transparent: true }]
    return { parts, content: undefined, whole: () => false, total: undefined }
  }
  const starts: number[] = []
  let total = 0
  for (const chunk of chunks) {
    starts.push(total)
    total += chunk.original_length
  }
  // If the whole tile is too large, each of its chunks is refused, the first one too.
  const asWhole = run.expectedSize === undefined || run.expectedSize === total
  const kept: UndoneChunk[] = []
  const undone = (index: number): UndoneChunk => {
    const known = kept[index]
    if (known) return known
    const end = asWhole ? total : starts[index] + chunks[index].original_length
    const found = undo(run, chunks[index], index, end)
    if (total <= MOST_KEPT) kept[index] = found
    return found
  }
  const refine = (part: Part, path: Path): Part => {
    if (path.length === 1 && path[0] === 'extra') return { ...part, type: part.length > 0 ? 'gap' : 'bytes' }
    if (path.length !== 2 || path[0] !== 'chunks') return part
    const index = Number(path[1])
    return chunkPart(run, part, chunks[index], () => undone(index), starts[index])
  }
  const sizeFits = run.expectedSize === undefined || run.expectedSize === total
  const parts = (traced.root.children ?? [])
    .filter(({ name, length }) => name !== 'extra' || length > 0)
    .map((span) => partOf(span, { ...reading, refine }, [span.name]))
  const hasContent = !(run.inPlace && keepsData(run.filters)) && total > 0 && undone(0).out !== undefined
  if (!sizeFits) {
    const fault = inconsistent(`expected ${run.expectedSize} unfiltered bytes, found chunks of ${total}`, {
      file: run.file,
      offset,
      field: 'chunks.original_length',
    })
    parts[0] = { ...parts[0], fault, verdict: 'invalid' }
  }
  return {
    parts,
    content: hasContent ? () => contentPart(run, chunks, undone, total) : undefined,
    whole: () =>
      sizeFits &&
      !traced.error &&
      chunks.every((_, index) => {
        const { out, stages } = undone(index)
        return out !== undefined && stages.every(({ verdicts }) => verdicts.every(({ ok }) => ok))
      }),
    total,
  }
}

/** @param end where the chunk ends among the tile's unfiltered bytes, or the end of the whole tile */
function undo(run: ChunkRun, chunk: StoredChunk, index: number, end: number): UndoneChunk {
  const stages: UndoneStage[] = []
  let verdicts: ChecksumVerdict[] = []
  try {
    run.pipeline.refuseBeyond(end, run.expectedSize, run.stored.length)
    const out = run.pipeline.reverseChunkAt(run.stored, run.offset, chunk, index, {
      onVerdict: (verdict) => void verdicts.push(verdict),
      onStage(stage) {
        stages.push({ stage, verdicts })
        verdicts = []
      },
    })
    return { stages, out, error: undefined, left: [] }
  } catch (caught) {
    const error = keyOrDamage(caught, run.cx)
    if (!(error instanceof InspectError)) throw error
    const placed = new InspectError(error.code, error.message, { ...error.at, file: run.file }, { cause: error.cause })
    return { stages, out: undefined, error: placed, left: verdicts }
  }
}

/** The unfiltered bytes of all chunks up to the first that cannot be undone. */
function contentPart(
  run: ChunkRun,
  chunks: readonly StoredChunk[],
  undone: (index: number) => UndoneChunk,
  total: number,
): Part {
  const most = Math.min(total, mostUnfolded(run.stored.length))
  let data: Uint8Array = new Uint8Array(most)
  let end = 0
  let failed = -1
  let offsets: Float64Array | undefined
  for (let index = 0; index < chunks.length; index++) {
    const { out } = undone(index)
    if (!out) {
      failed = index
      break
    }
    if (chunks.length === 1) offsets = out.offsets
    data = withRoom(data, end, end + out.data.length, total)
    data.set(out.data, end)
    end += out.data.length
  }
  const bytes = data.subarray(0, end)
  const space: Space = { ...memorySpace(`unfiltered content of ${run.what}`, bytes), mostElements: run.mostElements }
  const part = run.content(bytes, { space, offset: 0, from: 0 }, offsets)
  return {
    ...part,
    name: 'content',
    transparent: true,
    meaning:
      failed < 0 ? part.meaning : `the first ${bytes.length} of ${total} bytes: chunk ${failed} cannot be undone`,
  }
}

function chunkPart(run: ChunkRun, part: Part, chunk: StoredChunk, undoneChunk: () => UndoneChunk, from: number): Part {
  const inside = part.children
  return {
    ...part,
    cells: run.cellsOf?.(from, from + chunk.original_length),
    async children() {
      const known = await inside?.()
      if (!known) return childList([])
      const parts: Part[] = []
      for (let i = 0; i < known.count; i++) parts.push(await known.at(i))
      const [original, filtered, metadataLength, metadata, data] = parts
      const undone = undoneChunk()
      const { out } = undone
      const layers = new Layers(run, metadata, data, undone)
      return childList([
        { ...original, unit: 'bytes', verdict: out ? 'valid' : verdictOfFault(undone.error) },
        filtered,
        metadataLength,
        layers.metadata(),
        layers.data(chunk, from),
        ...layers.after,
      ])
    },
  }
}

/** A chunk's bytes at each filter stage: where the filter's metadata is, and what the data became. */
class Layers {
  /** The bytes left after each filter, each in its own space. */
  readonly after: Part[] = []
  private readonly run: ChunkRun
  private readonly undone: UndoneChunk
  private readonly storedMetadata: Part
  private readonly storedData: Part
  private readonly metadataParts: Part[] = []

  constructor(run: ChunkRun, metadata: Part, data: Part, undone: UndoneChunk) {
    this.run = run
    this.undone = undone
    this.storedMetadata = metadata
    this.storedData = data
    this.walk()
  }

  metadata(): Part {
    const { storedMetadata: part, metadataParts } = this
    if (part.length === 0) return { ...part, value: undefined }
    const end = part.offset + part.length
    const last = metadataParts.at(-1)
    const at = last ? last.offset + last.length : part.offset
    const rest = at < end ? [gap(part.space, at, end - at, 'metadata of filters that were not undone')] : []
    return {
      ...part,
      type: 'struct',
      value: undefined,
      children: async () => childList([...metadataParts, ...rest]),
    }
  }

  data(chunk: StoredChunk, from: number): Part {
    const { run, undone } = this
    const becomes = { from, to: from + chunk.original_length }
    const part: Part = { ...this.storedData, value: undefined, fault: undone.error, becomes }
    if (undone.error) return { ...part, verdict: verdictOfFault(undone.error), meaning: undone.error.message }
    if (run.inPlace && keepsData(run.filters)) {
      if (part.length === 0) return part
      const content = run.content(chunk.data, { space: part.space, offset: part.offset, from }, undone.out?.offsets)
      return { ...content, name: 'data', meaning: 'unfiltered' }
    }
    const names = run.filters.map(({ name }) => name).filter((name) => !filterOf(name)?.keepsData)
    return {
      ...part,
      type: names.at(-1) ?? part.type,
      meaning: names.length > 0 ? `filtered by ${names.join(', ')}` : 'unfiltered',
    }
  }

  private walk(): void {
    let holder = this.metadataParts
    let { space, offset } = this.storedMetadata
    for (const [i, { stage, verdicts }] of this.undone.stages.entries()) {
      const { input, output, config } = stage
      const own = ownMetadata(input, output)
      if (own > 0) holder.push(this.filterPart(stage, verdicts, space, offset, own))
      offset += own
      const newMetadata = output.metadata.length > 0 && own === input.metadata.length
      const newData = !sameRun(input.data, output.data)
      const last = i === this.run.filters.length - 1
      if ((!newMetadata && !newData) || last) continue
      const bytes = concat([...(newMetadata ? [output.metadata] : []), ...(newData ? [output.data] : [])])
      const below = memorySpace(`${this.run.what} after undoing ${config.name}`, bytes)
      const parts: Part[] = []
      this.after.push(afterPart(config.name, below, newMetadata ? output.metadata.length : 0, parts))
      if (newMetadata) {
        holder = parts
        space = below
        offset = 0
      }
    }
    this.failed(holder, space, offset)
  }

  /** For the filter that failed: adds its metadata if it can be read from the filter's name alone. */
  private failed(holder: Part[], space: Space, offset: number): void {
    const { filters } = this.run
    const { stages, error, left } = this.undone
    const config = filters[filters.length - 1 - stages.length]
    if (!error || !config || NEEDS_TYPE.has(config.name)) return
    const last = stages.at(-1)?.stage.output
    const metadata = last?.metadata ?? this.storedBytes()
    const stage: StageResult = {
      config,
      datatype: 'UINT8',
      // DICTIONARY_ENCODING without strings has no metadata that could fail.
      stringOffsets: config.name === 'DICTIONARY_ENCODING',
      input: { metadata, data: new Uint8Array(0) },
      output: { metadata: new Uint8Array(0), data: new Uint8Array(0) },
    }
    const describe = stageDescription(stage)
    if (!describe) return
    const { root, error: broken } = trace(metadata, describe, config.name, { offset })
    if (broken || root.length === 0) return
    holder.push(this.filterPart(stage, left, space, offset, root.length))
  }

  private storedBytes(): Uint8Array {
    const { storedMetadata: part, run } = this
    return run.stored.subarray(part.offset - run.offset, part.offset - run.offset + part.length)
  }

  private filterPart(
    stage: StageResult,
    verdicts: readonly ChecksumVerdict[],
    space: Space,
    offset: number,
    length: number,
  ): Part {
    const bytes = stage.input.metadata.subarray(0, length)
    const { name } = stage.config
    const describe = stageDescription(stage)
    const { file, style } = this.run
    const reading: Reading = { space, bytes, base: offset, style }
    if (!describe) return gap(space, offset, length, `metadata of ${name}, which is not known`)
    return tracedPart(name, describe as Describe<DescribedValue>, reading, file, (value) => ({
      refine: (part, path) => {
        if (isDigest(part.name)) return withVerdict(part, verdictOf(verdicts, value, path), file, this.undone.error)
        // The filter succeeded with these lengths and all its output was used, so they are right.
        return part.unit === 'bytes' && this.undone.out ? { ...part, verdict: 'valid' } : part
      },
    }))
  }
}

const NEEDS_TYPE: ReadonlySet<string> = new Set(['BIT_WIDTH_REDUCTION', 'POSITIVE_DELTA', 'RLE', 'DICTIONARY_ENCODING'])

function isDigest(name: string): boolean {
  return name === 'digest' || name === 'tag'
}

/** Verdicts come in the order of comparison: first all metadata parts, then all data parts. */
function verdictOf(
  verdicts: readonly ChecksumVerdict[],
  value: DescribedValue,
  [list, index]: Path,
): ChecksumVerdict | undefined {
  const ahead = value[list.replace(/^data/, 'metadata')]
  const first = list.startsWith('data') && Array.isArray(ahead) ? ahead.length : 0
  return verdicts[first + Number(index)]
}

function withVerdict(
  part: Part,
  verdict: ChecksumVerdict | undefined,
  file: string,
  error: InspectError | undefined,
): Part {
  if (!verdict) return part
  if (verdict.ok) return { ...part, verdict: 'valid' }
  const { expected, actual, filter } = verdict
  if (actual === undefined) {
    // Either the key is wrong or the bytes are damaged. The chunk's error says which.
    return { ...part, verdict: verdictOfFault(error), meaning: 'the tag does not fit the bytes with this key' }
  }
  const fault = new InspectError('CHECKSUM', `expected ${expected}, found ${actual}`, {
    file,
    offset: part.space.name === undefined ? part.offset : undefined,
    field: filter,
  })
  return { ...part, verdict: 'invalid', meaning: `found ${actual}`, fault }
}

/** Bytes that could not be examined are not called invalid. */
function verdictOfFault(error: InspectError | undefined): 'invalid' | undefined {
  return error && exitCodeOf(error) === 1 ? 'invalid' : undefined
}

/** Number of bytes that the filter took off the front of the metadata. */
function ownMetadata(input: FilteredBytes, output: FilteredBytes): number {
  const [before, behind] = [input.metadata, output.metadata]
  const shared =
    behind.length > 0 &&
    behind.buffer === before.buffer &&
    behind.byteOffset + behind.length === before.byteOffset + before.length
  return shared ? before.length - behind.length : before.length
}

function sameRun(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.buffer === b.buffer && a.byteOffset === b.byteOffset
}

/** The bytes left after one filter. `parts` explain the metadata, which precedes the data. */
function afterPart(filter: string, space: Space, metadataLength: number, parts: readonly Part[]): Part {
  return {
    name: `after ${filter}`,
    type: 'bytes',
    space,
    offset: 0,
    length: space.length,
    keys: [['after', filter]],
    children: async () => {
      const explained = parts.reduce((bytes, { length }) => bytes + length, 0)
      const rest =
        explained < metadataLength
          ? [gap(space, explained, metadataLength - explained, 'metadata of filters that were not undone')]
          : []
      const data = { name: 'data', type: 'bytes', space, offset: metadataLength, length: space.length - metadataLength }
      return childList([...parts, ...rest, data])
    },
  }
}
