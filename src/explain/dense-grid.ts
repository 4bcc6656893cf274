import type { DenseAxis } from '../format/dense-tiles.ts'
import { hull, type Interval, stridesOf } from '../read/dense-windows.ts'

/** Coordinates along an axis, as tiles of the array's grid. */
export interface Span {
  /** Tiles, counted from {@link GridAxis.base}. */
  first: number
  last: number
  /** Position of the lowest coordinate in the first tile, and of the highest in the last. */
  from: number
  to: number
}

/** An axis of the tiles that a read visits. */
export interface GridAxis {
  /** The number of the tile that has a coordinate. Tiles beside each other differ by one, at least where fragments have cells. */
  tileOf: (at: bigint) => number
  /** Cells of a tile along the axis. */
  extent: number
  /** What is wanted: spans that rise and do not touch. */
  wanted: readonly Span[]
  /** How many tiles are wanted in front of each span, and of all. Spans that share a tile count it once. */
  before: readonly number[]
  tile_num: number
  /** How many coordinates are wanted. */
  cell_num: number
}

/** A box of written cells: a span for each axis. */
export type GridBox = readonly Span[]

/** An axis whose tiles are counted from the first of some domains. */
export function gridAxis(axis: DenseAxis, wanted: readonly Interval[], domains: readonly Interval[]): GridAxis {
  const tileOf = numbering(axis, domains)
  const spans = wanted.map((interval) => spanOf(interval, axis, tileOf))
  const before: number[] = []
  let tile_num = 0
  for (const [w, { first, last }] of spans.entries()) {
    before.push(first === spans[w - 1]?.last ? tile_num - 1 : tile_num)
    tile_num = before[w] + last - first + 1
  }
  const cell_num = wanted.reduce((sum, { low, high }) => sum + Number(high - low + 1n), 0)
  return { tileOf, extent: Number(axis.extent), wanted: spans, before, tile_num, cell_num }
}

/** Behind so many tiles, numbers soon no longer count by one. */
const MOST_TILES = 2n ** 52n
/** If domains are that far apart, no more tiles than these are counted between two of them. */
const MOST_BETWEEN = 2n ** 40n

/** Numbers the tiles from the first of some domains on. */
function numbering({ domainLow, extent }: DenseAxis, domains: readonly Interval[]): (at: bigint) => number {
  const tileOf = (at: bigint): bigint => (at - domainLow) / extent
  const all = hull(domains) ?? { low: domainLow, high: domainLow }
  const base = tileOf(all.low)
  if (tileOf(all.high) - base < MOST_TILES) return (at) => Number(tileOf(at) - base)
  const islands: { from: bigint; base: bigint }[] = [{ from: base, base }]
  let last = base
  for (const { low, high } of [...domains].sort((a, b) => (a.low < b.low ? -1 : 1))) {
    const [from, to] = [tileOf(low), tileOf(high)]
    const left = from - last - MOST_BETWEEN
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

/** @param tileOf {@link GridAxis.tileOf} */
export function spanOf({ low, high }: Interval, { domainLow, extent }: DenseAxis, tileOf: GridAxis['tileOf']): Span {
  const placeOf = (at: bigint): number => Number((at - domainLow) % extent)
  return { first: tileOf(low), last: tileOf(high), from: placeOf(low), to: placeOf(high) }
}

/** The first position of a span in one of its tiles. */
function startIn({ first, from }: Span, tile: number): number {
  return tile === first ? from : 0
}

/** The last position of a span in one of its tiles. */
function endIn({ last, to }: Span, tile: number, extent: number): number {
  return tile === last ? to : extent - 1
}

/** Whether, of one tile of the grid, a box has all cells that another has. @param at the tile's number along each axis */
export function covers(newer: GridBox, older: GridBox, at: readonly number[], axes: readonly GridAxis[]): boolean {
  return at.every(
    (tile, d) =>
      startIn(newer[d], tile) <= startIn(older[d], tile) &&
      endIn(newer[d], tile, axes[d].extent) >= endIn(older[d], tile, axes[d].extent),
  )
}

/** Whether all cells that a box has of a tile are wanted. */
export function isWanted(box: GridBox, at: readonly number[], axes: readonly GridAxis[]): boolean {
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
 * The wanted tiles of which boxes have cells, in an order of the axes.
 *
 * @param order axes, the slowest-varying first
 * @param boxes by number
 * @param visit called with the tile's number along each axis (one array, that changes), its position among all wanted tiles, and the
 *   numbers of the boxes that have cells of it, falling
 */
export function forTiles(
  axes: readonly GridAxis[],
  order: readonly number[],
  boxes: readonly GridBox[],
  visit: (at: readonly number[], rank: number, touching: readonly number[]) => void,
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
 * Behind which of the wanted tiles, taken in tile order, the result has been written up to the last cell of that tile, and not further.
 *
 * @param tileOrder axes, the slowest-varying first
 * @param cellOrder the same for the cells of the result
 * @returns by number of tiles, from 0 to all, 1 where it is so
 */
export function cutsInOrder(
  axes: readonly GridAxis[],
  tileOrder: readonly number[],
  cellOrder: readonly number[],
): Uint8Array {
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
    let behind = 0
    for (const count of counts[d]) {
      behind += count
      walk(k + 1, product * count, position + (behind - 1) * strides[d])
    }
  }
  walk(0, 1, 0)
  return cuts
}

/** How many coordinates of each wanted tile are wanted. */
function cellsByTile({ wanted, before, tile_num, extent }: GridAxis): Float64Array {
  const counts = new Float64Array(tile_num)
  for (const [w, span] of wanted.entries())
    for (let tile = span.first; tile <= span.last; tile++)
      counts[before[w] + tile - span.first] += endIn(span, tile, extent) - startIn(span, tile) + 1
  return counts
}
