import { writeFileSync } from 'node:fs'
import { describe, expect, test } from '@jest/globals'
import { EditableArray } from '../../src/damage/editable-array.ts'
import { EDITED } from '../helpers/edit-array.ts'
import { filesBelow } from '../helpers/files-below.ts'
import { contextFor } from '../helpers/fixtures.ts'
import { temporaryFolder } from '../helpers/folders.ts'
import { run } from '../helpers/run.ts'
import { check } from './findings.ts'

const folder = temporaryFolder()
let made = 0

/** An array with a column `v` under SCALE_FLOAT. TileDB stores statistics of the values before they were scaled. */
async function scaled(
  values: readonly number[],
  options: string,
  { type = 'FLOAT64', dimension = false } = {},
): Promise<EditableArray> {
  const array = `${folder}/${made++}`
  const data = `${array}.ndjson`
  const other = dimension ? 'a' : 'i'
  writeFileSync(data, values.map((v, i) => `{"v":${v},"${other}":${i}}\n`).join(''))
  const fields = dimension
    ? ['--dim', `v:${type}:-1e6..1e6:1e5`, '--attr', 'a:INT32']
    : ['--dim', 'i:INT32:0..99:100', '--attr', `v:${type}`]
  const filters = ['--filters', 'zstd', '--field-filters', `v=scale-float:${options}`]
  const write = ['write-sample', array, '--sparse', '--duplicates', ...fields, ...filters, '--data', data]
  expect(await run(write)).toMatchObject({ code: 0 })
  return new EditableArray(EDITED, filesBelow(array, EDITED), () => contextFor({ key: undefined }))
}

const float64 = (value: number): Uint8Array => new Uint8Array(Float64Array.of(value).buffer)

/** Gives the tile of `v` the statistics of the values that were to be written. */
async function asWritten(array: EditableArray, values: readonly number[]): Promise<void> {
  const [min, max, sum] = [Math.min(...values), Math.max(...values), values.reduce((a, b) => a + b)].map(float64)
  await array.editSection('tile_mins', 0, ({ fixed }) => fixed.set(min))
  await array.editSection('tile_maxs', 0, ({ fixed }) => fixed.set(max))
  await array.editSection('tile_sums', 0, (sums) => sums.values.set(sum))
  await array.editSection('fragment_min_max_sum_null_count', undefined, (all) => {
    all[0].min.set(min)
    all[0].max.set(max)
    all[0].sum.set(sum)
  })
}

async function found(array: EditableArray): Promise<string[]> {
  const { findings } = await check(array.storage(), EDITED)
  return findings.map(({ severity, code, field, cell, found: text }) =>
    [severity, code, field, ...(cell === undefined ? [] : [cell]), text].join(' '),
  )
}

describe('rounded values fit the statistics of the values before', () => {
  test.each([
    ['scale=0.01:byte_width=2', 'FLOAT64', [1.234, -99.999, 327.66, 0.005]],
    ['scale=0.01:byte_width=2', 'FLOAT32', [1.234, -99.999, 327.66, 0.005]],
    ['scale=-0.5:offset=100:byte_width=1', 'FLOAT64', [100.2, 163.7, 36.3]],
    ['scale=1000:byte_width=4', 'FLOAT32', [123456, 3.4e10, -1e9]],
    ['scale=0.0000001:byte_width=8', 'FLOAT64', [1e9, 0.123456789, -1e9]],
  ])('%s, %s', async (options, type, values) => {
    expect(await found(await scaled(values, options, { type }))).toEqual([])
  })
})

describe('values that do not fit the integers are lost, with their cause', () => {
  test('one that wrapped around', async () => {
    const array = await scaled([1.5, -255.36], 'scale=0.01:byte_width=2')
    await asWritten(array, [1.5, 400])
    expect(await found(array)).toEqual([
      'error CELL_LOST v 1 at least 1 of 2 cells with other values, such as -255.36: 400 does not fit into 2 bytes at scale 0.01',
    ])
  })

  test('one that wrapped around to a value between the others', async () => {
    const array = await scaled([-300, 72.5, 300], 'scale=0.01:byte_width=2')
    // 72,786 - 65,536 steps of 0.01 read as 72.5.
    await asWritten(array, [-300, 727.86, 300])
    expect(await found(array)).toEqual([
      'error CELL_LOST v 1 at least 1 of 3 cells with other values, such as 72.5: 727.86 does not fit into 2 bytes at scale 0.01',
    ])
  })

  test.each([
    [Number.POSITIVE_INFINITY, 'Infinity does not fit into 4 bytes at scale 0.5 and offset 7'],
    [Number.NaN, 'NaN does not fit into 4 bytes at scale 0.5 and offset 7'],
  ])('%s, which reads as the lowest integer', async (value, why) => {
    const lowest = 7 - 0.5 * 2 ** 31
    const array = await scaled([1.5, lowest, 3], 'scale=0.5:offset=7:byte_width=4')
    // After a NaN, TileDB starts minimum and maximum anew.
    await asWritten(array, Number.isNaN(value) ? [3] : [1.5, value, 3])
    if (Number.isNaN(value)) await array.editSection('tile_sums', 0, (sums) => sums.values.set(float64(value)))
    const [first] = await found(array)
    expect(first).toBe(`error CELL_LOST v 1 1 of 3 cells with other values, such as ${lowest}: ${why}`)
  })

  test('coordinates', async () => {
    const array = await scaled([-1.436, 1.5], 'scale=0.001:byte_width=2', { dimension: true })
    // 64,100 - 65,536 steps of 0.001 read as -1.436, and the cells were in the other order.
    await array.editSection('rtree', undefined, ({ levels }) => {
      levels[0].bytes.set(float64(1.5), 0)
      levels[0].bytes.set(float64(64.1), 8)
    })
    expect(await found(array)).toContain(
      'error CELL_LOST v 0 at least 1 of 2 cells with other values, such as -1.436: 64.1 does not fit into 2 bytes at scale 0.001',
    )
  })
})

describe('changed cells are found under SCALE_FLOAT, too', () => {
  test('a minimum that is more than half a step away', async () => {
    const array = await scaled([1.5, 2.5, 3.5], 'scale=0.01:byte_width=2')
    await array.editSection('tile_mins', 0, ({ fixed }) => fixed.set(float64(1.494)))
    const [first] = await found(array)
    expect(first).toMatch(/^error TILE_MIN_MAX tile_min_values\.v 1\.5 by the cells, 1\.494 in the metadata/)
  })

  test('one that is not further away is right', async () => {
    const array = await scaled([1.5, 2.5, 3.5], 'scale=0.01:byte_width=2')
    await asWritten(array, [1.496, 2.5, 3.504])
    expect(await found(array)).toEqual([])
  })

  test('a coordinate outside of its box', async () => {
    const array = await scaled([1.5, 2.5, 3.5], 'scale=0.01:byte_width=2', { dimension: true })
    await array.editSection('rtree', undefined, ({ levels }) => {
      levels[0].bytes.set(float64(3.49), 8)
    })
    expect((await found(array)).some((one) => one.startsWith('error COORDINATE_MBR v '))).toBe(true)
  })
})

test('rounded coordinates are noted once a field, however many tiles there are', async () => {
  const array = await scaled(
    Array.from({ length: 90 }, (_, i) => i + 0.123),
    'scale=0.01:byte_width=2',
    { dimension: true },
  )
  expect(await found(array)).toEqual(['note COORDINATE_MBR v only some of their digits'])
})
