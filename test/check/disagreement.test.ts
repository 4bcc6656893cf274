import { describe, expect, test } from '@jest/globals'
import { EDITED, EditedArray } from '../helpers/edit-array.ts'
import { check } from './findings.ts'

async function slotOf(array: EditedArray, name: string): Promise<number> {
  return (await (await array.fragment()).info()).slots.findIndex((slot) => slot.name === name)
}

/** The slot of the first attribute with a sum. */
async function firstSlot(array: EditedArray): Promise<number> {
  const { slots } = await (await array.fragment()).info()
  return slots.findIndex(({ kind, phantom }) => kind === 'attribute' && !phantom)
}

describe('cells and metadata that disagree', () => {
  test('both values are named for what they are; a changed sum does not fit the fragment', async () => {
    const array = new EditedArray('22/sparse_2d_row_row')
    const slot = await slotOf(array, 'a')
    await array.editSection('tile_sums', slot, ({ values }) => {
      values[0] ^= 1
    })
    const { findings } = await check(array.storage(), EDITED)
    const [sum] = findings.filter(({ code }) => code === 'TILE_SUM')
    expect(sum).toMatchObject({ severity: 'error', expected: 'cells and metadata that agree' })
    expect(sum.found).toMatch(/^-?\d+ by the cells, -?\d+ in the metadata$/)
    expect(sum.meaning).toContain('fit the cells: the value in the metadata is wrong')
  })

  test('a changed cell does not fit the fragment, nor the tile: the metadata is right', async () => {
    const array = new EditedArray('22/filter_none')
    const file = array.find(/\/a0\.tdb$/)
    const bytes = array.get(file)
    bytes[bytes.length - 4] ^= 1
    array.files.set(file, bytes)
    const { findings } = await check(array.storage(), EDITED)
    const sums = findings.filter(({ code }) => code === 'TILE_SUM')
    expect(sums).toHaveLength(1)
    expect(sums[0].meaning).toContain('fit the metadata: the cells were changed')
  })

  test('the lowest bit of one float is found: sums are compared as closely as they can be', async () => {
    const array = new EditedArray('22/filter_byteshuffle')
    const file = array.find(/\/a3\.tdb$/)
    const bytes = array.get(file)
    // Lowest bytes of the values come first, after the number of chunks, the three sizes of a chunk, and the number and size of parts.
    bytes[8 + 12 + 8] ^= 1
    array.files.set(file, bytes)
    const { findings } = await check(array.storage(), EDITED)
    expect(findings).toMatchObject([{ code: 'TILE_SUM', wrong: 'cells', field: 'tile_sums.f32' }])
  })

  test('a single changed cell is named, with its value before', async () => {
    const array = new EditedArray('22/filter_byteshuffle')
    const file = array.find(/\/a1\.tdb$/)
    const bytes = array.get(file)
    // The highest byte of the last value.
    bytes[bytes.length - 1] ^= 0x40
    array.files.set(file, bytes)
    const { findings } = await check(array.storage(), EDITED)
    expect(findings.map(({ code }) => code)).toEqual(['TILE_MIN_MAX', 'TILE_SUM'])
    expect(findings.map(({ changed }) => changed)).toEqual(Array(2).fill('cell 7 of tile 2 of i32 was 583'))
  })

  test('extremes are said as values', async () => {
    const array = new EditedArray('22/sparse_2d_row_row')
    await array.editSection('tile_maxs', await slotOf(array, 'a'), ({ fixed, variable }) => {
      const changed = fixed.slice()
      changed[3] ^= 0x40
      return { fixed: changed, variable }
    })
    const { findings } = await check(array.storage(), EDITED)
    const found = findings.filter(({ code }) => code === 'TILE_MIN_MAX').map((one) => one.found)
    expect(found).toEqual([expect.stringMatching(/^-?\d+ by the cells, -?\d{10} in the metadata$/)])
  })

  test('a checksum that fits proves the cells', async () => {
    const array = new EditedArray('22/filter_sha256')
    const slot = await firstSlot(array)
    await array.editSection('tile_sums', slot, ({ values }) => {
      values[0] ^= 1
    })
    const { findings } = await check(array.storage(), EDITED)
    const [sum] = findings.filter(({ code }) => code === 'TILE_SUM')
    expect(sum.meaning).toContain('CHECKSUM_SHA256 fits its bytes')
  })
})
