import { describe, expect, test } from '@jest/globals'
import { concat } from '../../src/base/bytes.ts'
import { Pipeline, type TileType } from '../../src/filters/pipeline.ts'
import { definitionOf } from '../../src/filters/registry.ts'
import { FILTER_OPTIONS, FILTER_TYPES, type FilterConfig, type FilterType } from '../../src/format/filter-pipeline.ts'
import { encode } from '../../src/format/io.ts'
import { tileChunks } from '../../src/format/tile-chunks.ts'
import { portableCodecs } from '../../src/node/node-codecs.ts'
import { failure } from '../helpers/failure.ts'
import { bytesOf, u32 } from '../helpers/filter-context.ts'
import { BACKENDS } from './libraries.ts'

/** What a chunk claims, and the most that its filters can make of its bytes. */

const NAMES = Object.keys(FILTER_TYPES) as FilterType[]
const MB = 2 ** 20
const KEY = new Uint8Array(32)
const randomBytes = (length: number): Uint8Array => new Uint8Array(length)
/** Unfiltered bytes of the most compressible chunks: zeros, so many that the heads count for little. */
const ZEROS = MB

const COMPRESSORS: readonly FilterType[] = ['GZIP', 'ZSTD', 'LZ4', 'BZIP2']
const STRING_FILTERS: readonly FilterType[] = ['RLE', 'DICTIONARY_ENCODING']

function configOf(name: FilterType): FilterConfig {
  const picture = name === 'WEBP' && { format: 'RGBA' as const, lossless: true, y_extent: 1024, x_extent: ZEROS / 1024 }
  const width = name === 'SCALE_FLOAT' && { scale: 1, offset: 0, byte_width: 1 }
  return { name, ...FILTER_OPTIONS[name], ...picture, ...width }
}

function typeOf(name: FilterType, strings: boolean): TileType {
  const datatype = strings ? 'STRING_ASCII' : name === 'WEBP' ? 'UINT8' : name === 'SCALE_FLOAT' ? 'FLOAT64' : 'INT64'
  const cellSize = strings || name === 'WEBP' ? 1 : 8
  return { datatype, cellSize, formatVersion: 22, key: KEY, stringOffsets: strings }
}

/** A chunk of zeros behind the filters, which the pipeline that is returned with it can undo. */
async function chunkOfZeros(names: readonly FilterType[], strings = false) {
  const pipeline = await Pipeline.load(names.map(configOf), typeOf(names[0] ?? 'NONE', strings), portableCodecs)
  const offsets = strings ? Float64Array.from({ length: 4 }, (_, i) => (i * ZEROS) / 4) : undefined
  const tile = pipeline.forwardTile(new Uint8Array(ZEROS), [ZEROS], { randomBytes, offsets })
  return { pipeline, tile }
}

describe('the most compressible chunk is not refused', () => {
  test.each([...NAMES.filter((name) => name !== 'DICTIONARY_ENCODING').map((name) => [name])])('%s', async (name) => {
    const again = COMPRESSORS.includes(name) ? [[name, name, name]] : []
    for (const names of [[name], [name, 'ZSTD'], [name, 'CHECKSUM_MD5', 'AES_256_GCM'], ...again] as FilterType[][]) {
      const { pipeline, tile } = await chunkOfZeros(names)
      expect(pipeline.reverseTile(tile).data.length).toBe(ZEROS)
    }
  })

  test.each(STRING_FILTERS.map((name) => [name]))('%s of strings', async (name) => {
    for (const names of [[name], [name, 'ZSTD']] as const) {
      const { pipeline, tile } = await chunkOfZeros(names, true)
      expect(pipeline.reverseTile(tile).data.length).toBe(ZEROS)
    }
  })
})

// libwebp needs more memory than other codecs: a picture in a few bytes may take a lot of it.
test('a picture is refused where memory has no room for all that libwebp makes of it', async () => {
  const { tile } = await chunkOfZeros(['WEBP'])
  const undone = async (room: number): Promise<number> => {
    const pipeline = await Pipeline.load([configOf('WEBP')], { ...typeOf('WEBP', false), room }, portableCodecs)
    return pipeline.reverseTile(tile).data.length
  }
  expect(tile.length).toBeLessThan(ZEROS / 1000)
  expect(await undone(2 * ZEROS)).toBe(ZEROS)
  await expect(undone(2 * ZEROS - 2)).rejects.toMatchObject({ code: 'TOO_LARGE' })
})

describe.each(BACKENDS)('what no writer makes, but the format allows, is not refused (%s)', (_, codecs) => {
  const undone = async (config: FilterConfig, length: number, own: Uint8Array, data: Uint8Array): Promise<number> => {
    const chunk = { original_length: length, metadata: own, data }
    const pipeline = await Pipeline.load([config], typeOf(config.name as FilterType, false), codecs)
    return pipeline.reverseTile(encode({ chunks: [chunk], extra: new Uint8Array(0) }, tileChunks)).data.length
  }

  test('a frame of zstd with nothing but RLE blocks of 128 KiB', async () => {
    const blocks = 64
    const length = blocks * 2 ** 17
    // Block header: last block, type 1 (RLE), size.
    const block = (last: number): Uint8Array =>
      bytesOf('000000 00').map((_, i) => (i < 3 ? ((2 ** 17 * 8 + 2 + last) >> (8 * i)) & 255 : 0))
    // Frame header: window of 8 MiB, content size of 4 bytes.
    const head = concat([bytesOf('28b52ffd 80 68'), u32(length)])
    const data = concat([head, ...Array.from({ length: blocks }, (_, i) => block(Number(i === blocks - 1)))])
    expect(data.length).toBeLessThan(300)
    expect(await undone({ name: 'ZSTD', level: 1 }, length, u32(0, 1, length, data.length), data)).toBe(length)
  })

  test('double differences of one bit', async () => {
    const count = MB
    const packed = new Uint8Array(Math.ceil((count - 2) / 64) * 8)
    const data = concat([Uint8Array.of(0), u32(count, 0), new Uint8Array(16), packed])
    expect(await undone(configOf('DOUBLE_DELTA'), 8 * count, u32(0, 1, 8 * count, data.length), data)).toBe(8 * count)
  })
})

describe('a chunk that claims more than its filters can make of its bytes is damaged', () => {
  const claim = async (names: readonly FilterType[], stored: number, claimed: number, room?: number) => {
    const type = { ...typeOf(names[0] ?? 'NONE', names[0] === 'DICTIONARY_ENCODING'), room }
    const pipeline = await Pipeline.load(names.map(configOf), type, portableCodecs)
    const chunk = { original_length: claimed, metadata: new Uint8Array(0), data: new Uint8Array(stored) }
    let isBegun = false
    const beforeUndone = (): void => {
      isBegun = true
    }
    const tile = encode({ chunks: [chunk], extra: new Uint8Array(0) }, tileChunks)
    const error = failure(() => pipeline.reverseTile(tile, { expectedSize: claimed, beforeUndone }))
    return { code: error.code, isBegun, message: error.message }
  }

  test.each(NAMES.filter((name) => definitionOf(name).mostUndone(100, false) < 1e9).map((name) => [name]))(
    '%s',
    async (name) => {
      const most = Math.floor(definitionOf(name).mostUndone(1000, false))
      // No matter how little room there is: a larger --memory would not help.
      const refused = await claim([name], 1000, Math.max(most, 65_536) + 1, 1000)
      expect(refused).toMatchObject({ code: 'INCONSISTENT', isBegun: false })
      expect(refused.message).toContain(`at most ${most} bytes, all that 1000 stored ones can give`)
      // What they can make is refused for lack of room, or undone.
      if (most > 65_536) expect(await claim([name], 1000, most, 1000)).toMatchObject({ code: 'TOO_LARGE' })
    },
  )

  test('of several filters, all count', async () => {
    const most = 1032 ** 2 * 1000
    expect(await claim(['GZIP', 'GZIP'], 1000, most + 1)).toMatchObject({ code: 'INCONSISTENT', isBegun: false })
    expect(await claim(['GZIP', 'CHECKSUM_MD5', 'GZIP'], 1000, most)).toMatchObject({ code: 'TRUNCATED' })
  })

  test('a filter that claims more of its own is refused before its output is made', async () => {
    const pipeline = await Pipeline.load([configOf('GZIP')], typeOf('GZIP', false), portableCodecs)
    const chunk = { original_length: 400_000, metadata: u32(0, 1, 400_000, 10), data: new Uint8Array(10) }
    expect(failure(() => pipeline.undo(chunk, 0, {})).code).toBe('INCONSISTENT')
    const twice = await Pipeline.load([configOf('GZIP'), configOf('GZIP')], typeOf('GZIP', false), portableCodecs)
    const error = failure(() => twice.undo(chunk, 0, {}))
    expect(error).toMatchObject({ code: 'BAD_FILTERED_DATA', found: 'a declared 400000' })
  })
})
