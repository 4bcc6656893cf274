import { describe, expect, test } from '@jest/globals'
import type { InspectError } from '../../src/base/errors.ts'
import { FragmentCells } from '../../src/cells/fragment-cells.ts'
import { planTiles, TileFile } from '../../src/cells/tile-files.ts'
import { compressorMetadata, readFewParts } from '../../src/format/chunk-metadata.ts'
import { decode, encode } from '../../src/format/io.ts'
import { onlyChunk, tileChunks } from '../../src/format/tile-chunks.ts'
import { InspectArray } from '../../src/objects/array.ts'
import type { Fragment } from '../../src/objects/fragment.ts'
import { Folder } from '../../src/storage/source.ts'
import { bytes } from '../helpers/build-bytes.ts'
import { CountedStorage } from '../helpers/counted-storage.ts'
import { EDITED, EditedArray } from '../helpers/edit-array.ts'
import { contextFor } from '../helpers/fixtures.ts'
import { Random } from '../helpers/random.ts'

const FIXTURE = '22/sparse_basic'

async function counted(array: EditedArray): Promise<{ storage: CountedStorage; fragment: Fragment }> {
  const storage = new CountedStorage(array.storage())
  const opened = new InspectArray(new Folder(storage, EDITED), contextFor({ key: array.key }))
  const [{ path }] = await opened.fragments()
  return { storage, fragment: opened.fragment(path) }
}

/** The cells of every column of each tile, or the error. */
async function tiles(fragment: Fragment): Promise<unknown[]> {
  const found: unknown[] = []
  const onColumnError = ({ code, message, at }: InspectError, { name }: { name: string }, tile: number): void =>
    void found.push({ code, message, at, name, tile })
  const cells = await FragmentCells.open(fragment, { onColumnError })
  for await (const { columns } of cells.batches())
    found.push(columns.map((column) => column && structuredClone(column)))
  await cells.close()
  return found
}

/** The same, read tile by tile without a plan. */
async function tilesAlone(fragment: Fragment): Promise<unknown[]> {
  const { tile_num } = await fragment.info()
  const found: unknown[] = []
  const onColumnError = ({ code, message, at }: InspectError, { name }: { name: string }, tile: number): void =>
    void found.push({ code, message, at, name, tile })
  const cells = await FragmentCells.open(fragment, { onColumnError })
  for (let tile = 0; tile < tile_num; tile++) {
    const { columns } = await cells.batch(tile)
    found.push(columns.map((column) => column && structuredClone(column)))
  }
  await cells.close()
  return found
}

describe('small tiles of a local file are read together', () => {
  test('in one read per file', async () => {
    const { storage, fragment } = await counted(new EditedArray(FIXTURE))
    const together = await tiles(fragment)
    const { tile_num } = await fragment.info()
    expect(tile_num).toBeGreaterThan(3)
    expect(storage.of('/a0.tdb').read_num).toBe(1)
    const alone = await counted(new EditedArray(FIXTURE))
    expect(together).toEqual(await tilesAlone(alone.fragment))
    expect(alone.storage.of('/a0.tdb').read_num).toBe(tile_num)
  })

  test('except those that are left out', async () => {
    const { storage, fragment } = await counted(new EditedArray(FIXTURE))
    const file = await TileFile.open(fragment, 0, 'data')
    planTiles([file], 0, 3, (tile) => tile === 2)
    for (const tile of [0, 1, 3]) await file.stored(tile)
    const reads = storage.reads.filter(({ path }) => path === file.source.name)
    expect(reads.map(({ offset }) => offset)).toEqual([file.offsets[0], file.offsets[3]])
    expect(reads.map(({ length }) => length)).toEqual([file.offsets[2] - file.offsets[0], file.place(3).size])
  })

  test.each([false, true])('no memory is allocated for a tile beyond the end of the file, reuse: %s', async (reuse) => {
    const { fragment } = await counted(new EditedArray(FIXTURE))
    const file = await TileFile.open(fragment, 0, 'data')
    file.offsets[1] = 2 ** 42
    file.plan(0, 3, { reuse })
    await expect(file.stored(0)).rejects.toMatchObject({ code: 'TRUNCATED' })
    expect((await file.stored(2)).length).toBe(file.place(2).size)
  })

  test('a file that ends early, or is missing, gives the same error', async () => {
    const cut = new EditedArray(FIXTURE)
    const path = cut.find(/a0\.tdb$/)
    const file = cut.files.get(path) ?? new Uint8Array(0)
    for (const length of [file.length - 1, file.length >> 1, 3, 0]) {
      const damaged = (): EditedArray => {
        const array = new EditedArray(FIXTURE)
        array.files.set(path, file.slice(0, length))
        return array
      }
      const found = await tiles((await counted(damaged())).fragment)
      expect(found).toEqual(await tilesAlone((await counted(damaged())).fragment))
      expect(found).toContainEqual(expect.objectContaining({ code: 'TRUNCATED' }))
    }
    const without = (): EditedArray => {
      const array = new EditedArray(FIXTURE)
      array.remove(path)
      return array
    }
    const found = await tiles((await counted(without())).fragment)
    expect(found).toEqual(await tilesAlone((await counted(without())).fragment))
    expect(found).toContainEqual(expect.objectContaining({ code: 'MISSING_FILE' }))
  })
})

describe('fast paths without a Reader', () => {
  const random = new Random(5)

  test('read the only chunk of a tile', () => {
    for (let i = 0; i < 200; i++) {
      const chunk = {
        original_length: random.below(2 ** 32),
        metadata: random.bytes(random.below(40)),
        data: random.bytes(random.below(300)),
      }
      const stored = encode({ chunks: [chunk], extra: new Uint8Array(0) }, tileChunks)
      expect(onlyChunk(stored)).toEqual(decode(stored, tileChunks).chunks[0])
      expect(onlyChunk(bytes(stored, [0]))).toBeUndefined()
      expect(onlyChunk(stored.subarray(0, random.below(stored.length)))).toBeUndefined()
      const two = encode({ chunks: [chunk, chunk], extra: new Uint8Array(0) }, tileChunks)
      expect(onlyChunk(two)).toBeUndefined()
    }
  })

  test('is the metadata of a few parts of a compressor', () => {
    const part = { original_length: 2 ** 32 - 1, compressed_length: 70_000 }
    for (const [metadata, data] of [
      [0, 0],
      [0, 1],
      [1, 0],
      [2, 3],
    ]) {
      const parts = { metadata_parts: Array(metadata).fill(part), data_parts: Array(data).fill(part) }
      const stored = encode(parts, compressorMetadata)
      expect(readFewParts(stored)).toEqual(parts)
      expect(readFewParts(stored.subarray(0, -4))).toBeUndefined()
    }
    const many = { metadata_parts: [], data_parts: Array(100).fill(part) }
    expect(readFewParts(encode(many, compressorMetadata))).toBeUndefined()
  })
})
