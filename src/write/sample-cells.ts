import { concat } from '../base/bytes.ts'
import { usage } from '../base/errors.ts'
import { sum } from '../base/sum.ts'
import { globalOrder } from '../cells/cell-order.ts'
import type { ColumnData } from '../cells/column.ts'
import { numbersOf } from '../cells/elements.ts'
import { gather } from '../cells/gather.ts'
import type { ArraySchema } from '../format/array-schema.ts'
import type { Attribute } from '../format/attribute.ts'
import { type Datatype, datatypeKind, datatypeSize } from '../format/datatype.ts'
import { integerOf } from '../format/dense-tiles.ts'
import type { Dimension } from '../format/dimension.ts'
import type { Enumeration } from '../format/enumeration.ts'
import type { FilterConfig } from '../format/filter-pipeline.ts'
import type { NDRange } from '../format/range.ts'
import { bytesOf, isDatetime } from '../format/value.ts'
import type { ReadContext } from '../objects/read-context.ts'
import { ColumnBuilder } from './column-builder.ts'
import { enumerationCells } from './enumerations.ts'
import { recentDate } from './field-options.ts'
import type { FragmentCellsToWrite } from './ndjson-cells.ts'
import { Random } from './random.ts'

/** The cells to generate. */
interface CellPlan {
  seed: string
  /** Number of cells of all fragments together. In dense arrays it is a limit on the cells of each fragment. */
  cells: number
  /** Whether fewer cells are acceptable if the domain has no room for all of them. */
  atMost: boolean
  fragments: number
  /** See {@link ReadContext.pause}. */
  pause?: ReadContext['pause']
  /** Called while cells are made, with the number of further cells; the fields of a cell count as equal parts of it. */
  onMade?: ((cells: number) => void) | undefined
}

/** Number of cells that are made without a pause. */
const CELLS_AT_ONCE = 65536

/** Generates the cells of each fragment, one after another. @throws InspectError USAGE if the domain has no room for them */
export async function* sampleFragments(
  schema: ArraySchema,
  enumerations: readonly Enumeration[],
  plan: CellPlan,
): AsyncGenerator<FragmentCellsToWrite> {
  const boxes = schema.array_type === 'dense' ? denseBoxes(schema, plan) : undefined
  const total = boxes ? sum(boxes, (box) => volumeOf(schema, box)) : plan.cells
  const makers = schema.attributes.map(
    (attribute) => new AttributeMaker(attribute, schema, enumerations, plan.seed, total),
  )
  for (let k = 0; k < plan.fragments; k++) {
    const columns = new Map<string, ColumnData>()
    let cell_num: number
    let ranks: Float64Array | undefined
    if (boxes) {
      cell_num = volumeOf(schema, boxes[k])
      ranks = schema.cell_order === 'col-major' ? colMajorRanks(schema, boxes[k]) : undefined
    } else {
      const wanted = Math.floor(((k + 1) * plan.cells) / plan.fragments) - Math.floor((k * plan.cells) / plan.fragments)
      const axes = sparseAxes(schema, wanted)
      cell_num = fittingCells(schema, axes, wanted, plan)
      const random = new Random(`${plan.seed} coordinates ${k}`)
      const made = await sparseCoordinates(schema, axes, cell_num, random, plan.pause)
      for (const [name, column] of made) columns.set(name, column)
    }
    await plan.pause?.()
    // The coordinates count as a field.
    const part = cell_num / (makers.length + 1)
    plan.onMade?.(part)
    for (const maker of makers) {
      columns.set(maker.attribute.name, await maker.column(cell_num, ranks, plan.pause))
      plan.onMade?.(part)
      await plan.pause?.()
    }
    yield { domain: boxes?.[k], cell_num, columns }
  }
}

function sideOf({ type }: Dimension, { min, max }: NDRange[number]): number {
  return Number(integerOf(type, max) - integerOf(type, min) + 1n)
}

function volumeOf(schema: ArraySchema, box: NDRange): number {
  return schema.domain.dimensions.reduce((product, dimension, d) => product * sideOf(dimension, box[d]), 1)
}

/** The boxes of dense fragments: slabs along the first dimension, at the low end of the domain. They are whole tiles if one fits. */
function denseBoxes(schema: ArraySchema, { cells, fragments }: CellPlan): NDRange[] {
  const { dimensions } = schema.domain
  let room = BigInt(Math.max(1, cells))
  const sides: bigint[] = []
  for (const { type, domain, tile_extent } of dimensions.toReversed()) {
    const size = datatypeSize(type)
    const length = integerOf(type, domain.subarray(size)) - integerOf(type, domain.subarray(0, size)) + 1n
    // The extent of a signed type may have wrapped around, so it is read as unsigned.
    const extent = tile_extent ? integerOf('UINT64', tile_extent) : length
    let side = length < room ? length : room
    if (side > extent && side < length) side -= side % extent
    sides.unshift(side)
    room = room / side > 0n ? room / side : 1n
  }
  const [first] = dimensions
  const extent = first.tile_extent ? integerOf('UINT64', first.tile_extent) : sides[0]
  const slabs = Number((sides[0] + extent - 1n) / extent)
  return Array.from({ length: fragments }, (_, k) =>
    dimensions.map((dimension, d) => {
      const size = datatypeSize(dimension.type)
      const low = integerOf(dimension.type, dimension.domain.subarray(0, size))
      let [from, to] = [0n, sides[d] - 1n]
      if (d === 0 && fragments > 1) {
        const parts = Math.min(fragments, slabs)
        const part = k % parts
        from = BigInt(Math.floor((part * slabs) / parts)) * extent
        const end = BigInt(Math.floor(((part + 1) * slabs) / parts)) * extent - 1n
        if (end < to) to = end
      }
      return { min: bytesOf(dimension.type, 1, low + from), max: bytesOf(dimension.type, 1, low + to) }
    }),
  )
}

/** Rank in col-major order of each cell of a box in row-major order. */
function colMajorRanks(schema: ArraySchema, box: NDRange): Float64Array {
  const sides = schema.domain.dimensions.map((dimension, d) => sideOf(dimension, box[d]))
  return Float64Array.from({ length: volumeOf(schema, box) }, (_, i) => {
    let rest = i
    let rank = 0
    for (let d = sides.length - 1; d >= 0; d--) {
      rank = rank * sides[d] + (rest % sides[d])
      rest = Math.floor(rest / sides[d])
    }
    return rank
  })
}

/** Limit on the bits that identify a place among all coordinates. Below 53, one number can hold them. */
const PLACES_BITS = 50
/** Number of different coordinates of each float dimension. */
const FLOAT_PLACES = 4096
/** Fewest different coordinates of a string dimension. */
const FEWEST_NAMES = 64
const ONE_DUPLICATE_IN = 10

function sparseAxes({ domain: { dimensions }, current_domain }: ArraySchema, count: number): SampleAxis[] {
  const most = Math.floor(2 ** (PLACES_BITS / dimensions.length))
  return dimensions.map((dimension, d) => {
    const now = dimension.cell_val_num === 'var' ? undefined : current_domain?.range?.[d]
    return axisOf(now ? { ...dimension, domain: concat([now.min, now.max]) } : dimension, most, count)
  })
}

function placesOf(axes: readonly SampleAxis[]): number {
  return axes.reduce((product, axis) => product * axis.places, 1)
}

/** Number of cells that fit, up to the wanted number. @throws InspectError USAGE if the user asked for more than fit */
function fittingCells(
  { allows_duplicates }: ArraySchema,
  axes: readonly SampleAxis[],
  wanted: number,
  { cells, fragments, atMost }: CellPlan,
): number {
  const places = placesOf(axes)
  if (allows_duplicates || wanted <= places) return wanted
  if (atMost) return places
  const all = fragments === 1 ? '' : ` (${fragments} fragments)`
  throw usage(
    `--cells expects at most ${places * fragments}, as many as the domain has room for${all}, found ${cells}; --duplicates allows more`,
  )
}

/** Generates coordinates, in the order in which the fragment stores them. */
async function sparseCoordinates(
  schema: ArraySchema,
  axes: readonly SampleAxis[],
  count: number,
  random: Random,
  pause: ReadContext['pause'],
): Promise<Map<string, ColumnData>> {
  const { dimensions } = schema.domain
  const places = placesOf(axes)
  const builders = dimensions.map((dimension) => new ColumnBuilder({ ...dimension, nullable: false }))
  let place = 0
  for (let i = 0; i < count; i++) {
    if (i % CELLS_AT_ONCE === 0) await pause?.()
    const from = Math.floor((places / count) * i)
    const to = Math.max(from + 1, Math.floor((places / count) * (i + 1)))
    const repeat = i > 0 && schema.allows_duplicates && random.oneIn(ONE_DUPLICATE_IN)
    if (!repeat) place = from + random.below(to - from)
    let rest = place
    for (let d = axes.length - 1; d >= 0; d--) {
      builders[d].add(axes[d].coordinate(rest % axes[d].places))
      rest = Math.floor(rest / axes[d].places)
    }
  }
  const columns = builders.map((builder) => builder.finish())
  const order = await globalOrder(schema, columns, count, pause)
  return new Map(
    dimensions.map(({ name, type }, d) => [name, order ? gather(columns[d], datatypeSize(type), order) : columns[d]]),
  )
}

interface SampleAxis {
  /** Number of different coordinates. */
  places: number
  coordinate(place: number): Uint8Array
}

function axisOf({ type, domain }: Dimension, most: number, count: number): SampleAxis {
  const size = datatypeSize(type)
  if (domain.length === 0) {
    return {
      places: Math.min(most, Math.max(FEWEST_NAMES, 4 * count)),
      coordinate: (place) => new TextEncoder().encode(nameOf(place)),
    }
  }
  if (datatypeKind(type) === 'float') {
    const [lo, hi] = numbersOf(type, domain)
    const places = hi > lo ? Math.min(most, FLOAT_PLACES) : 1
    // The second form does not overflow if the range exceeds the largest number.
    const between = (part: number): number =>
      Number.isFinite(hi - lo) ? lo + (hi - lo) * part : lo * (1 - part) + hi * part
    return { places, coordinate: (place) => bytesOf(type, 1, between(place / places)) }
  }
  const lo = integerOf(type, domain.subarray(0, size))
  const length = integerOf(type, domain.subarray(size)) - lo + 1n
  const places = length < BigInt(most) ? Number(length) : most
  const step = length / BigInt(places)
  // One buffer for all coordinates, as builders copy it. A type uses its first bytes.
  const value = new BigInt64Array(1)
  const cell = new Uint8Array(value.buffer, 0, size)
  return {
    places,
    coordinate: (place) => {
      value[0] = BigInt.asIntN(64, lo + BigInt(place) * step)
      return cell
    },
  }
}

const NAMES = 'alder ash aspen beech birch cedar elm fir hazel larch lime maple oak pine rowan yew'.split(' ')
const MORE_NAMES = ['Ahorn', 'bouleau', 'chêne', 'Gewöhnliche Eibe', 'jabłoń', 'вяз', 'ελιά', '松', '🌳', '🌲 fir']

function nameOf(place: number): string {
  const number = Math.floor(place / NAMES.length)
  return NAMES[place % NAMES.length] + (number === 0 ? '' : String(number))
}

const ONE_NULL_IN = 8
/** Limit on the values of a var-sized cell. */
const LONGEST = 4
/** Limit on the bytes of a var-sized cell whose type is bytes. */
const LONGEST_BYTES = 8

/** Generates the cells of one attribute, fragment after fragment. */
class AttributeMaker {
  readonly attribute: Attribute
  private readonly random: Random
  /** Number of cells of all fragments. */
  private readonly total: number
  /** Whether values rise from cell to cell. */
  private readonly rises: boolean
  /** Fewest values of a var-sized cell. */
  private readonly least: number
  private readonly scale: FilterConfig | undefined
  /** Number of values of the enumeration; 0 without one. */
  private readonly values: number
  /** Number of cells generated so far. */
  private done = 0

  constructor(
    attribute: Attribute,
    schema: ArraySchema,
    enumerations: readonly Enumeration[],
    seed: string,
    total: number,
  ) {
    this.attribute = attribute
    this.random = new Random(`${seed} attribute ${attribute.name}`)
    this.total = Math.max(1, total)
    const first = schema.attributes.find(({ type, cell_val_num }) => type === 'INT64' && cell_val_num === 1)
    const { filters } = attribute.filters
    this.rises = attribute === first || filters.some(({ name }) => name === 'POSITIVE_DELTA')
    this.scale = filters.find(({ name }) => name === 'SCALE_FLOAT')
    // The releases that write formats 3 and 4 refuse empty cells.
    this.least = schema.version >= 5 ? 0 : 1
    const labels = enumerations.find(({ name }) => name === attribute.enumeration)
    this.values = labels ? Math.max(1, enumerationCells(labels).length) : 0
  }

  /** Generates the cells of the next fragment. @param ranks rank of each cell in the order of the tiles' cells; its own position if undefined */
  async column(count: number, ranks: Float64Array | undefined, pause: ReadContext['pause']): Promise<ColumnData> {
    const { type, cell_val_num, nullable } = this.attribute
    const kind = datatypeKind(type)
    const isWhole = kind === 'text' || kind === 'bytes'
    const column = isWhole ? await this.wholeCells(count, pause) : await this.elements(count, ranks, pause)
    this.done += count
    if (!nullable) return column
    const validity = Uint8Array.from({ length: count }, () => (this.random.oneIn(ONE_NULL_IN) ? 0 : 1))
    return cell_val_num === 'var' ? this.emptied({ ...column, validity }, pause) : { ...column, validity }
  }

  /** The column with empty null cells. */
  private async emptied(column: ColumnData, pause: ReadContext['pause']): Promise<ColumnData> {
    const { starts, data, validity } = column
    if (!starts || !validity || this.rises) return column
    const builder = new ColumnBuilder(this.attribute)
    for (let i = 0; i < validity.length; i++) {
      if (i % CELLS_AT_ONCE === 0) await pause?.()
      if (validity[i] === 0) builder.addNull()
      else builder.add(data.subarray(starts[i], starts[i + 1]))
    }
    return builder.finish()
  }

  private async elements(
    count: number,
    ranks: Float64Array | undefined,
    pause: ReadContext['pause'],
  ): Promise<ColumnData> {
    const { type, cell_val_num } = this.attribute
    const size = datatypeSize(type)
    let starts: Float64Array | undefined
    if (cell_val_num === 'var') {
      starts = new Float64Array(count + 1)
      for (let i = 0; i < count; i++) starts[i + 1] = starts[i] + size * this.varLength(LONGEST)
    }
    const width = cell_val_num === 'var' ? 0 : size * cell_val_num
    const data = new Uint8Array(starts ? starts[count] : count * width)
    const view = new DataView(data.buffer)
    const put = elementWriter(type)
    const value = this.elementValues()
    let at = 0
    for (let i = 0; i < count; i++) {
      if (i % CELLS_AT_ONCE === 0) await pause?.()
      const place = this.done + (ranks ? ranks[i] : i)
      const end = starts ? starts[i + 1] : at + width
      for (; at < end; at += size) put(view, at, value(place))
    }
    return { data, starts, validity: undefined }
  }

  private varLength(longest: number): number {
    return this.least + this.random.below(longest + 1 - this.least)
  }

  /** Returns a function that generates the next element of the cell at a place. */
  private elementValues(): (place: number) => number {
    const { type, cell_val_num } = this.attribute
    const { random, total, scale, values, rises } = this
    const kind = datatypeKind(type)
    if (kind === 'bool') return () => random.below(2)
    if (kind === 'float') {
      const [factor, offset] = [scale?.scale ?? 0.25, scale?.offset ?? 0]
      let steps = 0
      return () => {
        steps += random.below(9) - 4
        if (steps > 100 || steps < -100) steps = 0
        return steps * factor + offset
      }
    }
    if (values > 0) {
      const most = Math.min(values, 127)
      return rises ? (place) => Math.floor((place / total) * most) : () => random.below(most)
    }
    const [low, span] = spanOf(type, total)
    const loose = span > 2 * total && cell_val_num === 1
    if (rises) return (place) => low + Math.floor((place / total) * span) + (loose ? random.below(2) : 0)
    return (place) => low + Math.floor((((place % 97) + random.below(20)) / 120) * Math.min(span, 2000))
  }

  private async wholeCells(count: number, pause: ReadContext['pause']): Promise<ColumnData> {
    const builder = new ColumnBuilder({ ...this.attribute, nullable: false })
    let cell = new Uint8Array(0)
    for (let i = 0; i < count; i++) {
      if (i % CELLS_AT_ONCE === 0) await pause?.()
      // Values repeat, for run-length and dictionary encoding.
      if (i === 0 || !this.random.oneIn(3)) cell = new Uint8Array(this.wholeCell())
      builder.add(cell)
    }
    return builder.finish()
  }

  private wholeCell(): Uint8Array {
    const { type, cell_val_num } = this.attribute
    const { random } = this
    const size = datatypeSize(type)
    if (datatypeKind(type) === 'text') {
      if (cell_val_num !== 'var') return bytesOf(type, cell_val_num, letters(cell_val_num, random))
      if (this.least === 0 && random.oneIn(12)) return new Uint8Array(0)
      const ascii = type === 'STRING_ASCII' || type === 'CHAR'
      // Types of two-byte units cannot have surrogates.
      const more = MORE_NAMES.filter((name) => size !== 2 || Array.from(name).length === name.length)
      return bytesOf(type, 'var', random.pick(ascii || random.oneIn(2) ? NAMES : more))
    }
    if (cell_val_num === 'var' && type === 'GEOM_WKT')
      return new TextEncoder().encode(`POINT (${random.below(100)} ${random.below(100)})`)
    if (cell_val_num === 'var' && type === 'GEOM_WKB') return wkbPoint(random.below(100), random.below(100))
    const length = cell_val_num === 'var' ? this.varLength(LONGEST_BYTES) : cell_val_num * size
    return Uint8Array.from({ length }, () => random.below(256))
  }
}

function letters(count: number, random: Random): string {
  const codes = new Uint8Array(count)
  for (let i = 0; i < count; i++) codes[i] = 97 + random.below(26)
  return new TextDecoder().decode(codes)
}

/** A point as little-endian well-known binary. */
function wkbPoint(x: number, y: number): Uint8Array {
  return concat([Uint8Array.of(1, 1, 0, 0, 0), new Uint8Array(Float64Array.of(x, y).buffer)])
}

/** Upper limit on the range of an integer attribute's values, by the bytes of its type. */
const SPAN_BY_SIZE = new Map([
  [1, 100],
  [2, 20_000],
  [4, 1_000_000_000],
])

/** Lowest value and range of an integer attribute's values, well inside its type. */
function spanOf(type: Datatype, total: number): [low: number, span: number] {
  const size = datatypeSize(type)
  if (isDatetime(type)) return [Number(recentDate(type)), type === 'DATETIME_YEAR' ? 50 : Math.max(1000, 7 * total)]
  const room = SPAN_BY_SIZE.get(size) ?? 2 ** 50
  const lowSigned = size === 1 ? -50 : -500
  const low = datatypeKind(type) === 'int' ? lowSigned : 0
  return [low, Math.min(room, Math.max(1000, 5 * total))]
}

function elementWriter(type: Datatype): (view: DataView, at: number, value: number) => void {
  const size = datatypeSize(type)
  if (type === 'FLOAT32') return (view, at, value) => view.setFloat32(at, value, true)
  if (type === 'FLOAT64') return (view, at, value) => view.setFloat64(at, value, true)
  if (size === 1) return (view, at, value) => view.setInt8(at, value)
  if (size === 2) return (view, at, value) => view.setInt16(at, value, true)
  if (size === 4) return (view, at, value) => view.setInt32(at, value, true)
  return (view, at, value) => {
    view.setUint32(at, value % 2 ** 32, true)
    view.setInt32(at + 4, Math.floor(value / 2 ** 32), true)
  }
}
