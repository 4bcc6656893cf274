import type { Overlap } from '../cells/bounds.ts'
import { allRows } from '../cells/column.ts'
import type { NDRange } from '../format/range.ts'
import { mbrAt } from '../format/rtree.ts'
import type { Fragment, FragmentInfo } from '../store/fragment.ts'
import { BLOCK_TILES, TileLists } from '../store/tile-lists.ts'

/** The tiles of a fragment that the ranges touch. */
export interface TouchedTiles {
  tiles: Uint32Array
  /** 1 for each of them that lies wholly inside. */
  inside: Uint8Array
}

export const NO_TILES: TouchedTiles = { tiles: new Uint32Array(0), inside: new Uint8Array(0) }

export function allTiles({ tile_num }: FragmentInfo): TouchedTiles {
  return { tiles: allRows(tile_num), inside: new Uint8Array(tile_num).fill(1) }
}

/** Tests the boxes of a fragment, few in memory at once. */
export async function touchedTiles(fragment: Fragment, overlapOf: (box: NDRange) => Overlap): Promise<TouchedTiles> {
  const { schema, tile_num } = await fragment.info()
  const { dimensions } = schema.domain
  const boxes = await new TileLists(fragment).boxes()
  const tiles = new Uint32Array(tile_num)
  const inside = new Uint8Array(tile_num)
  let found = 0
  for (let from = 0; boxes && from < tile_num; from += BLOCK_TILES) {
    const { first, entries } = await boxes.block(from, Math.min(from + BLOCK_TILES, tile_num))
    for (let i = from; i < Math.min(from + BLOCK_TILES, tile_num, first + entries.mbr_num); i++) {
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

/** How many of the touched tiles lie wholly inside. */
export function insideNum({ inside }: TouchedTiles): number {
  return inside.reduce((sum, one) => sum + one, 0)
}
