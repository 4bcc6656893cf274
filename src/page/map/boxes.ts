import { sum } from '../../base/sum.ts'
import { tileBoxReader } from '../../calls/tile-boxes.ts'
import { fixedSize, type NDRange, type RangeType } from '../../format/range.ts'
import { mbrAt, type RTreeLevel } from '../../format/rtree.ts'
import type { Fragment } from '../../objects/fragment.ts'
import { yieldToBrowser } from '../yield-to-browser.ts'
import type { MapAxis } from './axis.ts'

/** Number of boxes after which the browser may draw. */
const SLICE = 4096
/** Number of boxes below a box if there is no R-tree. */
const FANOUT = 10

/** A level of boxes with their places in the map. */
export interface BoxLevel {
  count: number
  /** `x0, x1, y0, y1` of each box. */
  places: Float64Array
}

/** The levels of boxes of a fragment. The last level has the boxes of the tiles. */
export interface BoxLevels {
  /** Number of boxes below a box: box i has those from `i * fanout` on. */
  fanout: number
  levels: readonly BoxLevel[]
}

/** The boxes of a fragment as they are stored. */
export interface StoredBoxes {
  dimensions: readonly RangeType[]
  fanout: number
  /** Levels of the R-tree; undefined for dense fragments. */
  levels: readonly RTreeLevel[] | undefined
  /** The box of a tile. */
  at(tile: number): NDRange | undefined
  tile_num: number
}

/** Reads the boxes of a fragment: its R-tree, or the grid of a dense fragment. */
export async function storedBoxes(fragment: Fragment): Promise<StoredBoxes> {
  const info = await fragment.info()
  const { dimensions } = info.schema.domain
  const { tile_num } = info
  const at = await tileBoxReader(fragment, info)
  if (info.dense) return { dimensions, fanout: FANOUT, levels: undefined, at, tile_num }
  const { fanout, levels } = await fragment.rtree()
  return { dimensions, fanout: Math.max(2, fanout), levels, at, tile_num: levels.at(-1)?.mbr_num ?? 0 }
}

/** Adds both ends of the box of each tile along a dimension to `ends`. */
export async function addEnds({ at, tile_num }: StoredBoxes, d: number, ends: Uint8Array[]): Promise<void> {
  for (let tile = 0; tile < tile_num; tile++) {
    if (tile % SLICE === 0) await yieldToBrowser()
    const box = at(tile)
    if (box) ends.push(box[d].min, box[d].max)
  }
}

/**
 * Places the boxes of a fragment in the map. The browser may draw on the way.
 * @param dims the dimension of each axis; undefined for the axis of fragments, on which all boxes have the place `row`
 */
export async function placeBoxes(
  stored: StoredBoxes,
  axes: readonly [MapAxis, MapAxis],
  dims: AxisDimensions,
  row: number,
): Promise<BoxLevels> {
  const { dimensions, fanout, levels } = stored
  const sides = [sidePlacer(axes[0], dims[0], row), sidePlacer(axes[1], dims[1], row)] as const
  if (!levels) {
    const leaves = await placeAll(stored.tile_num, stored.at, sides)
    return { fanout, levels: await withLevelsAbove(leaves, fanout) }
  }
  const placed: BoxLevel[] = []
  for (const level of levels) {
    const sizes = dimensions.map(fixedSize)
    placed.push(
      level.starts || sizes.includes(undefined)
        ? await placeAll(level.mbr_num, (i) => mbrAt(level, i, dimensions), sides)
        : await placeFixed(level, sizes as number[], axes, dims, row),
    )
  }
  return { fanout, levels: placed }
}

/** The dimension of each axis of the map; undefined for the axis of fragments. */
export type AxisDimensions = readonly [number | undefined, number | undefined]

/** Writes the places of both ends of a box on an axis. @param at index of the first one in `into` */
type SidePlacer = (box: NDRange, into: Float64Array, at: number) => void

export function sidePlacer(axis: MapAxis, d: number | undefined, row: number): SidePlacer {
  return (box, into, at) => {
    const range = d === undefined ? undefined : box[d]
    into[at] = range ? axis.place(range.min, 0, range.min.length) : row
    into[at + 1] = (range ? axis.place(range.max, 0, range.max.length) : row) + axis.unit
  }
}

async function placeAll(
  count: number,
  at: (index: number) => NDRange | undefined,
  [x, y]: readonly [SidePlacer, SidePlacer],
): Promise<BoxLevel> {
  const places = new Float64Array(4 * count)
  for (let i = 0; i < count; i++) {
    if (i % SLICE === 0) await yieldToBrowser()
    const box = at(i)
    if (box) {
      x(box, places, 4 * i)
      y(box, places, 4 * i + 2)
    } else places.fill(Number.NaN, 4 * i, 4 * i + 4)
  }
  return { count, places }
}

/** Places boxes whose bytes all have the same size, without an object for each of a million boxes. */
async function placeFixed(
  { bytes, mbr_num }: RTreeLevel,
  sizes: readonly number[],
  axes: readonly [MapAxis, MapAxis],
  dims: AxisDimensions,
  row: number,
): Promise<BoxLevel> {
  const stride = bytes.length / Math.max(1, mbr_num)
  const places = new Float64Array(4 * mbr_num)
  for (const [a, axis] of axes.entries()) {
    const d = dims[a]
    const size = d === undefined ? 0 : sizes[d]
    const start = d === undefined ? 0 : sum(sizes.slice(0, d), (one) => 2 * one)
    for (let i = 0; i < mbr_num; i++) {
      if (i % SLICE === 0) await yieldToBrowser()
      const from = i * stride + start
      places[4 * i + 2 * a] = d === undefined ? row : axis.place(bytes, from, from + size)
      places[4 * i + 2 * a + 1] = (d === undefined ? row : axis.place(bytes, from + size, from + 2 * size)) + axis.unit
    }
  }
  return { count: mbr_num, places }
}

/** Adds levels above the boxes of tiles. Dense fragments do not store them. */
async function withLevelsAbove(leaves: BoxLevel, fanout: number): Promise<BoxLevel[]> {
  const levels = [leaves]
  while (levels[0].count > fanout) {
    const [{ count, places }] = levels
    const next = new Float64Array(4 * Math.ceil(count / fanout))
    for (let i = 0; i * 4 < next.length; i++) {
      if (i % SLICE === 0) await yieldToBrowser()
      let [x0, x1, y0, y1] = [Infinity, -Infinity, Infinity, -Infinity]
      for (let j = i * fanout; j < Math.min(count, (i + 1) * fanout); j++) {
        x0 = Math.min(x0, places[4 * j])
        x1 = Math.max(x1, places[4 * j + 1])
        y0 = Math.min(y0, places[4 * j + 2])
        y1 = Math.max(y1, places[4 * j + 3])
      }
      next.set([x0, x1, y0, y1], 4 * i)
    }
    levels.unshift({ count: next.length / 4, places: next })
  }
  return levels
}
