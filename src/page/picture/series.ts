import { sum } from '../../base/sum.ts'
import type { RangeSets } from '../../cells/bounds.ts'
import { comparable } from '../../cells/bounds.ts'
import type { ColumnType } from '../../cells/column.ts'
import { datatypeKind } from '../../format/datatype.ts'
import type { Dimension } from '../../format/dimension.ts'
import { fillCell } from '../../read/fill.ts'
import { type OpenedArray, type ReadQuery, readColumns } from '../../read/query.ts'
import { readMerged } from '../../read/read.ts'
import { CellNumbers } from './cell-numbers.ts'
import type { Steps } from './picture.ts'
import { greater, lesser, stepWith } from './plot-axis.ts'
import { cellsInTiles, tilesIn, tileValues } from './preview.ts'

/** Values of attributes along one dimension: least, mean and greatest in each of so many steps as a line has room for. */

/** Steps of a line. */
const BINS = 1000
/** Cells from which on a preview comes first, and that are read unless the user asks for all. */
const [PREVIEWED, MOST] = [300_000, 16_000_000]
/** Number of cells from one look at the clock to the next. */
const SLICE = 65_536

/** The numbers of an attribute. The arrays are by step. */
export interface SeriesLine {
  column: ColumnType
  lows: Float64Array
  highs: Float64Array
  sums: Float64Array
  /** Number of cells with a number, and without one. */
  counts: Uint32Array
  lacks: Uint32Array
}

export interface Series {
  kind: 'exact' | 'preview'
  dimension: Dimension
  /** The first coordinate, and the length of a step. */
  low: number | bigint
  step: number | bigint
  /** Number of steps. */
  length: number
  lines: readonly SeriesLine[]
  read: number
  total: number
}

export interface SeriesOptions {
  /** Index of the dimension. */
  d: number
  attributes: readonly string[]
  ranges: RangeSets
}

/** Yields the lines whenever it is time to draw, and returns the last. Undefined if nothing was written in the ranges. */
export async function* series(
  opened: OpenedArray,
  wanted: SeriesOptions,
  steps: Steps,
): AsyncGenerator<Series, Series | undefined> {
  const { d, attributes, ranges } = wanted
  const found = emptySeries(opened, wanted)
  if (!found) return undefined
  found.total = await cellsInTiles(opened, ranges)
  const isLong = found.total > PREVIEWED
  const preview = isLong ? await previewLines(opened, found, d, ranges) : undefined
  if (preview) {
    if (!steps.isWhole && found.total > MOST) return preview
    yield preview
  }
  const isDense = opened.schema.array_type === 'dense'
  const query: ReadQuery = {
    order: isDense ? 'row-major' : 'unordered',
    ranges,
    fields: [...attributes],
    reuse: true,
    onFault: steps.onFault,
  }
  const columns = readColumns(opened.schema, query)
  const along = columns.findIndex(({ name }) => name === found.dimension.name)
  const places = new CellNumbers(found.dimension.type, typeof found.low === 'bigint' ? found.low : 0)
  const isFloat = typeof found.low === 'number'
  const lines = found.lines.map((line) => ({
    line,
    c: columns.findIndex(({ name, kind }) => kind === 'attribute' && name === line.column.name),
    numbers: new CellNumbers(line.column.type),
    fill: isDense ? new CellNumbers(line.column.type).of(fillCell(opened.schema, line.column))[0] : undefined,
  }))
  const [step, low] = [Number(found.step) || 1, isFloat ? Number(found.low) : 0]
  for await (const batch of readMerged(opened, query)) {
    const coordinates = batch.columns[along]
    if (!coordinates) continue
    const at = places.of(coordinates)
    const count = batch.rows?.length ?? batch.cell_num
    for (const { line, c, numbers, fill } of lines) {
      const data = batch.columns[c]
      if (!data) continue
      const values = numbers.of(data)
      for (let i = 0; i < count; i++) {
        const cell = batch.rows ? batch.rows[i] : i
        const bin = Math.min(found.length - 1, Math.max(0, Math.floor((at[cell] - low) / step)))
        addValue(line, bin, data.validity?.[cell] === 0 ? Number.NaN : values[cell], fill)
      }
    }
    found.read += count
    if (found.read % SLICE < count && steps.isDue()) {
      if (preview) preview.read = found.read
      yield preview ?? found
    }
  }
  return found
}

function addValue(line: SeriesLine, bin: number, value: number, fill: number | undefined): void {
  if (Number.isNaN(value) || value === fill) {
    line.lacks[bin]++
    return
  }
  line.counts[bin]++
  line.sums[bin] += value
  if (value < line.lows[bin]) line.lows[bin] = value
  if (value > line.highs[bin]) line.highs[bin] = value
}

/** Lines without values. Undefined as in {@link series}. */
function emptySeries(opened: OpenedArray, { d, attributes, ranges }: SeriesOptions): Series | undefined {
  const { schema, fragments } = opened
  const dimension = schema.domain.dimensions[d]
  const { type } = dimension
  const ends = fragments.flatMap(({ info }) => {
    const range = info.nonempty_domain?.[d]
    return range ? [comparable(type, range.min), comparable(type, range.max)] : []
  }) as (number | bigint)[]
  if (ends.length === 0) return undefined
  const asked = ranges.get(d)?.[0]
  const least = ends.reduce(lesser)
  const most = ends.reduce(greater)
  const low = greater((asked?.low ?? least) as number | bigint, least)
  const high = lesser((asked?.high ?? most) as number | bigint, most)
  if (low > high) return undefined
  const isFloat = datatypeKind(type) === 'float'
  const size = isFloat ? Number(high) - Number(low) : Number(BigInt(high) - BigInt(low)) + 1
  const step = isFloat ? size / BINS : BigInt(Math.ceil(size / BINS))
  const ofFloats = size > 0 ? BINS : 1
  const length = isFloat ? ofFloats : Math.ceil(size / Number(step))
  const query: ReadQuery = { order: 'row-major', ranges, fields: [...attributes] }
  const columns = readColumns(schema, query).filter(({ kind }) => kind === 'attribute')
  return {
    kind: 'exact',
    dimension,
    low: isFloat ? Number(low) : BigInt(low),
    step,
    length,
    lines: columns.map((column) => emptyLine(column, length)),
    read: 0,
    total: 0,
  }
}

function emptyLine(column: ColumnType, length: number): SeriesLine {
  return {
    column,
    lows: new Float64Array(length).fill(Number.POSITIVE_INFINITY),
    highs: new Float64Array(length).fill(Number.NEGATIVE_INFINITY),
    sums: new Float64Array(length),
    counts: new Uint32Array(length),
    lacks: new Uint32Array(length),
  }
}

/** Lines by the statistics of tiles; undefined if a fragment has none. Cells that newer ones hide count, too. */
async function previewLines(
  opened: OpenedArray,
  wanted: Series,
  d: number,
  ranges: RangeSets,
): Promise<Series | undefined> {
  const found: Series = {
    ...wanted,
    kind: 'preview',
    lines: wanted.lines.map(({ column }) => emptyLine(column, wanted.length)),
  }
  const { type } = wanted.dimension
  const binOf = (bytes: Uint8Array): number => stepWith(wanted, comparable(type, bytes) as number | bigint)
  for (const one of opened.fragments) {
    const tiles = await tilesIn(opened, one, ranges)
    for (const line of tiles.length > 0 ? found.lines : []) {
      const valuesOf = await tileValues(one, line.column)
      if (!valuesOf) return undefined
      for (const { tile, box, cell_num } of tiles) {
        const values = valuesOf(tile, cell_num)
        if (!values) continue
        const last = binOf(box[d].max)
        for (let bin = binOf(box[d].min); bin <= last; bin++) {
          line.counts[bin]++
          line.sums[bin] += values.mean
          line.lows[bin] = Math.min(line.lows[bin], values.low)
          line.highs[bin] = Math.max(line.highs[bin], values.high)
        }
      }
    }
  }
  return found
}

/** In a line with few cells, two steps that are more than so many times as far apart as usual have a gap between them. */
const GAP_IN_LINE = 8
/** Cells in a step, on average, from which on a line has many. Then two steps that are farther apart than usual have a gap between them. */
const MANY_CELLS = 5

/**
 * Runs of steps with values. A step without cells is passed over; one whose cells have no value ends the run, and so does a gap in what
 * was written.
 */
export function runsOf(bins: readonly number[], counts: Uint32Array, lacks: Uint32Array): number[][] {
  const filled = bins.filter((bin) => counts[bin] > 0)
  const distances = filled.slice(1).map((bin, i) => bin - filled[i])
  const usual = distances.sort((a, b) => a - b)[distances.length >> 1] ?? 1
  const hasMany = sum(filled, (bin) => counts[bin]) >= MANY_CELLS * filled.length
  const most = hasMany ? usual : usual * GAP_IN_LINE
  const runs: number[][] = [[]]
  for (const bin of bins) {
    const run = runs[runs.length - 1]
    const before = run?.[run.length - 1]
    const isFar = before !== undefined && bin - before > most
    if (counts[bin] > 0 && !isFar) run?.push(bin)
    else if (counts[bin] > 0) runs.push([bin])
    else if (lacks[bin] > 0) runs.push([])
  }
  return runs.filter((run) => run.length > 0)
}
