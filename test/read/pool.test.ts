import { expect, test } from '@jest/globals'
import { localFiles } from '../../src/node/file.ts'
import { InspectArray } from '../../src/objects/array.ts'
import { MergePool } from '../../src/read/pool.ts'
import type { SourceBatch, SparseSource } from '../../src/read/source.ts'
import { Folder } from '../../src/storage/source.ts'
import { contextFor, FIXTURES } from '../helpers/fixtures.ts'

const array = new InspectArray(new Folder(localFiles, `${FIXTURES}/22/evolved_sparse`), contextFor({ key: undefined }))

/** A tile with cells at these places of the only dimension, all written at one time. */
function tileOf(source: SparseSource, tile: number, places: number[]): SourceBatch {
  const data = new Uint8Array(Int32Array.from(places).buffer)
  return {
    source,
    tile,
    first: 0,
    cell_num: places.length,
    columns: [{ data, starts: undefined, validity: undefined }],
    written: new Float64Array(places.length).fill(31),
    deleted: undefined,
  }
}

test('cells of one fragment and one time: the later tile wins, in one tile the first cell', async () => {
  const { schema } = await array.newestSchema()
  const source = { index: 0, fragment: { time: 10n } } as SparseSource
  const tiles = [tileOf(source, 0, [1, 1, 2]), tileOf(source, 1, [2, 2, 3])]
  const pool = new MergePool(schema)
  for (const batch of tiles) pool.add(batch, Uint32Array.from([0, 1, 2]))
  const { batches, picked } = pool.take(undefined)
  const found = Array.from(picked.rows, (row, i) => [batches[picked.from[i]].tile, row])
  expect(found).toEqual([
    [0, 0],
    [1, 0],
    [1, 2],
  ])
})
