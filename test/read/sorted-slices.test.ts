import { readdirSync } from 'node:fs'
import { describe, expect, test } from '@jest/globals'
import { localFiles } from '../../src/node/file.ts'
import { InspectArray } from '../../src/objects/array.ts'
import { openAt } from '../../src/read/opening.ts'
import type { ReadQuery } from '../../src/read/query.ts'
import { readSparse } from '../../src/read/sparse.ts'
import { Folder } from '../../src/storage/source.ts'
import { contextFor, FIXTURES } from '../helpers/fixtures.ts'

/** The bytes of the cells, in any order. */
async function cellsOf(name: string, query: ReadQuery, mostSorted?: number): Promise<string[]> {
  const opened = await openAt(
    new InspectArray(new Folder(localFiles, `${FIXTURES}/nan/${name}`), contextFor({ key: undefined })),
  )
  const cells: string[] = []
  for await (const { cell_num, columns, rows } of readSparse(opened, query, mostSorted)) {
    expect(rows).toBeUndefined()
    const texts = columns.map((column) => Buffer.from(column?.data ?? []).toString('hex'))
    for (let i = 0; i < cell_num; i++) {
      const part = (text: string): string => {
        const size = text.length / cell_num
        return text.slice(i * size, (i + 1) * size)
      }
      cells.push(texts.map(part).join(' '))
    }
  }
  return cells.sort()
}

// The boxes of hilbert_2d do not hold all cells of their tiles, as TileDB wrote them: slices go by boxes.
const ARRAYS = readdirSync(`${FIXTURES}/nan`).filter((name) => name !== 'hilbert_2d')

describe('sorting slice by slice gives the same cells as sorting all together, also with NaN', () => {
  test.each(ARRAYS)('%s', async (name) => {
    for (const order of ['row-major', 'col-major'] as const) {
      const query: ReadQuery = { order, ranges: new Map() }
      const all = await cellsOf(name, query)
      expect(all.length).toBeGreaterThan(0)
      for (const bytes of [16, 64, 128]) expect(await cellsOf(name, query, bytes)).toEqual(all)
    }
  })
})
