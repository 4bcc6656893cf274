import { unlessFault } from '../base/errors.ts'
import type { RangeSets } from '../cells/bounds.ts'
import { allRows, type CellBatch, type ColumnData, type ColumnType } from '../cells/column.ts'
import { ColumnSummary } from '../cells/column-summary.ts'
import { type CellAt, isSamePlace } from '../cells/coordinates.ts'
import { numbersOf } from '../cells/elements.ts'
import { gather } from '../cells/gather.ts'
import type { ArraySchema } from '../format/array-schema.ts'
import { datatypeSize } from '../format/datatype.ts'
import { type DenseAxis, denseAxis, integerOf } from '../format/dense-tiles.ts'
import { fixedSize, type Range } from '../format/range.ts'
import { isConsolidatedName } from '../format/timestamped-name.ts'
import type { InspectArray } from '../store/array.ts'
import { formOf } from '../store/changed-fields.ts'
import { storedCellNum } from '../store/fragment.ts'
import { type Interval, intersection, intervalsOf, type WantedCells, wantedCells } from './dense-windows.ts'
import { fillCell, fillTest } from './fill.ts'
import { processedNames } from './filter.ts'
import { openAt } from './opening.ts'
import { type Deletion, type OpenedArray, type OpenedFragment, type ReadQuery, readColumns } from './query.ts'
import { defaultOrder, readMerged } from './read.ts'

/** Cells of an array as a read gives them, counted. Memory holds no list of them. */
export interface ReadSummary {
  /** Cells that a read gives; of dense arrays, those of them that were written. */
  cell_num: number
  /** Cells of dense arrays; undefined for sparse ones. */
  wanted: bigint | undefined
  /** The first boxes of them that no fragment has; undefined for sparse arrays, and where fragments of single cells are opened. */
  unwritten: readonly UnwrittenBox[] | undefined
  /** Those of `cell_num` with the fill value in every attribute, of dense arrays that were read with all attributes. */
  alike: number | undefined
  /** Cells that fragments hold, and that newer ones hide; undefined if it is unknown. */
  hidden: bigint | undefined
  /** Deleted cells by condition, oldest first. */
  deletions: readonly CountedDeletion[]
  /** Coordinates that several cells have; undefined where the schema allows no duplicates. */
  repeated: Repeated | undefined
  /** Of each column of the read; of dense arrays, only attributes. */
  fields: readonly FieldSummary[]
}

/** A box of cells that were never written. */
interface UnwrittenBox {
  /** By dimension. */
  intervals: readonly Interval[]
  cells: bigint
}

interface CountedDeletion {
  deletion: Deletion
  /** Cells that the read would give without it: each counts to the condition that deletes it first. */
  cells: number
  /** The same of a read at the time of the deletion: with cells that newer ones hide now. Undefined if it was not counted, or cannot be. */
  removed: number | undefined
  /** Whether a consolidation left out cells that it deleted: nothing tells how many. */
  purged: boolean
}

export interface FieldSummary {
  summary: ColumnSummary
  /** Cells that were written before the array had the field, or had it in this form: a read gives its fill value. */
  filled: number
}

interface SummaryQuery extends Pick<ReadQuery, 'ranges' | 'fields' | 'where' | 'onRemark'> {
  /** Attributes whose cells are indexes of an enumeration. */
  labelled: ReadonlySet<string>
  /** Called after each batch with the number of cells so far. */
  onProgress?: (cells: number) => void
}

/** Reads the fields of all wanted cells once. Fill values of cells that were never written count in no field. */
export async function summarize(opened: OpenedArray, query: SummaryQuery): Promise<ReadSummary> {
  const { schema } = opened
  return schema.array_type === 'dense' ? summarizeDense(opened, query) : summarizeSparse(opened, query)
}

async function summarizeSparse(opened: OpenedArray, { ranges, fields, where, ...query }: SummaryQuery) {
  const { schema, deletes } = opened
  let [held, merged] = [0, 0]
  const deleted = new Map<string, { deletion: Deletion; cells: number }>()
  for (const condition of deletes) {
    const { name, time } = condition
    deleted.set(name, { deletion: { name, time, condition }, cells: 0 })
  }
  const tally = new Tally(opened, fields, query)
  const repeated = schema.allows_duplicates ? new Repeated(schema) : undefined
  const asked: ReadQuery = {
    // Cells of equal coordinates come one after another.
    order: repeated ? 'row-major' : defaultOrder(opened),
    ranges,
    fields,
    where,
    provenance: tally.needsFragments && 'places',
    reuse: true,
    onRemark: query.onRemark,
    onHeld: (cells) => {
      held += cells
    },
    onMerged: (cells) => {
      merged += cells
    },
    onDeleted: (deletion) => {
      const key = keyOf(deletion)
      const known = deleted.get(key)
      if (known) known.cells++
      else deleted.set(key, { deletion, cells: 1 })
    },
  }
  for await (const batch of readMerged(opened, asked)) {
    const rows = batch.rows ?? allRows(batch.cell_num)
    tally.add(batch, rows)
    repeated?.add(batch, rows)
    query.onProgress?.(tally.cells)
  }
  repeated?.end()
  const sorted = [...deleted.values()].sort((a, b) => Number(a.deletion.time - b.deletion.time))
  const removed = await removedThen(opened, asked, sorted)
  const isPurged = await purgedBy(opened)
  const deletions = sorted.map((one) => {
    const purged = isPurged(one.deletion)
    return { ...one, removed: purged ? undefined : removed.get(one), purged }
  })
  // Conditions pass over whole tiles, and so over hidden cells.
  const hidden = where ? undefined : BigInt(held - merged)
  return {
    cell_num: tally.cells,
    wanted: undefined,
    unwritten: undefined,
    alike: undefined,
    hidden,
    deletions,
    repeated,
    fields: tally.fields,
  }
}

/**
 * Deletions whose cells a consolidation left out: it lists the condition as processed, and keeps no deletion of single cells.
 * @see FragmentConsolidator::consolidate_internal: with_delete_meta_
 */
async function purgedBy({ fragments }: OpenedArray): Promise<(deletion: Deletion) => boolean> {
  const purges: { names: readonly string[]; first: bigint }[] = []
  for (const one of fragments) {
    const { info, fragment } = one
    if (!isConsolidatedName(fragment.name) || info.slots.some(({ kind }) => kind === 'delete_timestamps')) continue
    purges.push({ names: await processedNames(one), first: fragment.timestamp_range?.[0] ?? 0n })
  }
  return ({ name, time }) => purges.some((one) => name !== undefined && time >= one.first && one.names.includes(name))
}

/** Deletes at more times than these are counted only for the newest: each takes a read of its own. */
const MOST_TIMES = 50

/** What each deletion took from readers at its time. */
async function removedThen<Counted extends Pick<CountedDeletion, 'deletion' | 'cells'>>(
  { array, between: [from], fragments }: OpenedArray,
  { ranges, where }: ReadQuery,
  deletions: readonly Counted[],
): Promise<Map<Counted, number>> {
  const removed = new Map<Counted, number>()
  const ends = fragments.map(({ fragment }) => fragment.timestamp_range?.[1])
  const times = [...new Set(deletions.map(({ deletion }) => deletion.time))]
  for (const time of times.slice(-MOST_TIMES)) {
    const own = deletions.filter(({ deletion }) => deletion.time === time)
    // Where nothing was written later, a read at that time gives the same.
    const isNow = ends.every((end) => end !== undefined && end <= time)
    const counts = isNow ? undefined : await countedAt(array, [from, time], { ranges, where }).catch(unlessFault)
    if (!isNow && !counts) continue
    for (const one of own) removed.set(one, counts ? (counts.get(keyOf(one.deletion)) ?? 0) : one.cells)
  }
  return removed
}

/** Cells that each deletion leaves out of a read between two times. */
async function countedAt(
  array: InspectArray,
  [from, to]: OpenedArray['between'],
  query: Pick<ReadQuery, 'ranges' | 'where'>,
): Promise<Map<string, number>> {
  const counts = new Map<string, number>()
  const opened = await openAt(array, { from, to })
  const onDeleted = (deletion: Deletion): void => {
    counts.set(keyOf(deletion), (counts.get(keyOf(deletion)) ?? 0) + 1)
  }
  const asked: ReadQuery = { ...query, order: defaultOrder(opened), fields: [], reuse: true, onDeleted }
  for await (const _ of readMerged(opened, asked));
  return counts
}

function keyOf({ name, time }: Deletion): string {
  return name ?? `at ${time}`
}

async function summarizeDense(opened: OpenedArray, { ranges, fields, where, ...query }: SummaryQuery) {
  const { schema, fragments } = opened
  const tally = new Tally(opened, fields, query)
  const axes = axesOf(schema)
  const nothing = axes.map(() => [])
  const wanted = wantedCells(axes, withEnds(schema, ranges), nothing)
  const boxes = fragments.flatMap((one) =>
    one.info.nonempty_domain ? [intervalsOf(one.info.nonempty_domain, axes)] : [],
  )
  // Nothing else was written: a domain may be much larger than what it holds.
  const written = wanted && wantedCells(axes, withinBoxes(wanted, boxes), nothing)
  if (wanted && written) {
    const asked: ReadQuery = {
      order: defaultOrder(opened),
      ranges: rangesOf(written),
      fields,
      where,
      provenance: 'places',
      reuse: true,
      leavesOutUnmet: true,
      onRemark: query.onRemark,
    }
    const isConsolidated = fragments.some(({ fragment }) => isConsolidatedName(fragment.name))
    for await (const batch of readMerged(opened, asked)) {
      tally.addWritten(batch, isConsolidated)
      query.onProgress?.(tally.cells)
    }
  }
  const held = where ? undefined : heldCells(fragments, wanted, axes)
  return {
    cell_num: tally.cells,
    wanted: cellsOf(wanted),
    unwritten: fragments.every(({ info }) => info.dense) ? firstOutside(wanted, boxes) : undefined,
    alike: fields === undefined ? tally.alike : undefined,
    hidden: held === undefined ? undefined : held - BigInt(tally.cells),
    deletions: [],
    repeated: undefined,
    fields: tally.fields,
  }
}

/** Adds up the columns of batches. */
class Tally {
  cells = 0
  /** Cells with the fill value in every attribute, as far as they were looked for. */
  alike = 0
  private readonly fills: readonly ColumnData[]
  readonly fields: FieldSummary[]
  /** Whether some fragment lacks a field: then it must be known of each cell which one it is from. */
  readonly needsFragments: boolean
  private readonly columns: readonly ColumnType[]
  /** By column and fragment. */
  private readonly lacks: readonly (readonly boolean[])[]

  constructor(
    { schema, fragments }: OpenedArray,
    names: readonly string[] | undefined,
    { labelled }: Pick<SummaryQuery, 'labelled'>,
  ) {
    this.columns = readColumns(schema, { order: 'global', ranges: new Map(), fields: names })
    this.fills = this.columns.map((column) => fillCell(schema, column))
    this.lacks = this.columns.map((column) => fragments.map((fragment) => lacks(fragment, column)))
    this.needsFragments = this.lacks.some((own) => own.includes(true))
    this.fields = this.columns.map((column) => ({
      summary: new ColumnSummary(column, column.kind === 'attribute' && labelled.has(column.name)),
      filled: 0,
    }))
  }

  /** @param rows positions of the cells that count. Behind the columns of the fields are those of the provenance. */
  add(batch: CellBatch, rows: Uint32Array): void {
    this.cells += rows.length
    const owners = batch.columns[this.columns.length]?.data
    const fragments = owners && numbersOf('INT32', owners)
    for (const [c, field] of this.fields.entries()) {
      const lacks = this.lacks[c]
      const there = fragments && lacks.includes(true) ? rows.filter((row) => !lacks[fragments[row]]) : rows
      field.filled += rows.length - there.length
      field.summary.add(batch.columns[c] as ColumnData, there)
    }
  }

  /** {@link add} for the cells that some fragment has. @param looks whether to look for those like cells that were never written */
  addWritten(batch: CellBatch, looks: boolean): void {
    const validity = batch.columns[this.columns.length]?.validity
    const rows = batch.rows ?? allRows(batch.cell_num)
    const there = validity ? rows.filter((row) => validity[row] !== 0) : rows
    this.add(batch, there)
    if (!looks) return
    let alike = there
    for (const [c, column] of this.columns.entries()) {
      const data = batch.columns[c]
      if (column.kind === 'attribute' && data) alike = alike.filter(fillTest(column, data, this.fills[c]))
    }
    this.alike += alike.length
  }
}

/** Whether the cells of a fragment lack a field, or have it in a form that TileDB cannot read as the array has it now. */
function lacks({ info }: OpenedFragment, column: ColumnType): boolean {
  if (column.kind !== 'attribute') return false
  const own = info.schema.attributes.find(({ name }) => name === column.name)
  return !own || formOf(own) !== formOf(column)
}

/** This many of the coordinates with most cells are kept. */
const MOST_SHOWN = 10

/** Coordinates that several cells have. Cells come in row-major order. */
export class Repeated {
  /** Coordinates with more than one cell. */
  coordinate_num = 0
  /** Cells with these coordinates. */
  cell_num = 0
  /** The coordinates with most cells, by dimension, one cell each. */
  readonly most: { coordinates: readonly ColumnData[]; cells: number }[] = []
  private readonly dimensions: ArraySchema['domain']['dimensions']
  private last: CellAt | undefined
  private run = 0

  constructor({ domain }: ArraySchema) {
    this.dimensions = domain.dimensions
  }

  add({ columns }: CellBatch, rows: Uint32Array): void {
    for (const cell of rows) {
      const next = { columns, cell }
      if (this.last && !isSamePlace(this.dimensions, this.last, next)) this.end()
      this.last = next
      this.run++
    }
  }

  /** Call it after the last cell. */
  end(): void {
    const { last, run: cells, most } = this
    this.run = 0
    if (!last || cells < 2) return
    this.coordinate_num++
    this.cell_num += cells
    if (most.length === MOST_SHOWN && cells <= most[MOST_SHOWN - 1].cells) return
    const coordinates = this.dimensions.map((dimension, d) =>
      gather(
        last.columns[d] as ColumnData,
        fixedSize(dimension) ?? datatypeSize(dimension.type),
        Int32Array.of(last.cell),
      ),
    )
    most.push({ coordinates, cells })
    // Stable: of equal numbers the first in row-major order.
    most.sort((a, b) => b.cells - a.cells).splice(MOST_SHOWN)
  }
}

function axesOf({ domain }: ArraySchema): DenseAxis[] {
  return domain.dimensions.map((dimension) => denseAxis(dimension, wholeOf(dimension.domain)))
}

function wholeOf(domain: Uint8Array): Range {
  const half = domain.length / 2
  return { min: domain.subarray(0, half), max: domain.subarray(half) }
}

/** Cells of the domain of a dense array. */
export function domainCells(schema: ArraySchema): bigint {
  return cellsOf(axesOf(schema).map(({ domainLow: low, domainHigh: high }) => [{ low, high }]))
}

/** Cells that a read of a whole dense array gives: of the current domain if there is one, else of the domain. */
export function openedCells(schema: ArraySchema): bigint {
  const axes = axesOf(schema)
  return cellsOf(
    wantedCells(
      axes,
      withEnds(schema, new Map()),
      axes.map(() => []),
    ),
  )
}

/** The ranges of all dimensions, with those of the current domain, or else of the domain, in place of open ends. */
function withEnds({ domain, current_domain }: ArraySchema, ranges: RangeSets): RangeSets {
  return new Map(
    domain.dimensions.map(({ type, domain: whole }, d) => {
      const { min, max } = current_domain?.range?.[d] ?? wholeOf(whole)
      const own = ranges.get(d) ?? [{ low: undefined, high: undefined }]
      const ended = own.map(({ low, high }) => ({
        low: low ?? integerOf(type, min),
        high: high ?? integerOf(type, max),
      }))
      return [d, ended] as const
    }),
  )
}

/** Along each axis the wanted coordinates at which some box has cells. */
function withinBoxes(wanted: WantedCells, boxes: readonly (readonly Interval[])[]): RangeSets {
  return new Map(
    wanted.map((intervals, d) => [
      d,
      boxes.flatMap((box) => intervals.flatMap((one) => intersection(one, box[d]) ?? [])),
    ]),
  )
}

/** So many unwritten boxes are named. */
const MOST_BOXES = 5

/** The first boxes of the wanted cells that are outside of all others, in row-major order of their first cells. */
function firstOutside(wanted: WantedCells | undefined, boxes: readonly (readonly Interval[])[]): UnwrittenBox[] {
  const found: UnwrittenBox[] = []
  const wholes = (wanted ?? []).reduce<Interval[][]>(
    (all, intervals) => all.flatMap((box) => intervals.map((one) => [...box, one])),
    wanted ? [[]] : [],
  )
  // What is left of a box, and the first of the others that it has not been compared with; the next one last.
  const left = wholes.reverse().map((box) => ({ box, next: 0 }))
  for (let one = left.pop(); one && found.length < MOST_BOXES; one = left.pop()) {
    const { box } = one
    let { next } = one
    let common: Interval[] = []
    for (; next < boxes.length && common.length < box.length; next++)
      common = box.flatMap((side, d) => intersection(side, boxes[next][d]) ?? [])
    if (common.length === box.length) {
      const start = next
      left.push(
        ...piecesAround(box, common)
          .reverse()
          .map((piece) => ({ box: piece, next: start })),
      )
    } else found.push({ intervals: box, cells: cellsOf(box.map((side) => [side])) })
  }
  return found
}

/** A box without a box inside it, in boxes: before it, beside it and behind it along the first axis. */
function piecesAround(box: readonly Interval[], hole: readonly Interval[], d = 0): Interval[][] {
  if (d === box.length) return []
  const along = (low: bigint, high: bigint): Interval[][] =>
    low <= high ? [box.map((side, i) => (i === d ? { low, high } : side))] : []
  const beside = box.map((side, i) => (i === d ? hole[d] : side))
  return [
    ...along(box[d].low, hole[d].low - 1n),
    ...piecesAround(beside, hole, d + 1),
    ...along(hole[d].high + 1n, box[d].high),
  ]
}

function rangesOf(wanted: WantedCells): RangeSets {
  return new Map(wanted.entries())
}

function cellsOf(wanted: WantedCells | undefined): bigint {
  if (!wanted) return 0n
  const along = wanted.map((intervals) => intervals.reduce((sum, { low, high }) => sum + high - low + 1n, 0n))
  return along.reduce((product, one) => product * one, 1n)
}

/** Wanted cells that dense fragments hold, each of its own; undefined if one with single cells lies partly outside. */
function heldCells(
  fragments: readonly OpenedFragment[],
  wanted: WantedCells | undefined,
  axes: readonly DenseAxis[],
): bigint | undefined {
  let held = 0n
  for (const { info } of fragments) {
    if (!info.nonempty_domain || !wanted) continue
    const box = intervalsOf(info.nonempty_domain, axes)
    const common = wanted.map((intervals, d) => intervals.flatMap((one) => intersection(one, box[d]) ?? []))
    if (info.dense) held += cellsOf(common)
    else if (cellsOf(common) === cellsOf(box.map((side) => [side]))) held += BigInt(storedCellNum(info))
    else if (cellsOf(common) > 0n) return undefined
  }
  return held
}
