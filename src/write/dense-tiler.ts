import { badValue, InspectError } from '../base/errors.ts'
import { denseSlabs, type Slabs } from '../cells/dense-slabs.ts'
import type { ArraySchema } from '../format/array-schema.ts'
import { type DenseAxis, type DenseTileGrid, denseTileGrid } from '../format/dense-tiles.ts'
import type { Layout } from '../format/layout.ts'
import type { NDRange } from '../format/range.ts'
import { type CellPositions, PADDING } from './gather.ts'

/** Where the cells of one dense tile come from. */
export interface DenseTile {
  positions: CellPositions
  /**
   * Positions in the tile of the written cells, in row-major order of coordinates. Undefined if all are written, in stored
   * order.
   */
  written: Uint32Array | undefined
}

/**
 * Splits the cells of a box, given in row-major order, into whole tiles. Tiles follow the tile order, their cells the cell
 * order. Where a tile extends beyond the box, it has padding.
 *
 * @see tiledb/sm/query/writers/dense_tiler.cc
 */
export class DenseTiler {
  readonly grid: DenseTileGrid
  /** Number of cells in the box. */
  readonly cellNum: number
  private readonly tileOrder: Layout
  private readonly cellOrder: Layout
  /** Number of cells between neighbours along each axis of the box. */
  private readonly boxStrides: number[]
  /** The same in a tile. */
  private readonly tileStrides: number[]

  /** @throws InspectError BAD_VALUE if the box does not lie inside the domain */
  constructor(schema: ArraySchema, domain: NDRange) {
    this.grid = gridOf(schema, domain)
    this.tileOrder = schema.tile_order
    this.cellOrder = schema.cell_order
    const { axes } = this.grid
    const sides = axes.map(({ low, high }) => Number(high - low) + 1)
    this.cellNum = sides.reduce((product, side) => product * side, 1)
    this.boxStrides = strides(sides, 'row-major')
    this.tileStrides = strides(
      axes.map(({ extent }) => Number(extent)),
      this.cellOrder,
    )
  }

  /** How TileDB walks through a tile when the box is given in row-major order. */
  slabs(index: number): Slabs {
    return denseSlabs(this.grid.axes, this.tilePosition(index), this.cellOrder, 'row-major')
  }

  tile(index: number): DenseTile {
    const { axes, cells_per_tile } = this.grid
    const at = this.tilePosition(index)
    // For the written cells, along each axis: first position in the tile, count, and start in the box.
    const first: number[] = []
    const counts: number[] = []
    let boxStart = 0
    let tileStart = 0
    axes.forEach((axis, d) => {
      const start = axis.domainLow + (axis.firstTile + BigInt(at[d])) * axis.extent
      const low = start > axis.low ? start : axis.low
      const end = start + axis.extent - 1n
      const high = end < axis.high ? end : axis.high
      first.push(Number(low - start))
      counts.push(Number(high - low) + 1)
      boxStart += Number(low - axis.low) * this.boxStrides[d]
      tileStart += first[d] * this.tileStrides[d]
    })
    const written = counts.reduce((product, count) => product * count, 1)
    const full = written === cells_per_tile
    const rowMajor = this.cellOrder !== 'col-major' || axes.length === 1
    if (full && rowMajor && this.followEachOther(counts)) {
      return { positions: { from: boxStart, to: boxStart + written }, written: undefined }
    }
    const positions = new Int32Array(cells_per_tile).fill(full ? 0 : PADDING)
    const order = new Uint32Array(written)
    this.fill(positions, order, counts, boxStart, tileStart)
    return { positions, written: full && rowMajor ? undefined : order }
  }

  /**
   * Whether a whole tile is one run of the box: after leading axes of one cell, every axis but the first is as long as the
   * box.
   */
  private followEachOther(counts: readonly number[]): boolean {
    let expected = 1
    for (let d = counts.length - 1; d >= 0; d--) {
      if (counts[d] > 1 && this.boxStrides[d] !== expected) return false
      expected *= counts[d]
    }
    return true
  }

  /** Walks the written cells in row-major order, in runs along the last axis. */
  private fill(
    positions: Int32Array,
    order: Uint32Array,
    counts: readonly number[],
    boxStart: number,
    tileStart: number,
  ): void {
    const last = counts.length - 1
    const run = counts[last]
    const step = this.tileStrides[last]
    const at = new Array<number>(counts.length).fill(0)
    let box = boxStart
    let tile = tileStart
    for (let done = 0; done < order.length; done += run) {
      for (let i = 0, to = tile; i < run; i++, to += step) {
        positions[to] = box + i
        order[done + i] = to
      }
      for (let d = last - 1; d >= 0; d--) {
        if (++at[d] < counts[d]) {
          box += this.boxStrides[d]
          tile += this.tileStrides[d]
          break
        }
        box -= (counts[d] - 1) * this.boxStrides[d]
        tile -= (counts[d] - 1) * this.tileStrides[d]
        at[d] = 0
      }
    }
  }

  private tilePosition(index: number): number[] {
    const { axes } = this.grid
    const steps = strides(
      axes.map(({ tile_num }) => tile_num),
      this.tileOrder,
    )
    return axes.map(({ tile_num }: DenseAxis, d) => Math.floor(index / steps[d]) % tile_num)
  }
}

function strides(sides: readonly number[], order: Layout): number[] {
  const out = new Array<number>(sides.length).fill(1)
  if (order === 'col-major') for (let d = 1; d < sides.length; d++) out[d] = out[d - 1] * sides[d - 1]
  else for (let d = sides.length - 2; d >= 0; d--) out[d] = out[d + 1] * sides[d + 1]
  return out
}

/** {@link denseTileGrid} for a domain that was given, not read. */
export function gridOf(schema: ArraySchema, domain: NDRange): DenseTileGrid {
  try {
    return denseTileGrid(schema, domain)
  } catch (error) {
    if (!(error instanceof InspectError)) throw error
    throw badValue(error.message, error.at, { cause: error })
  }
}
