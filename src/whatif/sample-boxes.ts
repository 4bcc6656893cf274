import { sum } from '../base/sum.ts'
import { type Bounds, type Comparable, comparable, compare, type RangeSets } from '../cells/bounds.ts'
import { datatypeKind } from '../format/datatype.ts'
import type { Dimension } from '../format/dimension.ts'
import type { NDRange } from '../format/range.ts'
import { leafLevel, mbrAt } from '../format/rtree.ts'
import { bytesOf } from '../format/value.ts'
import { storedCellNum } from '../objects/fragment.ts'
import type { OpenedArray } from '../read/query.ts'
import { boxAround } from '../steps/cells.ts'
import { Random } from '../write/random.ts'

/** A box of the domain of an array, with about the requested number of cells. */
export interface SampleBox {
  ranges: RangeSets
  /** Number of cells in the box; approximate in sparse arrays. */
  cells: number
  /** The box as a domain; undefined in sparse arrays. */
  domain: NDRange | undefined
}

/** Approximate limit on the boxes of tiles that tell where the cells of a sparse array lie. */
const MAX_BOXES = 20_000

/**
 * Boxes of an array, spread by a seed. Together they have about `cells` cells; more if the tiles are larger.
 *
 * @param other dimensions with another tile extent; boxes of dense arrays hold whole tiles of both extents
 */
export async function sampleBoxes(
  opened: OpenedArray,
  { cells, count, seed }: { cells: number; count: number; seed: string },
  other: readonly Dimension[],
): Promise<SampleBox[]> {
  const random = new Random(seed)
  const boxes: SampleBox[] = []
  const choose =
    opened.schema.array_type === 'dense'
      ? denseChooser(opened, other, cells / count)
      : await sparseChooser(opened, cells / count)
  const seen = new Set<string>()
  for (let i = 0; i < count; i++) {
    const box = choose(random)
    const key = JSON.stringify(Array.from(box.ranges), (_, value) => (typeof value === 'bigint' ? `${value}` : value))
    if (!seen.has(key)) boxes.push(box)
    seen.add(key)
  }
  return boxes
}

/** Tiles along a dimension. Tiles of the old and of the new extent begin together every `unit` cells, from `start` on. */
interface Axis {
  start: bigint
  low: bigint
  high: bigint
  unit: bigint
}

function denseChooser(opened: OpenedArray, other: readonly Dimension[], cells: number): (random: Random) => SampleBox {
  const { dimensions } = opened.schema.domain
  const whole = boxAround(opened.fragments, dimensions)
  const axes = dimensions.map(({ type, domain, tile_extent }, d): Axis => {
    const integer = (bytes: Uint8Array): bigint => BigInt(comparable(type, bytes) as number | bigint)
    const extents = [tile_extent, other[d].tile_extent].map((extent) => (extent ? integer(extent) : 1n))
    return {
      start: integer(domain.subarray(0, domain.length / 2)),
      low: integer(whole[d].min),
      high: integer(whole[d].max),
      unit: leastCommonMultiple(extents[0], extents[1]),
    }
  })
  const units = axes.map(({ start, low, high, unit }) => [(low - start) / unit, (high - start) / unit] as const)
  const size = axes.map(() => 1n)
  const cellsNow = (): number =>
    axes.reduce((product, { unit, low, high }, d) => product * Number(smaller(unit * size[d], high - low + 1n)), 1)
  // Grows along the last dimension first, in which cells of a row are stored together.
  for (let d = axes.length - 1; d >= 0; d--)
    while (size[d] <= units[d][1] - units[d][0] && cellsNow() * (1 + 1 / Number(size[d])) <= cells) size[d]++
  return (random) => {
    const ends = axes.map(({ start, low, high, unit }, d) => {
      const firsts = units[d][1] - units[d][0] + 2n - size[d]
      const first = units[d][0] + BigInt(random.below(Number(smaller(firsts < 1n ? 1n : firsts, 2n ** 32n))))
      return [larger(low, start + first * unit), smaller(high, start + (first + size[d]) * unit - 1n)] as const
    })
    return {
      cells: ends.reduce((product, [low, high]) => product * Number(high - low + 1n), 1),
      ranges: new Map(
        ends.map(([low, high], d): [number, Bounds[]] => [
          d,
          [{ low: ofType(dimensions[d], low), high: ofType(dimensions[d], high) }],
        ]),
      ),
      domain: ends.map(([min, max], d) => ({
        min: bytesOf(dimensions[d].type, 1, min, { raw: true }),
        max: bytesOf(dimensions[d].type, 1, max, { raw: true }),
      })),
    }
  }
}

/** A coordinate as {@link comparable} gives it: bigint for types of 64 bits, number for others. */
function ofType({ type, domain }: Dimension, value: bigint): Comparable {
  return typeof comparable(type, domain.subarray(0, domain.length / 2)) === 'bigint' ? value : Number(value)
}

function leastCommonMultiple(a: bigint, b: bigint): bigint {
  let [x, y] = [a, b]
  while (y > 0n) [x, y] = [y, x % y]
  return (a / x) * b
}

const smaller = (a: bigint, b: bigint): bigint => (a < b ? a : b)
const larger = (a: bigint, b: bigint): bigint => (a > b ? a : b)

/** The ends of a tile's box, by dimension. */
type Ends = readonly (readonly [low: Comparable, high: Comparable])[]

async function sparseChooser(
  { schema, fragments }: OpenedArray,
  cells: number,
): Promise<(random: Random) => SampleBox> {
  const { dimensions } = schema.domain
  const tile_num = sum(fragments, ({ info }) => info.tile_num)
  const all = sum(fragments, ({ info }) => storedCellNum(info))
  const step = Math.max(1, Math.ceil(tile_num / MAX_BOXES))
  const boxes: Ends[] = []
  // Index of the next tile to take, in the current fragment.
  let tile = 0
  for (const { fragment } of fragments) {
    const leaves = leafLevel(await fragment.rtree())
    const mbr_num = leaves?.mbr_num ?? 0
    for (; leaves && tile < mbr_num; tile += step)
      boxes.push(
        mbrAt(leaves, tile, dimensions).map(({ min, max }, d) => [
          comparable(dimensions[d].type, min),
          comparable(dimensions[d].type, max),
        ]),
      )
    tile -= mbr_num
    fragment.forget()
  }
  const most = (cells / all) * boxes.length
  return (random) => {
    const bounds = dimensions.map((): Bounds => ({ low: undefined, high: undefined }))
    let inside = boxes
    while (inside.length > most) {
      const splits = dimensions.flatMap((dimension, d) => {
        const at = cutOf(dimension, d, inside)
        if (at === undefined) return []
        const below = inside.filter((box) => compare(box[d][0], at) < 0)
        const above = inside.filter((box) => compare(box[d][1], at) >= 0)
        return [{ d, at, below, above, most: Math.max(below.length, above.length) }]
      })
      const [best] = splits.filter((split) => split.most < inside.length).sort((a, b) => a.most - b.most)
      if (!best) break
      const { d, at, below, above } = best
      const isBelow = random.oneIn(2)
      inside = isBelow ? below : above
      bounds[d] = isBelow ? { ...bounds[d], below: at } : { ...bounds[d], low: at }
    }
    const limited = bounds.flatMap((one, d): [number, Bounds[]][] =>
      one.low === undefined && one.below === undefined ? [] : [[d, [one]]],
    )
    return { ranges: new Map(limited), cells: (inside.length / boxes.length) * all, domain: undefined }
  }
}

/** The coordinate before which half of the boxes begin, rounded down to a border between space tiles if one is near. */
function cutOf({ type, domain, tile_extent }: Dimension, d: number, boxes: readonly Ends[]): Comparable | undefined {
  const lows = boxes.map((box) => box[d][0]).sort(compare)
  const [first, middle] = [lows[0], lows[lows.length >> 1]]
  if (compare(first, middle) >= 0) return lows.find((low) => compare(low, first) > 0)
  if (!tile_extent || datatypeKind(type) === 'text' || datatypeKind(type) === 'float') return middle
  const [start, extent] = [domain.subarray(0, domain.length / 2), tile_extent].map((bytes) =>
    BigInt(comparable(type, bytes) as number | bigint),
  )
  const at = start + ((BigInt(middle as number | bigint) - start) / extent) * extent
  const border = typeof middle === 'bigint' ? at : Number(at)
  return compare(border, first) > 0 ? border : middle
}
