import { existsSync, readFileSync, statSync } from 'node:fs'
import { get, items, type Json } from '../helpers/json.ts'
import { dataFiles, tileStarts } from './data-files.ts'
import type { Differences } from './differences.ts'
import { type ExpectedFragment, schemaOf } from './expected.ts'
import type { GoldenArray } from './golden-array.ts'

const PREFIX = { data: '', var: 'var_', validity: 'validity_' } as const

/** `tiles <fragment>`: a row a tile, boxes as TileDB gives them, places as the chunks in the files say. */
export async function compareTileRows(array: GoldenArray, found: Differences): Promise<void> {
  for (const want of array.expected.fragments) {
    const path = array.fragmentPath(want)
    const got = await array.json(['tiles'], path, 'tiles')
    const rows = items(get(got, 'tiles'))
    found.equal(rows.length, get(got, 'tile_num'), `rows of ${want.name}`)
    const cells = rows.reduce<number>((sum, row) => sum + Number(get(row, 'cell_num')), 0)
    found.equal(cells, want.cell_num, `cells of all tiles of ${want.name}`)
    if (want.dense) compareGrid(rows, want, found)
    else compareBoxes(array, rows, want, found)
    comparePlaces(array, rows, want, path, found)
  }
}

function compareBoxes(array: GoldenArray, rows: readonly Json[], want: ExpectedFragment, found: Differences): void {
  if (want.mbrs === null) return
  const { dims } = schemaOf(array.expected, want)
  found.equal(rows.length, want.mbrs.length, `MBRs of ${want.name}`)
  want.mbrs.forEach((mbr, tile) => {
    dims.forEach(({ name, type }, d) => {
      const pair = items(get(rows[tile], 'mbr'))[d]
      found.value(type, pair, items(mbr)[d], `MBR of tile ${tile} of ${want.name} in ${name}`)
    })
  })
}

/** The tiles' boxes have as many cells together as the non-empty domain, and lie inside it. */
function compareGrid(rows: readonly Json[], want: ExpectedFragment, found: Differences): void {
  const domain = (want.nonempty_domain ?? []).map((pair) => items(pair).map(bigint))
  if (domain.length === 0) return
  const volume = (box: readonly (readonly bigint[])[]): bigint =>
    box.reduce((cells, [low, high]) => cells * (high - low + 1n), 1n)
  let sum = 0n
  for (const row of rows) {
    const box = items(get(row, 'tile_domain')).map((pair) => items(pair).map(bigint))
    found.need(
      box.every(([low, high], d) => low >= domain[d][0] && high <= domain[d][1]),
      () => `a tile of ${want.name} lies outside the non-empty domain`,
    )
    sum += volume(box)
  }
  found.equal(sum, volume(domain), `cells in the tiles' boxes of ${want.name}`)
}

function bigint(value: Json): bigint {
  return typeof value === 'number' || typeof value === 'bigint' ? BigInt(value) : 0n
}

function comparePlaces(
  array: GoldenArray,
  rows: readonly Json[],
  want: ExpectedFragment,
  path: string,
  found: Differences,
): void {
  if (array.loose) return
  for (const { role, field, path: file } of dataFiles(schemaOf(array.expected, want), want, path)) {
    if (!existsSync(file)) continue
    const what = `${role} of ${field} in ${want.name}`
    const tiles = rows.map((row) => items(get(row, 'fields')).find((one) => get(one, 'name') === field))
    const prefix = PREFIX[role]
    found.equal(
      tiles.map((tile) => get(tile, `${prefix}offset`) ?? null),
      tileStarts(readFileSync(file)),
      `offsets of ${what}`,
    )
    const sum = tiles.reduce<number>((bytes, tile) => bytes + Number(get(tile, `${prefix}size`)), 0)
    found.equal(sum, statSync(file).size, `stored sizes of ${what}`)
  }
}
