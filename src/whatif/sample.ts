import { element } from '../base/element.ts'
import { unlessFault } from '../base/errors.ts'
import type { Lease } from '../base/memory.ts'
import { varCells } from '../cells/fragment-cells.ts'
import { LARGE_TILE } from '../cells/large-tiles.ts'
import { TileFile } from '../cells/tile-files.ts'
import { checkOffsetCount } from '../cells/tile-places.ts'
import type { CellValNum } from '../format/cell-val-num.ts'
import type { Datatype } from '../format/datatype.ts'
import type { FilterPipeline } from '../format/filter-pipeline.ts'
import type { Slot } from '../format/fragment-slots.ts'
import { CHUNK_COUNT_BYTES, CHUNK_HEAD_BYTES } from '../format/tile-chunks.ts'
import { type FieldFile, type Fragment, pipelineOf, slotHasFiles } from '../objects/fragment.ts'
import type { ReadContext } from '../objects/read-context.ts'
import type { OpenedFragment } from '../read/query.ts'
import { offsetBytes } from '../write/field-writer.ts'
import { Random } from '../write/random.ts'

/** The unfiltered values of a tile, or of a run of its chunks. */
export interface SamplePart {
  data: Uint8Array
  /** Start of each var-sized cell, and the end of the last. Undefined for other cells. */
  starts: Float64Array | undefined
  /** Bytes in the file now. */
  stored_bytes: number
  /** Bytes of the offsets in their file now, if the values are text. */
  offsets_bytes: number
  /** In a sample of offsets or validity: the field that they belong to. */
  field?: string
}

/** What a pipeline filters: the values of a field, or the offsets or the validity of all fields. */
export interface FilterSample {
  /** Name of the field; null for offsets and validity, whose filters the array has for all fields. */
  field: string | null
  role: 'data' | 'var' | 'offsets' | 'validity'
  type: Datatype
  cell_val_num: CellValNum
  /** Bytes of a cell, or of one element of a var-sized cell. */
  cellSize: number
  /** The filters of the array. */
  pipeline: FilterPipeline
  parts: SamplePart[]
  /** Whether the parts are all values of the array. */
  whole: boolean
  /** Bytes of all files of this kind. */
  file_bytes: number
  /** Bytes of the files of offsets, if the values are text. */
  file_offsets_bytes: number
  /** The filters of offsets. They are not used where a pipeline of text keeps the offsets among the values. */
  offsetsPipeline: FilterPipeline
}

export interface SamplingOptions {
  seed: string
  /** Unfiltered bytes to take from each field; all of them if undefined. */
  bytes: number | undefined
  /** Names of fields; undefined for all, with their offsets and validity. */
  fields: readonly string[] | undefined
  /** Called with the number of tiles that were read, and that of all tiles that may have to be read. */
  onTile?: (done: number, total: number) => void
  /** See {@link ReadContext.pause}. */
  pause?: ReadContext['pause']
  /** Holds the memory of the sample. */
  held: Lease
}

/** What was sampled. */
export interface Sampled {
  samples: FilterSample[]
  /** Number of tiles from which something was taken. */
  tiles: number
  /** Number of tiles of the fragments. */
  tile_num: number
  /** Bytes of all data files. */
  file_bytes: number
}

/** Limit on the unfiltered bytes that are taken from a tile. */
const MAX_OF_A_TILE = 256 * 1024
/** Smallest fraction of the stored bytes for which a field is tried, unless it was asked for. */
const WORTH_TRYING = 0.002

/**
 * Reads a sample of tiles, the same tiles of each field. A seed spreads them over all fragments. Reads no more than it needs.
 * @throws InspectError the error of a tile, if no tile of a field can be read
 */
export async function takeSample(fragments: readonly OpenedFragment[], options: SamplingOptions): Promise<Sampled> {
  const { fields } = options
  for (const one of fragments) if (one.info.tile_num > MAX_SPREAD) await refuseClaim(one)
  const places = fragments.flatMap(({ fragment, info }) =>
    Array.from({ length: info.tile_num }, (_, tile) => ({ fragment, tile })),
  )
  const order = spread(places.length, options.seed)
  const byField = new Map<string, FieldFiles>()
  let file_bytes = 0
  for (const one of fragments) {
    for (const file of await one.fragment.fieldFiles()) {
      file_bytes += file.size
      addFile(byField, one, file)
    }
  }
  const taken = new Set<number>()
  const samples: FilterSample[] = []
  const offsets: JointSample = { role: 'offsets', sample: undefined }
  const validity: JointSample = { role: 'validity', sample: undefined }
  const tried = [...byField.values()].filter((field) =>
    fields ? fields.includes(field.name) : field.bytes >= WORTH_TRYING * file_bytes,
  )
  let done = 0
  const onTile = (): void => options.onTile?.(++done, tried.length * places.length)
  for (const field of tried) {
    await takeField(field, { places, order, options, onTile, taken, samples, offsets, validity })
  }
  if (!fields) samples.push(...[offsets, validity].flatMap(({ sample }) => sample ?? []))
  return { samples, tiles: taken.size, tile_num: places.length, file_bytes }
}

/** Refuses a number of tiles that the footer only claims: before anything is made for each of them. @throws InspectError INCONSISTENT */
async function refuseClaim({ fragment, info }: OpenedFragment): Promise<void> {
  for (const { slot } of await fragment.fieldFiles()) {
    const offsets = await fragment.offsets('tile_offsets', slot)
    if (offsets)
      return checkOffsetCount(fragment, info, `tile_offsets.${element(info.slots, slot).name}`, offsets.length)
  }
}

/** The files of a field in all fragments. */
interface FieldFiles {
  name: string
  /** The field's slot in each fragment. */
  slots: Map<Fragment, { index: number; slot: Slot }>
  pipelines: Record<'values' | 'offsets' | 'validity', FilterPipeline>
  sizes: Record<'values' | 'offsets' | 'validity', number>
  bytes: number
}

/** Adds a file to those of its field. Coordinates before version 5 and times of cells are left out: no user chooses filters for them alone. */
function addFile(byField: Map<string, FieldFiles>, { fragment, info }: OpenedFragment, file: FieldFile): void {
  const slot = info.slots[file.slot]
  if ((slot.kind !== 'attribute' && slot.kind !== 'dimension') || !slotHasFiles(info, slot)) return
  const { schema } = info
  const part = file.role === 'offsets' || file.role === 'validity' ? file.role : 'values'
  const field = byField.get(slot.name) ?? {
    name: slot.name,
    slots: new Map(),
    pipelines: {
      values: pipelineOf(schema, slot, slot.varSized ? 'var' : 'data'),
      offsets: pipelineOf(schema, slot, 'offsets'),
      validity: pipelineOf(schema, slot, 'validity'),
    },
    sizes: { values: 0, offsets: 0, validity: 0 },
    bytes: 0,
  }
  field.slots.set(fragment, { index: file.slot, slot })
  field.sizes[part] += file.size
  field.bytes += file.size
  byField.set(slot.name, field)
}

/** The offsets, or the validity, of all fields together. */
interface JointSample {
  role: 'offsets' | 'validity'
  sample: FilterSample | undefined
}

interface Sampling {
  /** All tiles. */
  places: readonly { fragment: Fragment; tile: number }[]
  /** Indexes of `places` in the order in which tiles are taken. */
  order: readonly number[]
  options: SamplingOptions
  /** Called for each tile that was read. */
  onTile: () => void
  /** Indexes of the places from which something was taken. */
  taken: Set<number>
  samples: FilterSample[]
  offsets: JointSample
  validity: JointSample
}

async function takeField(field: FieldFiles, sampling: Sampling): Promise<void> {
  const [{ slot }] = field.slots.values()
  const { type, cell_val_num, cellSize, varSized } = slot
  const isText = varSized && (type === 'STRING_ASCII' || type === 'STRING_UTF8')
  const sample: FilterSample = {
    field: field.name,
    role: varSized ? 'var' : 'data',
    type,
    cell_val_num,
    cellSize,
    pipeline: field.pipelines.values,
    parts: [],
    whole: true,
    file_bytes: field.sizes.values,
    file_offsets_bytes: isText ? field.sizes.offsets : 0,
    offsetsPipeline: field.pipelines.offsets,
  }
  const room = sampling.options.bytes ?? Number.POSITIVE_INFINITY
  const readers = new Map<Fragment, TileReader>()
  let failure: unknown
  let bytes = 0
  try {
    for (const at of sampling.order) {
      if (bytes >= room) {
        sample.whole = false
        break
      }
      const { fragment, tile } = sampling.places[at]
      const place = field.slots.get(fragment)
      if (!place) continue
      if (!readers.has(fragment)) readers.set(fragment, await openTileReader(fragment, place.index, place.slot, isText))
      const part = await readers
        .get(fragment)
        ?.read(tile, room)
        .catch((error: unknown) => {
          failure = error
          return unlessFault(error)
        })
      sampling.onTile()
      await sampling.options.pause?.()
      if (!part) continue
      sampling.taken.add(at)
      sample.parts.push(part.values)
      sampling.options.held.hold(sampling.options.held.bytes + bytesOf(part))
      bytes += part.values.data.length
      if (part.isCut) sample.whole = false
      if (part.offsets) addJoint(sampling.offsets, field, part.offsets)
      if (part.validity) addJoint(sampling.validity, field, part.validity)
    }
  } finally {
    for (const reader of readers.values()) await reader?.close()
  }
  if (sample.parts.length === 0 && failure !== undefined) throw failure
  // Tiles that could not be read are missing from the sample.
  if (failure !== undefined) sample.whole = false
  for (const [joint, size] of [
    [sampling.offsets, field.sizes.offsets],
    [sampling.validity, field.sizes.validity],
  ] as const) {
    if (!joint.sample || size === 0) continue
    joint.sample.file_bytes += size
    joint.sample.whole &&= sample.whole
  }
  if (sample.parts.length > 0) sampling.samples.push(sample)
}

function addJoint(joint: JointSample, field: FieldFiles, part: SamplePart): void {
  const isOffsets = joint.role === 'offsets'
  joint.sample ??= {
    field: null,
    role: joint.role,
    type: isOffsets ? 'UINT64' : 'UINT8',
    cell_val_num: 1,
    cellSize: isOffsets ? 8 : 1,
    pipeline: field.pipelines[joint.role],
    parts: [],
    whole: true,
    file_bytes: 0,
    file_offsets_bytes: 0,
    offsetsPipeline: field.pipelines.offsets,
  }
  joint.sample.parts.push({ ...part, field: field.name })
}

/** The indexes below `count`, each once, in an order that spreads the first few over all. */
function spread(count: number, seed: string): number[] {
  const start = new Random(seed).below(2 ** 32) / 2 ** 32
  const seen = new Set<number>()
  const order: number[] = []
  const add = (at: number): void => {
    if (seen.has(at)) return
    seen.add(at)
    order.push(at)
  }
  for (let i = 0; i < Math.min(2 * count, MAX_SPREAD); i++) add(Math.floor(((start + i * GOLDEN) % 1) * count))
  for (let i = 0; i < count; i++) add(i)
  return order
}

/** A number whose multiples, modulo 1, fill an interval evenly. */
const GOLDEN = (Math.sqrt(5) - 1) / 2
/** Limit on the indexes that are spread. The others follow in order. */
const MAX_SPREAD = 10_000

interface ReadParts {
  values: SamplePart
  offsets: SamplePart | undefined
  validity: SamplePart | undefined
  /** Whether only a part of the tile was taken. */
  isCut: boolean
}

interface TileReader {
  /** @param room limit on the unfiltered bytes of the whole sample */
  read(tile: number, room: number): Promise<ReadParts>
  close(): Promise<void>
}

/** Bytes that the parts of a tile take. */
function bytesOf({ values, offsets, validity }: ReadParts): number {
  const starts = values.starts?.byteLength ?? 0
  return values.data.length + starts + (offsets?.data.length ?? 0) + (validity?.data.length ?? 0)
}

async function openTileReader(fragment: Fragment, index: number, slot: Slot, isText: boolean): Promise<TileReader> {
  const { varSized, nullable, cellSize } = slot
  const values = await TileFile.open(fragment, index, varSized ? 'var' : 'data')
  const offsets = varSized ? await TileFile.open(fragment, index, 'offsets') : undefined
  const validity = nullable ? await TileFile.open(fragment, index, 'validity') : undefined
  const readVar = offsets && varCells(offsets, values, cellSize)
  const wholeTile = async (tile: number): Promise<SampledCells> =>
    readVar ? readVar(tile) : { data: (await values.read(tile)).data.slice(), starts: undefined }
  /** The cells to take of a tile, and their stored bytes. @param whole the tile, if it was read */
  const cellsOf = async (tile: number, whole: SampledCells | undefined, run: ChunkRun | undefined) => {
    if (!run) return { ...(whole ?? (await wholeTile(tile))), stored_bytes: values.place(tile).size }
    if (whole) return cutCells(whole, run)
    const data = await values.pieces(tile).read(run.from, run.to)
    return { data, starts: undefined, stored_bytes: run.stored_bytes }
  }
  return {
    async read(tile, room) {
      const isPart = room !== Number.POSITIVE_INFINITY
      const inPieces = isPart && values.canReadPieces && values.isLarge(tile)
      const whole = inPieces ? undefined : await wholeTile(tile)
      const run = isPart ? await runOf(values, tile, whole) : undefined
      const { data, starts, stored_bytes } = await cellsOf(tile, whole, run)
      const cellNum = starts ? starts.length - 1 : data.length / cellSize
      const share = run ? cellNum / values.cells(tile) : 1
      const offsetsSize = offsets ? offsets.place(tile).size * share : 0
      const isInside = offsetsSize <= CHUNK_COUNT_BYTES
      const valid = validity && (await validity.read(tile)).data
      // What is kept is a copy of a part, or is held by the sample.
      for (const file of [values, offsets, validity]) file?.release()
      const firstCell = run ? (whole?.starts?.indexOf(run.from) ?? run.from / cellSize) : 0
      return {
        values: { data, starts, stored_bytes, offsets_bytes: isText ? offsetsSize : 0 },
        offsets: starts && !isInside ? partOf(offsetBytes(starts.subarray(0, cellNum)), offsetsSize) : undefined,
        validity:
          valid && partOf(valid.slice(firstCell, firstCell + cellNum), (validity?.place(tile).size ?? 0) * share),
        isCut: run !== undefined,
      }
    },
    async close() {
      for (const file of [values, offsets, validity]) await file?.close()
      fragment.forget()
    },
  }
}

function partOf(data: Uint8Array, stored_bytes: number): SamplePart {
  return { data, starts: undefined, stored_bytes, offsets_bytes: 0 }
}

/** Successive chunks of a tile. */
interface ChunkRun {
  /** Start and end in the unfiltered tile, in bytes. */
  from: number
  to: number
  stored_bytes: number
}

interface SampledCells {
  data: Uint8Array
  starts: Float64Array | undefined
}

/**
 * What to take of a tile: the chunks in its middle, or the cells there if chunks are large. Undefined if the tile is small, if it is one
 * chunk that is not large, or if the chunks would cut cells.
 * @param cells undefined for fixed-sized cells that were not read
 */
async function runOf(file: TileFile, tile: number, cells: SampledCells | undefined): Promise<ChunkRun | undefined> {
  const length = cells?.data.length ?? file.expectedSize(tile) ?? 0
  if (length <= MAX_OF_A_TILE) return undefined
  const chunks = await chunkSizes(file, tile)
  const run = chunkRun(chunks, length)
  const { starts } = cells ?? {}
  const cutsCells = starts && !(starts.includes(run.from) && starts.includes(run.to))
  if (chunks.length > 1 && !cutsCells && run.to - run.from <= LARGE_TILE) return run
  return length > LARGE_TILE ? cellRun(file, tile, length, starts) : undefined
}

interface ChunkSize {
  original_length: number
  /** With its head. */
  stored: number
}

async function chunkSizes(file: TileFile, tile: number): Promise<ChunkSize[]> {
  const sizes: ChunkSize[] = []
  for await (const { chunk } of file.chunks(tile)) {
    const { original_length, data, metadata } = chunk
    sizes.push({ original_length, stored: CHUNK_HEAD_BYTES + data.length + metadata.length })
  }
  return sizes
}

/** The chunks in the middle of a tile. */
function chunkRun(chunks: readonly ChunkSize[], length: number): ChunkRun {
  const middle = Math.floor((length - MAX_OF_A_TILE) / 2)
  let [at, from, to, stored_bytes] = [0, 0, 0, CHUNK_COUNT_BYTES]
  for (const { original_length, stored } of chunks) {
    if (at < middle && at + original_length <= middle) from = at + original_length
    else if (at - from < MAX_OF_A_TILE) {
      to = at + original_length
      stored_bytes += stored
    }
    at += original_length
  }
  return { from, to, stored_bytes }
}

/** The cells in the middle of a tile. Their stored bytes are an even share. */
function cellRun(file: TileFile, tile: number, length: number, starts: Float64Array | undefined): ChunkRun {
  const middle = Math.floor((length - MAX_OF_A_TILE) / 2)
  const size = length / file.cells(tile)
  const first = starts?.findLast((start) => start <= middle) ?? Math.floor(middle / size) * size
  const most =
    starts?.findLast((start) => start <= first + MAX_OF_A_TILE) ?? first + Math.floor(MAX_OF_A_TILE / size) * size
  const end = most > first ? most : (starts?.find((start) => start > first) ?? first + size)
  return { from: first, to: end, stored_bytes: Math.ceil((file.place(tile).size * (end - first)) / length) }
}

function cutCells(cells: SampledCells, { from, to, stored_bytes }: ChunkRun) {
  const data = cells.data.slice(from, to)
  const { starts } = cells
  if (!starts) return { data, starts, stored_bytes }
  const moved = starts.filter((start) => start >= from && start <= to).map((start) => start - from)
  return { data, starts: moved, stored_bytes }
}
