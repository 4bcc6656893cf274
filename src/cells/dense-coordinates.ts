import { element } from '../base/element.ts'
import { InspectError, inconsistent } from '../base/errors.ts'
import type { ArraySchema } from '../format/array-schema.ts'
import { type Datatype, datatypeSize } from '../format/datatype.ts'
import { type DenseAxis, type DenseTileGrid, denseTileGrid } from '../format/dense-tiles.ts'
import type { Layout } from '../format/layout.ts'
import type { FragmentInfo } from '../objects/fragment.ts'
import { PIECE_CELLS, revisited, type Units, uint32LanesOf, unitOf, unitsOf, type VisitedCells } from './elements.ts'

/** Coordinates of the cells of one dense tile, and which of the cells the fragment wrote. */
interface DenseTileCells {
  /** Raw coordinates of the tile's cells in cell order, a buffer per dimension. */
  coordinates: Uint8Array[]
  /** Positions of the cells inside the non-empty domain, in cell order; undefined if all are inside. */
  rows: Uint32Array | undefined
}

/**
 * The order in which TileDB's writer visits the cells of a tile for statistics: slab by slab. The cells of a slab are
 * consecutive in the tile.
 */
export interface Slabs {
  /** Number of slabs. */
  num: number
  /** Returns the position of the first cell of each slab, in the order of the writer, in pieces. */
  starts(): Iterable<Uint32Array>
  /** Number of cells in a slab. */
  length: number
}

/** Consecutive cells of a tile. */
export interface CellRun {
  first: number
  count: number
}

/** The wanted range of coordinates by dimension, ends included. Undefined means no limit. */
export type CellBox = readonly (CellSide | undefined)[]

interface CellSide {
  low: bigint | undefined
  high: bigint | undefined
}

const NO_ROWS = new Uint32Array(0)

/** Upper limit on the cells of a tile: more would take over 8 GiB of coordinates per dimension, the limit of typed arrays. */
const MAX_CELLS = 2 ** 30

/**
 * The tiles of a dense fragment, and the coordinates of their cells. Tiles are stored in tile order of the grid, and the cells
 * of a tile in cell order. Cells outside of the non-empty domain are padding.
 *
 * @see format_spec/fragment.md; tiledb/sm/query/writers/dense_tiler.cc
 */
export class DenseCoordinates {
  readonly grid: DenseTileGrid
  /** Distance in cells between neighbours in a tile, along each axis. */
  readonly strides: readonly number[]
  protected readonly schema: ArraySchema
  /** Cells of a tile along each axis. */
  private readonly extents: readonly number[]
  /** Axes in cell order, the fastest-varying first. */
  private readonly fastest: readonly number[]
  /** Axes in tile order, the fastest-varying first. */
  private readonly fastestTiles: readonly number[]

  constructor({ schema, nonempty_domain }: Pick<FragmentInfo, 'schema' | 'nonempty_domain'>) {
    if (!nonempty_domain) throw inconsistent({ expected: 'a non-empty domain in a dense fragment', found: 'none' })
    this.schema = schema
    this.grid = denseTileGrid(schema, nonempty_domain)
    this.extents = this.grid.axes.map(({ extent }) => Number(extent))
    this.fastest = fastestFirst(schema.cell_order, this.extents.length)
    this.fastestTiles = fastestFirst(schema.tile_order, this.extents.length)
    const strides = this.extents.map(() => 1)
    let stride = 1
    for (const d of this.fastest) {
      strides[d] = stride
      stride *= this.extent(d)
    }
    this.strides = strides
  }

  private extent(d: number): number {
    return element(this.extents, d)
  }

  private axis(d: number): DenseAxis {
    return element(this.grid.axes, d)
  }

  /** First coordinate of a tile along each axis. */
  private starts(tile: number): bigint[] {
    const { axes } = this.grid
    const starts = axes.map(() => 0n)
    let rest = tile
    for (const d of this.fastestTiles) {
      const { domainLow, firstTile, extent, tile_num } = element(axes, d)
      starts[d] = domainLow + (firstTile + BigInt(rest % tile_num)) * extent
      rest = Math.floor(rest / tile_num)
    }
    return starts
  }

  /** Lowest and highest coordinate of a tile's written cells along each axis. */
  tileBox(tile: number): CoordinateRange[] {
    return this.starts(tile).map((start, d) => {
      const axis = this.axis(d)
      return narrowed(axis, { low: start, high: start + axis.extent - 1n })
    })
  }

  /**
   * The coordinates of a tile's cells, and which of the cells were written.
   * @param part the cells; all cells of the tile by default
   * @param box box to which the rows are limited
   * @throws InspectError TOO_LARGE if a tile's coordinates do not fit in memory
   */
  cells(tile: number, part: CellRun = this.whole(), box?: CellBox): DenseTileCells {
    if (part.count > MAX_CELLS)
      throw new InspectError('TOO_LARGE', { expected: `at most ${MAX_CELLS} cells a tile`, found: part.count })
    const starts = this.starts(tile)
    const coordinates = this.grid.axes.map(({ type }, d) =>
      axisCoordinates(type, element(starts, d), element(this.strides, d), this.extent(d), part),
    )
    return { coordinates, rows: this.rows(tile, part, box) }
  }

  private whole(): CellRun {
    return { first: 0, count: this.grid.cells_per_tile }
  }

  /** Positions in `part` of a tile's written cells, in cell order; undefined if all are written. */
  rows(tile: number, part: CellRun = this.whole(), box?: CellBox): Uint32Array | undefined {
    return this.rowsInside(this.written(tile, box), part)
  }

  /** {@link rows} of a tile in pieces: of a large tile they take less memory. Undefined if all cells are written. */
  rowPieces(tile: number): (() => Iterable<VisitedCells>) | undefined {
    const spans = this.written(tile)
    if (this.areWhole(spans)) return undefined
    return revisited(() => this.piecesInside(spans), this.grid.cells_per_tile)
  }

  private *piecesInside(spans: readonly Span[]): Generator<VisitedCells> {
    const part = this.whole()
    const position = this.positionFrom(0, spans)
    if (!position) return
    for (const at of pieces(this.walk(spans, this.fastest, position, part), cellNumOf(spans)))
      yield { length: at.length, at }
  }

  /** The first cell of a tile, at or after `from`, that {@link rows} has; the number of the tile's cells if there is none. */
  nextRow(tile: number, from: number, box?: CellBox): number {
    const position = this.positionFrom(from, this.written(tile, box))
    return position ? this.cellAt(position) : this.grid.cells_per_tile
  }

  /**
   * A mark of 1 for each cell of a tile, in cell order, that lies inside the array's domain but outside the non-empty domain: in pieces
   * with the first cell of each. Pieces without such cells are left out.
   */
  *unwritten(tile: number): Generator<{ first: number; marks: Uint8Array }> {
    if (this.areWhole(this.written(tile))) return
    const cells = this.grid.cells_per_tile
    for (let first = 0; first < cells; first += PIECE_CELLS) {
      const marks = this.unwrittenIn(tile, { first, count: Math.min(PIECE_CELLS, cells - first) })
      if (marks) yield { first, marks }
    }
  }

  private unwrittenIn(tile: number, part: CellRun): Uint8Array | undefined {
    const written = this.rows(tile, part) ?? NO_ROWS
    const domain = this.grid.axes.map(({ domainLow, domainHigh }) => ({ low: domainLow, high: domainHigh }))
    const inDomain = this.rowsInside(this.inTile(tile, domain), part)
    if (inDomain?.length === written.length) return undefined
    const marks = new Uint8Array(part.count)
    if (inDomain) for (const row of inDomain) marks[row] = 1
    else marks.fill(1)
    for (const row of written) marks[row] = 0
    return marks
  }

  /**
   * A mark of 1 for each cell of a tile whose start among var-sized values readers need: the written cells, and those after them.
   * Undefined if readers need all.
   */
  neededStarts(tile: number): Uint8Array | undefined {
    const written = this.rowPieces(tile)
    if (!written) return undefined
    const marks = new Uint8Array(this.grid.cells_per_tile)
    for (const { at } of written()) for (const row of at ?? NO_ROWS) marks.fill(1, row, row + 2)
    return marks
  }

  /**
   * The slabs of a tile in an ordered write, in row-major order. If the write has the array's cell order, a slab is a run of
   * cells along the fastest axis. It goes on along the next axis if it fills this one. Otherwise each cell is a slab.
   *
   * @param writeOrder order of the cells that the writer was given
   * @see tiledb/sm/query/writers/dense_tiler.cc, copy_plan and compute_tile_metadata
   */
  slabs(tile: number, writeOrder: Layout): Slabs {
    const { axes } = this.grid
    const written = this.written(tile)
    const rest = new Set(axes.keys())
    let length = 1
    if (axes.length === 1 || writeOrder === this.schema.cell_order) {
      for (const d of this.fastest) {
        rest.delete(d)
        length *= lengthOf(element(written, d))
        // The slab goes on if the written cells fill exactly one tile along this axis.
        const { low, high, extent, tile_num } = this.axis(d)
        if (high - low + 1n !== extent || tile_num > 1) break
      }
    }
    const rowMajor = [...rest].reverse()
    const num = rowMajor.reduce((product, d) => product * lengthOf(element(written, d)), 1)
    const first = written.map(({ from }) => from)
    return { num, starts: () => pieces(this.walk(written, rowMajor, first, this.whole()), num), length }
  }

  /** The written positions in a tile, along each axis. */
  written(tile: number, box?: CellBox): Span[] {
    return this.inTile(
      tile,
      this.grid.axes.map((axis, d) => narrowed(axis, box?.[d])),
    )
  }

  /** The positions in a tile inside the ranges, along each axis. */
  private inTile(tile: number, ranges: readonly CoordinateRange[]): Span[] {
    return this.starts(tile).map((start, d) => {
      const { low, high } = element(ranges, d)
      const last = high - start
      const extent = this.extent(d)
      return { from: low > start ? Number(low - start) : 0, to: last < extent ? Number(last) : extent - 1 }
    })
  }

  /** Positions in `part`, in cell order, of the cells inside the spans; undefined if all cells are. */
  private rowsInside(spans: readonly Span[], part: CellRun): Uint32Array | undefined {
    if (this.areWhole(spans)) return undefined
    const position = this.positionFrom(part.first, spans)
    if (!position) return NO_ROWS
    const rows = new Uint32Array(Math.min(cellNumOf(spans), part.count))
    return rows.subarray(0, this.walk(spans, this.fastest, position, part)(rows))
  }

  /** Whether the spans are a whole tile. */
  private areWhole(spans: readonly Span[]): boolean {
    return spans.every(({ from, to }, d) => from === 0 && to === this.extent(d) - 1)
  }

  /**
   * Walks over the cells inside the spans, from `position` until `part` ends.
   * @param axes axes along which the position advances, the fastest-varying first
   * @returns a function that fills `out` with the next positions in `part`, and returns their number
   */
  private walk(
    spans: readonly Span[],
    axes: readonly number[],
    position: readonly number[],
    part: CellRun,
  ): (out: Uint32Array) => number {
    const ways = axes.map((d) => ({ at: element(position, d), ...element(spans, d), stride: element(this.strides, d) }))
    let place = this.cellAt(position) - part.first
    let isAtEnd = false
    return (out) => {
      let count = 0
      while (!isAtEnd && place < part.count && count < out.length) {
        out[count++] = place
        isAtEnd = true
        for (const way of ways) {
          if (way.at < way.to) {
            way.at++
            place += way.stride
            isAtEnd = false
            break
          }
          place -= (way.at - way.from) * way.stride
          way.at = way.from
        }
      }
      return count
    }
  }

  /** The position along each axis of the first cell inside the spans, at or after `cell`; undefined if there is none. */
  private positionFrom(cell: number, spans: readonly Span[]): number[] | undefined {
    const { fastest } = this
    if (spans.some(({ from, to }) => to < from)) return undefined
    const position = spans.map(() => 0)
    let rest = cell
    for (const d of fastest) {
      const extent = this.extent(d)
      position[d] = rest % extent
      rest = Math.floor(rest / extent)
    }
    if (rest > 0) return undefined
    // From the slowest axis on: if the position is outside along an axis, all faster axes start again.
    const at = (d: number): number => element(position, d)
    const isOutside = (d: number): boolean => at(d) < element(spans, d).from || at(d) > element(spans, d).to
    const k = fastest.findLastIndex(isOutside)
    if (k < 0) return position
    const outside = element(fastest, k)
    let restarted = fastest.slice(0, k + 1)
    if (at(outside) > element(spans, outside).to) {
      // The position advances along the next slower axis that is not at its end.
      const slower = fastest.findIndex((d, i) => i > k && at(d) !== element(spans, d).to)
      if (slower < 0) return undefined
      const advanced = element(fastest, slower)
      position[advanced] = at(advanced) + 1
      restarted = fastest.slice(0, slower)
    }
    for (const d of restarted) position[d] = element(spans, d).from
    return position
  }

  /** The cell at a position along each axis. */
  private cellAt(position: readonly number[]): number {
    return position.reduce((sum, p, d) => sum + p * element(this.strides, d), 0)
  }
}

/** A range of coordinates along an axis, both ends included. */
interface CoordinateRange {
  low: bigint
  high: bigint
}

/** A range of positions in a tile along an axis, both ends included. It is empty if `to` is before `from`. */
interface Span {
  from: number
  to: number
}

function lengthOf({ from, to }: Span): number {
  return Math.max(0, to - from + 1)
}

function cellNumOf(spans: readonly Span[]): number {
  return spans.reduce((product, span) => product * lengthOf(span), 1)
}

/** What a walk finds, in pieces. @param num most positions */
function* pieces(walk: (out: Uint32Array) => number, num: number): Generator<Uint32Array> {
  for (let done = 0; done < num; ) {
    const out = new Uint32Array(Math.min(num - done, PIECE_CELLS))
    const count = walk(out)
    if (count === 0) return
    done += count
    yield out.subarray(0, count)
  }
}

/** The written range along an axis, limited to a side of a box. */
function narrowed({ low, high }: DenseAxis, side: CellSide | undefined): CoordinateRange {
  return {
    low: side?.low !== undefined && side.low > low ? side.low : low,
    high: side?.high !== undefined && side.high < high ? side.high : high,
  }
}

/** The axes in an order, the fastest-varying first. */
export function fastestFirst(order: Layout, count: number): number[] {
  const axes = Array.from({ length: count }, (_, d) => d)
  return order === 'col-major' ? axes : axes.reverse()
}

/**
 * Raw coordinates along one axis for the cells of a tile: runs of `stride` equal values that rise by 1 from `start` and repeat
 * after `extent` runs. Values beyond the type's range wrap, but they belong to padding.
 */
export function axisCoordinates(
  type: Datatype,
  start: bigint,
  stride: number,
  extent: number,
  { first, count }: CellRun,
): Uint8Array {
  const size = datatypeSize(type)
  const out = new Uint8Array(count * size)
  const period = stride * extent
  // One period is written value by value, then copied until the buffer is full.
  writeRuns(type, start, { at: first % period, count: Math.min(period, count), stride, extent }, out)
  for (let done = period; done < count; done *= 2) out.copyWithin(done * size, 0, Math.min(done, count - done) * size)
  return out
}

/** Fills aligned bytes with coordinates that rise by 1 from `start`. */
export function writeRising(type: Datatype, start: bigint, out: Uint8Array): void {
  const count = out.length / datatypeSize(type)
  writeRuns(type, start, { at: 0, count, stride: 1, extent: count }, out)
}

function writeRuns(type: Datatype, start: bigint, runs: Runs, out: Uint8Array): void {
  const size = datatypeSize(type)
  if (size === 8) fillWideRuns(uint32LanesOf(out), start, runs)
  else fillRuns(unitsOf(out, unitOf(size)), Number(BigInt.asUintN(32, start)), runs)
}

/** A part of a period: `count` cells from cell `at` on. */
interface Runs {
  at: number
  count: number
  stride: number
  extent: number
}

function fillRuns(out: Units, start: number, { at, count, stride, extent }: Runs): void {
  let run = Math.floor(at / stride)
  let left = stride - (at % stride)
  for (let i = 0; i < count; left = stride) {
    for (; left > 0 && i < count; left--) out[i++] = start + run
    if (++run === extent) run = 0
  }
}

/** {@link fillRuns} for 64-bit values, as two lanes each, the low lane first. */
function fillWideRuns(out: Uint32Array, start: bigint, { at, count, stride, extent }: Runs): void {
  const startLow = Number(BigInt.asUintN(32, start))
  const startHigh = Number(BigInt.asUintN(32, start >> 32n))
  let run = Math.floor(at / stride)
  let left = stride - (at % stride)
  const highOf = (low: number): number => (low < 2 ** 32 ? startHigh : startHigh + Math.floor(low / 2 ** 32))
  if (stride === 1) {
    for (let i = 0; i < count; i++) {
      const low = startLow + run
      out[2 * i] = low
      out[2 * i + 1] = highOf(low)
      if (++run === extent) run = 0
    }
    return
  }
  for (let i = 0; i < 2 * count; left = stride) {
    const low = startLow + run
    const high = highOf(low)
    for (; left > 0 && i < 2 * count; left--) {
      out[i++] = low
      out[i++] = high
    }
    if (++run === extent) run = 0
  }
}
