import { InspectError } from '../base/errors.ts'
import { datatypeSize } from '../format/datatype.ts'
import { type DenseAxis, type DenseTileGrid, denseTileGrid } from '../format/dense-tiles.ts'
import type { Layout } from '../format/layout.ts'
import type { FragmentInfo } from '../store/fragment.ts'

/** Coordinates of one dense tile's cells, and which of them the fragment really wrote. */
export interface DenseTileCells {
  /** One buffer a dimension: raw values of its type, one a cell of the tile in cell order. */
  coordinates: Uint8Array[]
  /** Positions of the cells inside the non-empty domain, in cell order; undefined where all are. */
  rows: Uint32Array | undefined
}

/** Coordinates of a tile take at most 8 GiB a dimension: what typed arrays hold. */
const MOST_CELLS = 2 ** 30

/**
 * Works out the coordinates of a dense fragment's cells: tiles run over the grid in tile order, the cells of a tile over
 * its box in cell order; what lies outside the non-empty domain is padding.
 *
 * @see format_spec/fragment.md; tiledb/sm/query/writers/dense_tiler.cc
 */
export class DenseCoordinates {
  readonly grid: DenseTileGrid
  private readonly tileOrder: Layout
  private readonly cellOrder: Layout

  constructor(info: FragmentInfo) {
    if (!info.nonempty_domain)
      throw new InspectError('INCONSISTENT', 'expected a non-empty domain in a dense fragment, found none')
    this.grid = denseTileGrid(info.schema, info.nonempty_domain)
    this.tileOrder = info.schema.tile_order
    this.cellOrder = info.schema.cell_order
  }

  /** Index of the tile along each axis, counted in the fragment's grid. */
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

  /** Lowest and highest coordinate of the written cells of a tile along each axis. */
  tileBox(tile: number): { low: bigint; high: bigint }[] {
    return this.tilePosition(tile).map((at, d) => {
      const axis = this.grid.axes[d]
      const start = tileStart(axis, at)
      const end = start + axis.extent - 1n
      // biome-ignore lint/complexity/useMathMinMax: these are bigint
      return { low: start > axis.low ? start : axis.low, high: end < axis.high ? end : axis.high }
    })
  }

  /** @throws InspectError TOO_LARGE for tiles whose coordinates no memory holds */
  cells(tile: number): DenseTileCells {
    const { axes, cells_per_tile } = this.grid
    if (cells_per_tile > MOST_CELLS)
      throw new InspectError('TOO_LARGE', `expected at most ${MOST_CELLS} cells a tile, found ${cells_per_tile}`)
    const position = this.tilePosition(tile)
    const strides = cellStrides(axes, this.cellOrder)
    const coordinates = axes.map((axis, d) =>
      axisCoordinates(axis, tileStart(axis, position[d]), strides[d], Number(axis.extent), cells_per_tile),
    )
    return { coordinates, rows: this.rows(tile) }
  }

  /** Positions of the written cells of a tile, in cell order; undefined where all are. */
  rows(tile: number): Uint32Array | undefined {
    return this.rowsBetween(tile, (axis) => axis)
  }

  /** Which cells of a tile, in cell order, lie outside of the non-empty domain though inside the array's: 1. Undefined for none. */
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
    boundsOf: (axis: DenseAxis) => { low: bigint; high: bigint },
  ): Uint32Array | undefined {
    const { axes } = this.grid
    const position = this.tilePosition(tile)
    const ranges = axes.map((axis, d) => {
      const { low, high } = boundsOf(axis)
      const start = tileStart(axis, position[d])
      const last = high - start
      return {
        from: low > start ? Number(low - start) : 0,
        to: last < axis.extent - 1n ? Number(last) : Number(axis.extent) - 1,
      }
    })
    if (ranges.every(({ from, to }, d) => from === 0 && to === Number(axes[d].extent) - 1)) return undefined
    return rowsInside(ranges, cellStrides(axes, this.cellOrder), fastestFirst(this.cellOrder, axes.length))
  }
}

function tileStart(axis: DenseAxis, position: number): bigint {
  return axis.domainLow + (axis.firstTile + BigInt(position)) * axis.extent
}

/** Axes from the fastest running to the slowest. */
function fastestFirst(order: Layout, count: number): number[] {
  const axes = Array.from({ length: count }, (_, d) => d)
  return order === 'col-major' ? axes : axes.reverse()
}

/** Cells between neighbours along each axis. */
function cellStrides(axes: readonly DenseAxis[], order: Layout): number[] {
  const strides = new Array<number>(axes.length).fill(1)
  let stride = 1
  for (const d of fastestFirst(order, axes.length)) {
    strides[d] = stride
    stride *= Number(axes[d].extent)
  }
  return strides
}

/** Raw coordinates along one axis for every cell of the tile: runs of `stride` equal values, rising by 1. */
function axisCoordinates(axis: DenseAxis, start: bigint, stride: number, extent: number, cells: number): Uint8Array {
  const size = datatypeSize(axis.type)
  const out = new Uint8Array(cells * size)
  const period = stride * extent
  // One period is written value by value, then what is there is copied behind itself.
  if (size === 8) writeLine64(new Uint32Array(out.buffer), start, stride, extent)
  else writeLine(elementsOf(out, size), Number(BigInt.asUintN(32, start)), stride, extent)
  for (let done = period; done < cells; done *= 2) out.copyWithin(done * size, 0, Math.min(done, cells - done) * size)
  return out
}

function elementsOf({ buffer }: Uint8Array<ArrayBuffer>, size: number): Uint32Array | Uint16Array | Uint8Array {
  return size === 4 ? new Uint32Array(buffer) : size === 2 ? new Uint16Array(buffer) : new Uint8Array(buffer)
}

/** `extent` values from `start` on, each `stride` times; they wrap beyond the type, where only padding is. */
function writeLine(out: Uint32Array | Uint16Array | Uint8Array, start: number, stride: number, extent: number): void {
  for (let p = 0, at = 0; p < extent; p++) for (let i = 0; i < stride; i++) out[at++] = start + p
}

/** {@link writeLine} of 64-bit values, as words, low before high. */
function writeLine64(out: Uint32Array, start: bigint, stride: number, extent: number): void {
  let low = Number(BigInt.asUintN(32, start))
  let high = Number(BigInt.asUintN(32, start >> 32n))
  for (let p = 0, at = 0; p < extent; p++) {
    for (let i = 0; i < stride; i++) {
      out[at++] = low
      out[at++] = high
    }
    low = (low + 1) >>> 0
    if (low === 0) high = (high + 1) >>> 0
  }
}

/** Positions, in cell order, of the cells whose position along every axis is in range. */
function rowsInside(
  ranges: readonly { from: number; to: number }[],
  strides: readonly number[],
  fastest: readonly number[],
): Uint32Array {
  const count = ranges.reduce((product, { from, to }) => product * (to - from + 1), 1)
  const rows = new Uint32Array(count)
  const position = ranges.map(({ from }) => from)
  let cell = position.reduce((sum, p, d) => sum + p * strides[d], 0)
  for (let i = 0; i < count; i++) {
    rows[i] = cell
    for (const d of fastest) {
      if (position[d] < ranges[d].to) {
        position[d]++
        cell += strides[d]
        break
      }
      cell -= (position[d] - ranges[d].from) * strides[d]
      position[d] = ranges[d].from
    }
  }
  return rows
}
