import { concat, NO_BYTES } from '../base/bytes.ts'
import { commandLineText, exitCodeOf, faultOf, InspectError, inconsistent } from '../base/errors.ts'
import { sizeText } from '../base/sizes.ts'
import type { ChecksumVerdict, FilteredBytes } from '../filters/filter.ts'
import { metadataOffset, type Pipeline, type StageResult, unfilteredLimit, withRoom } from '../filters/pipeline.ts'
import { filterOf } from '../filters/registry.ts'
import { type DescribedValue, stageDescription } from '../filters/stage-metadata.ts'
import type { FilterConfig } from '../format/filter-pipeline.ts'
import { type Describe, trace } from '../format/io.ts'
import { type StoredChunk, tileChunks } from '../format/tile-chunks.ts'
import { keyOrDamage } from '../objects/generic-tile.ts'
import { type CellRange, childList, gap, memorySpace, type Part, type Space, withGaps } from './part.ts'
import { type FieldPath, partOf, type Reading, tracedPart } from './spans.ts'

/** The stored chunks of a tile, and how to undo and read them. */
export interface ChunkRun {
  space: Space
  /** Offset of the run in `space`. */
  offset: number
  stored: Uint8Array
  pipeline: Pipeline
  /** In writing order. */
  filters: readonly FilterConfig[]
  /** The tile in words, for the names of content spaces: `tile 3 of a.tdb`. */
  what: string
  /** Unfiltered size in bytes according to the metadata; undefined if it gives none. */
  expectedSize: number | undefined
  /** Upper limit on the elements that a list in the content may claim. */
  mostElements?: number | undefined
  /** Whether content that no filter changes is shown where it is stored, not in a space of its own. */
  inPlace: boolean
  /** Makes a part of unfiltered bytes. @param offsets of strings, if the filters hold them */
  content(bytes: Uint8Array, place: ContentPlace, offsets: Float64Array | undefined): Part
  /** Returns the cells that have bytes in a range of the unfiltered tile. @param to exclusive, above `from` */
  cellsOf?: ((from: number, to: number) => CellRange | undefined) | undefined
}

/** Where unfiltered bytes are shown. */
export interface ContentPlace {
  space: Space
  /** Offset of the first byte in `space`. */
  offset: number
  /** How many unfiltered bytes of the tile come before it. */
  from: number
}

/** A filter that was undone, with the checksums that it compared. */
interface UndoneFilter {
  stage: StageResult
  verdicts: readonly ChecksumVerdict[]
}

interface UndoneChunk {
  /** In the order of undoing. */
  stages: UndoneFilter[]
  /** Undefined if a filter failed. */
  out: FilteredBytes | undefined
  error: InspectError | undefined
  /** Checksums that the failed filter compared. */
  failedVerdicts: ChecksumVerdict[]
}

/** The parts of a run of chunks. */
export interface ChunkParts {
  /** `chunk_num`, `chunks` and `extra`; together they cover the stored bytes. */
  parts: Part[]
  /** The content in its own space; undefined if there is none. */
  content: (() => Promise<Part>) | undefined
  /** Whether sizes fit, all filters can be undone, and all checksums are right. */
  isWhole(): boolean
  /** Sum of the chunks' unfiltered lengths; undefined if the chunks cannot be told apart. */
  total: number | undefined
}

/** Tiles of up to this many unfiltered bytes keep the undone chunks. In larger ones a chunk may be undone twice. */
const MAX_KEPT = 16 * 2 ** 20

/** Splits the chunks of a tile into parts. A chunk is undone when its part is opened. */
export function chunkParts(run: ChunkRun): ChunkParts {
  const { stored, space, offset, expectedSize } = run
  const { file } = space
  const traced = trace(stored, tileChunks, 'chunks', { file, space: space.name, offset })
  const chunks = traced.value?.chunks
  if (!chunks) {
    const root = tracedPart('tile', tileChunks, { space, bytes: stored, base: offset })
    const parts = [{ ...root, name: 'chunks', transparent: true }]
    return { parts, content: undefined, isWhole: () => false, total: undefined }
  }
  const starts: number[] = []
  let total = 0
  for (const chunk of chunks) {
    starts.push(total)
    total += chunk.original_length
  }
  const sizeFits = expectedSize === undefined || expectedSize === total
  const kept: UndoneChunk[] = []
  const undoneAt = (index: number): UndoneChunk => {
    const known = kept[index]
    if (known) return known
    // If the sizes fit but the tile is too large, every chunk is refused, even the first.
    const end = sizeFits ? total : starts[index] + chunks[index].original_length
    const found = undo(run, chunks[index], index, end)
    if (total <= MAX_KEPT) kept[index] = found
    return found
  }
  const refine = (part: Part, path: FieldPath): Part => {
    if (path.length === 1 && path[0] === 'extra') return { ...part, type: part.length > 0 ? 'gap' : 'bytes' }
    if (path.length !== 2 || path[0] !== 'chunks') return part
    const index = Number(path[1])
    return chunkPart(run, part, chunks[index], () => undoneAt(index), starts[index])
  }
  const reading: Reading = { space, bytes: stored, base: offset, refine }
  const parts = (traced.root.children ?? [])
    .filter(({ name, length }) => name !== 'extra' || length > 0)
    .map((span) => partOf(span, reading, [span.name]))
  if (!sizeFits) {
    const mismatch = { expected: `${sizeText(expectedSize)} unfiltered bytes`, found: `chunks of ${total}` }
    const fault = inconsistent(mismatch, { file, offset, field: 'chunks.original_length' })
    parts[0] = { ...parts[0], fault, verdict: 'invalid' }
  }
  const inPlace = run.inPlace && changingFilters(run.filters).length === 0
  const hasContent = !inPlace && total > 0 && undoneAt(0).out !== undefined
  return {
    parts,
    content: hasContent ? () => contentPart(run, chunks, undoneAt, total) : undefined,
    isWhole: () =>
      sizeFits &&
      !traced.error &&
      chunks.every((_, index) => {
        const { out, stages } = undoneAt(index)
        return out !== undefined && stages.every(({ verdicts }) => verdicts.every(({ ok }) => ok))
      }),
    total,
  }
}

/**
 * Undoes a chunk.
 * @param end unfiltered bytes that count against the size limit: those of the whole tile, or those up to the end of the chunk
 */
function undo(run: ChunkRun, chunk: StoredChunk, index: number, end: number): UndoneChunk {
  const stages: UndoneChunk['stages'] = []
  let verdicts: ChecksumVerdict[] = []
  try {
    run.pipeline.refuseClaim(chunk)
    run.pipeline.refuseBeyond(end, run.expectedSize, run.stored.length)
    run.pipeline.refuseLarger(end)
    const out = run.pipeline.undoAt(metadataOffset(chunk, run.stored, run.offset), chunk, index, {
      onVerdict: (verdict) => void verdicts.push(verdict),
      onStage(stage) {
        stages.push({ stage, verdicts })
        verdicts = []
      },
    })
    return { stages, out, error: undefined, failedVerdicts: [] }
  } catch (caught) {
    const { reading, file } = run.space
    const { code, fault, at, cause } = faultOf(keyOrDamage(caught, reading))
    return {
      stages,
      out: undefined,
      error: new InspectError(code, fault, { ...at, file }, { cause }),
      failedVerdicts: verdicts,
    }
  }
}

/** The unfiltered bytes of all chunks up to the first that cannot be undone. */
async function contentPart(
  run: ChunkRun,
  chunks: readonly StoredChunk[],
  undoneAt: (index: number) => UndoneChunk,
  total: number,
): Promise<Part> {
  let data: Uint8Array = new Uint8Array(Math.min(total, unfilteredLimit(run.stored.length)))
  let end = 0
  let incomplete: string | undefined
  let offsets: Float64Array | undefined
  for (let index = 0; index < chunks.length; index++) {
    await run.space.reading.pause?.()
    const { out } = undoneAt(index)
    if (!out) {
      incomplete = `the first ${end} of ${total} bytes: chunk ${index} cannot be undone`
      break
    }
    if (chunks.length === 1) offsets = out.offsets
    data = withRoom(data, end, end + out.data.length, total)
    data.set(out.data, end)
    end += out.data.length
  }
  const bytes = data.subarray(0, end)
  const space = memorySpace(run.space, `unfiltered content of ${run.what}`, bytes, run.mostElements)
  const part = run.content(bytes, { space, offset: 0, from: 0 }, offsets)
  return { ...part, name: 'content', transparent: true, meaning: incomplete ?? part.meaning }
}

function chunkPart(run: ChunkRun, part: Part, chunk: StoredChunk, undoIt: () => UndoneChunk, from: number): Part {
  const to = from + chunk.original_length
  return {
    ...part,
    cells: to > from ? run.cellsOf?.(from, to) : undefined,
    async children() {
      const fields = await part.children?.()
      if (!fields) return childList([])
      const [original, filtered, metadataLength, metadata, data] = await Promise.all([0, 1, 2, 3, 4].map(fields.at))
      const undone = undoIt()
      const { inMetadata, after } = filterParts(run, metadata, undone)
      return childList([
        { ...original, unit: 'bytes', verdict: lengthVerdict(undone) },
        filtered,
        metadataLength,
        metadata.length === 0 ? { ...metadata, value: undefined } : metadataPart(metadata, inMetadata),
        dataPart(run, data, chunk, undone, from),
        ...after,
      ])
    },
  }
}

function metadataPart(metadata: Part, parts: readonly Part[]): Part {
  const children = withMetadataGaps(metadata, parts, metadata.offset + metadata.length)
  return { ...metadata, type: 'struct', value: undefined, children: async () => childList(children) }
}

/** The data of a chunk: its unfiltered bytes, or what the filters made of them. */
function dataPart(run: ChunkRun, data: Part, chunk: StoredChunk, { error, out }: UndoneChunk, from: number): Part {
  const becomes = { from, to: from + chunk.original_length }
  const part: Part = { ...data, value: undefined, fault: error, becomes }
  if (error) return { ...part, verdict: verdictOfFault(error), meaning: commandLineText(error) }
  const names = changingFilters(run.filters).map(({ name }) => name)
  if (names.length > 0) return { ...part, type: names[names.length - 1], meaning: `filtered by ${names.join(', ')}` }
  if (!run.inPlace) return { ...part, meaning: 'unfiltered' }
  if (part.length === 0) return part
  return {
    ...run.content(chunk.data, { space: part.space, offset: part.offset, from }, out?.offsets),
    name: 'data',
    meaning: 'unfiltered',
  }
}

/**
 * Parts of an undone chunk.
 * @returns the parts of the chunk's own metadata, and a part for what was left after each filter that changed bytes
 */
function filterParts(run: ChunkRun, metadata: Part, undone: UndoneChunk): { inMetadata: Part[]; after: Part[] } {
  const { filters, what } = run
  const inMetadata: Part[] = []
  const after: Part[] = []
  // Where the metadata of the next filter is, and the list for its part.
  let parts = inMetadata
  let { space, offset } = metadata
  for (const [i, filter] of undone.stages.entries()) {
    const { input, output, config } = filter.stage
    const taken = takenMetadata(input, output)
    if (taken > 0) parts.push(filterPart(filter, { space, offset, length: taken }, undone))
    offset += taken
    // A filter that filtered the metadata, too, leaves new metadata. Others leave the rest of what they got.
    const newMetadata = output.metadata.length > 0 && taken === input.metadata.length
    const newData = !isSameView(input.data, output.data)
    // What the last one leaves is the content of the tile, which has a part of its own.
    if ((!newMetadata && !newData) || i === filters.length - 1) continue
    const bytes = concat([...(newMetadata ? [output.metadata] : []), ...(newData ? [output.data] : [])])
    const newSpace = memorySpace(run.space, `${what} after undoing ${config.name}`, bytes)
    const newParts: Part[] = []
    after.push(afterPart(config.name, newSpace, newMetadata ? output.metadata.length : 0, newParts))
    if (newMetadata) {
      parts = newParts
      space = newSpace
      offset = 0
    }
  }
  const failed = undone.error && failedFilterPart(run, metadata, undone, space, offset)
  if (failed) parts.push(failed)
  return { inMetadata, after }
}

/** The metadata of the filter that failed; undefined if the filter's name does not suffice to read it. */
function failedFilterPart(
  { filters, stored, offset: base }: ChunkRun,
  ofChunk: Part,
  undone: UndoneChunk,
  space: Space,
  offset: number,
): Part | undefined {
  const { stages, failedVerdicts } = undone
  const config = filters[filters.length - 1 - stages.length]
  // A description with parameters needs the type, which is not known here.
  if (!config || filterOf(config.name)?.metadata?.length) return undefined
  const start = ofChunk.offset - base
  const metadata = stages.at(-1)?.stage.output.metadata ?? stored.subarray(start, start + ofChunk.length)
  const stage: StageResult = {
    config,
    datatype: 'UINT8',
    stringOffsets: false,
    input: { metadata, data: NO_BYTES },
    output: { metadata: NO_BYTES, data: NO_BYTES },
  }
  const describe = stageDescription(stage)
  if (!describe) return undefined
  const { root, error } = trace(metadata, describe, config.name, { offset })
  if (error || root.length === 0) return undefined
  return filterPart({ stage, verdicts: failedVerdicts }, { space, offset, length: root.length }, undone)
}

function filterPart(
  { stage, verdicts }: UndoneFilter,
  { space, offset, length }: Pick<Part, 'space' | 'offset' | 'length'>,
  { error, out }: UndoneChunk,
): Part {
  const bytes = stage.input.metadata.subarray(0, length)
  const { name } = stage.config
  const describe = stageDescription(stage)
  if (!describe) return gap(space, offset, length, `metadata of ${name}, which is not known`)
  return tracedPart(name, describe as Describe<DescribedValue>, { space, bytes, base: offset }, (value) => ({
    refine: (part, path) => {
      if (part.name === 'digest' || part.name === 'tag')
        return withVerdict(part, verdictOf(verdicts, value, path), error)
      // The filter succeeded with these lengths and all its output was used, so they are right.
      return part.unit === 'bytes' && out ? { ...part, verdict: 'valid' } : part
    },
  }))
}

/** The verdict on one digest or tag. Filters compare first all parts of the metadata, then all parts of the data. */
function verdictOf(
  verdicts: readonly ChecksumVerdict[],
  value: DescribedValue,
  [list, index]: FieldPath,
): ChecksumVerdict | undefined {
  const ofMetadata = value[list.replace(/^data/, 'metadata')]
  const before = list.startsWith('data') && Array.isArray(ofMetadata) ? ofMetadata.length : 0
  return verdicts[before + Number(index)]
}

function withVerdict(part: Part, verdict: ChecksumVerdict | undefined, error: InspectError | undefined): Part {
  if (!verdict) return part
  if (verdict.ok) return { ...part, verdict: 'valid' }
  const { expected, actual, filter: field } = verdict
  if (actual === undefined) {
    // The key is wrong, or the bytes are damaged. The chunk's error says which.
    return { ...part, verdict: verdictOfFault(error), meaning: 'the tag does not fit the bytes with this key' }
  }
  const { file, name } = part.space
  const at = { file, offset: name === undefined ? part.offset : undefined, field }
  const fault = new InspectError('CHECKSUM', { expected, found: actual }, at)
  return { ...part, verdict: 'invalid', meaning: `found ${actual}`, fault }
}

/** The verdict on a chunk's original length; undefined if a filter failed for another reason. */
function lengthVerdict({ out, error }: UndoneChunk): 'valid' | 'invalid' | undefined {
  if (out) return 'valid'
  return error?.at.field?.endsWith('.original_length') ? verdictOfFault(error) : undefined
}

/** The verdict for an error. Bytes that could not be examined are not called invalid. */
function verdictOfFault(error: InspectError | undefined): 'invalid' | undefined {
  return error && exitCodeOf(error) === 1 ? 'invalid' : undefined
}

/** Number of bytes that a filter took from the front of the metadata. */
function takenMetadata(input: FilteredBytes, output: FilteredBytes): number {
  const [before, after] = [input.metadata, output.metadata]
  const shared =
    after.length > 0 &&
    after.buffer === before.buffer &&
    after.byteOffset + after.length === before.byteOffset + before.length
  return shared ? before.length - after.length : before.length
}

/** The filters that change the data. Others only add metadata. */
function changingFilters(filters: readonly FilterConfig[]): FilterConfig[] {
  return filters.filter(({ name }) => !filterOf(name)?.keepsData)
}

function isSameView(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.buffer === b.buffer && a.byteOffset === b.byteOffset
}

/** What was left after one filter. @param parts of the metadata, which comes before the data */
function afterPart(filter: string, space: Space, metadataLength: number, parts: readonly Part[]): Part {
  const { length } = space
  const data = { name: 'data', type: 'bytes', space, offset: metadataLength, length: length - metadataLength }
  const part: Part = { name: `after ${filter}`, type: 'bytes', space, offset: 0, length, keys: [['after', filter]] }
  return { ...part, children: async () => childList([...withMetadataGaps(part, parts, metadataLength), data]) }
}

/** The parts of a chunk's metadata, with gaps for filters that were not undone. */
function withMetadataGaps({ space, offset }: Part, parts: readonly Part[], end: number): Part[] {
  return withGaps(space, parts, offset, end, 'metadata of filters that were not undone')
}
