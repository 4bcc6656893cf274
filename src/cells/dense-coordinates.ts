import { InspectError, inconsistent } from '../base/errors.ts'
import { datatypeSize } from '../format/datatype.ts'
import { type DenseAxis, type DenseTileGrid, denseTileGrid } from '../format/dense-tiles.ts'
import type { Layout } from '../format/layout.ts'
import type { FragmentInfo } from '../store/fragment.ts'

/** Coordinates of the cells of one dense tile, and which cells the fragment wrote. */
export interface DenseTileCells {
  /** One buffer per dimension: raw values of its type, one for each cell of the tile in cell order. */
  coordinates: Uint8Array[]
  /** Positions of the cells inside the non-empty domain, in cell order; undefined if all are inside. */
  rows: Uint32Array | undefined
}

/** Consecutive cells of a tile. */
export interface CellRun {
  first: number
  count: number
}

/** The wanted range of coordinates, by dimension, ends included. Undefined has no limit. */
export type CellBox = readonly (CellSide | undefined)[]

interface CellSide {
  low: bigint | undefined
  high: bigint | undefined
}

/** More cells would take over 8 GiB of coordinates per dimension, the limit of typed arrays. */
const MOST_CELLS = 2 ** 30

/**
 * Computes the coordinates of a dense fragment's cells. Tiles follow the grid in tile order; the cells of a tile follow its
 * box in cell order. Cells outside the non-empty domain are padding.
 *
 * @see format_spec/fragment.md; tiledb/sm/query/writers/dense_tiler.cc
 */
export class DenseCoordinates {
  readonly grid: DenseTileGrid
  private readonly tileOrder: Layout
  private readonly cellOrder: Layout

  constructor(info: FragmentInfo) {
    if (!info.nonempty_domain) throw inconsistent('expected a non-empty domain in a dense fragment, found none')
    this.grid = denseTileGrid(info.schema, info.nonempty_domain)
    this.tileOrder = info.schema.tile_order
    this.cellOrder = info.schema.cell_order
  }

  /** Index of the tile along each axis, in the fragment's grid. */
  tilePosition(tile: number): number[] {
    const { axes } = this.grid
    const position = new Array<number>(axes.length).fill(0)
    let rest = tile
    for (const d of fastestFirst(this.tileOrder, axes.length)) {
      position[d] = rest % axes[d].tile_num
      rest = Math.floor(rest / axes[d].tile_num)
    }
    return position
  }

  /** Lowest and highest coordinate of a tile's written cells along each axis. */
  tileBox(tile: number): { low: bigint; high: bigint }[] {
    return this.tilePosition(tile).map((at, d) => {
      const axis = this.grid.axes[d]
      const start = tileStart(axis, at)
      const end = start + axis.extent - 1n
      // biome-ignore lint/complexity/useMathMinMax: these are bigint
      return { low: start > axis.low ? start : axis.low, high: end < axis.high ? end : axis.high }
    })
  }

  /**
   * @param part cells of the tile; all by default
   * @param box limits the rows to those inside
   * @throws InspectError TOO_LARGE if a tile's coordinates do not fit in memory
   */
  cells(tile: number, part: CellRun = this.whole(), box?: CellBox): DenseTileCells {
    const { axes } = this.grid
    if (part.count > MOST_CELLS)
      throw new InspectError('TOO_LARGE', `expected at most ${MOST_CELLS} cells a tile, found ${part.count}`)
    const position = this.tilePosition(tile)
    const strides = cellStrides(axes, this.cellOrder)
    const coordinates = axes.map((axis, d) =>
      axisCoordinates(axis, tileStart(axis, position[d]), strides[d], Number(axis.extent), part),
    )
    return { coordinates, rows: this.rows(tile, part, box) }
  }

  private whole(): CellRun {
    return { first: 0, count: this.grid.cells_per_tile }
  }

  /** Positions in `part` of a tile's written cells, in cell order; undefined if all are written. */
  rows(tile: number, part: CellRun = this.whole(), box?: CellBox): Uint32Array | undefined {
    return this.rowsBetween(tile, (axis, d) => narrowed(axis, box?.[d]), part)
  }

  /** The first cell of a tile, at or after `from`, that {@link rows} includes; the number of cells if there is none. */
  nextRow(tile: number, from: number, box?: CellBox): number {
    const { axes, cells_per_tile } = this.grid
    const ranges = this.rangesOf(tile, (axis, d) => narrowed(axis, box?.[d]))
    const fastest = fastestFirst(this.cellOrder, axes.length)
    const position = positionFrom(from, ranges, this.grid.axes, fastest)
    if (!position) return cells_per_tile
    return cellAt(position, cellStrides(axes, this.cellOrder))
  }

  /**
   * Marks with 1 the cells of a tile, in cell order, that lie inside the array's domain but outside the non-empty domain.
   * Undefined if there are none.
   */
  unwritten(tile: number): Uint8Array | undefined {
    const written = this.rows(tile)
    if (!written) return undefined
    const inDomain = this.rowsBetween(tile, ({ domainLow, domainHigh }) => ({ low: domainLow, high: domainHigh }))
    if (inDomain?.length === written.length) return undefined
    const marks = new Uint8Array(this.grid.cells_per_tile)
    if (inDomain) for (const row of inDomain) marks[row] = 1
    else marks.fill(1)
    for (const row of written) marks[row] = 0
    return marks
  }

  private rowsBetween(
    tile: number,
    boundsOf: (axis: DenseAxis, d: number) => Bounds,
    part: CellRun = this.whole(),
  ): Uint32Array | undefined {
    const { axes } = this.grid
    const ranges = this.rangesOf(tile, boundsOf)
    if (ranges.every(({ from, to }, d) => from === 0 && to === Number(axes[d].extent) - 1)) return undefined
    return rowsInside(ranges, axes, cellStrides(axes, this.cellOrder), fastestFirst(this.cellOrder, axes.length), part)
  }

  /** The range of positions in a tile inside the bounds, along each axis; `to` is before `from` if the range is empty. */
  private rangesOf(tile: number, boundsOf: (axis: DenseAxis, d: number) => Bounds): { from: number; to: number }[] {
    const position = this.tilePosition(tile)
    return this.grid.axes.map((axis, d) => {
      const { low, high } = boundsOf(axis, d)
      const start = tileStart(axis, position[d])
      const last = high - start
      return {
        from: low > start ? Number(low - start) : 0,
        to: last < axis.extent - 1n ? Number(last) : Number(axis.extent) - 1,
      }
    })
  }
}

interface Bounds {
  low: bigint
  high: bigint
}

/** The written range along an axis, limited to a box. */
function narrowed({ low, high }: DenseAxis, side: CellSide | undefined): Bounds {
  return {
    low: side?.low !== undefined && side.low > low ? side.low : low,
    high: side?.high !== undefined && side.high < high ? side.high : high,
  }
}

function tileStart(axis: DenseAxis, position: number): bigint {
  return axis.domainLow + (axis.firstTile + BigInt(position)) * axis.extent
}

/** Axes by speed, the fastest-varying first. */
function fastestFirst(order: Layout, count: number): number[] {
  const axes = Array.from({ length: count }, (_, d) => d)
  return order === 'col-major' ? axes : axes.reverse()
}

/** Number of cells between neighbours along each axis. */
function cellStrides(axes: readonly DenseAxis[], order: Layout): number[] {
  const strides = new Array<number>(axes.length).fill(1)
  let stride = 1
  for (const d of fastestFirst(order, axes.length)) {
    strides[d] = stride
    stride *= Number(axes[d].extent)
  }
  return strides
}

/**
 * Raw coordinates along one axis for the cells of a tile: runs of `stride` equal values, rising by 1. They repeat after
 * `extent` runs.
 */
function axisCoordinates(
  axis: DenseAxis,
  start: bigint,
  stride: number,
  extent: number,
  { first, count }: CellRun,
): Uint8Array {
  const size = datatypeSize(axis.type)
  const out = new Uint8Array(count * size)
  const period = stride * extent
  const line = { at: first % period, count: Math.min(period, count), stride, extent }
  // One period is written value by value, then copied until the buffer is full.
  if (size === 8) writeLine64(new Uint32Array(out.buffer), start, line)
  else writeLine(elementsOf(out, size), Number(BigInt.asUintN(32, start)), line)
  for (let done = period; done < count; done *= 2) out.copyWithin(done * size, 0, Math.min(done, count - done) * size)
  return out
}

function elementsOf({ buffer }: Uint8Array<ArrayBuffer>, size: number): Uint32Array | Uint16Array | Uint8Array {
  return size === 4 ? new Uint32Array(buffer) : size === 2 ? new Uint16Array(buffer) : new Uint8Array(buffer)
}

/** Part of a period, starting at cell `at`. */
interface Line {
  at: number
  count: number
  stride: number
  extent: number
}

/** Writes the values of a line. They wrap beyond the type's range, but only padding is there. */
function writeLine(
  out: Uint32Array | Uint16Array | Uint8Array,
  start: number,
  { at, count, stride, extent }: Line,
): void {
  let p = Math.floor(at / stride)
  let left = stride - (at % stride)
  for (let i = 0; i < count; left = stride) {
    for (; left > 0 && i < count; left--) out[i++] = start + p
    if (++p === extent) p = 0
  }
}

/** {@link writeLine} for 64-bit values, as two words each, the low word first. */
function writeLine64(out: Uint32Array, start: bigint, { at, count, stride, extent }: Line): void {
  let p = Math.floor(at / stride)
  let left = stride - (at % stride)
  let value = start + BigInt(p)
  let low = Number(BigInt.asUintN(32, value))
  let high = Number(BigInt.asUintN(32, value >> 32n))
  for (let i = 0; i < 2 * count; left = stride) {
    for (; left > 0 && i < 2 * count; left--) {
      out[i++] = low
      out[i++] = high
    }
    low = (low + 1) >>> 0
    if (low === 0) high = (high + 1) >>> 0
    if (++p < extent) continue
    p = 0
    value = start
    low = Number(BigInt.asUintN(32, value))
    high = Number(BigInt.asUintN(32, value >> 32n))
  }
}

type Range = { from: number; to: number }

/** Positions in `part`, in cell order, of the cells that are in range along every axis. */
function rowsInside(
  ranges: readonly Range[],
  axes: readonly DenseAxis[],
  strides: readonly number[],
  fastest: readonly number[],
  part: CellRun,
): Uint32Array {
  const all = ranges.reduce((product, { from, to }) => product * Math.max(0, to - from + 1), 1)
  const rows = new Uint32Array(Math.min(all, part.count))
  const position = positionFrom(part.first, ranges, axes, fastest)
  if (!position) return rows.subarray(0, 0)
  let cell = cellAt(position, strides) - part.first
  let count = 0
  while (cell < part.count && count < rows.length) {
    rows[count++] = cell
    const before = cell
    for (const d of fastest) {
      if (position[d] < ranges[d].to) {
        position[d]++
        cell += strides[d]
        break
      }
      cell -= (position[d] - ranges[d].from) * strides[d]
      position[d] = ranges[d].from
    }
    if (cell <= before) break
  }
  return rows.subarray(0, count)
}

/** The position along each axis of the first cell in range, at or after `cell`; undefined if there is none. */
function positionFrom(
  cell: number,
  ranges: readonly Range[],
  axes: readonly DenseAxis[],
  fastest: readonly number[],
): number[] | undefined {
  if (ranges.some(({ from, to }) => to < from)) return undefined
  const position = ranges.map(() => 0)
  let rest = cell
  for (const d of fastest) {
    const extent = Number(axes[d].extent)
    position[d] = rest % extent
    rest = Math.floor(rest / extent)
  }
  if (rest > 0) return undefined
  // Starts at the slowest axis. Where one is out of range, all faster axes start again.
  for (let k = fastest.length - 1; k >= 0; k--) {
    const { from, to } = ranges[fastest[k]]
    if (position[fastest[k]] >= from && position[fastest[k]] <= to) continue
    let anew = k
    if (position[fastest[k]] > to) {
      // The next slower axis that is not at its end advances by one.
      do anew++
      while (anew < fastest.length && position[fastest[anew]] === ranges[fastest[anew]].to)
      if (anew === fastest.length) return undefined
      position[fastest[anew]]++
    } else anew = k + 1
    for (let i = 0; i < anew; i++) position[fastest[i]] = ranges[fastest[i]].from
    break
  }
  return position
}

function cellAt(position: readonly number[], strides: readonly number[]): number {
  return position.reduce((sum, p, d) => sum + p * strides[d], 0)
}
