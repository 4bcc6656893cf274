import { describe, expect, test } from '@jest/globals'
import { InspectError } from '../../src/base/errors.ts'
import { filterOfOtherType } from '../../src/check/known-faults.ts'
import { TYPES_CHECKED_SINCE } from '../../src/filters/filter.ts'
import { Pipeline, type StageResult, type TileReadOptions } from '../../src/filters/pipeline.ts'
import { definitionOf } from '../../src/filters/registry.ts'
import { stageDescription } from '../../src/filters/stage-metadata.ts'
import {
  BIT_WIDTH_WINDOW_BYTES,
  bitWidthMetadata,
  POSITIVE_DELTA_WINDOW_BYTES,
  positiveDeltaMetadata,
} from '../../src/format/chunk-metadata.ts'
import type { Datatype } from '../../src/format/datatype.ts'
import { FILTER_OPTIONS, FILTER_TYPES, type FilterConfig, type FilterType } from '../../src/format/filter-pipeline.ts'
import { decode, decodePrefix, encode } from '../../src/format/io.ts'
import { tileChunks } from '../../src/format/tile-chunks.ts'
import { portableCodecs } from '../../src/node/node-codecs.ts'

const NAMES = Object.keys(FILTER_TYPES) as FilterType[]
const PICTURE = { y_extent: 2, x_extent: 6 }
const CELLS = Uint8Array.from([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12])

// The last one is the smallest as a signed 16-bit number.
const SHORTS = new Uint8Array(Uint16Array.of(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 0x80ff).buffer)

/** Filters SHORTS as one type and undoes it as another. Returns undefined if the filter refuses a type. */
function comesBack(name: FilterType, written: Datatype, later = written): Promise<Uint8Array | undefined> {
  const config: FilterConfig = { name, ...FILTER_OPTIONS[name], ...(name === 'WEBP' && { y_extent: 2, x_extent: 12 }) }
  const load = (datatype: Datatype): Promise<Pipeline> =>
    Pipeline.load([config], { datatype, cellSize: 8, formatVersion: 22, key: new Uint8Array(32) }, portableCodecs)
  const randomBytes = (length: number): Uint8Array => new Uint8Array(length)
  return faultless(async () => {
    const stored = (await load(written)).forwardTile(SHORTS, [SHORTS.length], { randomBytes })
    return (await load(later)).reverseTile(stored).data.slice()
  })
}

async function isMisread(name: FilterType, written: Datatype, later: Datatype): Promise<boolean> {
  const read = await comesBack(name, written)
  return read !== undefined && !Buffer.from(read).equals((await comesBack(name, written, later)) ?? new Uint8Array())
}

async function faultless<T>(from: () => Promise<T>): Promise<T | undefined> {
  try {
    return await from()
  } catch (error) {
    if (error instanceof InspectError) return undefined
    throw error
  }
}

/** Filters one chunk, undoes it, and returns the stage that is reported. */
async function stageOf(name: FilterType, onVerdict?: TileReadOptions['onVerdict']): Promise<StageResult> {
  const config: FilterConfig = { name, ...FILTER_OPTIONS[name], ...(name === 'WEBP' && PICTURE) }
  const strings = name === 'DICTIONARY_ENCODING'
  const type = strings ? 'STRING_ASCII' : name === 'WEBP' ? 'UINT8' : name === 'SCALE_FLOAT' ? 'FLOAT32' : 'INT16'
  const tile = {
    datatype: type,
    cellSize: 2,
    formatVersion: 22,
    key: new Uint8Array(32),
    stringOffsets: strings,
  } as const
  const pipeline = await Pipeline.load([config], tile, portableCodecs)
  const randomBytes = (length: number): Uint8Array => new Uint8Array(length)
  const offsets = strings ? Float64Array.from([0, 4, 8]) : undefined
  const stored = pipeline.forwardTile(CELLS, [CELLS.length], { offsets, randomBytes })
  const stages: StageResult[] = []
  const [chunk] = decode(stored, tileChunks).chunks
  pipeline.reverseChunk(chunk, 0, { onStage: (stage) => void stages.push(stage), onVerdict })
  return stages[0]
}

describe.each(NAMES)('%s', (name) => {
  test('describes all of its metadata', async () => {
    const stage = await stageOf(name)
    const { metadata } = stage.input
    const describe = stageDescription(stage)
    expect(describe ? decodePrefix(metadata, describe).length : 0).toBe(metadata.length)
  })
})

test.each(NAMES)('%s compares a digest or tag if the definition says so', async (name) => {
  let compared = 0
  await stageOf(name, () => void compared++)
  expect(compared > 0).toBe(definitionOf(name).tellsDamage ?? false)
})

describe.each(NAMES)('a value behind %s', (name) => {
  const config = { name, ...FILTER_OPTIONS[name] }

  test('comes back as it was, unless the definition says what is lost', async () => {
    const type = name === 'SCALE_FLOAT' ? 'FLOAT32' : name === 'WEBP' ? 'UINT8' : 'UINT16'
    const back = (await comesBack(name, type)) ?? SHORTS
    expect(!Buffer.from(back).equals(SHORTS)).toBe(definitionOf(name).loss?.(config) !== undefined)
  })

  test('depends on the element type if the definition says so', async () => {
    const [small, large]: Datatype[] = name === 'SCALE_FLOAT' ? ['FLOAT32', 'FLOAT64'] : ['UINT16', 'UINT32']
    const isMisreadEither = (await isMisread(name, large, small)) || (await isMisread(name, small, large))
    expect(isMisreadEither).toBe(definitionOf(name).elementSize !== undefined)
  })

  const SHORT: FilterConfig = { name: 'SCALE_FLOAT', scale: 1, offset: 0, byte_width: 2 }
  test.each<[Datatype, FilterConfig, Datatype]>([
    ['UINT16', { name: 'XOR' }, 'INT16'],
    ['FLOAT32', { name: 'XOR' }, 'INT32'],
    ['DATETIME_DAY', { name: 'XOR' }, 'INT64'],
    ['FLOAT64', SHORT, 'INT16'],
  ])('%s or what %j makes of it: check knows whether that matters', async (type, before, made) => {
    if (!(await isMisread(name, type, made))) return
    expect(filterOfOtherType([before, config], type, TYPES_CHECKED_SINCE - 1)).toBe(config)
  })
})

test('a filter that no release defines is refused by its number', async () => {
  const load = Pipeline.load(
    [{ name: 'UNKNOWN_17' }],
    { datatype: 'INT8', cellSize: 1, formatVersion: 22 },
    portableCodecs,
  )
  await expect(load).rejects.toMatchObject({
    code: 'UNSUPPORTED_FILTER',
    message: 'expected a filter that TileDB defines, found UNKNOWN_17',
  })
})

test('windows have the bytes that kernels take them to have', () => {
  const window = { window_bytes: 8, bits: 8 }
  for (const size of [2, 4, 8]) {
    const value = new Uint8Array(size)
    const bytes = (windows: number): number =>
      encode(
        { original_bytes: 8, windows: new Array(windows).fill({ ...window, value_offset: value }) },
        bitWidthMetadata(size),
      ).length
    expect(bytes(1) - bytes(0)).toBe(size + BIT_WIDTH_WINDOW_BYTES)
    const rising = (windows: number): number =>
      encode({ windows: new Array(windows).fill({ ...window, first_value: value }) }, positiveDeltaMetadata(size))
        .length
    expect(rising(1) - rising(0)).toBe(size + POSITIVE_DELTA_WINDOW_BYTES)
  }
})
