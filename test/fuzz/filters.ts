import { concat, NO_BYTES } from '../../src/base/bytes.ts'
import { InspectError } from '../../src/base/errors.ts'
import { Pipeline, type TileType, type UnfilteredTile } from '../../src/filters/pipeline.ts'
import { stageMetadata } from '../../src/filters/stage-metadata.ts'
import { DATATYPES, type Datatype, datatypeKind, datatypeSize } from '../../src/format/datatype.ts'
import {
  FILTER_OPTIONS,
  FILTER_TYPES,
  type FilterConfig,
  type FilterType,
  isCompressor,
} from '../../src/format/filter-pipeline.ts'
import { NEWEST_FORMAT_VERSION } from '../../src/format/format-version.ts'
import { decode, encode } from '../../src/format/io.ts'
import { tileChunks } from '../../src/format/tile-chunks.ts'
import { nodeCodecs, portableCodecs } from '../../src/node/node-codecs.ts'
import type { Random } from '../helpers/random.ts'
import { sameBytes } from '../helpers/specimen.ts'
import { type Broken, broken } from './fuzzer.ts'
import { mutateBytes } from './mutations.ts'

const NAMES = Object.keys(FILTER_TYPES) as FilterType[]
const KEY = new Uint8Array(32).fill(7)
const FLOATS = DATATYPES.filter((type) => datatypeKind(type) === 'float')
const INTEGERS: readonly Datatype[] = ['INT8', 'UINT8', 'INT16', 'UINT16', 'INT32', 'UINT32', 'INT64', 'UINT64']
/** No tile of a fuzz case is larger unfiltered: the largest has chunks of 40 MiB, of which a mutation may have made four. */
const MAX_BYTES = 160 << 20
/** Bytes that a chunk may claim beyond those it has. */
const CLAIMED_BYTES = 1 << 20

/** The options of a filter. Sometimes one or all of them are missing. */
function anyConfig(random: Random, name: FilterType): FilterConfig {
  const config = wholeConfig(random, name)
  const missing = random.below(40) === 0 ? random.pick(Object.keys(config)) : undefined
  if (missing === 'name') return { name }
  return Object.fromEntries(Object.entries(config).filter(([key]) => key !== missing)) as unknown as FilterConfig
}

function wholeConfig(random: Random, name: FilterType): FilterConfig {
  if (isCompressor(name))
    return {
      name,
      level: random.pick([-1, -1, 1, 5, 30, -7]),
      reinterpret_datatype: random.below(2) === 0 ? 'ANY' : random.pick(DATATYPES),
    }
  if (name === 'BIT_WIDTH_REDUCTION' || name === 'POSITIVE_DELTA')
    return { name, max_window_size: random.pick([0, 1, 8, 256]) }
  if (name === 'SCALE_FLOAT')
    return {
      name,
      scale: random.pick([0, 0.5, 1, -1e300]),
      offset: random.pick([0, 1]),
      byte_width: random.pick([0, 1, 2, 3, 4, 8]),
    }
  if (name === 'WEBP') {
    const format = random.pick(['NONE', 'RGB', 'BGR', 'RGBA', 'BGRA'] as const)
    const channels = format.length
    return {
      name,
      quality: random.pick([0, 90, 100]),
      format,
      lossless: random.below(2) === 0,
      y_extent: 1 + random.below(8),
      x_extent: random.below(8) === 0 ? random.below(30) : channels * (1 + random.below(8)),
    }
  }
  return { name, ...FILTER_OPTIONS[name] }
}

/** Filters that are lossy: reverse may return other bytes than went into forward. */
const LOSSY = new Set<string>(['SCALE_FLOAT', 'WEBP'])

interface Case {
  filters: FilterConfig[]
  tile: TileType
  data: Uint8Array
  offsets: Float64Array | undefined
  chunkLengths: number[]
}

/** A chunk without parts. */
const NOTHING = encode(
  { chunks: [{ original_length: 0, metadata: new Uint8Array(8), data: NO_BYTES }], extra: NO_BYTES },
  tileChunks,
)

/** One in this many cases has a tile that is too large for the memory of the kernels. */
const HUGE = 2400
const HUGE_BYTES = 40 << 20

function anyCase(random: Random): Case {
  const kind = random.below(HUGE)
  if (kind === 0) return hugeCase(random)
  if (kind % 12 === 1) return imageCase(random)
  if (kind % 8 === 2) return stringsCase(random)
  const count = random.pick([1, 1, 1, 1, random.below(4), random.below(4), random.below(4), random.below(9)])
  const filters = Array.from({ length: count }, () => anyConfig(random, random.pick(NAMES)))
  const types = random.below(2) === 0 ? DATATYPES : filters[0]?.name === 'SCALE_FLOAT' ? FLOATS : INTEGERS
  const datatype = random.pick(types)
  const size = datatypeSize(datatype)
  const values = random.pick([1, 1, 1, 2, 3])
  const tile = anyTile(random, datatype, size * values)
  const whole = anyData(random, size, values * random.below(random.pick([8, 64, 64, 700])))
  const data = random.below(30) === 0 ? whole.subarray(0, whole.length - random.below(whole.length + 1)) : whole
  return { filters, tile, data, offsets: undefined, chunkLengths: cut(random, data, tile.cellSize) }
}

function anyTile(random: Random, datatype: Datatype, cellSize: number): TileType {
  return {
    datatype,
    cellSize,
    formatVersion: 1 + random.below(NEWEST_FORMAT_VERSION),
    key: random.pick([KEY, KEY, KEY, KEY, undefined, KEY.subarray(1)]),
    room: random.below(20) === 0 ? random.below(200) : undefined,
  }
}

function hugeCase(random: Random): Case {
  const shuffles = [
    'BITSHUFFLE',
    'BYTESHUFFLE',
    'XOR',
    'DELTA',
    'DOUBLE_DELTA',
    'POSITIVE_DELTA',
    'BIT_WIDTH_REDUCTION',
    'RLE',
  ] as const
  const filters = [anyConfig(random, random.pick(shuffles)), anyConfig(random, random.pick(['RLE', 'LZ4', 'ZSTD']))]
  const data = new Uint8Array(HUGE_BYTES)
  return { filters, tile: anyTile(random, 'INT32', 4), data, offsets: undefined, chunkLengths: [data.length] }
}

function imageCase(random: Random): Case {
  const image = anyConfig(random, 'WEBP')
  const others = Array.from({ length: random.below(2) }, () => anyConfig(random, random.pick(NAMES)))
  const data = anyData(random, 1, (image.x_extent ?? 4) * (image.y_extent ?? 4))
  return {
    filters: [image, ...others],
    tile: anyTile(random, 'UINT8', 1),
    data,
    offsets: undefined,
    chunkLengths: [data.length],
  }
}

/** Var-sized strings with offsets, which the filter keeps among its data. */
function stringsCase(random: Random): Case {
  const others = Array.from({ length: random.below(3) }, () => anyConfig(random, random.pick(NAMES)))
  const filters = [anyConfig(random, random.pick(['RLE', 'DICTIONARY_ENCODING'])), ...others]
  const tile = { ...anyTile(random, 'STRING_ASCII', 1), stringOffsets: random.below(10) > 0 }
  const data = anyData(random, 1, random.below(random.pick([8, 200, 200, 70_000])))
  const starts = Array.from({ length: random.below(random.pick([3, 20, 300])) }, () => random.below(data.length + 1))
  const offsets = Float64Array.from(starts).sort()
  if (offsets.length > 0) offsets[0] = 0
  // Offsets that no caller passes: they decrease, or point outside.
  if (offsets.length > 0 && random.below(20) === 0) offsets[random.below(offsets.length)] = data.length + 1
  const cells = offsets.length > 0 ? data : data.subarray(0, 0)
  return { filters, tile, data: cells, offsets: tile.stringOffsets ? offsets : undefined, chunkLengths: [cells.length] }
}

/** Random elements, rising ones, or runs of equal ones. */
function anyData(random: Random, size: number, count: number): Uint8Array {
  const kind = random.below(4)
  if (kind < 2) return random.integers(size, count)
  const out = new Uint8Array(size * count)
  let value = kind === 2 ? BigInt(random.below(100)) : BigInt(random.below(3))
  const step = random.pick([1, 3, 200, 2 ** 31])
  for (let i = 0; i < count; i++) {
    for (let j = 0, left = value; j < size; j++, left >>= 8n) out[i * size + j] = Number(left & 0xffn)
    if (kind === 2) value += BigInt(random.below(step))
    else if (random.below(9) === 0) value = BigInt(random.below(200))
  }
  return out
}

function cut(random: Random, data: Uint8Array, cellSize: number): number[] {
  const lengths: number[] = []
  const most = random.below(2) === 0 ? data.length : cellSize * (1 + random.below(60))
  for (let at = 0; at < data.length; at += most) lengths.push(Math.min(most, data.length - at))
  if (random.below(10) === 0) lengths.push(0)
  return lengths
}

/** The result of undoing filters, as a text to compare. */
function undone(pipeline: Pipeline, stored: Uint8Array, plain: boolean): UnfilteredTile | InspectError {
  const verdicts = { onVerdict: () => {} }
  try {
    return pipeline.reverseTile(stored, plain ? { ...verdicts, onStage: () => {} } : verdicts)
  } catch (error) {
    if (error instanceof InspectError) return error
    throw error
  }
}

function same(a: UnfilteredTile | InspectError, b: UnfilteredTile | InspectError): boolean {
  if (a instanceof InspectError || b instanceof InspectError)
    return a instanceof InspectError && b instanceof InspectError && a.code === b.code && a.message === b.message
  return sameBytes(a.data, b.data) && String(a.offsets) === String(b.offsets)
}

/**
 * Applies up to three filters to random bytes, and undoes them. Bytes that were not changed in between must come back. For mutated bytes
 * and for noise, kernels and plain code must agree, and so must the codecs of Node and the portable ones.
 */
export async function fuzzFilters(random: Random): Promise<Broken | undefined> {
  const one = anyCase(random)
  const { filters, tile, data, offsets, chunkLengths } = one
  const what = `${filters.map((filter) => JSON.stringify(filter)).join(', ')} of ${tile.datatype}, cells of ${tile.cellSize}, version ${tile.formatVersion}, ${data.length} bytes${tile.stringOffsets ? ' with offsets' : ''}`
  try {
    const pipeline = await Pipeline.load(filters, tile, nodeCodecs)
    let stored = random.pick([random.bytes(8 + random.below(200)), NOTHING])
    try {
      stored = pipeline.forwardTile(data, chunkLengths, { offsets, randomBytes: (length) => random.bytes(length) })
      const back = pipeline.reverseTile(stored)
      if (!filters.some(({ name }) => LOSSY.has(name)) && !sameBytes(back.data, data))
        return { law: 'other bytes come back', what }
      if (offsets && String(back.offsets) !== String(offsets)) return { law: 'other offsets come back', what }
    } catch (error) {
      // Writing may refuse values that a filter does not accept.
      if (!(error instanceof InspectError)) throw error
    }
    for (let left = random.below(3); left >= 0; left--) stored = mutateStored(random, stored)
    stored = framed(stored)
    const fast = undone(pipeline, stored, false)
    if (!same(fast, undone(pipeline, stored, true))) return { law: 'plain code gives something else', what }
    parts(pipeline, stored)
    const portable = undone(await Pipeline.load(filters, tile, portableCodecs), stored, false)
    if (!(fast instanceof InspectError && portable instanceof InspectError) && !same(fast, portable))
      return { law: 'portable codecs give something else', what }
    if (fast instanceof InspectError || fast.data.length <= MAX_BYTES) return undefined
    return { law: `${fast.data.length} bytes from ${stored.length}`, what }
  } catch (error) {
    if (error instanceof InspectError) return undefined
    return broken(error, what)
  }
}

/** Mutates a stored tile: any of its bytes, or the metadata or data of one chunk, whose lengths are then adapted. */
function mutateStored(random: Random, stored: Uint8Array): Uint8Array {
  const other = random.bytes(64)
  if (random.below(3) === 0) return mutateBytes(random, stored, other)
  try {
    const tile = decode(stored, tileChunks)
    if (tile.chunks.length === 0) return mutateBytes(random, stored, other)
    const chunk = random.pick(tile.chunks)
    if (random.below(2) === 0) chunk.metadata = mutateBytes(random, chunk.metadata, other)
    else {
      const before = chunk.data.length
      chunk.data = mutateBytes(random, chunk.data, other)
      if (random.below(4) > 0) chunk.metadata = withLength(chunk.metadata, before, chunk.data.length)
    }
    if (random.below(8) === 0) tile.chunks.push(random.pick(tile.chunks))
    return encode(tile, tileChunks)
  } catch (error) {
    // An earlier mutation changed this place.
    if (!(error instanceof InspectError)) throw error
    return mutateBytes(random, stored, other)
  }
}

/** Changes the lengths in the metadata of filters so that they agree with data of another length. */
function withLength(metadata: Uint8Array, before: number, now: number): Uint8Array {
  const out = metadata.slice()
  const view = new DataView(out.buffer)
  for (let at = 0; at + 4 <= out.length; at++) if (view.getUint32(at, true) === before) view.setUint32(at, now, true)
  return out
}

/** Chunk by chunk, only as far as checksums go, and what each stage's metadata say. */
function parts(pipeline: Pipeline, stored: Uint8Array): void {
  try {
    const { chunks } = decode(stored, tileChunks)
    for (const [i, chunk] of chunks.entries()) {
      pipeline.reverseChunk(chunk, i, { checksumsOnly: true, onStage: stageMetadata })
      pipeline.reverseChunk(chunk, i, { onVerdict: () => {} })
      pipeline.reverseChunk(chunk, i)
    }
  } catch (error) {
    if (!(error instanceof InspectError)) throw error
  }
}

/** Caps the length that the first chunk claims. In a fragment the size of the tile bounds it. */
function framed(stored: Uint8Array): Uint8Array {
  if (stored.length < 12) return stored
  const out = concat([stored])
  const view = new DataView(out.buffer, out.byteOffset)
  if (view.getUint32(8, true) > HUGE_BYTES) view.setUint32(8, view.getUint32(8, true) % CLAIMED_BYTES, true)
  return out
}
