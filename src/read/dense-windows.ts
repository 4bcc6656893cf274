import { rising } from '../base/rising.ts'
import { sum } from '../base/sum.ts'
import type { RangeSets } from '../cells/bounds.ts'
import type { Domain } from '../format/array-schema.ts'
import type { Datatype } from '../format/datatype.ts'
import { type DenseAxis, denseAxis, integerOf } from '../format/dense-tiles.ts'
import { domainRange } from '../format/dimension.ts'
import type { NDRange } from '../format/range.ts'

/** An interval of coordinates along an axis, both ends included. */
export interface AxisInterval {
  low: bigint
  high: bigint
}

/** The wanted cells of a dense array: along each axis, intervals that rise and do not touch each other. */
export type WantedCells = readonly (readonly AxisInterval[])[]

/** An interval of coordinates inside one tile. */
export interface Segment extends AxisInterval {
  /** Number of the tile along the axis, counted from the start of the domain. */
  tile: bigint
  length: number
  /** Position of its first coordinate along the axis of the block. */
  at: number
}

/** The segments of a block along an axis. */
interface BlockAxis {
  segments: Segment[]
  /** Number of coordinates in all segments. */
  length: number
}

/** Axes, the slowest-varying first. */
export type AxisOrder = readonly number[]

/** Wanted cells that are ordered together: every combination of the coordinates along the axes. */
export interface Block {
  axes: BlockAxis[]
  cell_num: number
  /** Position of its first cell in the window. */
  at: number
  /** By {@link stridesOf}. */
  strides: number[]
}

/** Consecutive cells of a read that are assembled together. */
export interface Window {
  blocks: Block[]
  cell_num: number
  /** Windows that need the same tiles have the same group. Undefined if no other window needs them. */
  group: string | undefined
}

/** Sizes of windows, in cells. */
export interface WindowSizes {
  /** Number of cells up to which small tiles are joined. */
  usual: number
  /** Upper limit on the cells. Only a window of whole tiles in global order may have more. */
  most: number
  /** Whether it also holds in global order: a tile is then cut. */
  cutsTiles?: boolean
}

/** The axes of a dense array's grid of tiles, over the whole domain. */
export function gridAxes({ dimensions }: Domain): DenseAxis[] {
  return dimensions.map((dimension) => denseAxis(dimension, domainRange(dimension)))
}

/**
 * Finds the wanted cells.
 *
 * @param ranges several ranges of a dimension are united; an open end is replaced by the end of all fragments
 * @param written non-empty domains of the fragments, by axis
 * @returns undefined if no cell is wanted
 */
export function wantedCells(
  axes: readonly DenseAxis[],
  ranges: RangeSets,
  written: readonly (readonly AxisInterval[])[],
): WantedCells | undefined {
  const wanted = axes.map((axis, d) => {
    const all = hull(written[d])
    const asked = ranges.get(d)?.map(({ low, high }) => ({
      low: integerEnd(low) ?? all?.low,
      high: integerEnd(high) ?? all?.high,
    }))
    return united(asked ?? [{ low: all?.low, high: all?.high }], axis)
  })
  return wanted.every((intervals) => intervals.length > 0) ? wanted : undefined
}

/** Converts a box of a dense array to integers. @param axes dimensions of the array */
export function intervalsOf(box: NDRange, axes: readonly { type: Datatype }[]): AxisInterval[] {
  return box.map(({ min, max }, d) => ({ low: integerOf(axes[d].type, min), high: integerOf(axes[d].type, max) }))
}

/** The coordinates that are in both intervals; undefined if there are none. */
export function intersection(a: AxisInterval, b: AxisInterval): AxisInterval | undefined {
  const { low } = a.low > b.low ? a : b
  const { high } = a.high < b.high ? a : b
  return low <= high ? { low, high } : undefined
}

/** Converts an end of a range of a dense dimension. */
export function integerEnd(value: number | bigint | Uint8Array | undefined): bigint | undefined {
  return value === undefined || value instanceof Uint8Array ? undefined : BigInt(value)
}

/** The interval from the lowest to the highest coordinate of several intervals; undefined if there are none. */
export function hull(intervals: readonly AxisInterval[]): AxisInterval | undefined {
  if (intervals.length === 0) return undefined
  const [first] = intervals
  return intervals.reduce(
    (all, one) => ({ low: (one.low < all.low ? one : all).low, high: (one.high > all.high ? one : all).high }),
    first,
  )
}

/** The union of intervals inside the domain. An interval without both ends is empty. */
function united(
  intervals: readonly { low: bigint | undefined; high: bigint | undefined }[],
  { domainLow, domainHigh }: DenseAxis,
): AxisInterval[] {
  const inside = intervals.flatMap(({ low, high }): AxisInterval[] => {
    if (low === undefined || high === undefined) return []
    const one = intersection({ low, high }, { low: domainLow, high: domainHigh })
    return one ? [one] : []
  })
  const out: AxisInterval[] = []
  for (const next of inside.sort((a, b) => rising(a.low, b.low))) {
    const last = out.at(-1)
    if (!last || next.low > last.high + 1n) out.push({ ...next })
    else if (next.high > last.high) last.high = next.high
  }
  return out
}

/** Yields the wanted coordinates of each tile along an axis. */
function* tilesAlong({ domainLow, extent }: DenseAxis, intervals: readonly AxisInterval[]): Generator<BlockAxis> {
  let last: BlockAxis | undefined
  for (const { low, high } of intervals) {
    for (let from = low; from <= high; ) {
      const tile = (from - domainLow) / extent
      const end = domainLow + (tile + 1n) * extent - 1n
      const to = end < high ? end : high
      if (last?.segments[0].tile !== tile) {
        if (last) yield last
        last = { segments: [], length: 0 }
      }
      const length = Number(to - from + 1n)
      last.segments.push({ low: from, high: to, tile, length, at: last.length })
      last.length += length
      from = to + 1n
    }
  }
  if (last) yield last
}

/** Joins tiles along an axis into one. */
function joined(axes: Iterable<BlockAxis>): BlockAxis {
  const out: BlockAxis = { segments: [], length: 0 }
  for (const { segments, length } of axes) {
    for (const segment of segments) out.segments.push({ ...segment, at: out.length + segment.at })
    out.length += length
  }
  return out
}

/** A part of the coordinates along an axis. @param from @param to bounds by position */
function partOf({ segments }: BlockAxis, from: number, to: number): BlockAxis {
  const out: BlockAxis = { segments: [], length: 0 }
  for (const segment of segments) {
    const first = Math.max(from, segment.at) - segment.at
    const end = Math.min(to, segment.at + segment.length) - segment.at
    if (end <= first) continue
    const low = segment.low + BigInt(first)
    const length = end - first
    out.segments.push({ tile: segment.tile, low, high: low + BigInt(length - 1), length, at: out.length })
    out.length += length
  }
  return out
}

function blockOf(axes: BlockAxis[], order: AxisOrder, at: number): Block {
  const lengths = axes.map(({ length }) => length)
  const cell_num = lengths.reduce((product, length) => product * length, 1)
  return { axes, cell_num, at, strides: stridesOf(lengths, order) }
}

/** Along each axis of a box: the distance between adjacent cells. */
export function stridesOf(lengths: readonly number[], order: AxisOrder): number[] {
  const strides = lengths.map(() => 1)
  let stride = 1
  for (const d of order.toReversed()) {
    strides[d] = stride
    stride *= lengths[d]
  }
  return strides
}

/** Yields every combination of one element per axis, in the order of the axes. Calls `elements` again for each combination of the others. */
function* combinations(
  order: AxisOrder,
  elements: (axis: number) => Iterable<BlockAxis>,
  chosen: BlockAxis[] = [],
): Generator<BlockAxis[]> {
  if (order.length === 0) {
    yield [...chosen]
    return
  }
  for (const element of elements(order[0])) {
    chosen[order[0]] = element
    yield* combinations(order.slice(1), elements, chosen)
  }
}

/**
 * Yields the windows of a read in global order: whole tiles in tile order, each with its cells in cell order.
 */
export function* globalWindows(
  grid: readonly DenseAxis[],
  wanted: WantedCells,
  { tileOrder, cellOrder }: { tileOrder: AxisOrder; cellOrder: AxisOrder },
  { usual, most, cutsTiles }: WindowSizes,
): Generator<Window> {
  let window: Window = { blocks: [], cell_num: 0, group: undefined }
  const tiles = combinations(tileOrder, (d) => tilesAlong(grid[d], wanted[d]))
  for (const axes of cutsTiles ? cutTiles(tiles, cellOrder, most) : tiles) {
    const block = blockOf(axes, cellOrder, window.cell_num)
    if (window.cell_num > 0 && window.cell_num + block.cell_num > usual) {
      yield window
      block.at = 0
      window = { blocks: [], cell_num: 0, group: undefined }
    }
    window.blocks.push(block)
    window.cell_num += block.cell_num
  }
  if (window.cell_num > 0) yield window
}

/**
 * Yields the windows of a read whose order goes across tiles. If it is not too large, a window has all cells along the faster axes, and
 * one tile, or several small ones, along the slowest axis. Otherwise it is cut along the slowest axis. If a single coordinate of that
 * axis is still too large, it is cut along the next axis.
 */
export function* orderedWindows(
  grid: readonly DenseAxis[],
  wanted: WantedCells,
  order: AxisOrder,
  { usual, most }: WindowSizes,
): Generator<Window> {
  const lengths = wanted.map((intervals) => sum(intervals, ({ low, high }) => Number(high - low + 1n)))
  const slices = sliceCells(lengths, order)
  const cut = slices.findIndex((cells) => cells <= most)
  const slower = order.slice(0, cut)
  const whole = new Map(order.slice(cut + 1).map((d) => [d, [joined(tilesAlong(grid[d], wanted[d]))]]))
  const sizes = { usual: Math.floor(usual / slices[cut]), most: Math.max(1, Math.floor(most / slices[cut])) }
  const along = (d: number): Iterable<BlockAxis> => {
    const tiles = tilesAlong(grid[d], wanted[d])
    if (slower.includes(d)) return singles(tiles)
    return whole.get(d) ?? parts(tiles, sizes)
  }
  const isCut = cut > 0 || sizes.most < grid[order[0]].extent
  for (const axes of combinations(order, along)) {
    const block = blockOf(axes, order, 0)
    const tiles = [...slower, order[cut]].map((d) => axes[d].segments[0].tile)
    yield {
      blocks: [block],
      cell_num: block.cell_num,
      group: isCut ? tiles.slice(0, Math.max(1, cut)).join() : undefined,
    }
  }
}

/** Along each axis, in their order: the cells that a box has at one coordinate, once those along the slower axes are chosen. */
function sliceCells(lengths: readonly number[], order: AxisOrder): number[] {
  return order.map((_, k) => order.slice(k + 1).reduce((product, d) => product * lengths[d], 1))
}

/** Yields the parts of tiles that have at most `most` cells, in the order of their cells. */
function* cutTiles(tiles: Iterable<BlockAxis[]>, order: AxisOrder, most: number): Generator<BlockAxis[]> {
  for (const axes of tiles) {
    const slices = sliceCells(
      axes.map((axis) => axis.length),
      order,
    )
    const cut = slices.findIndex((cells) => cells <= most)
    const length = Math.max(1, Math.floor(most / slices[cut]))
    yield* combinations(order, (d) => {
      const k = order.indexOf(d)
      if (k < cut) return singles([axes[d]])
      return k > cut ? [axes[d]] : parts([axes[d]], { usual: length, most: length })
    })
  }
}

/** Yields every coordinate by itself. */
function* singles(tiles: Iterable<BlockAxis>): Generator<BlockAxis> {
  for (const tile of tiles) for (let i = 0; i < tile.length; i++) yield partOf(tile, i, i + 1)
}

/** Yields tiles along an axis: small ones joined, large ones in parts. */
function* parts(
  tiles: Iterable<BlockAxis>,
  { usual, most }: Pick<WindowSizes, 'usual' | 'most'>,
): Generator<BlockAxis> {
  let together: BlockAxis[] = []
  let length = 0
  for (const tile of tiles) {
    if (together.length > 0 && length + tile.length > usual) {
      yield joined(together)
      together = []
      length = 0
    }
    if (tile.length > most) {
      const step = Math.ceil(tile.length / Math.ceil(tile.length / most))
      for (let from = 0; from < tile.length; from += step) yield partOf(tile, from, from + step)
    } else {
      together.push(tile)
      length += tile.length
    }
  }
  if (together.length > 0) yield joined(together)
}
