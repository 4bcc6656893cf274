import { describe, expect, test } from '@jest/globals'
import { NO_BYTES } from '../../src/base/bytes.ts'
import { commandLineText } from '../../src/base/errors.ts'
import type { LostTail } from '../../src/filters/filter.ts'
import { Pipeline } from '../../src/filters/pipeline.ts'
import { zstd } from '../../src/filters/zstd.ts'
import type { FilterConfig } from '../../src/format/filter-pipeline.ts'
import { encode } from '../../src/format/io.ts'
import { type StoredChunk, tileChunks } from '../../src/format/tile-chunks.ts'
import { portableCodecs } from '../../src/node/node-codecs.ts'
import { failure } from '../helpers/failure.ts'
import { bytesOf } from '../helpers/filter-context.ts'
import { BACKENDS, contextOf, plainText, stored } from './libraries.ts'

const TILE = { datatype: 'INT32', cellSize: 4, formatVersion: 22 } as const
const ZSTD: FilterConfig = { name: 'ZSTD', level: 3 }
const PIPELINES: FilterConfig[][] = [
  [],
  [ZSTD],
  [ZSTD, { name: 'CHECKSUM_MD5' }],
  [{ name: 'LZ4', level: 1 }],
  [ZSTD, { name: 'LZ4', level: 1 }],
  [{ name: 'BYTESHUFFLE' }, ZSTD],
]

describe.each(BACKENDS)('a tile of several chunks (%s)', (_, codecs) => {
  test.each(PIPELINES.map((filters) => [filters.map(({ name }) => name).join() || 'none', filters] as const))(
    'is whole behind %s',
    async (_, filters) => {
      const pipeline = await Pipeline.load(filters, TILE, codecs)
      const data = plainText(400_000)
      for (const lengths of [[400_000], [65_536, 65_536, 268_928], [0, 100, 0, 399_900], [399_999, 1]]) {
        const tile = pipeline.forwardTile(data, lengths)
        const first = pipeline.reverseTile(tile).data
        const into = new Uint8Array(500_000)
        const second = pipeline.reverseTile(tile, { into }).data
        expect(Buffer.compare(first, data)).toBe(0)
        expect(Buffer.compare(second, data)).toBe(0)
        if (lengths.length > 1) expect(second.buffer).toBe(into.buffer)
      }
    },
  )

  test('says of which chunk the end is missing', async () => {
    const pipeline = await Pipeline.load([ZSTD], TILE, codecs)
    const tile = pipeline.forwardTile(plainText(200_000), [65_536, 65_536, 68_928])
    const damaged = tile.slice()
    damaged.fill(0xff, tile.length - 500)
    expect(failure(() => pipeline.reverseTile(damaged))).toMatchObject({
      code: 'BAD_FILTERED_DATA',
      at: { field: expect.stringMatching(/^chunks\.2\.ZSTD/) },
    })
  })
})

describe.each(BACKENDS)('a chunk of TileDB 2.2.9 without all bytes of what RLE made (%s)', (_, codecs) => {
  const CHUNK =
    '010000000000000018000000490000002000000002000000010000000c0000001100000018000000160000003200000022000000785e6362606030006226' +
    '20060001ac0035785e63646060600462012096046211280d0003740059785e636062400046209600621110072631e9403f9bcc2ca3056059200000324e03a2'
  test('is not undone, and the error says what is lost', async () => {
    const filters: FilterConfig[] = [
      { name: 'RLE', level: -1 },
      { name: 'DOUBLE_DELTA', level: -1 },
      { name: 'BITSHUFFLE' },
      { name: 'GZIP', level: 5 },
    ]
    const tile = { datatype: 'DATETIME_MONTH', cellSize: 8, formatVersion: 8 } as const
    const lost: LostTail[] = []
    const pipeline = await Pipeline.load(filters, tile, codecs)
    const reverse = (): unknown => pipeline.reverseTile(bytesOf(CHUNK), { onLostTail: (tail) => void lost.push(tail) })
    expect(failure(reverse).message).toBe(
      'expected runs of 24 bytes in all, found 1 cell of 8; TileDB dropped 4 bytes of the chunk when it wrote',
    )
    expect(lost).toEqual([{ length: 4, element_size: 8, of_metadata: false }])
  })
})

describe('a chunk of strings without bytes and metadata', () => {
  const STRINGS = { datatype: 'STRING_ASCII', cellSize: 1, formatVersion: 13, stringOffsets: true } as const
  const RLE: FilterConfig = { name: 'RLE', level: -1 }
  const chunk = (original_length: number): StoredChunk => ({ original_length, metadata: NO_BYTES, data: NO_BYTES })

  test('is that of empty strings, if the filter of strings is the only one', async () => {
    const alone = await Pipeline.load([RLE], STRINGS, portableCodecs)
    expect(alone.reverseChunk(chunk(0), 0)).toMatchObject({ data: NO_BYTES })
    expect(failure(() => alone.reverseChunk(chunk(9), 0)).message).toBe(
      'expected 9 bytes of strings, found an empty chunk: the release that wrote it lost them',
    )
    const behind = await Pipeline.load([RLE, ZSTD], STRINGS, portableCodecs)
    expect(failure(() => behind.reverseChunk(chunk(0), 0)).message).toBe(
      'expected metadata of ZSTD, found an empty chunk: the release that wrote it dropped that of a tile of empty strings, and TileDB cannot read it',
    )
  })
})

test('chunks that declare far more than is plausible are refused, unless the size of the tile is known', async () => {
  const declared = 2 ** 31
  // So many bytes could come of BZIP2, but these are none.
  const tile = encode(
    { chunks: [{ original_length: declared, metadata: NO_BYTES, data: new Uint8Array(1000) }], extra: NO_BYTES },
    tileChunks,
  )
  const message = (room: number | undefined, isRoomSet: boolean, expectedSize?: number): Promise<string> =>
    Pipeline.load([{ name: 'BZIP2', level: 1 }], { ...TILE, room, isRoomSet }, portableCodecs).then((pipeline) =>
      commandLineText(failure(() => pipeline.reverseTile(tile, { expectedSize }))),
    )
  expect(await message(undefined, false)).toBe(
    'expected at most 67108864 unfiltered bytes in a tile (for 1020 stored bytes; --memory sets another bound), found 2147483648',
  )
  const broken = 'expected 4 bytes, found 0'
  expect([await message(undefined, false, declared), await message(declared, true)]).toEqual([broken, broken])
  expect(await message(declared - 1, true)).toBe(
    'expected at most 2147483647 unfiltered bytes in a tile (a third of --memory), found 2147483648',
  )
})

describe.each(BACKENDS)('room for what a compressor gives (%s)', (_, codecs) => {
  test('is not used by one part of several', async () => {
    const filter = await zstd.load(codecs)
    const parts = [plainText(3000, 1), plainText(3000, 2)]
    const bytes = stored(filter.forward({ metadata: [], data: parts }, ZSTD, contextOf()))
    const { data } = filter.reverse(bytes, ZSTD, contextOf({ into: new Uint8Array(3000) }))
    expect(Buffer.compare(data, Buffer.concat(parts))).toBe(0)
  })

  test('is not used where it has another length', async () => {
    const filter = await zstd.load(codecs)
    const bytes = stored(filter.forward({ metadata: [], data: [plainText(3000)] }, ZSTD, contextOf()))
    for (const length of [0, 2999, 3001]) {
      const { data } = filter.reverse(bytes, ZSTD, contextOf({ into: new Uint8Array(length) }))
      expect(Buffer.compare(data, plainText(3000))).toBe(0)
    }
  })
})
