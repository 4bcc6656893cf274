import { atOnce, inOrder } from '../base/in-order.ts'
import { sum } from '../base/sum.ts'
import type { ColumnData } from '../cells/column.ts'
import { DenseCoordinates } from '../cells/dense-coordinates.ts'
import type { VisitedCells } from '../cells/elements.ts'
import { coordsOfDimension } from '../cells/fragment-cells.ts'
import { tileCellNum } from '../cells/tile-places.ts'
import { FRAGMENT_METADATA_FILE } from '../format/fragment-footer.ts'
import type { SlotStatistics } from '../format/fragment-min-max-sum-null-count.ts'
import { leafLevel } from '../format/rtree.ts'
import { type Fragment, type FragmentInfo, slotHasFiles, storedCellNum } from '../objects/fragment.ts'
import type { ReadContext } from '../objects/read-context.ts'
import { countReadBytes } from '../storage/lean-heap.ts'
import { checkColumn, checkEnumerationIndexes, labelNum } from './cells-columns.ts'
import { CoordinatesCheck } from './cells-coordinates.ts'
import { checkHistory } from './cells-history.ts'
import { StatisticsCheck } from './cells-statistics.ts'
import { asIgnored, type IgnoredReason, type Item, type Items, quietly, withoutRepeats } from './finding.ts'
import { type CheckRun, newRun, reaches } from './run.ts'
import { eachTile, type FieldReader, type OpenFields, openFields, type VisitTile } from './tile-reader.ts'
import {
  type FieldsPart,
  type FieldsStretch,
  tileStretches,
  UNIT_BYTES,
  type Unit,
  type UnitResult,
  type UnitTarget,
} from './units.ts'
import { checkUnwrittenCells } from './unwritten-cells.ts'

/**
 * Checks the data files of a fragment, field by field and tile by tile: their chunks and, at level `cells`, their cells.
 * Memory holds the per-tile lists of the files that are read together, and one tile of each.
 */
export async function* checkDataFiles(run: CheckRun, fragment: Fragment, info: FragmentInfo): Items {
  const stretches = fieldsTogether(info).map((slots) => ({ slots, from: 0, to: info.tile_num }))
  yield* withoutRepeats(checkFields(run, fragment, info, stretches))
  if (reaches(run, 'cells')) run.counts.cell_num += storedCellNum(info)
}

/** Above this number of tiles, reading the per-tile lists again in each unit takes longer than sharing saves. */
const MAX_SHARED_TILES = 100_000

/**
 * Makes units of work of {@link checkDataFiles}. A unit has some tiles of the fields that are read together, or all tiles of
 * several such fields.
 */
export async function* dataFileUnits(
  run: CheckRun,
  fragment: Fragment,
  info: FragmentInfo,
  ignored: IgnoredReason | undefined,
): AsyncGenerator<Unit<Item>> {
  const { level } = run
  const { isAsStored: asStored, folder } = fragment
  const { path } = folder
  const files = await fragment.fieldFiles()
  const readsCells = reaches(run, 'cells')
  let stretches: FieldsStretch[] = []
  let bytes = 0
  const unit = (shared?: FieldsPart['shared']): Unit<Item> => {
    const made: Unit<Item> = { path, part: { kind: 'fields', stretches, level, ignored, asStored, shared }, bytes }
    stretches = []
    bytes = 0
    return made
  }
  for (const slots of fieldsTogether(info)) {
    const together = files.filter(({ slot }) => slots.includes(slot))
    const whole = { from: 0, to: info.tile_num, bytes: sum(together, ({ size }) => size) }
    const parts =
      readsCells && info.tile_num > MAX_SHARED_TILES ? [whole] : await tileStretches(fragment, info, together)
    const isShared = readsCells && parts.length > 1
    if (isShared && stretches.length > 0) yield unit()
    for (const [i, one] of parts.entries()) {
      stretches.push({ ...one, slots })
      bytes += one.bytes
      if (isShared) yield unit(i === parts.length - 1 ? 'last' : 'more')
      else if (bytes >= UNIT_BYTES) yield unit()
    }
  }
  if (stretches.length > 0) yield unit()
  if (readsCells) run.counts.cell_num += storedCellNum(info)
}

/** Does the work of one of the {@link dataFileUnits}. */
export async function checkUnit(target: UnitTarget, _cx: ReadContext, { part }: Unit<Item>): Promise<UnitResult<Item>> {
  if (part.kind !== 'fields' || target.type !== 'fragment') throw new TypeError(`no unit of a check: ${part.kind}`)
  const { level, stretches, ignored, asStored, shared } = part
  if (asStored) target.fragment.asStored()
  const run: CheckRun = { ...newRun(level, false), isPart: shared !== undefined }
  const items: Item[] = []
  for await (const item of checkFields(run, target.fragment, await target.fragment.info(), stretches))
    items.push(asIgnored(item, ignored))
  return { counts: run.counts, items, unsure: run.unsure }
}

async function* checkFields(
  run: CheckRun,
  fragment: Fragment,
  info: FragmentInfo,
  stretches: readonly Omit<FieldsStretch, 'bytes'>[],
): Items {
  const cells = reaches(run, 'cells') ? await cellFacts(fragment, info) : undefined
  const fields = inOrder(
    stretches,
    fieldsAhead(run, fragment),
    (one) => openFields(run, fragment, info, one),
    ({ slots }) => slots.length * (FIELD_BYTES + info.tile_num * LISTS_BYTES) * run.concurrency,
  )
  for await (const opened of fields) {
    const check = cells && (await openCellsCheck(fragment, info, opened, cells))
    yield* eachTile(opened, check && ((tile, reads, items) => check.visit(tile, reads, items)))
    const items: Item[] = []
    if (check && !check.finish(items, run.isPart === true)) run.unsure = true
    yield* items
    fragment.forget()
    // Lets the heap shrink: the lists of a million tiles must not stay beside those of the next field.
    countReadBytes(opened.stretch.slots.length * info.tile_num * LISTS_BYTES)
  }
}

/** Groups the slots that are read together: the coordinates; the timestamps of writes and deletes; each attribute alone. */
function fieldsTogether(info: FragmentInfo): number[][] {
  const slotsOf = (...kinds: string[]): number[] =>
    info.slots.flatMap((slot, i) => (kinds.includes(slot.kind) && slotHasFiles(info, slot) ? [i] : []))
  const times = slotsOf('timestamps', 'delete_timestamps', 'delete_condition_index')
  const together = [slotsOf('coords', 'dimension'), times, ...slotsOf('attribute').map((slot) => [slot])]
  return together.filter(({ length }) => length > 0)
}

/** Bytes that are fetched for a field that is opened ahead of its turn. */
const FIELD_BYTES = 3 * 2 ** 20
/** Bytes of a tile in the per-tile lists of a field. */
const LISTS_BYTES = 32

/** Number of fields to open at once. Over a network, those of all fragments together keep all requests busy. */
function fieldsAhead(run: CheckRun, { folder }: Fragment): number {
  return folder.isRemote ? Math.max(2, Math.ceil(atOnce(folder) / run.concurrency)) : 1
}

/** What the checks of all fields' cells share. */
interface CellFacts {
  /** The metadata file. */
  file: string
  statistics: SlotStatistics[] | undefined
  dense: DenseCoordinates | undefined
}

async function cellFacts(fragment: Fragment, info: FragmentInfo): Promise<CellFacts> {
  const file = `${fragment.folder.path}/${FRAGMENT_METADATA_FILE}`
  return {
    file,
    statistics: await quietly(() => fragment.statistics()),
    dense: info.dense ? new DenseCoordinates(info) : undefined,
  }
}

/** Checks the cells of fields that are read together. */
interface CellsCheck {
  visit: VisitTile
  /** Called after the last tile. See {@link StatisticsCheck.finish}. */
  finish(items: Item[], isPart: boolean): boolean
}

/**
 * Called with each tile whose columns were checked.
 * @param columns one for each field; undefined if it is unknown where its cells begin
 * @param rows returns the written cells of a dense tile; undefined if all are
 */
type VisitColumns = (
  tile: number,
  columns: readonly (ColumnData | undefined)[],
  rows: (() => Iterable<VisitedCells>) | undefined,
  items: Item[],
) => void

async function openCellsCheck(
  fragment: Fragment,
  info: FragmentInfo,
  { stretch: { slots }, fields }: OpenFields,
  facts: CellFacts,
): Promise<CellsCheck> {
  const statistics: (StatisticsCheck | undefined)[] = []
  for (const slot of slots)
    statistics.push(await StatisticsCheck.open(fragment, info, slot, facts.file, facts.statistics))
  const skip = (): void => {
    for (const one of statistics) one?.skip()
  }
  const { kind, name } = info.slots[slots[0]]
  const labels = kind === 'attribute' ? await labelNum(fragment, name, info) : undefined
  let visitColumns: VisitColumns
  if (kind === 'attribute') visitColumns = attributeCheck(fragment, info, fields[0], labels, facts)
  else if (kind === 'coords' || kind === 'dimension')
    visitColumns = await coordinatesCheck(fragment, info, fields, skip)
  else visitColumns = await timesCheck(fragment, info, fields)
  return {
    visit(tile, reads, items) {
      const rows = statistics[0] || labels !== undefined ? facts.dense?.rowPieces(tile) : undefined
      const columns = fields.map((field, i) => {
        const column = checkColumn({ info, field, tile }, reads[i], facts.dense, items)
        const cells = tileCellNum(info, tile)
        if (column) statistics[i]?.add({ tile, column, cells, rows }, () => field.place(tile), items)
        else statistics[i]?.skip()
        return column
      })
      visitColumns(tile, columns, rows, items)
    },
    finish(items, isPart) {
      return statistics.map((one) => one?.finish(items, isPart) ?? true).every(Boolean)
    },
  }
}

/** @param labels number of labels that the cells index; undefined for other attributes */
function attributeCheck(
  fragment: Fragment,
  info: FragmentInfo,
  field: FieldReader,
  labels: number | undefined,
  { dense }: CellFacts,
): VisitColumns {
  return (tile, [column], rows, items) => {
    if (!column) return
    const cells = { info, field, tile }
    if (dense) checkUnwrittenCells(fragment, cells, dense, column, items)
    if (labels !== undefined) checkEnumerationIndexes(cells, column, rows, labels, items)
  }
}

async function coordinatesCheck(
  fragment: Fragment,
  info: FragmentInfo,
  fields: readonly FieldReader[],
  skipStatistics: () => void,
): Promise<VisitColumns> {
  const rtree = await quietly(() => fragment.rtree())
  const [first, last] = fragment.timestamp_range ?? []
  const merged = first !== last || info.footer?.includes_timestamps === true
  const check = new CoordinatesCheck(info, rtree && leafLevel(rtree), merged)
  const { dimensions } = info.schema.domain
  return (tile, found, _rows, items) => {
    const cells = tileCellNum(info, tile)
    const columns = found.flatMap((column, i): ColumnData[] => {
      if (!column || info.slots[fields[i].slot].kind === 'dimension') return column ? [column] : []
      return dimensions.map((_, d) => ({
        data: coordsOfDimension(info, column.data, cells, d),
        starts: undefined,
        validity: undefined,
      }))
    })
    const placeOf = (d: number) => (fields[d] ?? fields[0]).place(tile)
    if (columns.length === dimensions.length && cells > 0) check.add(tile, columns, cells, placeOf, items)
    else {
      check.skip()
      skipStatistics()
    }
  }
}

async function timesCheck(
  fragment: Fragment,
  info: FragmentInfo,
  fields: readonly FieldReader[],
): Promise<VisitColumns> {
  const conditions = await quietly(() => fragment.processedConditions())
  const range = fragment.timestamp_range
  // FRAGMENT_TIMESTAMPS reports a name whose first time is the later one.
  const timestampRange = range && range[0] <= range[1] ? range : undefined
  const bounds = { timestampRange, conditionNum: conditions?.length }
  return (tile, columns, _rows, items) => {
    const part = (kind: string) => {
      const i = fields.findIndex(({ slot }) => info.slots[slot].kind === kind)
      return { column: columns[i], place: fields[Math.max(i, 0)].place(tile) }
    }
    const history = {
      timestamps: part('timestamps'),
      deletes: part('delete_timestamps'),
      indexes: part('delete_condition_index'),
    }
    checkHistory(history, tileCellNum(info, tile), bounds, items)
  }
}
