import { InspectError, usage } from '../base/errors.ts'
import { type RangeSets, rangeOverlap, rowsInside } from '../cells/bounds.ts'
import { layoutLanes, sortedPositions } from '../cells/cell-order.ts'
import { allRows, type ColumnData, type ColumnType } from '../cells/column.ts'
import type { ArraySchema } from '../format/array-schema.ts'
import { lastPathPart } from '../format/commit-files.ts'
import { integerOf } from '../format/dense-tiles.ts'
import { u64 } from '../format/u32.ts'
import type { FragmentEntry } from '../store/array.ts'
import { formOf } from '../store/changed-fields.ts'
import { stem } from '../store/commits.ts'
import { readDense } from './dense.ts'
import { fillCell, fillTest, pickedColumn } from './fill.ts'
import { CellFilter, isTimed, writtenAt } from './filter.ts'
import { isCutByTime, openFragment } from './opening.ts'
import { MergePool } from './pool.ts'
import {
  type Deletion,
  type OpenedArray,
  type OpenedFragment,
  type ReadQuery,
  readColumns,
  type TimedCondition,
} from './query.ts'
import { type CellTimes, Source, type SourceBatch } from './source.ts'
import { wantedTiles } from './sparse.ts'
import { type WrittenTime, WrittenTimes } from './written-times.ts'

/** Which cells to ask for, and what to show of them. */
interface HistoryQuery {
  ranges: RangeSets
  /** Names of attributes; undefined for all. */
  fields?: readonly string[] | undefined
  /** Most cells that may have versions. */
  most: number
  /** Called for a fragment that no read needs, if it cannot be read. Its versions are then missing. */
  onUnread?: ((fault: InspectError) => void) | undefined
}

/**
 * What became of a version of a cell, in a read of the opened array. `current`: a read gives it. `overwritten`: a newer
 * version took its place. `deleted`: a delete condition names it. `later`, `earlier`: its time, or that of its fragment, is
 * not between the times of the opening. `hidden`: a `.vac` or `.ign` file hides its fragment. `uncommitted`: no commit
 * names its fragment.
 */
export type VersionState = 'current' | 'overwritten' | 'deleted' | 'later' | 'earlier' | 'hidden' | 'uncommitted'

/** What hides a version. */
export type HiddenBy =
  | { kind: 'fragment'; name: string; time: bigint | undefined }
  /** The name is that of the commit without suffix; undefined if the fragment does not say which. */
  | { kind: 'delete'; name: string | undefined; time: bigint; condition: TimedCondition | undefined }
  /** `replacement` is the fragment that holds the cells of those in the list. */
  | { kind: 'vacuum'; path: string; replacement: string }
  | { kind: 'ignore'; path: string }

/** A version of a cell: what one fragment holds of it. */
export interface CellVersion {
  entry: FragmentEntry
  tile: number
  /** Position in the tile. */
  cell: number
  /** Milliseconds; undefined where consolidation kept no time of the cell, and the fragments that it replaced are gone. */
  written: bigint | undefined
  /**
   * Of consolidated dense fragments. `yes`: none of the fragments that it replaced had the cell. `maybe`: they are gone, and the cell has
   * the fill value in every attribute that was asked for.
   */
  neverWritten: 'yes' | 'maybe' | undefined
  /** The time that orders it among others in a read. */
  time: bigint
  /** One cell of each {@link CellHistory.columns}, as a read gives it. */
  values: readonly ColumnData[]
  /** Names of the attributes that the fragment lacks: their values are fill values. */
  filled: readonly string[]
  state: VersionState
  by: HiddenBy | undefined
}

/** A cell, and its versions, oldest first. */
export interface CellHistory {
  /** Dimensions, then attributes. */
  columns: readonly ColumnType[]
  /** By dimension, one cell each. */
  coordinates: readonly ColumnData[]
  versions: readonly CellVersion[]
}

/**
 * The versions of some cells in all fragments on disk, and what a read of the opened array makes of each. The first thing
 * that hid a version counts: of a delete and a newer version the earlier; at the same time, the newer version, as TileDB
 * looks at deletes only for the newest. Cells come in row-major order. Those without versions are left out.
 *
 * @throws InspectError USAGE if more cells than {@link HistoryQuery.most} have versions
 */
export async function cellHistories(opened: OpenedArray, query: HistoryQuery): Promise<CellHistory[]> {
  return opened.schema.array_type === 'dense' ? denseHistories(opened, query) : sparseHistories(opened, query)
}

/** A fragment whose versions are looked for. */
interface Place {
  entry: FragmentEntry
  opened: OpenedFragment
  /** Position in {@link OpenedArray.fragments}; below 0 for one that is not read. */
  index: number
}

/** The fragments on disk whose boxes touch the ranges. */
async function* places(opened: OpenedArray, { ranges, onUnread }: HistoryQuery): AsyncGenerator<Place> {
  const { array, schema, fragments } = opened
  const overlapOf = rangeOverlap(schema.domain.dimensions, ranges)
  const entries = await array.fragments()
  const indexes = new Map(fragments.map(({ fragment }, index) => [fragment.folder.path, index]))
  for (const [i, entry] of entries.entries()) {
    const index = indexes.get(array.fragment(entry.path).folder.path) ?? -1
    const one = index >= 0 ? fragments[index] : await unlessUnread(onUnread, () => openFragment(array, entry))
    if (!one?.info.nonempty_domain || overlapOf(one.info.nonempty_domain) === 'none') continue
    yield { entry, opened: one, index: index >= 0 ? index : i - entries.length }
  }
}

/** Undefined after a fault, if someone wants to know of it. */
async function unlessUnread<T>(onUnread: HistoryQuery['onUnread'], work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work()
  } catch (error) {
    if (!onUnread || !(error instanceof InspectError)) throw error
    onUnread(error)
    return undefined
  }
}

/** Cells by their coordinates. */
class Histories {
  private readonly schema: ArraySchema
  private readonly columns: readonly ColumnType[]
  private readonly dimensions: readonly ColumnType[]
  private readonly most: number
  private readonly found = new Map<string, FoundHistory>()

  constructor({ schema }: OpenedArray, query: HistoryQuery) {
    this.schema = schema
    this.columns = readColumns(schema, readQuery(query))
    this.dimensions = this.columns.filter(({ kind }) => kind === 'dimension')
    this.most = query.most
  }

  /** The cell in this row of some columns, which is added if it is new. */
  at(columns: readonly (ColumnData | undefined)[], row: number): FoundHistory {
    const coordinates = this.cells(this.dimensions, columns, row)
    const key = coordinates.map(({ data }) => data.join()).join(' ')
    let known = this.found.get(key)
    if (known) return known
    if (this.found.size === this.most)
      throw usage(`expected a range with versions of up to ${this.most} cells, found more: give a smaller one`)
    known = { columns: this.columns, coordinates, versions: [] }
    this.found.set(key, known)
    return known
  }

  /** What a row holds, with fill values in place of missing columns. */
  values(columns: readonly (ColumnData | undefined)[], row: number): ColumnData[] {
    return this.cells(this.columns, columns, row)
  }

  /** The coordinates of a row of a dense array. */
  place(columns: readonly (ColumnData | undefined)[], row: number): bigint[] {
    return this.cells(this.dimensions, columns, row).map(({ data }, d) => integerOf(this.dimensions[d].type, data))
  }

  /** Whether every attribute has the fill value. */
  hasFill(values: readonly ColumnData[]): boolean {
    return this.columns.every(
      (column, c) => column.kind !== 'attribute' || fillTest(column, values[c], fillCell(this.schema, column))(0),
    )
  }

  private cells(types: readonly ColumnType[], columns: readonly (ColumnData | undefined)[], row: number): ColumnData[] {
    const picked = { from: Uint32Array.of(0), rows: Uint32Array.of(row) }
    return types.map((column, c) => pickedColumn(this.schema, column, [columns[c]], picked))
  }

  /** In row-major order, the versions of each by time. */
  all(): FoundHistory[] {
    const found = [...this.found.values()]
    for (const { versions } of found) versions.sort(byTime)
    const picked = { from: allRows(found.length), rows: new Uint32Array(found.length) }
    const columns = this.dimensions.map((column, d) => {
      const sources = found.map(({ coordinates }) => coordinates[d])
      return pickedColumn(this.schema, column, sources, picked)
    })
    const lanes = layoutLanes(this.schema.domain.dimensions, columns, found.length, false)
    return Array.from(sortedPositions(lanes, found.length), (at) => found[at])
  }
}

/** Of versions of the same time, hidden originals come before their consolidated copies. The rest keeps its order. */
function byTime(a: CellVersion, b: CellVersion): number {
  const [one, other] = [a.written ?? a.time, b.written ?? b.time]
  if (one !== other) return one < other ? -1 : 1
  return rank(a) - rank(b)
}

function rank({ entry, state }: CellVersion): number {
  return state === 'later' ? 2 : entry.isRead ? 1 : 0
}

interface FoundHistory extends CellHistory {
  versions: CellVersion[]
}

function readQuery({ ranges, fields }: HistoryQuery): ReadQuery {
  return { order: 'row-major', ranges, fields }
}

/** The versions of the wanted cells in a tile of a sparse fragment. */
interface Wanted {
  batch: SourceBatch
  place: Place
  /** Positions of the cells in the tile. */
  cells: Uint32Array
}

/** A version of a cell: where it is. */
interface Found {
  wanted: Wanted
  row: number
}

async function sparseHistories(opened: OpenedArray, query: HistoryQuery): Promise<CellHistory[]> {
  const filter = await CellFilter.of(opened, readQuery(query), true)
  const histories = new Histories(opened, query)
  const wanted: Wanted[] = []
  for await (const place of places(opened, query)) {
    const take = async (): Promise<void> => {
      for await (const one of wantedCells(opened, place, filter.wanted, query.ranges)) {
        // Now and not at the end, so that a range with too many cells ends early.
        for (const row of one.cells.keys()) histories.at(one.batch.columns, row)
        wanted.push(one)
      }
    }
    await (place.index < 0 ? unlessUnread(query.onUnread, take) : take())
  }
  const deletions = new Map(wanted.map((one) => [one, deletionsOf(filter, one)]))
  const cells = new Map<FoundHistory, Found[]>()
  for (const found of newestFirst(opened, wanted)) {
    const history = histories.at(found.wanted.batch.columns, found.row)
    const known = cells.get(history)
    if (known) known.push(found)
    else cells.set(history, [found])
  }
  for (const [history, versions] of cells) {
    let newer: CellVersion | undefined
    for (const { wanted: one, row } of versions) {
      const { batch, place } = one
      const unread = fateUnread(opened, one, row)
      const version: CellVersion = {
        entry: place.entry,
        tile: batch.tile,
        cell: one.cells[row],
        written: isTimed(batch) ? BigInt(writtenAt(batch, row)) : undefined,
        neverWritten: undefined,
        time: BigInt(writtenAt(batch, row)),
        values: histories.values(batch.columns, row),
        filled: history.columns.flatMap(({ name }, c) => (batch.columns[c] ? [] : [name])),
        ...(unread ?? readFate(newer, deletions.get(one)?.[row])),
      }
      if (!unread && !opened.schema.allows_duplicates) newer = version
      history.versions.unshift(version)
    }
  }
  return histories.all()
}

/** All cells; of equal coordinates first the one that wins the merge, then the others, the newest first. */
function newestFirst(opened: OpenedArray, all: readonly Wanted[]): Found[] {
  const byBatch = new Map(all.map((one) => [one.batch, one]))
  const listed = new MergePool({ ...opened.schema, allows_duplicates: true })
  const merged = new MergePool(opened.schema)
  for (const one of all) {
    const rows = Uint32Array.from(one.cells.keys())
    listed.add(one.batch, rows)
    merged.add(
      one.batch,
      rows.filter((row) => fateUnread(opened, one, row) === undefined),
    )
  }
  const found = (pool: MergePool): Found[] => {
    const { batches, picked } = pool.take(undefined)
    return Array.from(picked.rows, (row, i) => ({ wanted: byBatch.get(batches[picked.from[i]]) as Wanted, row }))
  }
  const winners = found(merged)
  const isWinner = new Map(all.map((one) => [one, new Set<number>()]))
  for (const { wanted, row } of winners) isWinner.get(wanted)?.add(row)
  return [...winners, ...found(listed).filter(({ wanted, row }) => !isWinner.get(wanted)?.has(row))]
}

/** The deletions of the cells, by row. */
function deletionsOf(filter: CellFilter, { batch, place, cells }: Wanted): (Deletion | undefined)[] {
  if (place.index < 0) return []
  return filter.deletions([batch], { from: new Uint32Array(cells.length), rows: Uint32Array.from(cells.keys()) })
}

/** The wanted cells of a sparse fragment, without their neighbours in the tiles. */
async function* wantedCells(
  { schema }: OpenedArray,
  place: Place,
  columns: readonly ColumnType[],
  ranges: RangeSets,
): AsyncGenerator<Wanted> {
  const { dimensions } = schema.domain
  const source = await Source.open(place.opened, place.index, columns, undefined)
  try {
    const { tiles } = await wantedTiles(source, [...source.tiles(ranges)], ranges)
    for await (const batch of source.batches(tiles)) {
      const coordinates = batch.columns.slice(0, dimensions.length) as ColumnData[]
      const inside = rowsInside(dimensions, coordinates, batch.cell_num, ranges)
      const rows = inside ?? allRows(batch.cell_num)
      if (rows.length === 0) continue
      const picked = { from: new Uint32Array(rows.length), rows }
      const kept: SourceBatch = {
        ...batch,
        cell_num: rows.length,
        columns: columns.map((column, c) => {
          const data = batch.columns[c]
          return data && pickedColumn(schema, column, [data], picked)
        }),
        written: timesAt(batch.written, rows),
        deleted: timesAt(batch.deleted, rows),
      }
      yield { batch: kept, place, cells: rows.map((row) => batch.first + row) }
    }
  } finally {
    await source.close()
  }
}

function timesAt(times: CellTimes | undefined, rows: Uint32Array): CellTimes | undefined {
  return times instanceof BigUint64Array
    ? BigUint64Array.from(rows, (row) => times[row])
    : times && Float64Array.from(rows, (row) => times[row])
}

type Fate = Pick<CellVersion, 'state' | 'by'>

/** What became of a version that a read merges. @param newer the next one of the same cell */
function readFate(newer: CellVersion | undefined, deleted: Deletion | undefined): Fate {
  if (newer && !(deleted && deleted.time < newer.time))
    return { state: 'overwritten', by: { kind: 'fragment', name: newer.entry.name, time: newer.written } }
  return deleted ? { state: 'deleted', by: { kind: 'delete', ...deleted } } : { state: 'current', by: undefined }
}

/** Why a read does not merge a version; undefined if it does. */
function unreadFate(opened: OpenedArray, { entry, index }: Place, written: bigint): Fate | undefined {
  if (index >= 0) {
    if (!isCutByTime(opened, opened.fragments[index])) return undefined
    const [from, to] = opened.between
    const state = written > to ? 'later' : written < from ? 'earlier' : undefined
    return state && { state, by: undefined }
  }
  const { state, hidden_by: path = '' } = entry
  if (state === 'ignored') return { state: 'hidden', by: { kind: 'ignore', path } }
  if (state === 'to-vacuum' || state === 'hidden')
    return { state: 'hidden', by: { kind: 'vacuum', path, replacement: stem(lastPathPart(path)) } }
  if (state === 'future') return { state: 'later', by: undefined }
  if (state === 'past') return { state: 'earlier', by: undefined }
  return { state: 'uncommitted', by: undefined }
}

function fateUnread(opened: OpenedArray, { place, batch }: Wanted, row: number): Fate | undefined {
  return unreadFate(opened, place, BigInt(writtenAt(batch, row)))
}

/** Reads every fragment by itself. Deletes do not apply to dense arrays. */
async function denseHistories(opened: OpenedArray, query: HistoryQuery): Promise<CellHistory[]> {
  const { schema, fragments } = opened
  const histories = new Histories(opened, query)
  const own = readColumns(schema, readQuery(query))
  const found: Place[] = []
  for await (const place of places(opened, query)) found.push(place)
  // The last fragment that has a cell gives it.
  const newest = new Map<CellHistory, CellVersion>()
  const known = new Map<string, WrittenTimes>()
  for (const place of found.sort((a, b) => b.index - a.index)) {
    const { entry, opened: fragment, index } = place
    const time = index < 0 ? fragment.time : fragments[index].time
    const lacks = attributesLacking(fragment, own)
    const take = async (): Promise<void> => {
      const times = await WrittenTimes.of(opened.array, schema.domain.dimensions, fragment, known)
      const alone = { ...opened, fragments: [fragment] }
      for await (const { cell_num, rows, columns } of readDense(alone, { ...readQuery(query), provenance: 'places' })) {
        const [owner, tile, cell] = columns.slice(own.length)
        for (const row of rows ?? allRows(cell_num)) {
          if (owner?.validity?.[row] === 0) continue
          const history = histories.at(columns, row)
          const values = histories.values(columns, row)
          const written = times.at(histories.place(columns, row))
          const version: CellVersion = {
            entry,
            tile: tile ? u64(tile.data, 8 * row) : 0,
            cell: cell ? u64(cell.data, 8 * row) : 0,
            ...whenWritten(written, () => histories.hasFill(values)),
            time,
            values,
            filled: lacks,
            ...(unreadFate(opened, place, time) ?? readFate(newest.get(history), undefined)),
          }
          if (index >= 0) newest.set(history, version)
          history.versions.unshift(version)
        }
      }
    }
    await (index < 0 ? unlessUnread(query.onUnread, take) : take())
  }
  return histories.all()
}

function whenWritten(time: WrittenTime, hasFill: () => boolean): Pick<CellVersion, 'written' | 'neverWritten'> {
  if (time === 'never') return { written: undefined, neverWritten: 'yes' }
  if (time === 'unknown') return { written: undefined, neverWritten: hasFill() ? 'maybe' : undefined }
  return { written: time, neverWritten: undefined }
}

function attributesLacking({ info }: OpenedFragment, columns: readonly ColumnType[]): string[] {
  return columns.flatMap((column) => {
    if (column.kind !== 'attribute') return []
    const own = info.schema.attributes.find(({ name }) => name === column.name)
    return own && formOf(own) === formOf(column) ? [] : [column.name]
  })
}
