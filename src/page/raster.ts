import type { Bounds, Comparable, RangeSets } from '../cells/bounds.ts'
import { comparable } from '../cells/bounds.ts'
import type { CellBatch, ColumnType } from '../cells/column.ts'
import { type ColumnValue, columnValue } from '../cells/rows.ts'
import type { CellValue } from '../documents/common.ts'
import { datatypeKind } from '../format/datatype.ts'
import { integerOf } from '../format/dense-tiles.ts'
import type { Dimension } from '../format/dimension.ts'
import { fillCell } from '../read/fill.ts'
import { type OpenedArray, type ReadQuery, readColumns } from '../read/query.ts'
import { readMerged } from '../read/read.ts'

/**
 * Pictures of what a reader sees in two dimensions: the cells of a dense array on a grid, or the points of a sparse one. The number
 * of pixels is limited, so a pixel may stand for several cells. It then shows their mean. If reading all cells would take too long,
 * it shows one of them, and few tiles are read: a sample.
 */

/** Upper limits of a picture. */
export interface RasterLimits {
  /** Pixels along an axis. */
  pixels: number
  /** Cells that are read unless the user asks for all. */
  cells: number
  /** Cells in the tiles that a sample reads. */
  sampled: number
}

const LIMITS: RasterLimits = { pixels: 400, cells: 1_000_000, sampled: 16_000_000 }
/** The limit for points, which are hard to see if they are small. */
const POINT_PIXELS = 128
/** Pixels along an axis of the coarsest sample. */
const COARSEST = 8
/** Number of cells from one look at the clock to the next. */
const SLICE = 4096

/** Whether cells are single numbers or dates, which have a place on an axis. */
export function isNumeric({ type, cell_val_num }: Pick<ColumnType, 'type' | 'cell_val_num'>): boolean {
  return cell_val_num === 1 && !['text', 'bytes'].includes(datatypeKind(type))
}

/** The lowest and the highest coordinate that the fragments hold; undefined if they hold none. */
function writtenBounds({ schema, fragments }: OpenedArray, d: number): Bounds | undefined {
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
export interface ArrayFacts {
  array_type: OpenedArray['schema']['array_type']
  dimensions: readonly Dimension[]
  attributes: readonly Pick<ColumnType, 'name' | 'type' | 'cell_val_num'>[]
  /** {@link writtenBounds} of each dimension. */
  bounds: readonly (Bounds | undefined)[]
}

export function arrayFacts(opened: OpenedArray): ArrayFacts {
  const { array_type, domain, attributes } = opened.schema
  const { dimensions } = domain
  return {
    array_type,
    dimensions,
    attributes: attributes.map(({ name, type, cell_val_num }) => ({ name, type, cell_val_num })),
    bounds: dimensions.map((_, d) => writtenBounds(opened, d)),
  }
}

export interface RasterAxis {
  dimension: Dimension
  /** Number of pixels. */
  length: number
  /** The first coordinate, and the length of a pixel in coordinates. */
  low: number | bigint
  step: number | bigint
  /** The last coordinate; undefined for a floating-point axis, where a pixel ends at the start of the next. */
  end: bigint | undefined
}

/** First and last coordinate of a pixel. On a floating-point axis the last one belongs to the next pixel. */
export function pixelOf({ low, step, end }: RasterAxis, index: number): Span {
  if (end === undefined) {
    // Added in two halves, as the whole product may be infinite.
    const at = (i: number): number => Number(low) + i * (Number(step) / 2) + i * (Number(step) / 2)
    return [at(index), at(index + 1)]
  }
  const from = BigInt(low) + BigInt(index) * BigInt(step)
  const to = from + BigInt(step) - 1n
  return [from, to < end ? to : end]
}

type RasterKind = 'each' | 'mean' | 'sample' | 'points'

export interface Raster {
  kind: RasterKind
  down: RasterAxis
  right: RasterAxis
  /** The attribute that is shown; undefined if the picture shows numbers of points. */
  column: ColumnType | undefined
  /** Sum of the numbers of each pixel. This array and the following are by pixel, row after row. */
  sums: Float64Array
  /** Number of cells in `sums`, or of points. */
  counts: Uint32Array
  /** Number of cells with the fill value, and with null or NaN. */
  fills: Uint32Array
  nulls: Uint32Array
  /** Value of the first cell. Not kept for means. */
  values: CellValue[]
  /** Coordinates of the first point. */
  cells: (Record<string, CellValue> | undefined)[]
  /** Whether cells with the fill value are like others. */
  fillIsValue: boolean
  /** Number of cells read so far. */
  read: number
  /** Number of cells to read; undefined if it is not known. */
  total: number | undefined
  /** Whether points were left out because there are too many. */
  isCut: boolean
}

export interface RasterOptions {
  /** Indexes of the dimensions that go down and to the right. */
  down: number
  right: number
  /** The attribute to show; undefined to show numbers of points. */
  attribute: string | undefined
  ranges: RangeSets
  /** Whether all cells are read, however many there are. */
  isWhole: boolean
  /** What the picture may have and read; by default {@link LIMITS}. */
  limits?: RasterLimits
  /** Whether a cell with the fill value is a cell like others. */
  fillIsValue?: boolean
}

/** An empty picture, and the query for its cells. Undefined if nothing was written in the ranges. */
export function newRaster(
  opened: OpenedArray,
  wanted: RasterOptions,
): { raster: Raster; query: ReadQuery } | undefined {
  const { schema } = opened
  const { down, right, attribute, ranges, isWhole, limits = LIMITS, fillIsValue = false } = wanted
  const fields = attribute === undefined ? [] : [attribute]
  const column = readColumns(schema, { order: 'row-major', ranges, fields }).find(({ kind }) => kind === 'attribute')
  const ends = [down, right].map((d) => clipped(opened, d, ranges.get(d)?.[0]))
  const [first, second] = ends
  if (!first || !second) return undefined
  const dimensions = [down, right].map((d) => schema.domain.dimensions[d])
  if (schema.array_type === 'sparse') {
    const [a, b] = [first, second].map((one, i) => pointAxis(dimensions[i], one))
    const query: ReadQuery = { order: 'unordered', ranges, fields, reuse: true }
    return { raster: emptyRaster('points', a, b, column, undefined), query }
  }
  const sizes = [first, second].map(([low, high]) => BigInt(high) - BigInt(low) + 1n)
  const total = Number(sizes[0] * sizes[1])
  const isAll = isWhole || total <= limits.cells
  const most = isAll ? limits.pixels : sampledPixels(opened, wanted, sizes)
  const [a, b] = [first, second].map(([low], i) => gridAxis(dimensions[i], BigInt(low), sizes[i], most))
  const isEach = a.length * b.length === total
  const sets = new Map(ranges)
  if (isAll) for (const [i, d] of [down, right].entries()) sets.set(d, [{ low: ends[i]?.[0], high: ends[i]?.[1] }])
  else
    for (const [axis, d] of [[a, down] as const, [b, right] as const])
      sets.set(
        d,
        Array.from({ length: axis.length }, (_, i) => ({ low: pixelOf(axis, i)[0], high: pixelOf(axis, i)[0] })),
      )
  const kind = isEach ? 'each' : isAll ? 'mean' : 'sample'
  const raster = { ...emptyRaster(kind, a, b, column, isAll ? total : a.length * b.length), fillIsValue }
  return { raster, query: { order: 'row-major', ranges: sets, fields, reuse: true } }
}

function emptyRaster(
  kind: RasterKind,
  down: RasterAxis,
  right: RasterAxis,
  column: ColumnType | undefined,
  total: number | undefined,
): Raster {
  const size = down.length * right.length
  const counters = () => new Uint32Array(size)
  const numbers = { sums: new Float64Array(size), counts: counters(), fills: counters(), nulls: counters() }
  return {
    kind,
    down,
    right,
    column,
    ...numbers,
    values: [],
    cells: [],
    fillIsValue: false,
    read: 0,
    total,
    isCut: false,
  }
}

/** First and last coordinate of a part of a dimension of numbers or dates. */
type Span = readonly [low: number | bigint, high: number | bigint]

/** The part of a range inside the dimension's domain. An open end of the range is replaced by that of {@link writtenBounds}. */
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

/** The tile extents of a dense array. A dimension without one has a tile as long as its domain. */
function extentsOf({ schema }: OpenedArray): readonly bigint[] {
  return schema.domain.dimensions.map(({ type, domain, tile_extent }) => {
    if (tile_extent) return integerOf(type, tile_extent)
    const half = domain.length / 2
    return integerOf(type, domain.subarray(half)) - integerOf(type, domain.subarray(0, half)) + 1n
  })
}

const cellsIn = (extents: readonly bigint[]): number => extents.reduce((cells, extent) => cells * Number(extent), 1)

/** The largest number of pixels along an axis with which a sample stays below its limit. */
function sampledPixels(
  opened: OpenedArray,
  { down, right, limits = LIMITS }: RasterOptions,
  sizes: readonly bigint[],
): number {
  const extents = extentsOf(opened)
  const inTile = cellsIn(extents)
  const tiles = [down, right].map((d, i) => Number(sizes[i] / extents[d]) + 1)
  for (let { pixels } = limits; pixels > COARSEST; pixels--)
    if (Math.min(pixels, tiles[0]) * Math.min(pixels, tiles[1]) * inTile <= limits.sampled) return pixels
  return COARSEST
}

function gridAxis(dimension: Dimension, low: bigint, size: bigint, most: number): RasterAxis {
  const step = (size + BigInt(most) - 1n) / BigInt(most)
  return { dimension, length: Number((size + step - 1n) / step), low, step, end: low + size - 1n }
}

/** The axis of a sparse array. If there are few whole numbers, each has a pixel. */
function pointAxis(dimension: Dimension, [low, high]: Span): RasterAxis {
  if (datatypeKind(dimension.type) !== 'float') {
    const from = BigInt(low)
    return gridAxis(dimension, from, BigInt(high) - from + 1n, POINT_PIXELS)
  }
  const [from, to] = [Number(low), Number(high)]
  const step = to / POINT_PIXELS - from / POINT_PIXELS
  return { dimension, length: step > 0 ? POINT_PIXELS : 1, low: from, step, end: undefined }
}

/** Reads the cells of a picture. Yields whenever it is time to draw. @param isDue whether it is time */
export async function* fillRaster(
  opened: OpenedArray,
  { raster, query }: { raster: Raster; query: ReadQuery },
  isDue: () => boolean,
): AsyncGenerator<void> {
  const columns = readColumns(opened.schema, query)
  const add = cellAdder(opened, raster, columns)
  for (const { part, place } of partsOf(opened, raster, query, columns))
    for await (const batch of readMerged(opened, part)) {
      const placed = place(batch)
      const count = batch.rows?.length ?? batch.cell_num
      for (let i = 0; i < count; i++) {
        if (raster.kind === 'points' && raster.read === LIMITS.cells) {
          raster.isCut = true
          return
        }
        const cell = batch.rows ? batch.rows[i] : i
        add(batch, cell, placed(cell))
        raster.read++
        if (i % SLICE === SLICE - 1 && isDue()) yield
      }
      if (isDue()) yield
    }
}

/** Splits the query of a sample into short ones, which are read one after another. Other queries stay whole. */
function* partsOf(
  opened: OpenedArray,
  raster: Raster,
  query: ReadQuery,
  columns: readonly ColumnType[],
): Generator<{ part: ReadQuery; place: PixelOf }> {
  // If cells are left out, the order of the others does not tell their place, but their coordinates do.
  const isByPlace = raster.kind === 'points' || query.onFault !== undefined
  const [slow, fast] = isRightSlow(opened, raster) ? [raster.right, raster.down] : [raster.down, raster.right]
  const placeIn = (slowRun: Run, fastRun: Run): PixelOf =>
    isByPlace ? pointPlaces(raster, columns) : gridPlaces(raster, [slow, slowRun], [fast, fastRun])
  if (raster.kind !== 'sample') {
    yield { part: query, place: placeIn([0, slow.length], [0, fast.length]) }
    return
  }
  // A single read of all tiles of a sample would give nothing before its end.
  const extents = extentsOf(opened)
  const atOnce = BigInt(Math.max(1, Math.floor(LIMITS.cells / cellsIn(extents))))
  for (const slowRun of tileRuns(opened, slow, extents, 1n))
    for (const fastRun of tileRuns(opened, fast, extents, atOnce)) {
      const ranges = new Map(query.ranges)
      for (const [axis, run] of [[slow, slowRun] as const, [fast, fastRun] as const]) {
        const d = opened.schema.domain.dimensions.indexOf(axis.dimension)
        ranges.set(d, (query.ranges.get(d) ?? []).slice(...run))
      }
      yield { part: { ...query, ranges }, place: placeIn(slowRun, fastRun) }
    }
}

/** Pixels of an axis: the first one, and the end. */
type Run = readonly [from: number, to: number]

/** Splits the pixels of an axis into runs whose first coordinates lie in the given number of tiles. */
function* tileRuns(
  { schema }: OpenedArray,
  axis: RasterAxis,
  extents: readonly bigint[],
  tiles: bigint,
): Generator<Run> {
  const { dimension, length } = axis
  const { type, domain } = dimension
  const low = integerOf(type, domain.subarray(0, domain.length / 2))
  const extent = extents[schema.domain.dimensions.indexOf(dimension)]
  const tileOf = (index: number): bigint => (BigInt(pixelOf(axis, index)[0]) - low) / extent
  let from = 0
  for (let i = 1; i <= length; i++)
    if (i === length || tileOf(i) - tileOf(from) >= tiles) {
      yield [from, i]
      from = i
    }
}

/** Whether `right` comes before `down` in the schema. A dense read then varies it more slowly. */
function isRightSlow({ schema }: OpenedArray, { down, right }: Raster): boolean {
  const { dimensions } = schema.domain
  return dimensions.indexOf(down.dimension) > dimensions.indexOf(right.dimension)
}

/** Gives the function that returns the pixel of a cell of a batch. */
type PixelOf = (batch: CellBatch) => (cell: number) => number

/** Places cells that come in the order of the axes. A pixel of a sample has one cell. */
function gridPlaces(
  { kind, right }: Raster,
  [slow, slowRun]: readonly [RasterAxis, Run],
  [fast, fastRun]: readonly [RasterAxis, Run],
): PixelOf {
  const isSwapped = slow === right
  const size = (axis: RasterAxis, index: number): number => {
    if (kind === 'sample' || index >= axis.length) return 1
    const [from, to] = pixelOf(axis, index)
    return Number(BigInt(to) - BigInt(from)) + 1
  }
  const at = { slow: slowRun[0], fast: fastRun[0], slowLeft: size(slow, slowRun[0]), fastLeft: size(fast, fastRun[0]) }
  return () => () => {
    const pixel = isSwapped ? at.fast * right.length + at.slow : at.slow * right.length + at.fast
    if (--at.fastLeft === 0) {
      if (++at.fast === fastRun[1]) {
        at.fast = fastRun[0]
        if (--at.slowLeft === 0) at.slowLeft = size(slow, ++at.slow)
      }
      at.fastLeft = size(fast, at.fast)
    }
    return pixel
  }
}

/** Places cells by their coordinates. */
function pointPlaces({ down, right }: Raster, columns: readonly ColumnType[]): PixelOf {
  const [a, b] = [down, right].map((axis) => {
    const c = columns.findIndex(({ name }) => name === axis.dimension.name)
    const value = columnValue(columns[c], { raw: true })
    const [low, first] = pixelOf(axis, 0)
    const width = typeof low === 'bigint' ? Number(BigInt(first) - low + 1n) : Number(axis.step) || 1
    return (batch: CellBatch, cell: number): number => {
      const data = batch.columns[c]
      const found = data ? value(data, cell) : 0
      const index =
        typeof low === 'bigint'
          ? Math.floor(Number(BigInt(found as number | bigint) - low) / width)
          : Math.floor((Number(found) / 2 - low / 2) / (width / 2))
      return Math.min(axis.length - 1, Math.max(0, index))
    }
  })
  return (batch) => (cell) => a(batch, cell) * right.length + b(batch, cell)
}

/** The number that a pixel shows: a mean, or the number of points. Otherwise why there is none; undefined without cells. */
export function pointAt(raster: Raster, pixel: number): number | 'fill' | 'null' | undefined {
  const { column, sums, counts, fills, nulls } = raster
  if (counts[pixel] > 0) return column ? sums[pixel] / counts[pixel] : counts[pixel]
  if (fills[pixel] > 0) return 'fill'
  return nulls[pixel] > 0 ? 'null' : undefined
}

/** The function that adds a cell of a batch to a pixel. */
function cellAdder({ schema }: OpenedArray, raster: Raster, columns: readonly ColumnType[]) {
  const { column, kind, sums, counts, fills, nulls, values, cells } = raster
  const c = column ? columns.findIndex(({ name, kind }) => kind === 'attribute' && name === column.name) : -1
  const raw = column && columnValue(column, { raw: true })
  const shown = column && columnValue(column, { raw: false })
  const fill = column && raw && !raster.fillIsValue ? raw(fillCell(schema, column), 0) : undefined
  const coordinates: [number, string, ColumnValue][] = columns.flatMap((one, i) =>
    one.kind === 'dimension' ? [[i, one.name, columnValue(one, { raw: false })]] : [],
  )
  return (batch: CellBatch, cell: number, pixel: number): void => {
    if (pixel >= counts.length) return
    if (kind === 'points' && cells[pixel] === undefined) {
      const found: Record<string, CellValue> = Object.create(null)
      for (const [i, name, value] of coordinates) {
        const data = batch.columns[i]
        if (data) found[name] = value(data, cell)
      }
      cells[pixel] = found
    }
    const data = c < 0 ? undefined : batch.columns[c]
    if (!data || !raw || !shown) {
      counts[pixel]++
      return
    }
    const value = raw(data, cell)
    if (kind !== 'mean' && values[pixel] === undefined) values[pixel] = shown(data, cell)
    // `Object.is`, as the fill value may be NaN.
    if (Object.is(value, fill) && kind !== 'points') fills[pixel]++
    else {
      const number = value === null ? Number.NaN : Number(value)
      if (Number.isNaN(number)) nulls[pixel]++
      else {
        counts[pixel]++
        sums[pixel] += number
      }
    }
  }
}
