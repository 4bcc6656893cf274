import { unlessFault } from '../base/errors.ts'
import { Lease } from '../base/memory.ts'
import type { RangeSets } from '../cells/bounds.ts'
import { type CellGroup, CellGroups } from '../cells/cell-groups.ts'
import { allRows, type CellBatch, type ColumnData, type ColumnType } from '../cells/column.ts'
import { ColumnSummary } from '../cells/column-summary.ts'
import { type CellAt, isSamePlace } from '../cells/coordinates.ts'
import { aligned, cellNumOf, markedPieces, numbersOf, revisited, type VisitedCells } from '../cells/elements.ts'
import { gather } from '../cells/gather.ts'
import { ValueCounts } from '../cells/value-counts.ts'
import type { ArraySchema } from '../format/array-schema.ts'
import { datatypeSize } from '../format/datatype.ts'
import { type DenseAxis, integerOf } from '../format/dense-tiles.ts'
import { domainRange } from '../format/dimension.ts'
import { fixedSize } from '../format/range.ts'
import { isConsolidatedName } from '../format/timestamped-name.ts'
import type { InspectArray } from '../objects/array.ts'
import { storedCellNum } from '../objects/fragment.ts'
import {
  type AxisInterval,
  gridAxes,
  intersection,
  intervalsOf,
  type WantedCells,
  wantedCells,
} from './dense-windows.ts'
import { fillCell, fillTest, hasAttribute } from './fill.ts'
import { processedNames } from './filter.ts'
import { hasSlot, hasTilesOf, openAt } from './opening.ts'
import { type Deletion, type OpenedArray, type OpenedFragment, type ReadQuery, readColumns } from './query.ts'
import { defaultOrder, readMerged } from './read.ts'
import { boxDifference, type Side } from './uncovered.ts'

/** Statistics of the cells that a read returns. Memory holds no list of the cells. */
export interface ReadSummary {
  /** Number of cells that the read returns; in a dense array, only cells that were written. */
  cell_num: number
  /** Number of wanted cells of a dense array, written or not; undefined for sparse arrays. */
  wanted: bigint | undefined
  /** The first boxes of wanted cells that no fragment has; undefined for sparse arrays, and if any fragment is sparse. */
  unwritten: readonly UnwrittenBox[] | undefined
  /** Number of written cells with the fill value in every attribute; undefined for sparse arrays, and unless all attributes are read. */
  alike: number | undefined
  /** Number of stored cells that newer cells hide; undefined if it is unknown. */
  hidden: bigint | undefined
  /** Sparse arrays: the fragments of whose cells newer ones hide each; undefined if it is unknown. */
  overwritten: readonly OpenedFragment[] | undefined
  /** Deleted cells by condition, oldest first. */
  deletions: readonly CountedDeletion[]
  /** Coordinates that several cells have; undefined if the schema allows no duplicates. */
  repeated: Repeated | undefined
  /** One entry per column of the read. */
  fields: readonly FieldSummary[]
  /** Cells by fragment, in the order of {@link OpenedArray.fragments}, if they were asked for. */
  owners: readonly FragmentCellNums[] | undefined
  /** Cells by the values of a field, if they were asked for. */
  groups: readonly SummaryGroup[] | undefined
}

/** The cells of one value of a field, and some fields of these cells. */
export type SummaryGroup = CellGroup<readonly FieldSummary[]>

/** By what cells are grouped. */
export interface GroupedBy {
  column: ColumnType
  /** To the unit of the group, if the column holds dates and a unit was given. */
  truncate: ((count: bigint) => bigint) | undefined
  /** Names of the fields that are summarized for each group. */
  fields: readonly string[]
}

/** The cells of one fragment in the ranges. */
export interface FragmentCellNums {
  /** Number of its cells, before they are merged; undefined if it is unknown. */
  held: bigint | undefined
  /** Number of those that the read returns. */
  seen: number
  /** Number of those that are left out only because they are deleted. */
  deleted: number
}

/** A box of cells that were never written. */
interface UnwrittenBox {
  /** By dimension. */
  intervals: readonly AxisInterval[]
  cells: bigint
}

interface CountedDeletion {
  deletion: Deletion
  /** Number of cells that the read would return without the deletion. Each cell counts for the condition that deletes it first. */
  cells: number
  /** The same for a read at the time of the deletion, which includes cells that newer ones hide now. Undefined if it was not counted. */
  removed: number | undefined
  /** Whether a consolidation dropped cells that the deletion deleted. Nothing tells how many. */
  purged: boolean
}

export interface FieldSummary {
  summary: ColumnSummary
  /** Its values, if they were asked for. */
  counts: ValueCounts | undefined
  /** Number of cells that were written before the array had the field in its present form. A read returns fill values for them. */
  filled: number
}

interface SummaryQuery
  extends Pick<ReadQuery, 'ranges' | 'fields' | 'where' | 'onRemark' | 'onRefused' | 'onNotUnique'> {
  /** Names of attributes whose cells are indexes of an enumeration. */
  labelled: ReadonlySet<string>
  /** Whether the cells of a field are counted by their values. By default no field's are. */
  countsValues?: (name: string) => boolean
  /** Whether cells are counted by fragment. */
  countsOwners?: boolean
  groupedBy?: GroupedBy | undefined
}

/** Most groups, and the bytes of one, and of a field of it. */
const MAX_GROUPS = 1_000_000
const GROUP_BYTES = 160
const GROUP_FIELD_BYTES = 500
/** The part of the room for tiles that groups get. */
const ROOM_OF_GROUPS = 1 / 2

/** The part of the room for tiles that the values of all fields get together. */
const ROOM_OF_VALUES = 1 / 4

/** Reads all wanted cells once, and summarizes their fields. Cells that were never written do not count. */
export async function summarize(opened: OpenedArray, query: SummaryQuery): Promise<ReadSummary> {
  const { schema, fragments } = opened
  for (const one of fragments) hasTilesOf(schema, one)
  const lease = new Lease(opened.array.cx.memory)
  try {
    const tally = new Tally(opened, query.fields, query, lease)
    return await (schema.array_type === 'dense'
      ? summarizeDense(opened, query, tally)
      : summarizeSparse(opened, query, tally))
  } finally {
    lease.release()
  }
}

async function summarizeSparse(
  opened: OpenedArray,
  { ranges, fields, where, ...query }: SummaryQuery,
  tally: Tally,
): Promise<ReadSummary> {
  const { schema, deletes, fragments } = opened
  let [held, merged] = [0, 0]
  const own = fragments.map((): FragmentCellNums & { held: bigint } => ({ held: 0n, seen: 0, deleted: 0 }))
  const deleted = new Map<string, { deletion: Deletion; cells: number }>()
  for (const condition of deletes) {
    const { name, time } = condition
    deleted.set(name, { deletion: { name, time, condition }, cells: 0 })
  }
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
    onRefused: query.onRefused,
    onNotUnique: query.onNotUnique,
    onHeld: (cells, fragment) => {
      held += cells
      own[fragment].held += BigInt(cells)
    },
    onMerged: (cells) => {
      merged += cells
    },
    onDeleted: (deletion, fragment) => {
      own[fragment].deleted++
      const key = keyOf(deletion)
      const known = deleted.get(key)
      if (known) known.cells++
      else deleted.set(key, { deletion, cells: 1 })
    },
  }
  for await (const batch of readMerged(opened, asked)) {
    tally.add(batch, () => [cellsOfBatch(batch)])
    repeated?.add(batch, batch.rows ?? allRows(batch.cell_num))
  }
  repeated?.end()
  const sorted = [...deleted.values()].sort((a, b) => Number(a.deletion.time - b.deletion.time))
  const removed = await removedThen(opened, asked, sorted)
  const isPurged = await purgedBy(opened)
  const deletions = sorted.map((one) => {
    const purged = isPurged(one.deletion)
    return { ...one, removed: purged ? undefined : removed.get(one), purged }
  })
  // With a condition the read skips whole tiles, and with them hidden cells.
  const hidden = where ? undefined : BigInt(held - merged)
  const owners = tally.owned(own.map((one) => (where ? { ...one, held: undefined } : one)))
  const areWhole = hidden !== undefined && ranges.size === 0
  const wholly = owners
    ? fragments.filter((_, i) => own[i].held > 0n && owners[i].seen + owners[i].deleted === 0)
    : areWhole && (await overwrittenWholly(opened, held - merged))
  return {
    cell_num: tally.cells,
    wanted: undefined,
    unwritten: undefined,
    alike: undefined,
    hidden,
    overwritten: (areWhole && wholly) || undefined,
    deletions,
    repeated,
    fields: tally.fields,
    owners,
    groups: tally.groups?.groups,
  }
}

/** Finds the fragments of whose cells none is the newest. Reads all coordinates again, if as many cells are hidden as a fragment has. */
async function overwrittenWholly(opened: OpenedArray, hidden: number): Promise<OpenedFragment[]> {
  const { schema, fragments } = opened
  const cellNums = fragments.map(({ info }) => storedCellNum(info))
  if (!cellNums.some((cells) => cells > 0 && cells <= hidden)) return []
  const asked: ReadQuery = {
    order: defaultOrder(opened),
    ranges: new Map(),
    fields: [],
    provenance: 'places',
    keepsDeleted: true,
    reuse: true,
  }
  const left = new Set(fragments.keys())
  for (const [i, cells] of cellNums.entries()) if (cells === 0) left.delete(i)
  for await (const { columns, rows, cell_num } of readMerged(opened, asked)) {
    const owners = columns[schema.domain.dimensions.length]?.data
    if (!owners) continue
    const numbers = numbersOf('INT32', owners)
    for (const row of rows ?? allRows(cell_num)) left.delete(numbers[row] ?? -1)
    if (left.size === 0) break
  }
  return fragments.filter((_, i) => left.has(i))
}

/**
 * Returns a function that tells whether a consolidation dropped the cells of a deletion. Such a consolidation lists the condition as
 * processed, but stores no delete timestamps.
 * @see FragmentConsolidator::consolidate_internal: with_delete_meta_
 */
async function purgedBy({ fragments }: OpenedArray): Promise<(deletion: Deletion) => boolean> {
  const purges: { names: readonly string[]; first: bigint }[] = []
  for (const one of fragments) {
    const { fragment } = one
    if (!isConsolidatedName(fragment.name) || hasSlot(one, 'delete_timestamps')) continue
    purges.push({ names: await processedNames(one), first: fragment.timestamp_range?.[0] ?? 0n })
  }
  return ({ name, time }) => purges.some((one) => name !== undefined && time >= one.first && one.names.includes(name))
}

/** Upper limit on the delete times that are counted, newest first. Each time takes a read of its own. */
const MAX_TIMES = 50

/** Counts the cells that each deletion removed from a read at its time. */
async function removedThen<Counted extends Pick<CountedDeletion, 'deletion' | 'cells'>>(
  { array, between: [from], fragments }: OpenedArray,
  { ranges, where }: ReadQuery,
  deletions: readonly Counted[],
): Promise<Map<Counted, number>> {
  const removed = new Map<Counted, number>()
  const ends = fragments.map(({ fragment }) => fragment.timestamp_range?.[1])
  const times = [...new Set(deletions.map(({ deletion }) => deletion.time))]
  for (const time of times.slice(-MAX_TIMES)) {
    const own = deletions.filter(({ deletion }) => deletion.time === time)
    // If nothing was written later, a read at that time returns the same cells.
    const isNow = ends.every((end) => end !== undefined && end <= time)
    const counts = isNow ? undefined : await countedAt(array, [from, time], { ranges, where }).catch(unlessFault)
    if (!isNow && !counts) continue
    for (const one of own) removed.set(one, counts ? (counts.get(keyOf(one.deletion)) ?? 0) : one.cells)
  }
  return removed
}

/** Counts the cells that each deletion removes from a read between two times. */
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

async function summarizeDense(
  opened: OpenedArray,
  { ranges, fields, where, ...query }: SummaryQuery,
  tally: Tally,
): Promise<ReadSummary> {
  const { schema, fragments } = opened
  const axes = gridAxes(schema.domain)
  const nothing = axes.map(() => [])
  const wanted = wantedCells(axes, withEnds(schema, ranges), nothing)
  const boxes = fragments.flatMap((one) =>
    one.info.nonempty_domain ? [intervalsOf(one.info.nonempty_domain, axes)] : [],
  )
  const unwritten = fragments.every(({ info }) => info.dense) ? firstOutside(wanted, boxes) : undefined
  // Only written cells are read: a domain may be much larger than its written part.
  const written = wanted && wantedCells(axes, withinBoxes(wanted, boxes), nothing)
  if (wanted && written) {
    const isGapless = unwritten !== undefined && (unwritten.length === 0 || isCovered(written, boxes))
    const areAll = isGapless && !tally.needsFragments
    const asked: ReadQuery = {
      order: defaultOrder(opened),
      ranges: new Map(written.entries()),
      fields,
      where,
      // The provenance tells which cells were written.
      provenance: !areAll && 'places',
      reuse: true,
      leavesOutUnmet: true,
      leavesOutCoordinates: query.groupedBy?.column.kind !== 'dimension',
      onRemark: query.onRemark,
      onRefused: query.onRefused,
    }
    const isConsolidated = fragments.some(({ fragment }) => isConsolidatedName(fragment.name))
    for await (const batch of readMerged(opened, asked)) tally.addWritten(batch, isConsolidated)
  }
  const held = where ? undefined : heldCells(fragments, wanted, axes)
  return {
    cell_num: tally.cells,
    wanted: cellsOf(wanted),
    unwritten,
    alike: fields === undefined ? tally.alike : undefined,
    hidden: held === undefined ? undefined : held - BigInt(tally.cells),
    overwritten: undefined,
    deletions: [],
    repeated: undefined,
    fields: tally.fields,
    owners: tally.owned(
      fragments.map(({ info }) => ({
        held: where ? undefined : heldIn(info, wanted, axes),
        deleted: 0,
      })),
    ),
    groups: tally.groups?.groups,
  }
}

/** Limit on the boxes that are compared to find whether they cover what is read. */
const MAX_COMPARED = 100

/** Whether boxes have all cells of a read. False if there are too many boxes to find out. */
function isCovered(wanted: WantedCells, boxes: readonly (readonly AxisInterval[])[]): boolean {
  return boxes.length <= MAX_COMPARED && firstOutside(wanted, boxes).length === 0
}

/** Summarizes the columns of batches. */
class Tally {
  cells = 0
  /** Number of cells with the fill value in every attribute, if they were counted. */
  alike = 0
  private readonly fills: readonly ColumnData[]
  readonly fields: FieldSummary[]
  /** Whether the read must tell from which fragment each cell comes: if cells are counted by fragment, or if any fragment lacks a field. */
  readonly needsFragments: boolean
  private readonly columns: readonly ColumnType[]
  /** By column and fragment: whether the fragment lacks the column. */
  private readonly lacks: readonly (readonly boolean[])[]
  /** Number of cells by fragment, if they are counted. */
  private readonly seen: Float64Array | undefined
  readonly groups: CellGroups<readonly FieldSummary[]> | undefined
  /** Position of the column that cells are grouped by. */
  private readonly by: number
  /** Positions of the columns that are summarized for each group. */
  private readonly grouped: readonly number[]

  constructor(
    { array, schema, fragments }: OpenedArray,
    names: readonly string[] | undefined,
    { labelled, countsValues = () => false, countsOwners = false, groupedBy }: Omit<SummaryQuery, 'ranges'>,
    lease: Lease,
  ) {
    this.columns = readColumns(schema, { order: 'global', ranges: new Map(), fields: names })
    this.fills = this.columns.map((column) => fillCell(schema, column))
    this.lacks = this.columns.map((column) =>
      fragments.map((one) => column.kind === 'attribute' && !hasAttribute(one, column)),
    )
    this.seen = countsOwners ? new Float64Array(fragments.length) : undefined
    this.needsFragments = countsOwners || this.lacks.some((own) => own.includes(true))
    const room = Math.floor(array.cx.memory.room * ROOM_OF_VALUES)
    const counted = this.columns.filter(({ name }) => countsValues(name))
    const roomOfGroups = groupedBy ? Math.floor(array.cx.memory.room * ROOM_OF_GROUPS) : 0
    lease.hold((counted.length > 0 ? room : 0) + roomOfGroups)
    const summaryOf = (column: ColumnType): Omit<FieldSummary, 'counts'> => ({
      summary: new ColumnSummary(column, column.kind === 'attribute' && labelled.has(column.name)),
      filled: 0,
    })
    this.fields = this.columns.map((column) => ({
      counts: counted.includes(column) ? new ValueCounts(column, Math.floor(room / counted.length)) : undefined,
      ...summaryOf(column),
    }))
    this.by = this.columns.findIndex(({ name }) => name === groupedBy?.column.name)
    this.grouped = [...this.columns.keys()].filter((c) => groupedBy?.fields.includes(this.columns[c].name))
    const most = Math.floor(roomOfGroups / (GROUP_BYTES + GROUP_FIELD_BYTES * this.grouped.length))
    const make = (): FieldSummary[] => this.grouped.map((c) => ({ counts: undefined, ...summaryOf(this.columns[c]) }))
    this.groups = groupedBy && new CellGroups(groupedBy.column, make, Math.min(MAX_GROUPS, most), groupedBy.truncate)
  }

  /** Adds cells of a batch, in which the columns of the provenance come after those of the fields. A column may be left out. */
  add(batch: CellBatch, pieces: () => Iterable<VisitedCells>): void {
    const cells = cellNumOf(pieces())
    this.cells += cells
    const owners = batch.columns[this.columns.length]?.data
    const fragments = owners && numbersOf('INT32', owners)
    if (this.seen && fragments)
      for (const { length, at } of pieces()) for (let i = 0; i < length; i++) this.seen[fragments[at ? at[i] : i]]++
    const having = this.lacks.map(
      (lacks) =>
        (fragments && lacks.includes(true) && Uint8Array.from(fragments, (one) => (lacks[one] ? 0 : 1))) || undefined,
    )
    for (const [c, field] of this.fields.entries()) addTo(field, batch.columns[c], having[c], pieces)
    const by = batch.columns[this.by]
    if (!this.groups || !by) return
    // A copy for each group would take long.
    const columns = this.grouped.map((c) => {
      const column = batch.columns[c]
      return column && { ...column, data: aligned(column.data, 8) }
    })
    for (const piece of pieces())
      for (const [{ of }, own] of this.groups.split(by, piece))
        for (const [i, c] of this.grouped.entries()) addTo(of[i], columns[i], having[c], () => [own])
  }

  /** The counts of each fragment with the cells that were added; undefined if these were not counted. */
  owned(others: readonly Pick<FragmentCellNums, 'held' | 'deleted'>[]): FragmentCellNums[] | undefined {
    const { seen } = this
    return seen && others.map((one, i) => ({ ...one, seen: seen[i] }))
  }

  /** Adds the cells of a batch that any fragment has. @param countsAlike whether to count cells with fill values in every attribute */
  addWritten(batch: CellBatch, countsAlike: boolean): void {
    const validity = batch.columns[this.columns.length]?.validity
    const cells = cellsOfBatch(batch)
    const there = validity ? revisited(() => markedPieces([cells], validity), batch.cell_num) : () => [cells]
    this.add(batch, there)
    if (!countsAlike) return
    const tests = this.columns.flatMap((column, c) => {
      const data = batch.columns[c]
      return column.kind === 'attribute' && data ? [fillTest(column, data, this.fills[c])] : []
    })
    for (const { length, at } of there())
      for (let i = 0; i < length; i++) {
        const cell = at ? at[i] : i
        if (tests.every((test) => test(cell))) this.alike++
      }
  }
}

/** Adds cells to the summary of a field. @param has by cell: 0 if its fragment lacks the field */
function addTo(
  field: FieldSummary,
  column: ColumnData | undefined,
  has: Uint8Array | undefined,
  pieces: () => Iterable<VisitedCells>,
): void {
  if (!column) return
  const there = has ? () => markedPieces(pieces(), has) : pieces
  field.filled += has ? cellNumOf(pieces()) - cellNumOf(there()) : 0
  for (const one of there()) {
    field.summary.add(column, one)
    field.counts?.add(column, one)
  }
}

/** The cells of a batch that are shown. */
function cellsOfBatch({ rows, cell_num }: CellBatch): VisitedCells {
  return { length: rows?.length ?? cell_num, at: rows }
}

/** Upper limit on the coordinates with the most cells that are kept. */
const MAX_SHOWN = 10

/** Finds coordinates that several cells have. Cells must be added in row-major order. */
export class Repeated {
  /** Number of coordinates with more than one cell. */
  coordinate_num = 0
  /** Number of cells with these coordinates. */
  cell_num = 0
  /** The coordinates with the most cells. Each has one column of one cell per dimension. */
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

  /** Ends a run of cells with equal coordinates. Call it after the last cell. */
  end(): void {
    const { last, run: cells, most } = this
    this.run = 0
    if (!last || cells < 2) return
    this.coordinate_num++
    this.cell_num += cells
    if (most.length === MAX_SHOWN && cells <= most[MAX_SHOWN - 1].cells) return
    const coordinates = this.dimensions.map((dimension, d) =>
      gather(
        last.columns[d] as ColumnData,
        fixedSize(dimension) ?? datatypeSize(dimension.type),
        Int32Array.of(last.cell),
      ),
    )
    most.push({ coordinates, cells })
    // The sort is stable: equal numbers stay in row-major order.
    most.sort((a, b) => b.cells - a.cells).splice(MAX_SHOWN)
  }
}

/** The ranges of all dimensions. Open ends are replaced by the ends of the current domain if there is one, otherwise of the domain. */
function withEnds({ domain, current_domain }: ArraySchema, ranges: RangeSets): RangeSets {
  return new Map(
    domain.dimensions.map((dimension, d) => {
      const { type } = dimension
      const { min, max } = current_domain?.range?.[d] ?? domainRange(dimension)
      const own = ranges.get(d) ?? [{ low: undefined, high: undefined }]
      const ended = own.map(({ low, high }) => ({
        low: low ?? integerOf(type, min),
        high: high ?? integerOf(type, max),
      }))
      return [d, ended] as const
    }),
  )
}

/** Along each axis: the wanted coordinates at which any box has cells. */
function withinBoxes(wanted: WantedCells, boxes: readonly (readonly AxisInterval[])[]): RangeSets {
  return new Map(
    wanted.map((intervals, d) => [
      d,
      boxes.flatMap((box) => intervals.flatMap((one) => intersection(one, box[d]) ?? [])),
    ]),
  )
}

/** Upper limit on the unwritten boxes that are listed. */
const MAX_BOXES = 5

/** Finds the first boxes of wanted cells that lie outside all given boxes, in row-major order of their first cells. */
function firstOutside(wanted: WantedCells | undefined, boxes: readonly (readonly AxisInterval[])[]): UnwrittenBox[] {
  const found: UnwrittenBox[] = []
  const wholes = (wanted ?? []).reduce<Side<bigint>[][]>(
    (all, intervals) => all.flatMap((box) => intervals.map((one) => [...box, sideOf(one)])),
    wanted ? [[]] : [],
  )
  const covers = boxes.map((box) => box.map(sideOf))
  // Boxes to compare, and for each the position of the first given box that it was not compared with. The last one comes next.
  const left = wholes.reverse().map((box) => ({ box, next: 0 }))
  for (let one = left.pop(); one && found.length < MAX_BOXES; one = left.pop()) {
    const { box } = one
    let { next } = one
    let pieces: Side<bigint>[][] | undefined
    for (; next < covers.length && !pieces; next++) pieces = boxDifference(box, covers[next])
    if (pieces) left.push(...pieces.reverse().map((piece) => ({ box: piece, next })))
    else {
      const intervals = box.map(({ from, end }) => ({ low: from, high: end - 1n }))
      found.push({ intervals, cells: cellsOf(intervals.map((side) => [side])) })
    }
  }
  return found
}

function sideOf({ low, high }: AxisInterval): Side<bigint> {
  return { from: low, end: high + 1n }
}

function cellsOf(wanted: WantedCells | undefined): bigint {
  if (!wanted) return 0n
  const along = wanted.map((intervals) => intervals.reduce((sum, { low, high }) => sum + high - low + 1n, 0n))
  return along.reduce((product, one) => product * one, 1n)
}

/** Number of wanted cells in all fragments, counted per fragment; undefined if it is unknown of one. */
function heldCells(
  fragments: readonly OpenedFragment[],
  wanted: WantedCells | undefined,
  axes: readonly DenseAxis[],
): bigint | undefined {
  let held = 0n
  for (const { info } of fragments) {
    const own = heldIn(info, wanted, axes)
    if (own === undefined) return undefined
    held += own
  }
  return held
}

/** Number of wanted cells in a fragment; undefined if it is sparse and lies partly outside the wanted cells. */
function heldIn(
  info: OpenedFragment['info'],
  wanted: WantedCells | undefined,
  axes: readonly DenseAxis[],
): bigint | undefined {
  if (!info.nonempty_domain || !wanted) return 0n
  const box = intervalsOf(info.nonempty_domain, axes)
  const common = cellsOf(wanted.map((intervals, d) => intervals.flatMap((one) => intersection(one, box[d]) ?? [])))
  if (info.dense) return common
  if (common === cellsOf(box.map((side) => [side]))) return BigInt(storedCellNum(info))
  return common > 0n ? undefined : 0n
}
