import type { Overlap } from '../cells/bounds.ts'
import { allRows } from '../cells/column.ts'
import type { NDRange } from '../format/range.ts'
import { mbrAt } from '../format/rtree.ts'
import type { Fragment, FragmentInfo } from '../objects/fragment.ts'
import { BLOCK_TILES, TileLists } from '../objects/tile-lists.ts'
import { tellRTreeFault } from '../objects/told-faults.ts'
import type { FragmentPlan, PassedOverBy } from './plan.ts'

/** The tiles of a fragment that the ranges touch. */
export interface TouchedTiles {
  tiles: Uint32Array
  /** By position in `tiles`: 1 if the tile lies completely inside the ranges. */
  inside: Uint8Array
}

export const NO_TILES: TouchedTiles = { tiles: new Uint32Array(0), inside: new Uint8Array(0) }

/** What {@link allTiles} returned last. Fragments mostly have the same number of tiles. For 66,000 of them, a list each took 20 MB. */
let lastAll = NO_TILES

/** All tiles of a fragment. Fragments share the lists, so they must not be changed. */
export function allTiles({ tile_num }: FragmentInfo): TouchedTiles {
  if (lastAll.tiles.length !== tile_num)
    lastAll = { tiles: allRows(tile_num), inside: new Uint8Array(tile_num).fill(1) }
  return lastAll
}

/** Tests the box of every tile of a fragment, with few boxes in memory at once. */
export async function touchedTiles(fragment: Fragment, overlapOf: (box: NDRange) => Overlap): Promise<TouchedTiles> {
  const info = await fragment.info()
  const { schema, tile_num } = info
  const { dimensions } = schema.domain
  const { fanout, levels } = await new TileLists(fragment).rtree()
  const counts = levels.map(({ count }) => count)
  tellRTreeFault(fragment, info, fanout, counts)
  const boxes = levels.at(-1)
  const tiles = new Uint32Array(tile_num)
  const inside = new Uint8Array(tile_num)
  let found = 0
  for (let from = 0; boxes && from < tile_num; from += BLOCK_TILES) {
    const to = Math.min(from + BLOCK_TILES, tile_num)
    const { first, entries } = await boxes.block(from, to)
    for (let i = from; i < Math.min(to, first + entries.mbr_num); i++) {
      const overlap = overlapOf(mbrAt(entries, i - first, dimensions))
      if (overlap === 'none') continue
      inside[found] = overlap === 'all' ? 1 : 0
      tiles[found++] = i
    }
  }
  boxes?.release()
  await fragment.close()
  return { tiles: tiles.slice(0, found), inside: inside.slice(0, found) }
}

/** Why a fragment is not read; null if it is. */
function passedOverBy(tile_num: number, touched: TouchedTiles | undefined): PassedOverBy {
  if (!touched) return 'domain'
  if (tile_num === 0) return 'no tiles'
  return touched.tiles.length === 0 ? 'rtree' : null
}

/** The plan of a fragment before tiles are dropped and cells are counted. @param touched undefined if its domain touches no range */
export function planOfTouched(
  fragment: number,
  { tile_num }: FragmentInfo,
  touched: TouchedTiles | undefined,
): FragmentPlan {
  const { tiles, inside } = touched ?? NO_TILES
  return {
    fragment,
    passed_over_by: passedOverBy(tile_num, touched),
    tile_num,
    tiles_touched: tiles.length,
    tiles_inside: inside.reduce((sum, one) => sum + one, 0),
    tiles_dropped: 0,
    cells_read: 0,
  }
}
