import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { firstFragment } from '../helpers/fragments.ts'
import { get, items } from '../helpers/json.ts'
import { run, runJson } from '../helpers/run.ts'

const TILES = 10_000
let folder = ''
let fragment = ''

beforeAll(async () => {
  folder = mkdtempSync(`${tmpdir()}/many-tiles-`)
  const array = `${folder}/array`
  const { code } = await run(
    `write-sample ${array} --dim x:INT32:0..99999 --attr a:INT32 --capacity 1 --cells ${TILES} --fragments 1`.split(
      ' ',
    ),
  )
  expect(code).toBe(0)
  fragment = firstFragment(array)
})

afterAll(() => rmSync(folder, { recursive: true, force: true }))

test('metadata of many tiles says what tiles says of each', async () => {
  const { documents, code } = await runJson(['metadata', fragment])
  const tiles = items(get((await runJson(['tiles', fragment])).documents[0], 'tiles'))
  expect(code).toBe(0)
  expect(tiles).toHaveLength(TILES)
  const fields = items(get(documents[0], 'fields')).filter((field) => get(field, 'phantom') !== true)
  expect(fields.map((field) => get(field, 'name'))).toEqual(['a', 'x'])
  for (const field of fields) {
    const byTile = tiles.map((tile) =>
      items(get(tile, 'fields')).find((one) => get(one, 'name') === get(field, 'name')),
    )
    const lists = [['tile_offsets', 'offset']]
    // TileDB keeps those of attributes only.
    if (get(field, 'name') === 'a') lists.push(['tile_mins', 'min'], ['tile_maxs', 'max'])
    for (const [list, key] of lists) expect(get(field, list)).toEqual(byTile.map((tile) => get(tile, key)))
  }
})

test('its table shows the first of them', async () => {
  const { text, code } = await run(['metadata', fragment])
  expect(code).toBe(0)
  expect(text).toContain('10,000 tiles')
})

test('damage in a list is an error ahead of all output', async () => {
  const file = `${fragment}/__fragment_metadata.tdb`
  const offset = Number(get((await runJson(['dump', '--depth', '1', file])).documents[0], 'length')) / 2
  const bytes = readFileSync(file)
  const damaged = bytes.slice()
  damaged.fill(0x5a, Math.floor(offset), Math.floor(offset) + 40)
  writeFileSync(file, damaged)
  const { documents, code } = await runJson(['metadata', fragment])
  writeFileSync(file, bytes)
  expect(code).toBe(1)
  expect(documents).toHaveLength(1)
  expect(Object.keys(Object(documents[0]))).toEqual(['error'])
})
