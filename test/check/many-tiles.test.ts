import { beforeAll, describe, expect, test } from '@jest/globals'
import { EditableArray } from '../../src/damage/editable-array.ts'
import { filesBelow } from '../helpers/files-below.ts'
import { contextFor } from '../helpers/fixtures.ts'
import { temporaryFolder } from '../helpers/folders.ts'
import { run } from '../helpers/run.ts'
import { shortTurn } from '../helpers/turn.ts'
import { check, shown } from './findings.ts'

const TILES = 26_000
const ROOT = '/array'
/** Number of stored bytes of a section that are read at once. */
const WINDOW = 2 ** 18

const folder = `${temporaryFolder()}/array`
let files: ReadonlyMap<string, Uint8Array>

beforeAll(async () => {
  const what = '--dim x:INT64:0..99999999 --dim y:FLOAT64:0..1 --attr a:INT32 --capacity 1'
  const { code, stderr } = await run(`write-sample ${folder} ${what} --cells ${TILES} --fragments 1`.split(' '))
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  files = filesBelow(folder, ROOT)
})

function array(): EditableArray {
  return new EditableArray(ROOT, files, () => contextFor({ key: undefined }))
}

async function found(edited: EditableArray): Promise<string[]> {
  const { findings } = await check(edited.storage(), ROOT, { level: 'structure' })
  return shown(findings).map((line) => line.replace(/ \/array\S*/, ''))
}

test('lists of many tiles are read in pages', async () => {
  const sound = array()
  const fragment = await sound.fragment()
  const { footer } = await fragment.info()
  expect((await fragment.sectionEnd(footer?.rtree_offset ?? 0, 'rtree')) - (footer?.rtree_offset ?? 0)).toBeGreaterThan(
    WINDOW,
  )
  const storage = sound.storage()
  let longest = 0
  const open = storage.open.bind(storage)
  storage.open = (path) => {
    const source = open(path)
    const read = source.read.bind(source)
    source.read = (offset, length) => {
      longest = Math.max(longest, length)
      return read(offset, length)
    }
    return source
  }
  expect((await check(storage, ROOT, { level: 'structure' })).findings).toEqual([])
  expect(longest).toBeLessThanOrEqual(WINDOW)
})

/** Both ends of dimension `y` of a leaf, 8 bytes each. */
function ends(bytes: Uint8Array, tile: number): Float64Array {
  return new Float64Array(bytes.slice(tile * 32 + 16, tile * 32 + 32).buffer)
}

function setEnds(bytes: Uint8Array, tile: number, min: number, max: number): void {
  bytes.set(new Uint8Array(Float64Array.of(min, max).buffer), tile * 32 + 16)
}

/** The last tile of the first 512 parents, the first of the next ones, and the last of all. */
describe.each(shortTurn([5119, 5120, TILES - 1], 3))('damage of tile %d of many', (tile) => {
  const parent = `rtree.levels.4.${Math.floor(tile / 10)}`

  async function withLeaves(change: (leaves: Uint8Array) => void): Promise<string[]> {
    const edited = array()
    await edited.editSection('rtree', undefined, ({ levels }) => change(levels[5].bytes))
    return found(edited)
  }

  test('a reversed box', async () => {
    expect(await withLeaves((leaves) => setEnds(leaves, tile, 0.75, 0.25))).toEqual([
      `error MBR_INVALID rtree.levels.5.${tile}.y : expected a lower end below its upper end, found the reverse`,
    ])
  })

  test('a box that leaves its parent and the non-empty domain', async () => {
    const lines = await withLeaves((leaves) => setEnds(leaves, tile, 2, 2))
    expect(lines).toEqual([
      `error MBR_NONEMPTY_DOMAIN nonempty_domain.y ${tile}: expected the upper end of the box of tile ${tile}, found another`,
      `error RTREE_CONTAINMENT ${parent} : expected a box around box ${tile} of the level below, found one that it leaves`,
    ])
  })

  test('a box of more than one point around one cell', async () => {
    const lines = await withLeaves((leaves) => {
      const [min, max] = ends(leaves, tile)
      setEnds(leaves, tile, min, max + Number.EPSILON)
    })
    expect(lines[0]).toBe(
      `error MBR_INVALID rtree ${tile}: expected a box of one point around one cell, found a larger one`,
    )
  })

  test('a box of NaN', async () => {
    const lines = await withLeaves((leaves) => setEnds(leaves, tile, Number.NaN, Number.NaN))
    expect(lines[0]).toContain(`MBR_INVALID rtree.levels.5.${tile}.y : expected numbers, found NaN`)
  })

  test('an offset that does not rise', async () => {
    const edited = array()
    await edited.editSection('tile_offsets', 0, ({ values }) => {
      values[tile] = values[tile - 1]
    })
    const before = (await (await edited.fragment()).offsets('tile_offsets', 0))?.[tile - 1]
    expect(await found(edited)).toEqual([
      `error TILE_OFFSETS_ORDER tile_offsets.a.${tile} ${tile}: expected more than ${before}, found ${before}`,
    ])
  })

  test('an offset outside the file', async () => {
    const edited = array()
    const [size] = (await (await edited.fragment()).info()).file_sizes
    await edited.editSection('tile_offsets', 0, ({ values }) => ({ values: values.fill(size + 7, tile) }))
    expect(await found(edited)).toEqual([
      `error TILE_OFFSETS_OUTSIDE tile_offsets.a.${tile} ${tile}: expected less than the file's ${size} bytes, found ${size + 7}`,
    ])
  })
})

test('too few offsets, sums and minima', async () => {
  const edited = array()
  await edited.editSection('tile_offsets', 0, ({ values }) => ({ values: values.slice(1) }))
  await edited.editSection('tile_sums', 0, ({ values }) => ({ values: values.slice(8) }))
  await edited.editSection('tile_mins', 0, ({ fixed, variable }) => ({ fixed: fixed.slice(4), variable }))
  expect(await found(edited)).toEqual([
    'error TILE_OFFSETS_COUNT tile_offsets.a : expected 26000, found 25999',
    'error TILE_OFFSETS_ORDER tile_offsets.a.0 0: expected 0, found 24',
    'error STATISTICS_COUNT tile_min_values.a : expected 104000 bytes, found 103996',
    'error STATISTICS_COUNT tile_sums.a : expected 26000, found 25999',
  ])
})

test.each([0, 1, 11, 2 ** 32 - 1])('a fanout of %d', async (fanout) => {
  const edited = array()
  await edited.editSection('rtree', undefined, (rtree) => ({ ...rtree, fanout }))
  const lines = await found(edited)
  expect(lines.filter((line) => line.includes('RTREE_FANOUT'))).toEqual([
    `warning RTREE_FANOUT rtree : expected 10, found ${fanout}`,
  ])
  expect(lines.some((line) => line.includes('RTREE_LEVELS'))).toBe(true)
})
