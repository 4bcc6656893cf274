import { badValue, InspectError } from '../base/errors.ts'
import { DenseCoordinates } from '../cells/dense-coordinates.ts'
import { type CellPositions, PADDING } from '../cells/gather.ts'
import type { ArraySchema } from '../format/array-schema.ts'
import { denseTileGrid } from '../format/dense-tiles.ts'
import type { NDRange } from '../format/range.ts'

/** The origin of the cells of one dense tile. */
interface DenseTile {
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
export class DenseTiler extends DenseCoordinates {
  /** Number of cells between neighbours along each axis of the box. */
  private readonly boxStrides: number[]

  /** @throws InspectError BAD_VALUE if the box does not lie inside the domain */
  constructor(schema: ArraySchema, domain: NDRange) {
    checkDomain(schema, domain)
    super({ schema, nonempty_domain: domain })
    const sides = this.grid.axes.map(({ low, high }) => Number(high - low) + 1)
    this.boxStrides = sides.map((_, d) => sides.slice(d + 1).reduce((product, side) => product * side, 1))
  }

  tile(index: number): DenseTile {
    const { axes, cells_per_tile } = this.grid
    const spans = this.written(index)
    const counts = spans.map(({ from, to }) => to - from + 1)
    const written = counts.reduce((product, count) => product * count, 1)
    const tileStart = spans.reduce((sum, { from }, d) => sum + from * this.strides[d], 0)
    const boxStart = this.tileBox(index).reduce(
      (sum, { low }, d) => sum + Number(low - axes[d].low) * this.boxStrides[d],
      0,
    )
    const full = written === cells_per_tile
    const rowMajor = this.schema.cell_order !== 'col-major' || axes.length === 1
    if (full && rowMajor && this.followEachOther(counts)) {
      return { positions: { from: boxStart, to: boxStart + written }, written: undefined }
    }
    const positions = new Int32Array(cells_per_tile).fill(full ? 0 : PADDING)
    const order = new Uint32Array(written)
    this.copyCells(positions, order, counts, boxStart, tileStart)
    return { positions, written: full && rowMajor ? undefined : order }
  }

  /**
   * Whether the cells of a tile follow one another in the box. Leading axes of one cell do not matter. Of the others, all but the first must
   * be as long as the box.
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
  private copyCells(
    positions: Int32Array,
    order: Uint32Array,
    counts: readonly number[],
    boxStart: number,
    tileStart: number,
  ): void {
    const last = counts.length - 1
    const run = counts[last]
    const step = this.strides[last]
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
          tile += this.strides[d]
          break
        }
        box -= (counts[d] - 1) * this.boxStrides[d]
        tile -= (counts[d] - 1) * this.strides[d]
        at[d] = 0
      }
    }
  }
}

/** Checks a domain from the caller. One that does not fit the schema is a bad value, not an inconsistent file. */
function checkDomain(schema: ArraySchema, domain: NDRange): void {
  try {
    denseTileGrid(schema, domain)
  } catch (error) {
    if (!(error instanceof InspectError)) throw error
    throw badValue(error.fault, error.at, { cause: error })
  }
}
