import { concat } from '../base/bytes.ts'
import { InspectError } from '../base/errors.ts'
import { sum } from '../base/sum.ts'
import { sameBytes } from '../filters/bytes.ts'
import type { Codecs } from '../filters/codecs/codecs.ts'
import { Pipeline, type UnfilteredTile } from '../filters/pipeline.ts'
import { hasChecksum } from '../filters/registry.ts'
import { datatypeKind, datatypeSize } from '../format/datatype.ts'
import type { FilterConfig } from '../format/filter-pipeline.ts'
import { NEWEST_STABLE } from '../format/releases.ts'
import { CHUNK_COUNT_BYTES } from '../format/tile-chunks.ts'
import type { ReadContext } from '../objects/read-context.ts'
import { fixedChunkLengths, LARGEST_CHUNK, varChunkLengths } from '../write/chunk-lengths.ts'
import { cutsTiles, keepsStringOffsets, offsetBytes } from '../write/field-writer.ts'
import type { FilterSample, SamplePart } from './sample.ts'
import { tiledbSeconds } from './tiledb-speed.ts'

/** The result of a pipeline on a sample. */
export interface Trial {
  filters: readonly FilterConfig[]
  /** Bytes of the sample after the filters. */
  bytes: number
  /** The same by part. */
  part_bytes: readonly number[]
  /** Stored bytes of the data files of offsets. */
  offsets_bytes: number
  /** Speed of reading in MB of unfiltered values a second, measured here by {@link timeTrials}. */
  undo_mb_s: number
  /** The same for writing. */
  do_mb_s: number
  /** Estimated seconds that TileDB 2.30 needs on one core to undo the filters of the sample and copy the values out. */
  tiledb_seconds: number
  checksummed: boolean
  /** Fraction of the elements that come back with other bits, from 0 to 1. */
  changed: number
  /** Largest difference between a value and what comes back; 0 if none changes. */
  deviation: number
}

export interface TrialContext {
  codecs: Codecs
  /** Key of an encrypted array. */
  key: Uint8Array | undefined
  /** See {@link ReadContext.pause}. */
  pause?: ReadContext['pause']
  /** Called with the share of the work on a sample that is done, from 0 to 1. It is an estimate. */
  onTried?: (share: number) => void
}

/**
 * Filters a sample as TileDB 2.30 would, undoes that, and compares the values bit by bit.
 * @throws InspectError if a filter refuses the values
 */
export async function tryFilters(
  sample: FilterSample,
  filters: readonly FilterConfig[],
  cx: TrialContext,
): Promise<Trial> {
  const { parts, type, cellSize } = sample
  const holdsOffsets = keepsOffsetsInside(sample, filters)
  const pipeline = await loadPipeline(sample, filters, cx, holdsOffsets)
  const offsets =
    sample.file_offsets_bytes > 0 ? await offsetsCost(sample, holdsOffsets, cx) : { bytes: 0, tiledb_seconds: 0 }
  const stored: Uint8Array[] = []
  const back: UnfilteredTile[] = []
  for (const part of parts) {
    const tile = writerOf(sample, part, filters, pipeline, holdsOffsets)()
    const undone = pipeline.reverseTile(tile, { expectedSize: part.data.length })
    checkOffsets(part, undone.offsets)
    stored.push(tile)
    back.push(undone)
    await cx.pause?.()
  }
  return {
    filters,
    bytes: sum(stored, ({ length }) => length),
    part_bytes: stored.map(({ length }) => length),
    offsets_bytes: offsets.bytes,
    undo_mb_s: 0,
    do_mb_s: 0,
    tiledb_seconds: tiledbSeconds(sample, filters, pipeline, stored) + offsets.tiledb_seconds,
    checksummed: cx.key !== undefined || hasChecksum(filters),
    ...lossOf(
      type,
      parts.map(({ data }) => data),
      back.map(({ data }) => data),
      cellSize,
    ),
  }
}

/** Whether a pipeline keeps the offsets of text among its values. */
export function keepsOffsetsInside({ role, type }: FilterSample, filters: readonly FilterConfig[]): boolean {
  return role === 'var' && keepsStringOffsets(type, filters, NEWEST_STABLE)
}

/** Zeros for initialisation vectors, whose values do not change any size. */
const randomBytes = (length: number): Uint8Array => new Uint8Array(length)

function loadPipeline(
  sample: Pick<FilterSample, 'type' | 'cellSize'>,
  filters: readonly FilterConfig[],
  cx: TrialContext,
  stringOffsets: boolean,
): Promise<Pipeline> {
  const all: FilterConfig[] = cx.key ? [...filters, { name: 'AES_256_GCM' }] : [...filters]
  const tile = {
    datatype: sample.type,
    cellSize: sample.cellSize,
    formatVersion: NEWEST_STABLE,
    key: cx.key,
    stringOffsets,
  }
  return Pipeline.load(all, tile, cx.codecs)
}

/** Returns a function that filters a part, cut into chunks as TileDB cuts tiles. */
function writerOf(
  { type, cellSize, role, pipeline: { max_chunk_size } }: FilterSample,
  { data, starts }: SamplePart,
  filters: readonly FilterConfig[],
  pipeline: Pipeline,
  holdsOffsets: boolean,
): () => Uint8Array {
  const isCut = max_chunk_size > 0 && cutsTiles({ type, varSized: role === 'var' }, filters, NEWEST_STABLE)
  if (!starts) {
    const lengths = fixedChunkLengths(data.length, cellSize, isCut ? LARGEST_CHUNK : undefined)
    return () => pipeline.forwardTile(data, lengths, { randomBytes })
  }
  const lengths = isCut ? varChunkLengths(starts, cellSize) : [data.length]
  const offsets = holdsOffsets ? starts.subarray(0, starts.length - 1) : undefined
  return () => pipeline.forwardTile(data, lengths, { randomBytes, offsets })
}

interface OffsetsCost {
  bytes: number
  tiledb_seconds: number
}

/** What the array's own filters of offsets cost, for each sample. The filters that are tried do not change it. */
const offsetsCosts = new WeakMap<FilterSample, Promise<OffsetsCost>>()

/** The cost of the offsets. If the tile of values holds them, the tile of offsets is only a chunk count of 0. */
async function offsetsCost(sample: FilterSample, holdsOffsets: boolean, cx: TrialContext): Promise<OffsetsCost> {
  if (holdsOffsets) return { bytes: sample.parts.length * CHUNK_COUNT_BYTES, tiledb_seconds: 0 }
  const known = offsetsCosts.get(sample) ?? tryOffsets(sample, cx)
  offsetsCosts.set(sample, known)
  const { bytes, tiledb_seconds } = await known
  const areSeparateNow = !keepsOffsetsInside(sample, sample.pipeline.filters)
  return {
    bytes: areSeparateNow ? sum(sample.parts, (part) => part.offsets_bytes) : bytes,
    tiledb_seconds,
  }
}

async function tryOffsets(sample: FilterSample, cx: TrialContext): Promise<OffsetsCost> {
  const { filters } = sample.offsetsPipeline
  const pipeline = await loadPipeline({ type: 'UINT64', cellSize: 8 }, filters, cx, false)
  const parts = sample.parts.map(({ starts }): SamplePart => {
    const data = offsetBytes((starts ?? new Float64Array(1)).subarray(0, -1))
    return { data, starts: undefined, stored_bytes: 0, offsets_bytes: 0 }
  })
  const stored = parts.map(({ data }) =>
    pipeline.forwardTile(data, fixedChunkLengths(data.length, 8, LARGEST_CHUNK), { randomBytes }),
  )
  const bytes = sum(stored, ({ length }) => length)
  return { bytes, tiledb_seconds: tiledbSeconds({ parts }, filters, pipeline, stored) }
}

/** Approximate bytes of a sample that are filtered in each round. */
const TIMED_BYTES = 256 * 1024
/** Numbers of rounds. The fastest counts, as other work on the machine and warming up only make a round slower. */
export const ROUNDS = { least: 3, most: 12 }
/** Milliseconds after which a pipeline needs no further round. */
const ENOUGH_MS = 60
/** Shortest time that is used to compute a speed, in milliseconds. */
const MIN_MS = 0.001

/** Measures the speeds of pipelines. Every round has all of them, so that what slows the machine down slows them all. */
export async function timeTrials(sample: FilterSample, trials: readonly Trial[], cx: TrialContext): Promise<void> {
  const timed: SamplePart[] = []
  let bytes = 0
  for (const part of sample.parts) {
    if (bytes < TIMED_BYTES) timed.push(part)
    bytes += bytes < TIMED_BYTES ? part.data.length : 0
  }
  const runs = []
  for (const trial of trials) {
    const holdsOffsets = keepsOffsetsInside(sample, trial.filters)
    const pipeline = await loadPipeline(sample, trial.filters, cx, holdsOffsets)
    const writers = timed.map((part) => writerOf(sample, part, trial.filters, pipeline, holdsOffsets))
    runs.push({ trial, pipeline, writers, doing: Infinity, undoing: Infinity, total: 0 })
  }
  for (let round = 0; round < ROUNDS.most; round++) {
    for (const run of runs) {
      if (round >= ROUNDS.least && run.total > ENOUGH_MS) continue
      const start = performance.now()
      const stored = run.writers.map((write) => write())
      const middle = performance.now()
      for (const [i, tile] of stored.entries()) run.pipeline.reverseTile(tile, { expectedSize: timed[i].data.length })
      const end = performance.now()
      run.doing = Math.min(run.doing, middle - start)
      run.undoing = Math.min(run.undoing, end - middle)
      run.total += end - start
    }
    // Lets signals be handled.
    await new Promise((resolve) => setTimeout(resolve, 0))
  }
  for (const { trial, doing, undoing } of runs) {
    trial.do_mb_s = bytes / 1e3 / Math.max(doing, MIN_MS)
    trial.undo_mb_s = bytes / 1e3 / Math.max(undoing, MIN_MS)
  }
}

function checkOffsets({ starts }: SamplePart, offsets: Float64Array | undefined): void {
  if (!starts || !offsets) return
  for (let i = 0; i < offsets.length; i++)
    if (offsets[i] !== starts[i])
      throw new InspectError('INCONSISTENT', {
        expected: 'the same offsets after undoing the filters',
        found: 'others',
      })
}

/** Fraction of the elements that change, and the largest difference. */
function lossOf(
  type: FilterSample['type'],
  before: readonly Uint8Array[],
  after: readonly Uint8Array[],
  cellSize: number,
): Pick<Trial, 'changed' | 'deviation'> {
  if (before.every((data, i) => sameBytes(data, after[i]))) return { changed: 0, deviation: 0 }
  const [a, b] = [concat([...before]), concat([...after])]
  const isFloat = datatypeKind(type) === 'float'
  const size = isFloat ? datatypeSize(type) : cellSize
  const values = (bytes: Uint8Array): Float32Array | Float64Array =>
    size === 4 ? new Float32Array(bytes.slice().buffer) : new Float64Array(bytes.slice().buffer)
  let changed = 0
  let deviation = 0
  const [x, y] = isFloat ? [values(a), values(b)] : [undefined, undefined]
  for (let i = 0, at = 0; at < a.length; i++, at += size) {
    let same = true
    for (let k = at; k < at + size; k++) same &&= a[k] === b[k]
    if (same) continue
    changed++
    if (x && y) deviation = Math.max(deviation, Math.abs(x[i] - y[i]))
  }
  return { changed: changed / (a.length / size), deviation }
}
