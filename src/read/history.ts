import { InspectError, usage } from '../base/errors.ts'
import { groupBy } from '../base/group-by.ts'
import { lastPathPart } from '../base/paths.ts'
import { rising } from '../base/rising.ts'
import { type RangeSets, rangeOverlap, rowsInside } from '../cells/bounds.ts'
import { layoutLanes } from '../cells/cell-order.ts'
import { allRows, type ColumnData, type ColumnType } from '../cells/column.ts'
import { sortedPositions } from '../cells/sorted-positions.ts'
import type { ArraySchema } from '../format/array-schema.ts'
import { integerOf } from '../format/dense-tiles.ts'
import { u64 } from '../format/u32.ts'
import type { FragmentEntry } from '../objects/array.ts'
import { stem } from '../objects/commits.ts'
import { readDense } from './dense.ts'
import { fillCell, fillTest, hasAttribute, pickedColumn } from './fill.ts'
import { CellFilter, isTimed, writtenAt } from './filter.ts'
import { hasTilesOf, isCutByTime, openListedFragment, withMisread } from './opening.ts'
import { MergePool } from './pool.ts'
import {
  type Deletion,
  type OpenedArray,
  type OpenedFragment,
  type ReadQuery,
  readColumns,
  type TimedCondition,
} from './query.ts'
import { type CellTimes, type SourceBatch, SparseSource } from './source.ts'
import { wantedTiles } from './sparse.ts'
import { type WrittenTime, WrittenTimes } from './written-times.ts'

/** The cells whose histories are wanted. */
interface HistoryQuery {
  ranges: RangeSets
  /** Names of attributes; undefined for all. */
  fields?: readonly string[] | undefined
  /** Upper limit on the cells that may have versions. */
  most: number
  /** {@link HistoryOptions.onUnread}. The versions of the fragment are then missing. */
  onUnread?: ((fault: InspectError) => void) | undefined
}

/**
 * What a read of the opened array does with a version of a cell. `current`: the read returns it. `overwritten`: a newer version replaces
 * it. `deleted`: a delete condition applies to it. `later`, `earlier`: its time, or the time of its fragment, is not between the times of
 * the opening. `hidden`: a `.vac` or `.ign` file hides its fragment. `uncommitted`: no commit names its fragment.
 */
export type VersionState = 'current' | 'overwritten' | 'deleted' | 'later' | 'earlier' | 'hidden' | 'uncommitted'

/** What hides a version. */
export type HiddenBy =
  | { kind: 'fragment'; name: string; time: bigint | undefined }
  /** `name` is the name of the commit without suffix; undefined if the fragment does not tell which commit it was. */
  | { kind: 'delete'; name: string | undefined; time: bigint; condition: TimedCondition | undefined }
  /** `replacement` is the fragment that holds the cells of the listed fragments. */
  | { kind: 'vacuum'; path: string; replacement: string }
  | { kind: 'ignore'; path: string }

/** A version of a cell, and where it is stored. */
export interface FoundVersion {
  entry: FragmentEntry
  tile: number
  cell: number
  /** Milliseconds since 1970; undefined if consolidation kept no time of the cell, and the fragments that it replaced are gone. */
  written: bigint | undefined
  /**
   * Set only for consolidated dense fragments. `yes`: none of the replaced fragments had the cell. `maybe`: the replaced fragments are
   * gone, and the cell has the fill value in every wanted attribute.
   */
  neverWritten: 'yes' | 'maybe' | undefined
  /** The time by which a read orders the versions. */
  time: bigint
  /** By column of {@link CellHistory.columns}: one cell, as a read returns it. */
  values: readonly ColumnData[]
  /** Names of the attributes that the fragment lacks. Their values are fill values. */
  filled: readonly string[]
  state: VersionState
  by: HiddenBy | undefined
}

/** A cell with its versions, oldest first. */
export interface CellHistory {
  /** Dimensions, then attributes. */
  columns: readonly ColumnType[]
  /** By dimension: one cell. */
  coordinates: readonly ColumnData[]
  versions: readonly FoundVersion[]
}

/**
 * Finds the versions of cells in all fragments on disk, and what a read of the opened array does with each. What hid a version first
 * counts: the earlier of a delete and a newer version. At the same time it is the newer version, because TileDB applies deletes only to
 * the newest. Cells come in row-major order. Cells without versions are left out.
 *
 * @throws InspectError USAGE if more cells than {@link HistoryQuery.most} have versions
 */
export async function cellHistories(opened: OpenedArray, query: HistoryQuery): Promise<CellHistory[]> {
  return opened.schema.array_type === 'dense' ? denseHistories(opened, query) : sparseHistories(opened, query)
}

/** A fragment that may have versions of the cells. */
interface SearchedFragment {
  entry: FragmentEntry
  opened: OpenedFragment
  /** Position in {@link OpenedArray.fragments}; below 0 for a fragment that a read does not read. */
  index: number
}

/** Yields the fragments on disk whose boxes touch the ranges. */
async function* places(opened: OpenedArray, { ranges, onUnread }: HistoryQuery): AsyncGenerator<SearchedFragment> {
  const { array, schema, fragments } = opened
  const overlapOf = rangeOverlap(schema.domain.dimensions, ranges)
  const entries = await array.fragments()
  const indexes = new Map(fragments.map(({ fragment }, index) => [fragment.folder.path, index]))
  for (const [i, entry] of entries.entries()) {
    const index = indexes.get(array.fragment(entry.path).folder.path) ?? -1
    const one = index >= 0 ? fragments[index] : await unlessUnread(onUnread, () => openOther(opened, entry))
    // Only a fragment that no read needs may be left out.
    if (one && !hasTilesOf(schema, one, index >= 0 ? undefined : onUnread)) continue
    if (!one?.info.nonempty_domain || overlapOf(one.info.nonempty_domain) === 'none') continue
    yield { entry, opened: one, index: index >= 0 ? index : i - entries.length }
  }
}

/** Opens a fragment that reads of an opened array leave out. */
async function openOther({ array, schema }: OpenedArray, entry: FragmentEntry): Promise<OpenedFragment> {
  const one = await openListedFragment(array, entry)
  return withMisread(schema, [one])[0] ?? one
}

/** Does work on a fragment that no read needs. @returns undefined after a fault that was reported */
async function unlessUnread<T>(onUnread: HistoryQuery['onUnread'], work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work()
  } catch (error) {
    if (!onUnread || !(error instanceof InspectError)) throw error
    onUnread(error)
    return undefined
  }
}

/** Collects histories by the coordinates of the cells. */
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

  /** The history of the cell in a row. Adds the cell if it is new. */
  at(columns: readonly (ColumnData | undefined)[], row: number): FoundHistory {
    const coordinates = this.cells(this.dimensions, columns, row)
    const key = coordinates.map(({ data }) => data.join()).join(' ')
    let known = this.found.get(key)
    if (known) return known
    if (this.found.size === this.most)
      throw usage({ expected: `a range with versions of up to ${this.most} cells`, found: 'more: give a smaller one' })
    known = { columns: this.columns, coordinates, versions: [] }
    this.found.set(key, known)
    return known
  }

  /** The values of a row. Missing columns have fill values. */
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

  /** All histories in row-major order, with their versions sorted by time. */
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

/** Compares versions by time. At the same time, hidden originals come before their consolidated copies. */
function byTime(a: FoundVersion, b: FoundVersion): number {
  const [one, other] = [a.written ?? a.time, b.written ?? b.time]
  return rising(one, other) || rank(a) - rank(b)
}

function rank({ entry, state }: FoundVersion): number {
  if (state === 'later') return 2
  return entry.isRead ? 1 : 0
}

interface FoundHistory extends CellHistory {
  versions: FoundVersion[]
}

function readQuery({ ranges, fields }: HistoryQuery): ReadQuery {
  return { order: 'row-major', ranges, fields }
}

/** The versions of the wanted cells in a tile of a sparse fragment. */
interface Wanted {
  batch: SourceBatch
  place: SearchedFragment
  /** Positions of the cells in the tile. */
  cells: Uint32Array
}

/** The place of a version. */
interface Found {
  /** The tile, and the row of the cell in its batch. */
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
        // Added now, so that a range with too many cells fails early.
        for (const row of one.cells.keys()) histories.at(one.batch.columns, row)
        wanted.push(one)
      }
    }
    await (place.index < 0 ? unlessUnread(query.onUnread, take) : take())
  }
  const deletions = new Map(wanted.map((one) => [one, deletionsOf(filter, one)]))
  const byCell = groupBy(newestFirst(opened, wanted), (found) => histories.at(found.wanted.batch.columns, found.row))
  for (const [history, versions] of byCell) {
    let newer: FoundVersion | undefined
    for (const { wanted: one, row } of versions) {
      const { batch, place } = one
      const unread = fateUnread(opened, one, row)
      const version: FoundVersion = {
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

/** Lists all cells. Among equal coordinates, the cell that wins the merge comes first, then the others, newest first. */
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

/** By row: the first deletion of the cell. */
function deletionsOf(filter: CellFilter, { batch, place, cells }: Wanted): (Deletion | undefined)[] {
  if (place.index < 0) return []
  return filter.deletions([batch], { from: new Uint32Array(cells.length), rows: Uint32Array.from(cells.keys()) })
}

/** Reads the wanted cells of a sparse fragment, without the other cells of their tiles. */
async function* wantedCells(
  { schema }: OpenedArray,
  place: SearchedFragment,
  columns: readonly ColumnType[],
  ranges: RangeSets,
): AsyncGenerator<Wanted> {
  const { dimensions } = schema.domain
  const source = await SparseSource.open(place.opened, place.index, columns)
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

type Fate = Pick<FoundVersion, 'state' | 'by'>

/** What hides a version that a read merges. @param newer the next newer version of the same cell */
function readFate(newer: FoundVersion | undefined, deleted: Deletion | undefined): Fate {
  if (newer && !(deleted && deleted.time < newer.time))
    return { state: 'overwritten', by: { kind: 'fragment', name: newer.entry.name, time: newer.written } }
  return deleted ? { state: 'deleted', by: { kind: 'delete', ...deleted } } : { state: 'current', by: undefined }
}

/** Why a read does not merge a version; undefined if it merges it. */
function unreadFate(opened: OpenedArray, { entry, index }: SearchedFragment, written: bigint): Fate | undefined {
  if (index >= 0) {
    if (!isCutByTime(opened, opened.fragments[index])) return undefined
    const [from, to] = opened.between
    if (written > to) return { state: 'later', by: undefined }
    return written < from ? { state: 'earlier', by: undefined } : undefined
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

/** Reads every fragment by itself, newest first. Deletes do not apply to dense arrays. */
async function denseHistories(opened: OpenedArray, query: HistoryQuery): Promise<CellHistory[]> {
  const { schema, fragments } = opened
  const histories = new Histories(opened, query)
  const own = readColumns(schema, readQuery(query))
  const found: SearchedFragment[] = []
  for await (const place of places(opened, query)) found.push(place)
  // A read returns the cell of the newest fragment that has it.
  const newest = new Map<CellHistory, FoundVersion>()
  const known = new Map<string, WrittenTimes>()
  for (const place of found.sort((a, b) => b.index - a.index)) {
    const { entry, opened: fragment, index } = place
    const time = index < 0 ? fragment.time : fragments[index].time
    const lacks = own.flatMap((column) =>
      column.kind !== 'attribute' || hasAttribute(fragment, column) ? [] : [column.name],
    )
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
          const version: FoundVersion = {
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

function whenWritten(time: WrittenTime, hasFill: () => boolean): Pick<FoundVersion, 'written' | 'neverWritten'> {
  if (time === 'never') return { written: undefined, neverWritten: 'yes' }
  if (time === 'unknown') return { written: undefined, neverWritten: hasFill() ? 'maybe' : undefined }
  return { written: time, neverWritten: undefined }
}
