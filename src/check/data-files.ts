import { atOnce, inOrder } from '../base/in-order.ts'
import type { ColumnData } from '../cells/column.ts'
import { DenseCoordinates } from '../cells/dense-coordinates.ts'
import { coordinatesOf } from '../cells/fragment-cells.ts'
import { FRAGMENT_METADATA_FILE } from '../format/fragment-footer.ts'
import type { SlotStatistics } from '../format/fragment-min-max-sum-null-count.ts'
import { leafLevel } from '../format/rtree.ts'
import { type Fragment, type FragmentInfo, slotHasFiles, storedCellNum } from '../store/fragment.ts'
import { checkColumn, checkEnumerationIndexes } from './cells-columns.ts'
import { CoordinatesCheck } from './cells-coordinates.ts'
import { checkHistory } from './cells-history.ts'
import { StatisticsCheck } from './cells-statistics.ts'
import { attempt, type Item, type Items } from './finding.ts'
import { type CheckRun, reaches } from './run.ts'
import type { CheckedSchemas } from './schemas.ts'
import { eachTile, type OpenFields, openFields } from './tile-reader.ts'
import { UnwrittenCells } from './unwritten-cells.ts'

/**
 * Checks the data files of a fragment, field by field and tile by tile: their chunks and, at level `cells`, their cells.
 * Coordinates are read together, and so are the timestamps of writes and deletes. Memory holds one tile of the files read
 * together, and their lists.
 */
export async function* checkDataFiles(
  run: CheckRun,
  fragment: Fragment,
  info: FragmentInfo,
  schemas: CheckedSchemas | undefined,
): Items {
  const look = reaches(run, 'cells')
  const file = `${fragment.folder.path}/${FRAGMENT_METADATA_FILE}`
  const statistics = look
    ? await attempt<SlotStatistics[] | undefined>([], 'SECTION_UNREADABLE', { file }, () => fragment.statistics())
    : undefined
  const open = async (slot: number): Promise<StatisticsCheck | undefined> => {
    if (!look) return undefined
    // The number of tiles is trusted only if there is an offset for each.
    const offsets = await attempt([], 'SECTION_UNREADABLE', { file }, () => fragment.offsets('tile_offsets', slot))
    if (!offsets || offsets.length < info.tile_num) return undefined
    return StatisticsCheck.open(fragment, info, slot, file, statistics)
  }
  const slotsOf = (...kinds: string[]): number[] =>
    info.slots.flatMap((slot, i) => (kinds.includes(slot.kind) && slotHasFiles(info, slot) ? [i] : []))
  const dense = look && info.dense ? new DenseCoordinates(info) : undefined
  const unwritten = dense && new UnwrittenCells(info, dense)
  const checkAttribute = async function* (opened: OpenFields): Items {
    const [slot] = opened.slots
    const check = await open(slot)
    const size = look ? await schemas?.labelNum(info.slots[slot].name, info) : undefined
    yield* eachTile(info, opened, function* (tile, [read], [field]) {
      if (!look) return
      const items: Item[] = []
      const column = checkColumn(info, field, tile, read, items)
      const cells = cellsOf(info, tile)
      if (column) {
        const rows = check || size !== undefined ? dense?.rows(tile) : undefined
        check?.add(tile, column, cells, rows, items)
        unwritten?.add(tile, slot, column, field.place(tile), items)
        if (size !== undefined) checkEnumerationIndexes(info, field, tile, column, rows, size, items)
      } else check?.skip()
      yield* items
    })
    yield* finished(check)
    fragment.forget()
  }
  const together = [
    slotsOf('coords', 'dimension'),
    slotsOf('timestamps', 'delete_timestamps', 'delete_condition_index'),
  ]
  for (const slot of slotsOf('attribute')) together.push([slot])
  const fields = inOrder(
    together.filter(({ length }) => length > 0),
    fieldsAhead(run, fragment),
    (slots) => openFields(run, fragment, info, slots),
    ({ length }) => length * (FIELD_BYTES + info.tile_num * LISTS_BYTES) * run.concurrency,
  )
  for await (const opened of fields) {
    const { kind } = info.slots[opened.slots[0]]
    if (kind === 'attribute') yield* checkAttribute(opened)
    else if (kind === 'coords' || kind === 'dimension') yield* checkCoordinates(run, fragment, info, opened, open)
    else yield* checkTimes(run, fragment, info, opened, open)
  }
  if (look) run.counts.cell_num += storedCellNum(info)
}

/** Memory of a field that is opened ahead of its turn: the first bytes of its files, and its per-tile lists. */
const FIELD_BYTES = 3 * 2 ** 20
const LISTS_BYTES = 32

/**
 * Number of fields to open at once. For a remote source it is enough, with the other fragments, to keep all requests busy.
 */
function fieldsAhead(run: CheckRun, { folder }: Fragment): number {
  return folder.isRemote ? Math.max(2, Math.ceil(atOnce(folder) / run.concurrency)) : 1
}

type OpenStatistics = (slot: number) => Promise<StatisticsCheck | undefined>

async function* checkCoordinates(
  run: CheckRun,
  fragment: Fragment,
  info: FragmentInfo,
  opened: OpenFields,
  open: OpenStatistics,
): Items {
  const look = reaches(run, 'cells')
  const rtree = look ? await attempt([], 'SECTION_UNREADABLE', { file: '' }, () => fragment.rtree()) : undefined
  const [first, last] = fragment.timestamp_range ?? []
  const merged = first !== last || info.footer?.includes_timestamps === true
  const check = new CoordinatesCheck(info, rtree && leafLevel(rtree), merged)
  const statistics: (StatisticsCheck | undefined)[] = []
  for (const slot of opened.slots) statistics.push(await open(slot))
  yield* eachTile(info, opened, function* (tile, reads, fields) {
    if (!look) return
    const items: Item[] = []
    const cells = cellsOf(info, tile)
    const columns: ColumnData[] = []
    for (const [i, field] of fields.entries()) {
      const column = checkColumn(info, field, tile, reads[i], items)
      if (!column) continue
      statistics[i]?.add(tile, column, cells, undefined, items)
      if (info.slots[field.slot].kind === 'dimension') columns.push(column)
      else
        info.schema.domain.dimensions.forEach((_, d) => {
          columns.push({ data: coordinatesOf(info, column.data, cells, d), starts: undefined, validity: undefined })
        })
    }
    const places = info.schema.domain.dimensions.map((_, d) => (fields[d] ?? fields[0]).place(tile))
    if (columns.length === info.schema.domain.dimensions.length && cells > 0) {
      check.add(tile, columns, cells, places, items)
    } else {
      check.skip()
      for (const one of statistics) one?.skip()
    }
    yield* items
  })
  for (const one of statistics) yield* finished(one)
  fragment.forget()
}

async function* checkTimes(
  run: CheckRun,
  fragment: Fragment,
  info: FragmentInfo,
  opened: OpenFields,
  open: OpenStatistics,
): Items {
  const statistics: (StatisticsCheck | undefined)[] = []
  for (const slot of opened.slots) statistics.push(await open(slot))
  const conditions = await attempt([], 'SECTION_UNREADABLE', { file: '' }, () => fragment.processedConditions())
  const bounds = { timestampRange: fragment.timestamp_range, conditionNum: conditions?.length }
  yield* eachTile(info, opened, function* (tile, reads, fields) {
    if (!reaches(run, 'cells')) return
    const items: Item[] = []
    const cells = cellsOf(info, tile)
    const parts = fields.map((field, i) => {
      const column = checkColumn(info, field, tile, reads[i], items)
      if (column) statistics[i]?.add(tile, column, cells, undefined, items)
      else statistics[i]?.skip()
      return { kind: info.slots[field.slot].kind, column, place: field.place(tile) }
    })
    const part = (kind: string) => parts.find((one) => one.kind === kind)
    const none = { column: undefined, place: parts[0].place }
    checkHistory(
      part('timestamps') ?? none,
      part('delete_timestamps'),
      part('delete_condition_index'),
      cells,
      bounds,
      items,
    )
    yield* items
  })
  for (const one of statistics) yield* finished(one)
  fragment.forget()
}

function* finished(check: StatisticsCheck | undefined): Generator<Item> {
  const items: Item[] = []
  check?.finish(items)
  yield* items
}

function cellsOf(info: FragmentInfo, tile: number): number {
  return tile === info.tile_num - 1 ? info.last_tile_cell_num : info.cells_per_tile
}
