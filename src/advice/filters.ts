import { unlessFault } from '../base/errors.ts'
import { shortSize } from '../base/sizes.ts'
import { sum } from '../base/sum.ts'
import { DenseCoordinates } from '../cells/dense-coordinates.ts'
import { gather } from '../cells/gather.ts'
import { withTileFile } from '../cells/tile-files.ts'
import { tileRole } from '../cells/tile-places.ts'
import { unfilterSeconds } from '../explain/cost.ts'
import type { Codecs } from '../filters/codecs/codecs.ts'
import { Pipeline } from '../filters/pipeline.ts'
import { type FilterUse, useOf } from '../filters/registry.ts'
import { type Datatype, datatypeSize } from '../format/datatype.ts'
import type { FilterConfig } from '../format/filter-pipeline.ts'
import type { Slot } from '../format/fragment-slots.ts'
import { fixedChunkLengths, LARGEST_CHUNK } from '../write/chunk-lengths.ts'
import { objectStoreSeconds, rounded } from './costs.ts'
import type { AdviceFacts, FileFacts } from './facts.ts'
import { compresses, filtersAsText, isGeneral, TRIAL_FILTER, titleOf, withFilters } from './filter-sizes.ts'
import { type AdvisedFinding, advise } from './finding.ts'
import { paddedShare, percent } from './tiles.ts'

/** Whether a filter rearranges values for a general compressor, and so must come before it. */
function arranges({ name }: FilterConfig): boolean {
  const arranging: readonly FilterUse['does'][] = ['arrange', 'shrink and arrange']
  return arranging.includes(useOf(name).does)
}

/** Filters that save less than this part of a field may be idle. */
const MAX_SAVED_SHARE = 0.05
/** Lower limits on the time to undo idle filters: in seconds, and as a part of the time to read the bytes. */
const MIN_UNDO_SECONDS = 0.02
const MIN_UNDO_SHARE = 0.5
/** Moving a checksum must save this many seconds. */
const MIN_CHECKSUM_SECONDS = 0.1

/** Finds compressors that take more time to undo than the bytes that they save would take to read. */
export function* idleFilters({ opened, files, scale }: AdviceFacts): Generator<AdvisedFinding> {
  for (const file of files) {
    if (!file.filters.some(isGeneral)) continue
    const [stored, unfiltered] = [file.stored_bytes * scale, file.unfiltered_bytes * scale]
    const saved = Math.max(0, unfiltered - stored)
    if (saved > MAX_SAVED_SHARE * unfiltered) continue
    const undo = unfilterSeconds(file.filters, unfiltered)
    const seconds = undo - objectStoreSeconds(0, saved)
    if (seconds < MIN_UNDO_SECONDS || undo < MIN_UNDO_SHARE * objectStoreSeconds(0, stored)) continue
    yield advise('FILTERS_SAVE_LITTLE', {
      field: file.field,
      message: `${titleOf(file)}: ${filtersAsText(file.filters)} saves ${shortSize(Math.round(saved))} of ${shortSize(Math.round(unfiltered))}, and undoing it takes about ${undo.toFixed(1)} s`,
      effect: { seconds: rounded(seconds), unfiltered_bytes: Math.round(unfiltered), share: saved / unfiltered },
      advice: withFilters(
        opened,
        [file],
        file.filters.filter((one) => !isGeneral(one)),
      ),
    })
  }
}

/** Lower limits on uncompressed data that is worth a trial: in bytes, and as a part of the array. */
const MIN_RAW_BYTES = 1024 * 1024
const MIN_RAW_SHARE = 0.5
/** Lower limit on the part that a trial with ZSTD must save. */
const MIN_TRIAL_SHARE = 0.25

/** Finds fields without a compressor. Compresses a part of a tile to see what that would save. */
export async function* rawFields(facts: AdviceFacts): AsyncGenerator<AdvisedFinding> {
  const { opened, files, scale, stored_bytes } = facts
  const raw = files.filter(({ filters }) => !filters.some(compresses))
  // Padding is one value, of which a compressor leaves nothing. What cures it are other tiles.
  const bytes = scale * sum(raw, (file) => file.stored_bytes) * (1 - paddedShare(facts))
  if (bytes < MIN_RAW_BYTES || bytes < MIN_RAW_SHARE * stored_bytes) return
  const [largest] = [...raw].sort((a, b) => b.stored_bytes - a.stored_bytes)
  const sample = await writtenBytes(largest)
  const after = sample && (await filteredSize(largest, sample, [TRIAL_FILTER]))
  if (!sample || after === undefined) return
  const share = 1 - after / sample.length
  if (share < MIN_TRIAL_SHARE) return
  const saved = bytes * share
  yield advise('NOTHING_COMPRESSED', {
    field: largest.field,
    message: `${shortSize(Math.round(bytes))} of ${shortSize(Math.round(stored_bytes))} are not compressed (${raw.map(titleOf).join(', ')}); on a sample of ${titleOf(largest)} ZSTD saves ${percent(share)}`,
    effect: { seconds: rounded(objectStoreSeconds(0, saved)), bytes: Math.round(saved), share: saved / stored_bytes },
    advice: withFilters(opened, raw, [TRIAL_FILTER]),
  })
}

/** What another order must save: a share of the field, and bytes. */
const MIN_ORDER_SHARE = 0.05
const MIN_ORDER_BYTES = 16 * 1024

/** Finds filters in a bad order: a shuffle or a delta after a compressor, or a checksum before one. */
export async function* wrongOrder(facts: AdviceFacts): AsyncGenerator<AdvisedFinding> {
  const { opened, files, scale, stored_bytes } = facts
  for (const file of files) {
    const stored = file.stored_bytes * scale
    const better = inBetterOrder(file.filters)
    if (better) {
      if (stored < MIN_ORDER_BYTES) continue
      const sample = await sampleBytes(file)
      const now = sample && (await filteredSize(file, sample, file.filters))
      const after = sample && (await filteredSize(file, sample, better))
      if (!now || !after) continue
      const share = 1 - after / now
      const saved = share * stored
      if (share < MIN_ORDER_SHARE || saved < MIN_ORDER_BYTES) continue
      yield advise('FILTER_ORDER', {
        field: file.field,
        message: `${titleOf(file)}: ${filtersAsText(file.filters)} compresses before it rearranges; on a sample ${filtersAsText(better)} saves ${percent(share)}`,
        effect: {
          seconds: rounded(objectStoreSeconds(0, saved)),
          bytes: Math.round(saved),
          share: saved / stored_bytes,
        },
        advice: withFilters(opened, [file], better),
      })
      continue
    }
    const checksum = file.filters.findIndex(({ name }) => name.startsWith('CHECKSUM'))
    const compressor = file.filters.findLastIndex(compresses)
    if (checksum < 0 || compressor < checksum) continue
    const unfiltered = file.unfiltered_bytes * scale
    const seconds = unfilterSeconds([file.filters[checksum]], unfiltered - stored)
    if (seconds < MIN_CHECKSUM_SECONDS) continue
    yield advise('FILTER_ORDER', {
      field: file.field,
      message: `${titleOf(file)}: ${filtersAsText(file.filters)} computes checksums of ${shortSize(Math.round(unfiltered))}; after the compressor it would be ${shortSize(Math.round(stored))}`,
      effect: {
        seconds: rounded(seconds),
        unfiltered_bytes: Math.round(unfiltered - stored),
        share: 1 - stored / unfiltered,
      },
      advice: withFilters(opened, [file], [...file.filters.filter((_, i) => i !== checksum), file.filters[checksum]]),
    })
  }
}

/** Moves filters that rearrange values before the general compressors. @returns undefined if they are already in such an order */
function inBetterOrder(filters: readonly FilterConfig[]): FilterConfig[] | undefined {
  const first = filters.findIndex(isGeneral)
  if (first < 0) return undefined
  const late = filters.slice(first).filter(arranges)
  if (late.length === 0) return undefined
  return [...filters.slice(0, first), ...late, ...filters.slice(first).filter((one) => !late.includes(one))]
}

/** Upper limit on the stored bytes of a tile that serves as a sample, and on the bytes of it that are compressed. */
const MAX_SAMPLE = 1024 * 1024

/**
 * Reads a tile in the middle of the largest fragment, because the first and the last tile are often special.
 * @returns undefined if it cannot be read, or is too large
 */
async function sampleTile(file: FileFacts): Promise<{ data: Uint8Array; stored_bytes: number } | undefined> {
  const { fragment } = file.fragment
  const tile = numberOfSample(file)
  const read = withTileFile(fragment, file.slot, tileRole(file), async (tiles) => {
    const { size } = tiles.place(tile)
    return size > MAX_SAMPLE ? undefined : { data: (await tiles.read(tile)).data, stored_bytes: size }
  })
  const sample = await read.catch(unlessFault)
  fragment.forget()
  return sample && sample.data.length > 0 ? sample : undefined
}

function numberOfSample({ fragment: { info } }: FileFacts): number {
  return Math.floor((info.tile_num - 1) / 2)
}

/** The first unfiltered bytes of a sample tile, without the padding of a dense one if its cells have a fixed size. */
async function writtenBytes(file: FileFacts): Promise<Uint8Array | undefined> {
  const { info } = file.fragment
  const { cellSize, varSized } = info.slots[file.slot]
  const data = (await sampleTile(file))?.data
  const rows =
    info.dense && file.role === 'data' && !varSized ? new DenseCoordinates(info).rows(numberOfSample(file)) : undefined
  if (!data || !rows) return data?.subarray(0, MAX_SAMPLE)
  const some = rows.subarray(0, Math.ceil(MAX_SAMPLE / cellSize))
  return gather({ data, starts: undefined, validity: undefined }, cellSize, Int32Array.from(some)).data
}

/** The first unfiltered bytes of a sample tile. */
async function sampleBytes(file: FileFacts): Promise<Uint8Array | undefined> {
  return (await sampleTile(file))?.data.subarray(0, MAX_SAMPLE)
}

/**
 * How much larger filtered tiles are with TileDB's compressors than with ours, which are other libraries. Measured on a tile that TileDB
 * wrote.
 */
export async function storedFactor(file: FileFacts, codecs: Codecs): Promise<number> {
  if (!file.filters.some(isGeneral)) return 1
  const sample = await sampleTile(file)
  const ours = sample && (await filteredSize(file, sample.data, file.filters, codecs))
  return sample && ours ? sample.stored_bytes / ours : 1
}

/** Type and size of what a file of a field has for each cell; of each value if the field is var-sized. */
function elementOf({ type, varSized, cellSize }: Slot, role: FileFacts['role']): [type: Datatype, size: number] {
  if (role === 'offsets') return ['UINT64', 8]
  if (role === 'validity') return ['UINT8', 1]
  return [type, varSized ? datatypeSize(type) : cellSize]
}

/** Number of bytes that filters make of a sample; undefined if they fail. */
async function filteredSize(
  { fragment: { fragment, info }, slot, role }: FileFacts,
  sample: Uint8Array,
  filters: readonly FilterConfig[],
  codecs = fragment.cx.codecs,
): Promise<number | undefined> {
  const [datatype, cellSize] = elementOf(info.slots[slot], role)
  const forward = async (): Promise<number> => {
    const tile = { datatype, cellSize, formatVersion: info.format_version }
    const pipeline = await Pipeline.load([...filters], tile, codecs)
    const whole = sample.subarray(0, sample.length - (sample.length % cellSize))
    return pipeline.forwardTile(whole, fixedChunkLengths(whole.length, cellSize, LARGEST_CHUNK)).length
  }
  return forward().catch(unlessFault)
}
