import type { DenseAxis } from '../format/dense-tiles.ts'
import type { Layout } from '../format/layout.ts'

/**
 * The order in which TileDB's writer visits the cells of a tile for statistics: slab by slab. The cells of a slab follow each
 * other in the tile.
 */
export interface Slabs {
  /** Where each slab begins, in the order of the writer. */
  starts: Uint32Array
  /** Number of cells in a slab. */
  length: number
}

/**
 * The slabs of a dense tile in an ordered write. If the given cells have the order of the tile's cells, a slab is one run of
 * the tile; whole axes join into longer slabs. Otherwise each cell is a slab, in row-major order.
 *
 * @param position of the tile in the fragment's grid
 * @param write order of the cells that were given to the writer
 * @see tiledb/sm/query/writers/dense_tiler.cc, copy_plan and compute_tile_metadata
 */
export function denseSlabs(
  axes: readonly DenseAxis[],
  position: readonly number[],
  cellOrder: Layout,
  write: Layout,
): Slabs {
  const boxes = axes.map((axis, d) => boxOf(axis, position[d]))
  const strides = stridesOf(axes, cellOrder)
  const all = axes.map((_, d) => d)
  if (axes.length > 1 && write !== cellOrder) return slabsOf(boxes, strides, all, 1)
  // Starting with the fastest axis: an axis that is whole, in the tile and in the write, extends the slab to the next axis.
  const fastest = cellOrder === 'col-major' ? all : all.toReversed()
  let length = 1
  let taken = 0
  let joins = true
  while (joins && taken < fastest.length) {
    const box = boxes[fastest[taken++]]
    length *= box.count
    joins = box.whole
  }
  const others = new Set(fastest.slice(taken))
  const rest = all.filter((d) => others.has(d))
  return slabsOf(boxes, strides, rest, length)
}

/** The written part of a tile along one axis. */
interface Side {
  first: number
  count: number
  /** The tile is written from end to end, and nothing is written outside it. */
  whole: boolean
}

function boxOf(axis: DenseAxis, position: number): Side {
  const start = axis.domainLow + (axis.firstTile + BigInt(position)) * axis.extent
  const end = start + axis.extent - 1n
  const low = start > axis.low ? start : axis.low
  const high = end < axis.high ? end : axis.high
  const whole = low === axis.low && high === axis.high && high - low + 1n === axis.extent
  return { first: Number(low - start), count: Number(high - low) + 1, whole }
}

/** Starts in row-major order of the given axes, the only order that {@link DenseTiler} uses. */
function slabsOf(boxes: readonly Side[], strides: readonly number[], axes: readonly number[], length: number): Slabs {
  const count = axes.reduce((product, d) => product * boxes[d].count, 1)
  const starts = new Uint32Array(count)
  const at = axes.map(() => 0)
  let cell = boxes.reduce((sum, { first }, d) => sum + first * strides[d], 0)
  for (let i = 0; i < count; i++) {
    starts[i] = cell
    for (let k = axes.length - 1; k >= 0; k--) {
      const d = axes[k]
      if (++at[k] < boxes[d].count) {
        cell += strides[d]
        break
      }
      cell -= (boxes[d].count - 1) * strides[d]
      at[k] = 0
    }
  }
  return { starts, length }
}

/** Number of cells between neighbours along each axis. */
function stridesOf(axes: readonly DenseAxis[], order: Layout): number[] {
  const strides = axes.map(() => 1)
  let stride = 1
  for (let i = 0; i < axes.length; i++) {
    const d = order === 'col-major' ? i : axes.length - 1 - i
    strides[d] = stride
    stride *= Number(axes[d].extent)
  }
  return strides
}
