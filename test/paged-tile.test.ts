import { describe, expect, test } from '@jest/globals'
import { Pipeline } from '../src/filters/pipeline.ts'
import { type GenericTileHeader, genericTileHeader } from '../src/format/generic-tile.ts'
import { encode } from '../src/format/io.ts'
import { nodeCodecs } from '../src/node/node-codecs.ts'
import { openPagedTile, type StoredSection } from '../src/objects/paged-tile.ts'
import { readContext } from '../src/objects/read-context.ts'
import { bytes } from './helpers/build-bytes.ts'

const KEY = new Uint8Array(32).fill(7)
const LENGTHS = [100, 0, 1000, 7, 3000, 0]
const CONTENT = Uint8Array.from({ length: 4107 }, (_, i) => (i * 31) >> 2)

/** A generic tile of several chunks with GZIP, encrypted if a key is given. */
async function stored(content: Uint8Array, lengths: readonly number[], key?: Uint8Array): Promise<Uint8Array> {
  const filters = [
    { name: 'GZIP', level: 5 } as const,
    ...(key ? [{ name: 'AES_256_GCM' } as const] : []),
  ] as GenericTileHeader['filters']['filters']
  const type = { datatype: 'CHAR', cellSize: 1, formatVersion: 22, key } as const
  const pipeline = await Pipeline.load(filters, type, nodeCodecs)
  const chunks = pipeline.forwardTile(content, lengths, { randomBytes: (length) => new Uint8Array(length).fill(3) })
  const header: GenericTileHeader = {
    format_version: 22,
    persisted_size: chunks.length,
    tile_size: content.length,
    datatype: 'CHAR',
    cell_size: 1n,
    encryption_type: key ? 'AES_256_GCM' : 'NO_ENCRYPTION',
    filters: { max_chunk_size: 65536, filters },
  }
  return bytes(encode(header, genericTileHeader), chunks)
}

/** The tile at byte 50 of a file that continues after it, and the lengths of the reads. */
function section(tile: Uint8Array, window: number): StoredSection & { reads: number[] } {
  const file = bytes(new Uint8Array(50), tile, new Uint8Array(90))
  const reads: number[] = []
  return {
    reads,
    end: 50 + tile.length,
    window,
    read: async (offset, length) => {
      reads.push(length)
      expect(offset).toBeGreaterThanOrEqual(50)
      expect(offset + length).toBeLessThanOrEqual(50 + tile.length)
      return file.slice(offset, offset + length)
    },
  }
}

describe.each([
  ['plain', undefined],
  ['encrypted', KEY],
])('a generic tile in pages, %s', (_, key) => {
  test.each([1, 64, 500, 1e6])('returns any part of its content, with %d bytes per read', async (window) => {
    const tile = await openPagedTile(
      section(await stored(CONTENT, LENGTHS, key), window),
      50,
      readContext(nodeCodecs, key),
    )
    expect(tile.length).toBe(CONTENT.length)
    const cursor = tile.cursor()
    for (const [from, to] of [
      [0, 4107],
      [90, 110],
      [100, 1107],
      [4106, 4107],
      [0, 1],
      [4107, 4107],
      [1099, 1108],
    ])
      expect(Buffer.compare(await cursor.bytes(from, to), CONTENT.subarray(from, to))).toBe(0)
    cursor.release()
    expect(await cursor.bytes(95, 105)).toEqual(CONTENT.subarray(95, 105))
  })

  test('scans all of its content in order while it is opened', async () => {
    const seen: Uint8Array[] = []
    let end = 0
    await openPagedTile(
      section(await stored(CONTENT, LENGTHS, key), 64),
      50,
      readContext(nodeCodecs, key),
      (part, at) => {
        expect(at).toBe(end)
        end += part.length
        seen.push(part.slice())
      },
    )
    expect(Buffer.compare(bytes(...seen), CONTENT)).toBe(0)
  })

  test('is refused if any chunk is damaged or cut off', async () => {
    const whole = await stored(CONTENT, LENGTHS, key)
    const cx = readContext(nodeCodecs, key)
    for (let at = whole.length - 40; at > whole.length - 1200; at -= 97) {
      const damaged = whole.slice()
      damaged.fill(0x5a, at, at + 12)
      await expect(openPagedTile(section(damaged, 256), 50, cx)).rejects.toThrow(
        expect.objectContaining({ name: 'InspectError' }),
      )
      await expect(openPagedTile(section(whole.slice(0, at), 256), 50, cx)).rejects.toThrow(
        expect.objectContaining({ name: 'InspectError' }),
      )
    }
  })
})

test('an encrypted tile without its key is refused, and proves a key that opens it', async () => {
  const whole = await stored(CONTENT, LENGTHS, KEY)
  await expect(openPagedTile(section(whole, 64), 50, readContext(nodeCodecs))).rejects.toMatchObject({
    code: 'KEY_NEEDED',
  })
  const cx = readContext(nodeCodecs, KEY)
  await openPagedTile(section(whole, 64), 50, cx)
  expect(cx).toMatchObject({ keyProven: true, encrypted: true })
})

test('a tile that fits in one window is read once for all cursors', async () => {
  const from = section(await stored(CONTENT, LENGTHS), 1e6)
  const tile = await openPagedTile(from, 50, readContext(nodeCodecs))
  for (const cursor of [tile.cursor(), tile.cursor()]) await cursor.bytes(0, CONTENT.length)
  expect(from.reads).toHaveLength(1)
})

test('an empty tile has no bytes', async () => {
  const tile = await openPagedTile(section(await stored(new Uint8Array(0), []), 64), 50, readContext(nodeCodecs))
  expect(tile.length).toBe(0)
  expect(await tile.cursor().bytes(0, 0)).toHaveLength(0)
  await expect(tile.cursor().bytes(0, 1)).rejects.toMatchObject({ name: 'InspectError' })
})
