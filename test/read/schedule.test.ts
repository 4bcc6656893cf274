import { expect, test } from '@jest/globals'
import { localFiles } from '../../src/node/file.ts'
import { InspectArray } from '../../src/objects/array.ts'
import { MergePool } from '../../src/read/pool.ts'
import { storedSchedule } from '../../src/read/schedule.ts'
import type { SourceBatch, SparseSource } from '../../src/read/source.ts'
import { Folder } from '../../src/storage/source.ts'
import { contextFor, FIXTURES } from '../helpers/fixtures.ts'

test('Hilbert order: a fragment without a cell in the ranges so far delays the others', async () => {
  const array = new InspectArray(new Folder(localFiles, `${FIXTURES}/22/hilbert`), contextFor({ key: undefined }))
  const { schema } = await array.newestSchema()
  const sources = [0, 1].map((index) => ({ index, tileBytes: () => 100 }) as unknown as SparseSource)
  const places = sources.flatMap((source) =>
    [0, 1].map((tile) => ({ source, tile, mbr: [], overlap: 'some' as const })),
  )
  const schedule = storedSchedule(schema, places, new MergePool(schema))
  const batch = (source: SparseSource): SourceBatch => {
    const data = new Uint8Array(8)
    const columns = schema.domain.dimensions.map(() => ({ data, starts: undefined, validity: undefined }))
    return { source, tile: 0, first: 0, cell_num: 1, columns, written: undefined, deleted: undefined }
  }
  expect(schedule.next(1)).toHaveLength(2)
  // The first tile of the second fragment gave no cell, so nobody knows where its next cells are.
  expect(schedule.limits([batch(sources[0])])).toBeNull()
  expect(schedule.next(1)).toHaveLength(2)
  // No tile is left.
  expect(schedule.limits([])).toBeUndefined()
})
