import { describe, expect, test } from '@jest/globals'
import { Pipeline } from '../../src/filters/pipeline.ts'
import { zstd } from '../../src/filters/zstd.ts'
import type { FilterConfig } from '../../src/format/filter-pipeline.ts'
import { inspectError } from '../helpers/filter-context.ts'
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
    expect(inspectError(() => pipeline.reverseTile(damaged))).toMatchObject({
      code: 'BAD_FILTERED_DATA',
      at: { field: expect.stringMatching(/^chunks\.2\.ZSTD/) },
    })
  })
})

describe.each(BACKENDS)('room for what a compressor gives (%s)', (_, codecs) => {
  test('is not used by one part of several', async () => {
    const filter = await zstd(codecs)
    const parts = [plainText(3000, 1), plainText(3000, 2)]
    const bytes = stored(filter.forward({ metadata: [], data: parts }, ZSTD, contextOf()))
    const { data } = filter.reverse(bytes, ZSTD, contextOf({ into: new Uint8Array(3000) }))
    expect(Buffer.compare(data, Buffer.concat(parts))).toBe(0)
  })

  test('is not used where it has another length', async () => {
    const filter = await zstd(codecs)
    const bytes = stored(filter.forward({ metadata: [], data: [plainText(3000)] }, ZSTD, contextOf()))
    for (const length of [0, 2999, 3001]) {
      const { data } = filter.reverse(bytes, ZSTD, contextOf({ into: new Uint8Array(length) }))
      expect(Buffer.compare(data, plainText(3000))).toBe(0)
    }
  })
})
