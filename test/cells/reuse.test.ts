import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { CellBatch } from '../../src/cells/column.ts'
import { type CellSelection, FragmentCells } from '../../src/cells/fragment-cells.ts'
import { BLOCK_BYTES, storedChunks } from '../../src/cells/large-tiles.ts'
import { encode } from '../../src/format/io.ts'
import { tileChunks } from '../../src/format/tile-chunks.ts'
import { localFiles } from '../../src/node/file.ts'
import { openTarget } from '../../src/objects/target.ts'
import { contextFor } from '../helpers/fixtures.ts'
import { run } from '../helpers/run.ts'

let folder = ''
beforeAll(() => {
  folder = mkdtempSync(`${tmpdir()}/reuse-`)
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

function text(bytes: Uint8Array | undefined): string | undefined {
  return bytes && Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1')
}

/** The content of every column of each tile, taken before the next tile is read. */
async function batches(
  array: string,
  selection: Pick<CellSelection, 'reuse' | 'memories'>,
): Promise<{ found: unknown[]; rooms: number }> {
  const target = await openTarget(localFiles, array, contextFor({ key: undefined }))
  if (target.type !== 'array') throw new Error('no array')
  const found: unknown[] = []
  const rooms = new Set<unknown>()
  const look = ({ tile, columns }: CellBatch): unknown => ({
    tile,
    columns: columns.map((column) => [text(column?.data), column?.starts?.slice(), text(column?.validity)]),
  })
  for (const { path } of await target.array.fragments()) {
    const fragment = target.array.fragment(path)
    const cells = await FragmentCells.open(fragment, selection)
    for await (const batch of cells.batches()) {
      found.push(look(batch))
      rooms.add(batch.columns[0]?.data.buffer)
    }
    await cells.close()
    await fragment.close()
  }
  return { found, rooms: rooms.size }
}

const FILTERS = ['', 'zstd', 'byteshuffle,zstd', 'lz4,md5', 'double-delta']
test.each(FILTERS)('tiles are read one after the other into the same memory, filters %j', async (filters) => {
  const array = `${folder}/${FILTERS.indexOf(filters)}`
  const options = [
    '--dim',
    'x:INT64:0..9999999',
    '--attr',
    'a:INT64',
    '--attr',
    'n:INT32:nullable',
    '--attr',
    's:STRING_UTF8',
  ]
  const sizes = ['--capacity', '9000', '--cells', '40000', '--fragments', '2', '--field-filters', `x=${filters}`]
  const { code, stderr } = await run(['write-sample', array, ...options, ...sizes, '--filters', filters])
  expect({ code, stderr }).toMatchObject({ code: 0 })
  const fresh = await batches(array, { reuse: false })
  const reused = await batches(array, { reuse: true })
  const shared = await batches(array, { reuse: true, memories: new Map() })
  expect(reused.found).toEqual(fresh.found)
  expect(shared.found).toEqual(fresh.found)
  expect(fresh.found).toHaveLength(6)
  expect(reused.rooms).toBeLessThanOrEqual(fresh.rooms)
  if (filters !== 'zstd') return
  expect(reused.rooms).toBeLessThan(fresh.rooms)
  // Both fragments use the same memory.
  expect(shared.rooms).toBeLessThan(reused.rooms)
})

test('chunks of a large tile stay whole when the memory of a block is reused for the next block', async () => {
  const chunks = Array.from({ length: 9 }, (_, i) => ({
    original_length: 500_000,
    metadata: new Uint8Array(24).fill(i + 1),
    data: new Uint8Array(400_000).fill(i + 101),
  }))
  const tile = encode({ chunks, extra: new Uint8Array(0) }, tileChunks)
  expect(tile.length).toBeGreaterThan(3 * BLOCK_BYTES)
  let before = new Uint8Array(0)
  const read = async (offset: number, length: number): Promise<Uint8Array> => {
    before.fill(0)
    before = tile.slice(offset, offset + length)
    return before
  }
  const broken = async (): Promise<never> => {
    throw new Error('broken')
  }
  let count = 0
  for await (const { chunk, index } of storedChunks({ offset: 0, size: tile.length }, read, broken)) {
    expect(index).toBe(count)
    expect(chunk.metadata.every((byte) => byte === index + 1)).toBe(true)
    expect(chunk.data.every((byte) => byte === index + 101)).toBe(true)
    count++
  }
  expect(count).toBe(chunks.length)
})

test('chunks that are read without waiting are read one at a time, into the same memory', async () => {
  const lengths = [70_000, 70_000, 10, 120_000, 0, 70_000]
  const chunks = lengths.map((length, i) => ({
    original_length: length,
    metadata: new Uint8Array(24).fill(i + 1),
    data: new Uint8Array(length).fill(i + 101),
  }))
  const tile = encode({ chunks, extra: new Uint8Array(0) }, tileChunks)
  const room = new Uint8Array(2 ** 17)
  const asked: number[] = []
  let waits = 0
  const read = async (offset: number, length: number): Promise<Uint8Array> => {
    waits++
    return tile.slice(offset, offset + length)
  }
  const readNow = (offset: number, length: number): Uint8Array | undefined => {
    asked.push(length)
    // Once, events wait to be handled.
    if (asked.length === 3) return undefined
    room.fill(0)
    room.set(tile.subarray(offset, offset + length))
    return room.subarray(0, length)
  }
  const broken = async (): Promise<never> => {
    throw new Error('broken')
  }
  const found: number[][] = []
  for await (const { chunk, from } of storedChunks({ offset: 0, size: tile.length }, read, broken, readNow)) {
    const { original_length, metadata, data } = chunk
    expect(metadata.every((byte) => byte === metadata[0]) && data.every((byte) => byte === data[0])).toBe(true)
    found.push([from, original_length, metadata[0], data.length, data[0] ?? 0])
  }
  let from = 0
  expect(found).toEqual(
    lengths.map((length, i) => {
      from += length
      return [from - length, length, i + 1, length, length > 0 ? i + 101 : 0]
    }),
  )
  expect(waits).toBe(1)
  expect(Math.max(...asked)).toBeLessThan(121_000)
})

test('whether a tile may be overwritten is asked before it is read, not when its fragment is opened', async () => {
  const array = `${folder}/kept`
  const sizes = ['--capacity', '9000', '--cells', '80000', '--fragments', '1', '--filters', 'zstd']
  expect((await run(['write-sample', array, '--dim', 'x:INT64:0..9999999', '--attr', 'a:INT64', ...sizes])).code).toBe(
    0,
  )
  const target = await openTarget(localFiles, array, contextFor({ key: undefined }))
  if (target.type !== 'array') throw new Error('no array')
  const [{ path }] = await target.array.fragments()
  const selection: CellSelection = { reuse: true }
  const cells = await FragmentCells.open(target.array.fragment(path), selection)
  const read = async (tile: number): Promise<Uint8Array | undefined> => (await cells.batch(tile)).columns[1]?.data
  const buffers = [await read(0), await read(1), await read(2)].map((data) => data?.buffer)
  expect(buffers[1]).toBe(buffers[2])
  selection.reuse = false
  const kept = await read(3)
  const content = text(kept)
  selection.reuse = true
  const next = await read(4)
  expect(text(kept)).toBe(content)
  expect(next?.buffer).toBe(buffers[1])
  expect(next?.buffer).not.toBe(kept?.buffer)
  await cells.close()
})
