import { writeFileSync } from 'node:fs'
import { describe, expect, test } from '@jest/globals'
import { localFiles } from '../../src/node/file.ts'
import { EDITED, EditedArray } from '../helpers/edit-array.ts'
import { temporaryFolder } from '../helpers/folders.ts'
import { run } from '../helpers/run.ts'
import { check } from './findings.ts'

/** Arrays whose cells are in an order that only some releases use, and the notes about them. */
const OLD: readonly (readonly [fixture: string, fault: RegExp])[] = [
  ['2/untiled_dimension', /before 2\.0 .* no tile extent/],
  ['4/wide_domain', /before 2\.0/],
  ['4/float_tiles', /before 2\.0/],
  ['6/wide_domain', /before 2\.3\.1/],
  ['8/wide_domain', /before 2\.3\.1/],
  ['9/small_domains', /INT8 and INT16/],
  ['13/small_domains', /INT8 and INT16/],
  ['8/hilbert_ties', /before 2\.23/],
  ['8/hilbert_range', /before 2\.3 /],
  ['14/hilbert_ties', /before 2\.23/],
  ['21/hilbert_ties', /before 2\.23/],
  ['12/hilbert_texts', /2\.7 and 2\.8/],
  ['6/text_bytes', /signed bytes/],
  ['22/text_bytes', /signed bytes/],
]

const folder = temporaryFolder()

/** Offset of the first cell: after the header of a tile with one chunk. */
const FIRST_CELL = 20
const CHUNK_HEADER = 12
/** Number of cells in a full tile. */
const CELLS = 10

/** Exchanges two neighbouring values. @param at offset of the first one */
function exchange(array: EditedArray, path: string, size: number, at = FIRST_CELL): void {
  const bytes = array.get(path)
  const second = at + size
  array.patch(path, at, Uint8Array.of(...bytes.subarray(second, second + size), ...bytes.subarray(at, second)))
}

describe('cells in the order of their release are no damage', () => {
  test.each(OLD)('%s', async (fixture, fault) => {
    const array = new EditedArray(fixture)
    const { findings } = await check(array.storage(), EDITED)
    expect(findings.filter(({ code }) => code !== 'COORDINATE_ORDER')).toEqual([])
    expect(findings.length).toBeGreaterThan(0)
    for (const { severity, meaning } of findings) {
      expect(severity).toBe('note')
      expect(meaning).toMatch(fault)
    }
  })
})

describe('cells in no order at all are, in the same arrays', () => {
  /** Size of a coordinate in each file, in bytes. */
  const FILES: Readonly<Record<string, Readonly<Record<string, number>>>> = {
    '6/wide_domain': { x: 8, y: 8 },
    '9/small_domains': { d0: 1, d1: 2 },
    '13/small_domains': { d0: 1, d1: 2 },
    '8/hilbert_range': { x: 4, y: 1 },
    '14/hilbert_ties': { d0: 8, d1: 8 },
    '21/hilbert_ties': { d0: 8, d1: 8 },
  }
  test.each(Object.entries(FILES))('%s', async (fixture, files) => {
    const array = new EditedArray(fixture)
    for (const [name, size] of Object.entries(files)) exchange(array, array.find(new RegExp(`/${name}\\.tdb$`)), size)
    await expectDisorder(array)
  })

  // The coordinates are in one file. Each of its tiles has a chunk for each dimension.
  test.each(['4/wide_domain', '4/float_tiles'])('%s', async (fixture) => {
    const array = new EditedArray(fixture)
    const path = array.find(/__coords\.tdb$/)
    exchange(array, path, 8)
    exchange(array, path, 8, FIRST_CELL + 8 * CELLS + CHUNK_HEADER)
    await expectDisorder(array)
  })

  // The numbers of a tile, the last one first: the cells whose texts are long enough tell.
  test('12/hilbert_texts', async () => {
    const array = new EditedArray('12/hilbert_texts')
    const path = array.find(/\/d1\.tdb$/)
    const tile = array.get(path).slice(FIRST_CELL, FIRST_CELL + 8 * 20)
    for (let cell = 0; cell < 20; cell++) {
      array.patch(path, FIRST_CELL + 8 * cell, tile.subarray(8 * (19 - cell), 8 * (20 - cell)))
    }
    await expectDisorder(array)
  })

  async function expectDisorder(array: EditedArray): Promise<void> {
    const { findings } = await check(array.storage(), EDITED)
    expect(findings.filter(({ severity }) => severity === 'error').map(({ code, tile }) => [code, tile])).toEqual([
      ['COORDINATE_ORDER', 0],
    ])
  }
})

test('coordinates that a filter rounded are no damage, but one note: order and boxes are those of the values before', async () => {
  const array = `${folder}/rounded`
  const data = `${folder}/rounded.ndjson`
  writeFileSync(data, '{"x":0.1,"y":4,"a":1}\n{"x":0.2,"y":3,"a":2}\n{"x":0.3,"y":3,"a":3}\n')
  const fields = ['--dim', 'x:FLOAT64:0..100:10', '--dim', 'y:INT32:0..10:5', '--attr', 'a:INT32']
  const rounded = ['--field-filters', 'x=scale-float:byte_width=1']
  expect((await run(['write-sample', array, '--sparse', ...fields, ...rounded, '--data', data])).code).toBe(0)
  const { findings } = await check(localFiles, array)
  expect(findings.map(({ code, field }) => `${code} ${field}`)).toEqual(['COORDINATE_MBR x'])
  for (const { severity, meaning } of findings) {
    expect(severity).toBe('note')
    expect(meaning).toMatch(/keeps only some digits of its coordinates/)
  }
})

test('-0.0 and 0.0 are two coordinates', async () => {
  const { findings } = await check(new EditedArray('22/two_zeros').storage(), EDITED)
  expect(findings).toEqual([])
})

test('twice the same bytes are not', async () => {
  const array = new EditedArray('22/two_zeros')
  for (const [name, size] of [
    ['d0.tdb', 8],
    ['d1.tdb', 4],
  ] as const) {
    const path = array.find(new RegExp(`/${name}$`))
    array.patch(path, FIRST_CELL + size, array.get(path).slice(FIRST_CELL, FIRST_CELL + size))
  }
  const { findings } = await check(array.storage(), EDITED)
  expect(findings.map(({ code }) => code)).toContain('COORDINATE_DUPLICATE')
})
