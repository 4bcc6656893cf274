import { tileBoxes } from '../../commands/tiles.ts'
import { fixedSize, type NDRange, type RangeType } from '../../format/range.ts'
import { mbrAt, type RTreeLevel } from '../../format/rtree.ts'
import type { Fragment } from '../../store/fragment.ts'
import { breath } from '../breath.ts'
import type { Axis } from './axis.ts'

/** Boxes between two breaths. */
const SLICE = 4096
/** Children of a box where there is no R-tree. */
const FANOUT = 10

/** The boxes of a level, as they lie in the map: `x0, x1, y0, y1` of each. */
export interface Level {
  count: number
  places: Float64Array
}

/** The tiles' boxes of a fragment, coarse to fine. Box i has the boxes from `i * fanout` on below it. */
export interface Boxes {
  fanout: number
  levels: readonly Level[]
}

/** The stored boxes of a fragment. */
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
  const at = await tileBoxes(fragment, info)
  if (info.dense) return { dimensions, fanout: FANOUT, levels: undefined, at, tile_num }
  const { fanout, levels } = await fragment.rtree()
  return { dimensions, fanout: Math.max(2, fanout), levels, at, tile_num: levels.at(-1)?.mbr_num ?? 0 }
}

/** Adds the ends of all boxes of a dimension, for the steps of a text axis. */
export async function addEnds({ at, tile_num }: StoredBoxes, d: number, ends: Uint8Array[]): Promise<void> {
  for (let tile = 0; tile < tile_num; tile++) {
    if (tile % SLICE === 0) await breath()
    const box = at(tile)
    if (box) ends.push(box[d].min, box[d].max)
  }
}

/**
 * Places the boxes of a fragment in the map, in slices.
 * @param x,y the dimension of each axis; undefined for the axis of fragments, where all boxes have the same `row`
 */
export async function placedBoxes(
  stored: StoredBoxes,
  [x, y]: readonly [Axis, Axis],
  [dx, dy]: readonly [number | undefined, number | undefined],
  row: number,
): Promise<Boxes> {
  const { dimensions, fanout, levels } = stored
  const ends = [side(x, dx, row), side(y, dy, row)] as const
  if (!levels) {
    const leaves = await placedFrom(stored.tile_num, stored.at, ends)
    return { fanout, levels: await above(leaves, fanout) }
  }
  const placed: Level[] = []
  for (const level of levels) {
    const sizes = dimensions.map(fixedSize)
    placed.push(
      level.starts || sizes.includes(undefined)
        ? await placedFrom(level.mbr_num, (i) => mbrAt(level, i, dimensions), ends)
        : await placedFixed(level, sizes as number[], [x, y], [dx, dy], row),
    )
  }
  return { fanout, levels: placed }
}

/** Places one side of a box. */
type Side = (box: NDRange, into: Float64Array, at: number) => void

export function side(axis: Axis, d: number | undefined, row: number): Side {
  return (box, into, at) => {
    const range = d === undefined ? undefined : box[d]
    into[at] = range ? axis.place(range.min, 0, range.min.length) : row
    into[at + 1] = (range ? axis.place(range.max, 0, range.max.length) : row) + axis.unit
  }
}

async function placedFrom(
  count: number,
  at: (index: number) => NDRange | undefined,
  [x, y]: readonly [Side, Side],
): Promise<Level> {
  const places = new Float64Array(4 * count)
  for (let i = 0; i < count; i++) {
    if (i % SLICE === 0) await breath()
    const box = at(i)
    if (box) {
      x(box, places, 4 * i)
      y(box, places, 4 * i + 2)
    } else places.fill(Number.NaN, 4 * i, 4 * i + 4)
  }
  return { count, places }
}

/** Where all boxes have the same size, as most do: no object for each of a million. */
async function placedFixed(
  { bytes, mbr_num }: RTreeLevel,
  sizes: readonly number[],
  axes: readonly [Axis, Axis],
  dims: readonly [number | undefined, number | undefined],
  row: number,
): Promise<Level> {
  const stride = bytes.length / Math.max(1, mbr_num)
  const places = new Float64Array(4 * mbr_num)
  for (const [a, axis] of axes.entries()) {
    const d = dims[a]
    const size = d === undefined ? 0 : sizes[d]
    const start = d === undefined ? 0 : sizes.slice(0, d).reduce((sum, one) => sum + 2 * one, 0)
    for (let i = 0; i < mbr_num; i++) {
      if (i % SLICE === 0) await breath()
      const from = i * stride + start
      places[4 * i + 2 * a] = d === undefined ? row : axis.place(bytes, from, from + size)
      places[4 * i + 2 * a + 1] = (d === undefined ? row : axis.place(bytes, from + size, from + 2 * size)) + axis.unit
    }
  }
  return { count: mbr_num, places }
}

/** Levels above the boxes of tiles, which dense fragments do not store. */
async function above(leaves: Level, fanout: number): Promise<Level[]> {
  const levels = [leaves]
  while (levels[0].count > fanout) {
    const [{ count, places }] = levels
    const next = new Float64Array(4 * Math.ceil(count / fanout))
    for (let i = 0; i * 4 < next.length; i++) {
      if (i % SLICE === 0) await breath()
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
