import { describe, expect, test } from '@jest/globals'
import { EDITED, EditedArray } from '../helpers/edit-array.ts'
import { check } from './findings.ts'

/** Fixtures whose first dimension is an INT32. */
const [DENSE, SPARSE] = ['22/empty_dense', '22/sparse_basic']

// TileDB 2.30 reads such sparse arrays, except with an extent of 0, by which it divides. Dense reads fail.
describe('tile extents that do not fit the domain', () => {
  test.each([
    [DENSE, -5, 'error'],
    [DENSE, 1000, 'error'],
    [DENSE, 0, 'error'],
    [SPARSE, -5, 'warning'],
    [SPARSE, 1000, 'warning'],
    [SPARSE, 0, 'error'],
  ])('%s with an extent of %d: %s', async (fixture, extent, severity) => {
    const array = new EditedArray(fixture)
    await array.editSchema(({ domain }) => {
      expect(domain.dimensions[0].type).toBe('INT32')
      domain.dimensions[0].tile_extent = new Uint8Array(Int32Array.of(extent).buffer)
    })
    const { findings } = await check(array.storage(), EDITED)
    expect(findings.filter(({ code }) => code === 'SCHEMA_TILE_EXTENT')).toMatchObject([{ severity }])
  })
})
