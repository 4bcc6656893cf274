import { describe, expect, test } from '@jest/globals'
import { FragmentCells } from '../../src/cells/fragment-cells.ts'
import { gzip } from '../../src/filters/gzip.ts'
import { Pipeline } from '../../src/filters/pipeline.ts'
import { definitionOf } from '../../src/filters/registry.ts'
import type { FilterConfig, FilterType } from '../../src/format/filter-pipeline.ts'
import { nodeCodecs } from '../../src/node/node-codecs.ts'
import { EditedArray } from '../helpers/edit-array.ts'

describe('cells of chunks that TileDB wrote and cannot read are there', () => {
  test.each(['18_empty_chunk_gzip', '22_empty_chunk_double_delta', '22_empty_chunk_bitshuffle_md5'])(
    '%s',
    async (name) => {
      const array = new EditedArray(`unreadable/${name}`)
      const cells = await FragmentCells.open(await array.fragment(), { fields: ['a'] })
      const values: string[] = []
      for (const tile of [0, 1]) {
        const column = (await cells.batch(tile)).columns.find((one) => one?.starts)
        if (!column?.starts) throw new Error('no strings')
        for (let cell = 0; cell < 2; cell++)
          values.push(new TextDecoder().decode(column.data.subarray(column.starts[cell], column.starts[cell + 1])))
      }
      expect(values).toEqual(['', '', 'oak', 'yew'])
    },
  )
})

describe('a stream of no bytes is undone where it is cut short, and nowhere else', () => {
  const undo = async (bytes: number[], length: number): Promise<{ data: number[]; refused: string[] }> => {
    const filter = await gzip.load(nodeCodecs)
    const refused: string[] = []
    const metadata = new Uint8Array(Uint32Array.of(0, 1, length, bytes.length).buffer)
    const { data } = filter.reverse({ metadata, data: Uint8Array.from(bytes) }, { name: 'GZIP', level: 6 } as never, {
      datatype: 'UINT8',
      cellSize: 1,
      formatVersion: 18,
      limit: 100,
      stringOffsets: false,
      onRefused: (part) => void refused.push(part),
    })
    return { data: [...data], refused }
  }
  const whole = [0x78, 0x9c, 0x03, 0, 0, 0, 0, 1]
  test('a whole stream', async () => expect(await undo(whole, 0)).toEqual({ data: [], refused: [] }))
  test.each([1, 5, 6, 9])('level %d', async (level) => {
    const start = [0x78, { 1: 0x01, 5: 0x5e, 6: 0x9c, 9: 0xda }[level] ?? 0, 0x03, 0, 0, 0]
    expect(await undo(start, 0)).toEqual({ data: [], refused: ['stream cut short'] })
  })
  test('level 0', async () =>
    expect(await undo([0x78, 0x01, 0x01, 0, 0, 0xff], 0)).toEqual({ data: [], refused: ['stream cut short'] }))
  test('other bytes', async () => {
    await expect(undo([0x78, 0x9c, 0x03, 0, 1, 0], 0)).rejects.toThrow('zlib stream')
    await expect(undo([0x78, 0x9c], 0)).rejects.toThrow('zlib stream')
  })
  test('bytes that are missing', () => expect(undo([0x78, 0x9c, 0x03, 0, 0, 0], 1)).rejects.toThrow('zlib stream'))
})

describe('which empty chunks TileDB cannot read, as measured with 2.14, 2.21 and 2.30', () => {
  const OPTIONS = { level: 6, max_window_size: 256, scale: 1, offset: 0, byte_width: 4 }
  const config = (name: FilterType): FilterConfig => ({ ...OPTIONS, name })
  const joined = (parts: readonly Uint8Array[]): Uint8Array => Uint8Array.from(Buffer.concat(parts))

  /** What undoing the chunk says to which TileDB's writer gave one part of no bytes. */
  async function saidOf(datatype: 'INT8' | 'INT32', names: readonly FilterType[]): Promise<string[]> {
    const tile = { datatype, cellSize: datatype === 'INT8' ? 1 : 4, formatVersion: 22 }
    let parts: { metadata: Uint8Array[]; data: Uint8Array[] } = { metadata: [], data: [new Uint8Array(0)] }
    for (const name of names) {
      const filter = await definitionOf(name).load(nodeCodecs)
      parts = filter.forward(parts, config(name), { ...tile, limit: 100, stringOffsets: false })
    }
    const chunk = { original_length: 0, metadata: joined(parts.metadata), data: joined(parts.data) }
    const said: string[] = []
    const pipeline = await Pipeline.load(names.map(config), tile, nodeCodecs)
    pipeline.undo(chunk, 0, { onRefused: (part) => void said.push(part) })
    return [...new Set(said)]
  }

  const FIRST = ['BITSHUFFLE', 'BYTESHUFFLE', 'XOR', 'RLE'] as const
  test.each(FIRST)('%s', async (first) => {
    expect(await saidOf('INT32', [first])).toEqual([])
    for (const next of ['CHECKSUM_MD5', 'CHECKSUM_SHA256', 'NONE', 'RLE'] as const)
      expect([next, await saidOf('INT32', [first, next])]).toEqual([next, ['part of nothing']])
    for (const next of ['GZIP', 'BZIP2', 'BITSHUFFLE', 'XOR', 'POSITIVE_DELTA', 'BIT_WIDTH_REDUCTION'] as const)
      expect([next, await saidOf('INT32', [first, next])]).toEqual([next, []])
    expect(await saidOf('INT8', [first, 'BIT_WIDTH_REDUCTION'])).toEqual(['part of nothing'])
  })
})
