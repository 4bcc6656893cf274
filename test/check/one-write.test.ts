import { describe, expect, test } from '@jest/globals'
import { METADATA } from '../../src/damage/damage.ts'
import { integerOf } from '../../src/format/dense-tiles.ts'
import type { RTreeLevel } from '../../src/format/rtree.ts'
import { EDITED, EditedArray } from '../helpers/edit-array.ts'
import { fixtureFolders, versionOf } from '../helpers/fixtures.ts'
import { turnOfFamilies } from '../helpers/turn.ts'
import { check } from './findings.ts'

const codesOf = async (array: EditedArray): Promise<string[]> => {
  const { findings } = await check(array.storage(), EDITED, { key: array.key })
  return findings.map(({ code }) => code)
}

/** Moves one end of a range by 1. */
const move = (bytes: Uint8Array, by: 1 | -1): void => {
  for (let i = 0; i < bytes.length; i++) {
    bytes[i] += by
    if (bytes[i] !== (by === 1 ? 0 : 0xff)) return
  }
}

/** Fragments whose first axis can lose a cell at one end without losing a tile. */
async function shrinkable(end: 'min' | 'max'): Promise<[name: string, path: string][]> {
  const found: [string, string][] = []
  for (const { name } of fixtureFolders()) {
    if (!/^\d+\/dense_(?:basic|3d_row_row|global_write|consolidated)$/.test(name)) continue
    const array = new EditedArray(name)
    for (const file of array.matching(METADATA)) {
      const path = file.slice(0, file.lastIndexOf('/'))
      const { schema, nonempty_domain, dense, footer } = await (await array.fragment(path)).info()
      const { type, domain, tile_extent } = schema.domain.dimensions[0]
      if (!nonempty_domain || !dense || !footer || !tile_extent) continue
      const { min, max } = nonempty_domain[0]
      const [first, low, high] = [domain.subarray(0, min.length), min, max].map((bytes) => integerOf(type, bytes))
      const tileOf = (at: bigint): bigint => (at - first) / integerOf(type, tile_extent)
      const [at, next] = end === 'min' ? [low, low + 1n] : [high, high - 1n]
      if (low < high && tileOf(at) === tileOf(next)) found.push([name, path])
    }
  }
  return found
}

describe.each(['min', 'max'] as const)('a dense non-empty domain that was shrunk by less than a tile, %s', (end) => {
  test('leaves cells of every format outside of it', async () => {
    const fragments = await shrinkable(end)
    for (const [name, path] of turnOfFamilies(fragments, 4, ([of]) => versionOf({ name: of }))) {
      const array = new EditedArray(name)
      await array.editFooter(({ nonempty_domain }) => move(nonempty_domain[0][end], end === 'min' ? 1 : -1), path)
      const codes = await codesOf(array)
      expect([name, codes.filter((code) => code === 'NONEMPTY_DOMAIN').length]).toEqual([name, 1])
    }
    expect(new Set(fragments.map(([name]) => name)).size).toBeGreaterThanOrEqual(17)
  })
})

describe('the box of a tile and the number of its cells', () => {
  const found = async (fixture: string, change: (array: EditedArray) => Promise<void>) => {
    const array = new EditedArray(fixture)
    await change(array)
    const { findings } = await check(array.storage(), EDITED, { level: 'structure' })
    return findings.filter(({ code }) => code === 'MBR_INVALID').map((one) => `${one.expected}; ${one.found}`)
  }
  const boxes = async (array: EditedArray, change: (leaves: RTreeLevel) => void): Promise<void> => {
    const [file] = array.matching(METADATA)
    const path = file.slice(0, file.lastIndexOf('/'))
    await array.editSection('rtree', undefined, ({ levels }) => change(levels[levels.length - 1]), path)
  }

  test('a last tile of one cell whose box is larger than a point', async () => {
    const change = (array: EditedArray) => array.editFooter({ last_tile_cell_num: 1n })
    expect(await found('22/sparse_basic', change)).toEqual(['a box of one point around one cell; a larger one'])
    expect(await found('22/float_dims', change)).toEqual(['a box of one point around one cell; a larger one'])
    expect(await found('22/string_dim', change)).toEqual(['a box of one point around one cell; a larger one'])
  })

  test('a box too small for the cells of its tile', async () => {
    // The box of two INT32 dimensions becomes a point.
    const point = ({ bytes }: RTreeLevel): void => {
      bytes.copyWithin(4, 0, 4)
      bytes.copyWithin(12, 8, 12)
    }
    const change = (array: EditedArray): Promise<void> => boxes(array, point)
    expect(await found('22/sparse_basic', change)).toEqual([
      expect.stringMatching(/^a box with room for \d+ cells; room for 1$/),
    ])
  })

  test('a box of one point around many cells, where the schema allows duplicates', async () => {
    const point = ({ bytes }: RTreeLevel): void => {
      bytes.copyWithin(4, 0, 4)
      bytes.copyWithin(12, 8, 12)
    }
    expect(await found('22/duplicates', (array) => boxes(array, point))).toEqual([])
  })
})
