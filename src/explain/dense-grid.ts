import { rising } from '../base/rising.ts'
import { sum } from '../base/sum.ts'
import type { DenseAxis } from '../format/dense-tiles.ts'
import { type AxisInterval, type AxisOrder, hull, stridesOf } from '../read/dense-windows.ts'

/** An interval of coordinates along an axis, in tiles of the array's grid. */
export interface TileSpan {
  /** Numbers of the first and the last tile, as {@link GridAxis.tileOf} gives them. */
  first: number
  last: number
  /** Position of the lowest coordinate in the first tile, and of the highest coordinate in the last tile. */
  from: number
  to: number
}

/** One axis of the grid of tiles that a read visits. */
export interface GridAxis {
  /** Returns the number of a coordinate's tile. Numbers of adjacent tiles differ by one, at least where fragments have cells. */
  tileOf: (at: bigint) => number
  /** Cells of a tile along the axis. */
  extent: number
  /** The wanted intervals: rising, and not touching each other. */
  wanted: readonly TileSpan[]
  /** Number of wanted tiles before each span. A tile that two spans share counts once. */
  before: readonly number[]
  /** Number of wanted tiles. */
  tile_num: number
  /** Number of wanted coordinates. */
  cell_num: number
}

/** The box of a fragment's cells: a span for each axis. */
export type GridBox = readonly TileSpan[]

/** Makes an axis whose tiles are counted from the lowest of the fragments' domains. */
export function gridAxis(axis: DenseAxis, wanted: readonly AxisInterval[], domains: readonly AxisInterval[]): GridAxis {
  const tileOf = numberTiles(axis, domains)
  const spans = wanted.map((interval) => spanOf(interval, axis, tileOf))
  const before: number[] = []
  let tile_num = 0
  for (const [w, { first, last }] of spans.entries()) {
    before.push(first === spans[w - 1]?.last ? tile_num - 1 : tile_num)
    tile_num = before[w] + last - first + 1
  }
  const cell_num = sum(wanted, ({ low, high }) => Number(high - low + 1n))
  return { tileOf, extent: Number(axis.extent), wanted: spans, before, tile_num, cell_num }
}

/** Limit on tile numbers: a little above it, numbers cannot count by one any more. */
const MAX_TILES = 2n ** 52n
/** Limit on the tiles that are counted between two domains, once all domains together exceed MAX_TILES. */
const MAX_BETWEEN = 2n ** 40n

/**
 * Returns a function that numbers tiles, from 0 for the first tile of the domains. If the domains are too far apart for numbers that
 * count by one, they become islands: the numbers skip most tiles between two islands.
 */
function numberTiles({ domainLow, extent }: DenseAxis, domains: readonly AxisInterval[]): (at: bigint) => number {
  const tileOf = (at: bigint): bigint => (at - domainLow) / extent
  const all = hull(domains) ?? { low: domainLow, high: domainLow }
  const base = tileOf(all.low)
  if (tileOf(all.high) - base < MAX_TILES) return (at) => Number(tileOf(at) - base)
  const islands: { from: bigint; base: bigint }[] = [{ from: base, base }]
  let last = base
  for (const { low, high } of [...domains].sort((a, b) => rising(a.low, b.low))) {
    const [from, to] = [tileOf(low), tileOf(high)]
    const left = from - last - MAX_BETWEEN
    if (left > 0n) islands.push({ from, base: islands[islands.length - 1].base + left })
    if (to > last) last = to
  }
  return (at) => {
    const tile = tileOf(at)
    const next = islands.findIndex(({ from }) => from > tile)
    const number = tile - (islands.at(next < 0 ? -1 : Math.max(0, next - 1)) ?? islands[0]).base
    if (next <= 0) return Number(number)
    const end = islands[next].from - islands[next].base
    return Number(number < end ? number : end - 1n)
  }
}

/** Converts an interval to tiles. @param tileOf {@link GridAxis.tileOf} */
export function spanOf(
  { low, high }: AxisInterval,
  { domainLow, extent }: DenseAxis,
  tileOf: GridAxis['tileOf'],
): TileSpan {
  const placeOf = (at: bigint): number => Number((at - domainLow) % extent)
  return { first: tileOf(low), last: tileOf(high), from: placeOf(low), to: placeOf(high) }
}

/** How many wanted tiles along an axis a box has cells of, and how many coordinates of the box are in these tiles. */
export function countAlong({ wanted, extent }: GridAxis, box: TileSpan): { tiles: number; coordinates: number } {
  let [tiles, coordinates, next] = [0, 0, box.first]
  for (const { first, last } of wanted) {
    const [from, to] = [Math.max(next, first), Math.min(box.last, last)]
    if (from > to) continue
    tiles += to - from + 1
    coordinates += (to - from) * extent + endIn(box, to, extent) - startIn(box, from) + 1
    next = to + 1
  }
  return { tiles, coordinates }
}

/** The first position of a span in one of its tiles. */
function startIn({ first, from }: TileSpan, tile: number): number {
  return tile === first ? from : 0
}

/** The last position of a span in one of its tiles. */
function endIn({ last, to }: TileSpan, tile: number, extent: number): number {
  return tile === last ? to : extent - 1
}

/** The numbers of a tile of the grid along each axis. */
type TileAt = readonly number[]

/** Whether a newer box has all cells that an older box has of one tile of the grid. */
export function covers(newer: GridBox, older: GridBox, at: TileAt, axes: readonly GridAxis[]): boolean {
  return at.every(
    (tile, d) =>
      startIn(newer[d], tile) <= startIn(older[d], tile) &&
      endIn(newer[d], tile, axes[d].extent) >= endIn(older[d], tile, axes[d].extent),
  )
}

/** Whether all cells that a box has of one tile of the grid are wanted. */
export function isWanted(box: GridBox, at: TileAt, axes: readonly GridAxis[]): boolean {
  return at.every((tile, d) => {
    const { wanted, extent } = axes[d]
    const [start, end] = [startIn(box[d], tile), endIn(box[d], tile, extent)]
    return wanted.some(
      (span) =>
        span.first <= tile && tile <= span.last && startIn(span, tile) <= start && endIn(span, tile, extent) >= end,
    )
  })
}

/**
 * Visits the wanted tiles in which any box has cells.
 *
 * @param visit called once per tile with the tile's numbers (always the same array, with new content), its position among all wanted tiles,
 *   and the positions of the boxes that have cells of it, falling
 */
export function forTiles(
  axes: readonly GridAxis[],
  order: AxisOrder,
  boxes: readonly GridBox[],
  visit: (at: TileAt, rank: number, touching: readonly number[]) => void,
): void {
  const at = axes.map(() => 0)
  const walk = (k: number, candidates: readonly number[], rank: number): void => {
    if (k === order.length) {
      visit(at, rank, candidates)
      return
    }
    const d = order[k]
    const { wanted, before, tile_num } = axes[d]
    const waiting = [...candidates].sort((a, b) => boxes[b][d].first - boxes[a][d].first)
    let active: number[] = []
    let ends = Number.POSITIVE_INFINITY
    let last = Number.NEGATIVE_INFINITY
    for (const [w, span] of wanted.entries()) {
      for (let tile = Math.max(span.first, last + 1); tile <= span.last; tile++) {
        if (tile > ends) active = active.filter((box) => boxes[box][d].last >= tile)
        const known = active.length
        for (let next = waiting.at(-1); next !== undefined; next = waiting.at(-1)) {
          if (boxes[next][d].first > tile) {
            if (active.length === 0) tile = boxes[next][d].first
            else break
          }
          if (tile > span.last) break
          waiting.pop()
          if (boxes[next][d].last >= tile) active.push(next)
        }
        if (active.length > known) active.sort((a, b) => b - a)
        if (active.length === 0) break
        ends = active.reduce((least, box) => Math.min(least, boxes[box][d].last), Number.POSITIVE_INFINITY)
        at[d] = tile
        walk(k + 1, active, rank * tile_num + before[w] + tile - span.first)
      }
      last = span.last
    }
  }
  walk(0, [...boxes.keys()], 0)
}

/**
 * Finds after which tiles the result can be cut: the tiles up to there, in tile order, fill exactly the cells of the result up to
 * the last cell of the last of these tiles.
 * @returns by number of tiles, from none to all: 1 if the result can be cut there
 */
export function cutsInOrder(axes: readonly GridAxis[], tileOrder: AxisOrder, cellOrder: AxisOrder): Uint8Array {
  const strides = stridesOf(
    axes.map(({ cell_num }) => cell_num),
    cellOrder,
  )
  const counts = axes.map(cellsByTile)
  const cuts = new Uint8Array(axes.reduce((product, { tile_num }) => product * tile_num, 1) + 1)
  cuts[0] = 1
  let [tiles, cells, last] = [0, 0, 0]
  const walk = (k: number, product: number, position: number): void => {
    if (k === tileOrder.length) {
      cells += product
      last = Math.max(last, position)
      cuts[++tiles] = last === position && last === cells - 1 ? 1 : 0
      return
    }
    const d = tileOrder[k]
    let end = 0
    for (const count of counts[d]) {
      end += count
      walk(k + 1, product * count, position + (end - 1) * strides[d])
    }
  }
  walk(0, 1, 0)
  return cuts
}

/** By wanted tile: the number of its wanted coordinates. */
function cellsByTile({ wanted, before, tile_num, extent }: GridAxis): Float64Array {
  const counts = new Float64Array(tile_num)
  for (const [w, span] of wanted.entries())
    for (let tile = span.first; tile <= span.last; tile++)
      counts[before[w] + tile - span.first] += endIn(span, tile, extent) - startIn(span, tile) + 1
  return counts
}
