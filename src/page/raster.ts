import type { Bounds, Comparable, RangeSets } from '../cells/bounds.ts'
import { comparable } from '../cells/bounds.ts'
import type { CellBatch, ColumnType } from '../cells/column.ts'
import { datatypeKind } from '../format/datatype.ts'
import { integerOf } from '../format/dense-tiles.ts'
import type { Dimension } from '../format/dimension.ts'
import { fillCell } from '../read/fill.ts'
import { type OpenedArray, type OpenedFragment, type ReadQuery, readColumns } from '../read/query.ts'
import { readMerged } from '../read/read.ts'
import { CellNumbers } from './picture/cell-numbers.ts'

/**
 * Pictures of what a reader sees in two dimensions: the cells of a dense array on a grid, or the points of a sparse one. The number
 * of pixels is limited, so a pixel may stand for several cells. It then shows their mean. If it would take too long to read all
 * cells, each pixel shows a single cell, so that few tiles are read: a sample.
 */

/** Upper limits of a picture. */
export interface RasterLimits {
  /** Pixels along an axis, if a pixel is the mean of several cells. */
  pixels: number
  /** Cells of a picture in which each cell has its own pixel. */
  each: number
  /** Cells that are read unless the user asks for all. */
  cells: number
  /** Cells in the tiles that a sample reads. */
  sampled: number
}

export const LIMITS: RasterLimits = { pixels: 1024, each: 4_000_000, cells: 16_000_000, sampled: 16_000_000 }
/** Pixels along an axis of a picture of up to so many points. Few points get large pixels: small ones are hard to see. */
const POINT_PIXELS: readonly (readonly [points: number, pixels: number])[] = [
  [10_000, 128],
  [200_000, 256],
  [Number.POSITIVE_INFINITY, 512],
]
/** Pixels along an axis of the finest sample, and of the coarsest. */
const [FINEST, COARSEST] = [400, 4]
/** Cells in the tiles of a sample that are read at once. */
const AT_ONCE = 1_000_000
/** Cells that are added before it is asked again whether it is time to draw. */
const SLICE = 65_536

/** The lowest and the highest coordinate of dimension `d` in the non-empty domains of fragments; undefined if there are none. */
export function writtenBounds(
  { schema, fragments }: { schema: OpenedArray['schema']; fragments: readonly Pick<OpenedFragment, 'info'>[] },
  d: number,
): Bounds | undefined {
  const { type } = schema.domain.dimensions[d]
  let found: { low: Comparable; high: Comparable } | undefined
  for (const { info } of fragments) {
    const range = info.nonempty_domain?.[d]
    if (!range) continue
    const [low, high] = [comparable(type, range.min), comparable(type, range.max)]
    found = { low: found && found.low <= low ? found.low : low, high: found && found.high >= high ? found.high : high }
  }
  return found
}

/** The facts of an array that tell what a picture can show. */
export interface PictureFacts {
  array_type: OpenedArray['schema']['array_type']
  dimensions: readonly Dimension[]
  attributes: readonly Pick<ColumnType, 'name' | 'type' | 'cell_val_num'>[]
  /** {@link writtenBounds} of each dimension. */
  bounds: readonly (Bounds | undefined)[]
  /** Of a dense array: the extent of its tiles along each dimension. */
  extents: readonly bigint[]
  /** Of a dense array: the first coordinate of each dimension's domain. */
  firsts: readonly bigint[]
}

export function pictureFacts(opened: OpenedArray): PictureFacts {
  const { array_type, domain, attributes } = opened.schema
  const { dimensions } = domain
  return {
    array_type,
    dimensions,
    attributes: attributes.map(({ name, type, cell_val_num }) => ({ name, type, cell_val_num })),
    bounds: dimensions.map((_, d) => writtenBounds(opened, d)),
    extents: array_type === 'dense' ? extentsOf(opened) : [],
    firsts: array_type === 'dense' ? dimensions.map(firstOf) : [],
  }
}

/** The first coordinate of the domain of a dense dimension. */
function firstOf({ type, domain }: Dimension): bigint {
  return integerOf(type, domain.subarray(0, domain.length / 2))
}

export interface RasterAxis {
  dimension: Dimension
  /** Number of pixels. */
  length: number
  /** The first coordinate. */
  low: number | bigint
  /** Length of a pixel, in coordinates. */
  step: number | bigint
  /** The last coordinate; undefined for a floating-point axis, where a pixel ends at the start of the next. */
  end: bigint | undefined
}

/** First and last coordinate of a pixel. On a floating-point axis the last one is where the next pixel begins. */
export function pixelOf({ low, step, end }: RasterAxis, index: number): Span {
  if (end === undefined) {
    // Two halves are added, as the whole product may be infinite.
    const at = (i: number): number => Number(low) + i * (Number(step) / 2) + i * (Number(step) / 2)
    return [at(index), at(index + 1)]
  }
  const from = BigInt(low) + BigInt(index) * BigInt(step)
  const to = from + BigInt(step) - 1n
  return [from, to < end ? to : end]
}

/**
 * What a pixel shows.
 *
 * - `each`: one cell; each cell has a pixel
 * - `mean`: the mean of several cells
 * - `sample`: one cell of several, the only one that is read
 * - `points`: points of a sparse array
 * - `preview`: what statistics of tiles tell
 */
export type RasterKind = 'each' | 'mean' | 'sample' | 'points' | 'preview'

/** Why cells of a pixel have no number: flags in {@link Raster.lacks}. */
export const LACKS = { fill: 1, null: 2 }

export interface Raster {
  kind: RasterKind
  down: RasterAxis
  right: RasterAxis
  /** The attribute that is shown; undefined if the picture shows numbers of points. */
  column: ColumnType | undefined
  /** For each pixel: the sum of its cells. Pixels come row after row, in this array and the next two. */
  sums: Float64Array
  /** For each pixel: how many cells were summed, or how many points it has. */
  counts: Uint32Array
  /** For each pixel: whether any of its cells has the fill value, and whether any is null or NaN, as {@link LACKS}. */
  lacks: Uint8Array
  /** Whether a cell with the fill value counts like any other. */
  fillIsValue: boolean
  /** Number of cells read so far. */
  read: number
  /** Number of cells to read; undefined if it is not known. */
  total: number | undefined
}

export interface RasterOptions {
  /** Index of the dimension that goes down. */
  down: number
  /** Index of the dimension that goes to the right. */
  right: number
  /** The attribute to show; undefined to show numbers of points. */
  attribute: string | undefined
  ranges: RangeSets
  /** Whether all cells are read, however many there are. */
  isWhole: boolean
  /** By default {@link LIMITS}. */
  limits?: RasterLimits
  /** {@link Raster.fillIsValue} */
  fillIsValue?: boolean
  /** About how many points the picture has; 0 if unknown. */
  points?: number
}

/** An empty picture, and the query for its cells. Undefined if nothing was written in the ranges. */
export function newRaster(
  opened: OpenedArray,
  wanted: RasterOptions,
): { raster: Raster; query: ReadQuery } | undefined {
  const { schema } = opened
  const { down, right, attribute, ranges, isWhole, limits = LIMITS, fillIsValue = false, points = 0 } = wanted
  const fields = attribute === undefined ? [] : [attribute]
  const column = readColumns(schema, { order: 'row-major', ranges, fields }).find(({ kind }) => kind === 'attribute')
  const [downSpan, rightSpan] = [down, right].map((d) => clipped(opened, d, ranges.get(d)?.[0]))
  if (!downSpan || !rightSpan) return undefined
  const spans = [downSpan, rightSpan]
  const dimensions = [down, right].map((d) => schema.domain.dimensions[d])
  if (schema.array_type === 'sparse') {
    const [, pixels] = POINT_PIXELS.find(([most]) => points <= most) ?? [0, limits.pixels]
    const [downAxis, rightAxis] = spans.map((span, i) =>
      pointAxis(dimensions[i], span, Math.min(pixels, limits.pixels)),
    )
    const query: ReadQuery = { order: 'unordered', ranges, fields, reuse: true }
    return { raster: emptyRaster('points', downAxis, rightAxis, column, points || undefined), query }
  }
  const sizes = spans.map(([low, high]) => BigInt(high) - BigInt(low) + 1n)
  const total = Number(sizes[0] * sizes[1])
  const isAll = isWhole || total <= limits.cells
  const coarse = isAll ? limits.pixels : sampledPixels(opened, wanted, sizes)
  const most = total <= limits.each ? Number.POSITIVE_INFINITY : coarse
  const axes = spans.map(([low], i) => gridAxis(dimensions[i], BigInt(low), sizes[i], most))
  const [downAxis, rightAxis] = axes
  const pixels = downAxis.length * rightAxis.length
  const sets = new Map(ranges)
  for (const [i, d] of [down, right].entries()) sets.set(d, isAll ? [boundsOf(spans[i])] : firstCells(axes[i]))
  const ofMany = isAll ? 'mean' : 'sample'
  const kind = pixels === total ? 'each' : ofMany
  const raster = {
    ...emptyRaster(kind, downAxis, rightAxis, column, isAll ? total : pixels),
    fillIsValue,
  }
  return { raster, query: { order: 'row-major', ranges: sets, fields, reuse: true } }
}

/** The first cell of each pixel of an axis, as ranges. */
function firstCells(axis: RasterAxis): Bounds[] {
  return Array.from({ length: axis.length }, (_, i) => {
    const [first] = pixelOf(axis, i)
    return { low: first, high: first }
  })
}

/** How many cells a picture of a dense array has; undefined as in {@link newRaster}. */
export function cellsOfGrid(opened: OpenedArray, { down, right, ranges }: RasterOptions): number | undefined {
  const sizes = [down, right].map((d) => {
    const ends = clipped(opened, d, ranges.get(d)?.[0])
    return ends && Number(BigInt(ends[1]) - BigInt(ends[0]) + 1n)
  })
  return sizes[0] !== undefined && sizes[1] !== undefined ? sizes[0] * sizes[1] : undefined
}

/** A picture without cells yet, on the axes of another. @param most pixels along an axis, if the other has more */
export function coarseRaster({ down, right, column, total, fillIsValue }: Raster, most: number): Raster {
  const coarse = (axis: RasterAxis): RasterAxis => {
    if (axis.length <= most) return axis
    if (axis.end !== undefined)
      return gridAxis(axis.dimension, BigInt(axis.low), axis.end - BigInt(axis.low) + 1n, most)
    return pointAxis(axis.dimension, [pixelOf(axis, 0)[0], pixelOf(axis, axis.length - 1)[1]], most)
  }
  return { ...emptyRaster('preview', coarse(down), coarse(right), column, total), fillIsValue }
}

function emptyRaster(
  kind: RasterKind,
  down: RasterAxis,
  right: RasterAxis,
  column: ColumnType | undefined,
  total: number | undefined,
): Raster {
  const size = down.length * right.length
  return {
    kind,
    down,
    right,
    column,
    sums: new Float64Array(size),
    counts: new Uint32Array(size),
    lacks: new Uint8Array(size),
    fillIsValue: false,
    read: 0,
    total,
  }
}

/** First and last coordinate of a part of a dimension of numbers or dates. */
type Span = readonly [low: number | bigint, high: number | bigint]

function boundsOf([low, high]: Span): Bounds {
  return { low, high }
}

/** The part of a range inside the dimension's domain. If an end of the range is open, that of {@link writtenBounds} is taken. */
function clipped(opened: OpenedArray, d: number, range: Bounds | undefined): Span | undefined {
  const { type, domain } = opened.schema.domain.dimensions[d]
  const written = writtenBounds(opened, d)
  let [low, high] = [range?.low ?? written?.low, range?.high ?? written?.high]
  if (low === undefined || high === undefined) return undefined
  const half = domain.length / 2
  const [min, max] = [comparable(type, domain.subarray(0, half)), comparable(type, domain.subarray(half))]
  if (low < min) low = min
  if (high > max) high = max
  return low <= high ? ([low, high] as Span) : undefined
}

/** The tile extents of a dense array. In a dimension without an extent, the tile is as long as the domain. */
function extentsOf({ schema }: OpenedArray): readonly bigint[] {
  return schema.domain.dimensions.map((dimension) => {
    const { type, domain, tile_extent } = dimension
    if (tile_extent) return integerOf(type, tile_extent)
    return integerOf(type, domain.subarray(domain.length / 2)) - firstOf(dimension) + 1n
  })
}

/** Cells in a tile. */
const cellsIn = (extents: readonly bigint[]): number => extents.reduce((cells, extent) => cells * Number(extent), 1)

/** The largest number of pixels along an axis with which a sample stays below its limit. @param sizes cells along both axes */
function sampledPixels(
  opened: OpenedArray,
  { down, right, limits = LIMITS }: RasterOptions,
  sizes: readonly bigint[],
): number {
  const extents = extentsOf(opened)
  const inTile = cellsIn(extents)
  const tiles = [down, right].map((d, i) => Number(sizes[i] / extents[d]) + 1)
  for (let pixels = Math.min(limits.pixels, FINEST); pixels > COARSEST; pixels--)
    if (Math.min(pixels, tiles[0]) * Math.min(pixels, tiles[1]) * inTile <= limits.sampled) return pixels
  return COARSEST
}

/** The axis of whole numbers. @param size number of coordinates @param most pixels */
function gridAxis(dimension: Dimension, low: bigint, size: bigint, most: number): RasterAxis {
  const step = most === Number.POSITIVE_INFINITY ? 1n : (size + BigInt(most) - 1n) / BigInt(most)
  return { dimension, length: Number((size + step - 1n) / step), low, step, end: low + size - 1n }
}

/** The axis of a sparse array. If it has few whole numbers, each has a pixel. @param most pixels */
function pointAxis(dimension: Dimension, [low, high]: Span, most: number): RasterAxis {
  if (datatypeKind(dimension.type) !== 'float') {
    const from = BigInt(low)
    return gridAxis(dimension, from, BigInt(high) - from + 1n, most)
  }
  const [from, to] = [Number(low), Number(high)]
  const step = to / most - from / most
  return { dimension, length: step > 0 ? most : 1, low: from, step, end: undefined }
}

/** Reads the cells of a picture. Yields whenever it is time to draw. @param isDue tells whether it is time */
export async function* fillRaster(
  opened: OpenedArray,
  { raster, query }: { raster: Raster; query: ReadQuery },
  isDue: () => boolean,
): AsyncGenerator<void> {
  const columns = readColumns(opened.schema, query)
  const cells = new PixelCells(opened, raster, columns)
  const points = pointPlaces(raster, columns)
  for (const { query: part, runs } of readsOf(opened, raster, query)) {
    const grid = runs && new GridPlace(raster, runs)
    for await (const batch of readMerged(opened, part)) {
      const count = batch.rows?.length ?? batch.cell_num
      cells.begin(batch)
      if (!grid) points.begin(batch)
      for (let from = 0; from < count; from += SLICE) {
        const to = Math.min(count, from + SLICE)
        if (grid) grid.add(cells, from, to)
        else
          for (let i = from; i < to; i++) {
            const cell = batch.rows ? batch.rows[i] : i
            cells.add(points.pixelOf(cell), cell)
          }
        raster.read += to - from
        if (isDue()) yield
      }
    }
  }
}

/** One of the reads that a picture takes. */
interface RasterRead {
  query: ReadQuery
  /** The pixels of its cells; undefined if the cells do not come in the order of the axes. */
  runs: Runs | undefined
}

/** An axis, and those of its pixels that are read. */
type AxisRun = readonly [axis: RasterAxis, run: Run]
/** The axis that varies slowly in a read, and the other. */
type Runs = readonly [slow: AxisRun, fast: AxisRun]

/** Splits the query of a sample into short ones, which are read one after another. Other queries stay whole. */
function* readsOf(opened: OpenedArray, raster: Raster, query: ReadQuery): Generator<RasterRead> {
  // If cells are left out because of faults, only coordinates tell where the others are.
  const needsCoordinates = raster.kind === 'points' || query.onFault !== undefined
  const [slow, fast] = isRightSlow(opened, raster) ? [raster.right, raster.down] : [raster.down, raster.right]
  const runsOf = (slowRun: Run, fastRun: Run): Runs | undefined =>
    needsCoordinates
      ? undefined
      : [
          [slow, slowRun],
          [fast, fastRun],
        ]
  const asked = { ...query, leavesOutCoordinates: !needsCoordinates }
  if (raster.kind !== 'sample') {
    yield { query: asked, runs: runsOf([0, slow.length], [0, fast.length]) }
    return
  }
  // A single read of all tiles of a sample would give no cell before its end.
  const extents = extentsOf(opened)
  const atOnce = BigInt(Math.max(1, Math.floor(AT_ONCE / cellsIn(extents))))
  for (const slowRun of tileRuns(opened, slow, extents, 1n))
    for (const fastRun of tileRuns(opened, fast, extents, atOnce)) {
      const ranges = new Map(query.ranges)
      for (const [axis, run] of [[slow, slowRun] as const, [fast, fastRun] as const]) {
        const d = opened.schema.domain.dimensions.indexOf(axis.dimension)
        ranges.set(d, (query.ranges.get(d) ?? []).slice(...run))
      }
      yield { query: { ...asked, ranges }, runs: runsOf(slowRun, fastRun) }
    }
}

/** Pixels of an axis that follow each other. `to` is the one after the last. */
type Run = readonly [from: number, to: number]

/** Splits the pixels of an axis into runs. The first cells of a run's pixels lie in at most `tiles` tiles. */
function* tileRuns(
  { schema }: OpenedArray,
  axis: RasterAxis,
  extents: readonly bigint[],
  tiles: bigint,
): Generator<Run> {
  const { dimension, length } = axis
  const low = firstOf(dimension)
  const extent = extents[schema.domain.dimensions.indexOf(dimension)]
  const tileOf = (index: number): bigint => (BigInt(pixelOf(axis, index)[0]) - low) / extent
  let from = 0
  for (let i = 1; i <= length; i++)
    if (i === length || tileOf(i) - tileOf(from) >= tiles) {
      yield [from, i]
      from = i
    }
}

/** Whether a read varies the coordinate to the right more slowly, because that dimension comes first in the schema. */
function isRightSlow({ schema }: OpenedArray, { down, right }: Raster): boolean {
  const { dimensions } = schema.domain
  return dimensions.indexOf(down.dimension) > dimensions.indexOf(right.dimension)
}

/** Adds cells of batches to pixels. */
class PixelCells {
  private readonly raster: Raster
  /** Index of the column of the shown attribute; -1 if points are counted. */
  private readonly c: number
  private readonly numbers: CellNumbers | undefined
  /** The fill value as a number; undefined if it counts like any other value. */
  private readonly fill: number | undefined
  private readonly fillIsNaN: boolean
  private values: Float64Array | undefined
  private validity: Uint8Array | undefined

  constructor({ schema }: OpenedArray, raster: Raster, columns: readonly ColumnType[]) {
    this.raster = raster
    const { column, kind, fillIsValue } = raster
    this.c = column ? columns.findIndex(({ name, kind }) => kind === 'attribute' && name === column.name) : -1
    this.numbers = column && new CellNumbers(column.type)
    const hasFill = column !== undefined && kind !== 'points' && !fillIsValue
    this.fill = hasFill ? new CellNumbers(column.type).of(fillCell(schema, column))[0] : undefined
    this.fillIsNaN = Number.isNaN(this.fill)
  }

  begin({ columns }: CellBatch): void {
    const data = columns[this.c]
    this.values = data && this.numbers?.of(data)
    this.validity = data?.validity
  }

  add(pixel: number, cell: number): void {
    this.addRun(pixel, cell, cell + 1)
  }

  /** Adds the cells `[from, to)` of the batch to a pixel. */
  addRun(pixel: number, from: number, to: number): void {
    const { values, validity, fill, fillIsNaN } = this
    const { sums, counts, lacks } = this.raster
    if (!values) {
      counts[pixel] += to - from
      return
    }
    // A sum that begins with 0 would lose the sign of -0.
    let sum = -0
    let count = 0
    let lack = 0
    for (let i = from; i < to; i++) {
      const value = values[i]
      if (validity !== undefined && validity[i] === 0) lack |= LACKS.null
      else if (Number.isNaN(value)) lack |= fillIsNaN ? LACKS.fill : LACKS.null
      else if (value === fill) lack |= LACKS.fill
      else {
        sum += value
        count++
      }
    }
    sums[pixel] = counts[pixel] === 0 ? sum : sums[pixel] + sum
    counts[pixel] += count
    lacks[pixel] |= lack
  }
}

/** Adds cells to pixels if the cells come in the order of the axes. */
class GridPlace {
  private readonly slow: GridSide
  private readonly fast: GridSide
  /** Position of the next cell in the run, along each axis. */
  private slowAt = 0
  private fastAt = 0

  constructor({ right, kind }: Raster, [slow, fast]: Runs) {
    this.slow = new GridSide(slow, slow[0] === right ? 1 : right.length, kind)
    this.fast = new GridSide(fast, fast[0] === right ? 1 : right.length, kind)
  }

  /** Adds the next cells: `[from, to)` of the batch. */
  add(cells: PixelCells, from: number, to: number): void {
    const { slow, fast } = this
    let i = from
    while (i < to) {
      const row = slow.pixelAt(this.slowAt)
      const end = i + Math.min(fast.cells - this.fastAt, to - i)
      while (i < end) {
        const index = Math.floor(this.fastAt / fast.step)
        const run = Math.min(end - i, (index + 1) * fast.step - this.fastAt)
        cells.addRun(row + (fast.first + index) * fast.stride, i, i + run)
        i += run
        this.fastAt += run
      }
      if (this.fastAt < fast.cells) continue
      this.fastAt = 0
      this.slowAt++
    }
  }
}

/** A run of pixels along an axis, and the cells in it. */
class GridSide {
  /** The first pixel. */
  readonly first: number
  /** Cells in a pixel. */
  readonly step: number
  /** Cells in the run. */
  readonly cells: number
  /** Distance between neighbours, among all pixels of the picture. */
  readonly stride: number

  constructor([axis, [from, to]]: AxisRun, stride: number, kind: RasterKind) {
    this.first = from
    this.stride = stride
    // A pixel of a sample has one cell.
    this.step = kind === 'sample' ? 1 : Number(axis.step)
    const all = axis.end === undefined ? axis.length : Number(axis.end - BigInt(axis.low)) + 1
    this.cells = kind === 'sample' ? to - from : Math.min(all, to * this.step) - from * this.step
  }

  /** What a cell adds to the index of its pixel. @param cell its position in the run */
  pixelAt(cell: number): number {
    return (this.first + Math.floor(cell / this.step)) * this.stride
  }
}

/** Finds the pixels of cells by their coordinates. */
function pointPlaces({ down, right }: Raster, columns: readonly ColumnType[]) {
  const sides = [down, right].map((axis) => {
    const c = columns.findIndex(({ name }) => name === axis.dimension.name)
    // Halves are subtracted, as the whole difference of floats may be infinite.
    const isFloat = axis.end === undefined
    return { c, numbers: new CellNumbers(axis.dimension.type, isFloat ? 0 : axis.low), axis, isFloat }
  })
  let found: (Float64Array | undefined)[] = []
  const index = (side: (typeof sides)[number], at: number): number => {
    const { axis, isFloat } = side
    const step = Number(axis.step) || 1
    const i = isFloat ? (at / 2 - Number(axis.low) / 2) / (step / 2) : at / step
    return Math.min(axis.length - 1, Math.max(0, Math.floor(i)))
  }
  return {
    begin({ columns }: CellBatch): void {
      found = sides.map(({ c, numbers }) => {
        const data = columns[c]
        return data && numbers.of(data)
      })
    },
    pixelOf(cell: number): number {
      return index(sides[0], found[0]?.[cell] ?? 0) * right.length + index(sides[1], found[1]?.[cell] ?? 0)
    },
  }
}

/** The number that a pixel shows: a mean, or a number of points. If it has no number, why; undefined if it has no cells. */
export function pixelValue(raster: Raster, pixel: number): number | 'fill' | 'null' | undefined {
  const { column, sums, counts, lacks } = raster
  if (counts[pixel] > 0) return column ? sums[pixel] / counts[pixel] : counts[pixel]
  if (lacks[pixel] & LACKS.fill) return 'fill'
  return lacks[pixel] & LACKS.null ? 'null' : undefined
}
