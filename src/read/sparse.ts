import { faultOf } from '../base/errors.ts'
import { groupBy } from '../base/group-by.ts'
import { Lease } from '../base/memory.ts'
import {
  type Bounds,
  type Comparable,
  comparable,
  compare,
  type RangeSets,
  rangeOverlap,
  rowsInside,
} from '../cells/bounds.ts'
import { layoutLanes } from '../cells/cell-order.ts'
import { allRows, type CellBatch, type ColumnData, type ColumnType, columnsBytes } from '../cells/column.ts'
import type { ReusedMemories } from '../cells/fragment-cells.ts'
import { sortedPositions } from '../cells/sorted-positions.ts'
import { pickedColumn, remarkChanged } from './fill.ts'
import { CellFilter, isTimed, type Picked, writtenAt } from './filter.ts'
import { OpenFiles } from './open-files.ts'
import { hasTilesOf, isCutByTime, isLost } from './opening.ts'
import { cellsOfBatches, MERGE_BYTES, MergePool } from './pool.ts'
import { tileTest } from './pruning.ts'
import { type OpenedArray, provenanceColumns, type ReadBatches, type ReadQuery, readColumns, WRITTEN } from './query.ts'
import { cornerSchedule, type SourceTile, storedSchedule } from './schedule.ts'
import { cuts } from './slices.ts'
import { SmallFragments } from './small-fragments.ts'
import { exactTime, type SourceBatch, SparseSource, type WantedTile } from './source.ts'
import { untimedText } from './written-times.ts'

/** Bytes of the cells that are merged together: few at first, as with groups of tiles. */
const FIRST_WINDOW = 256 * 1024
const MAX_WINDOW = 4 * 2 ** 20
const WINDOW_GROWTH = 4
/** Upper limit on the bytes of the cells that are sorted together. */
const MAX_SORTED = 24 * 2 ** 20
/** Sorting takes so many times the bytes of its cells. They are also held where they were read and merged, and while the next are read. */
const PARTS_OF_ROOM = 4
/** From this number of fragments on, {@link SmallFragments} save more than they cost. */
const MANY = 16
/** Number of cells in a batch of sorted cells. */
const SORTED_BATCH = 2 ** 16

/**
 * Reads the cells of a sparse array. All fragments are merged as TileDB's reader merges them.
 * @param maxSorted in place of {@link MAX_SORTED}
 */
export async function* readSparse(opened: OpenedArray, query: ReadQuery, maxSorted?: number): ReadBatches {
  const { room } = opened.array.cx.memory
  const reader = await SparseReader.open(opened, query, maxSorted ?? Math.min(MAX_SORTED, room / PARTS_OF_ROOM))
  try {
    yield* reader.batches()
  } finally {
    await reader.close()
  }
}

class SparseReader {
  private readonly opened: OpenedArray
  private readonly query: ReadQuery
  private readonly filter: CellFilter
  private readonly sources: readonly SparseSource[]
  private readonly files: OpenFiles
  /** Sources for which the missing times were remarked. */
  private readonly untimed = new Set<SparseSource>()
  /** The memory of the cells that wait to be merged. */
  private readonly waiting: Lease
  /** The memory of the cells that wait to be sorted. */
  private readonly unsorted: Lease
  private readonly columns: readonly ColumnType[]
  private readonly maxSorted: number
  /** Number of columns to show, without the columns of the provenance. */
  private readonly shown: number

  private constructor(
    opened: OpenedArray,
    query: ReadQuery,
    filter: CellFilter,
    { sources, files, maxSorted }: { sources: readonly SparseSource[]; files: OpenFiles; maxSorted: number },
  ) {
    this.maxSorted = maxSorted
    this.waiting = new Lease(opened.array.cx.memory)
    this.unsorted = new Lease(opened.array.cx.memory)
    this.opened = opened
    this.query = query
    this.filter = filter
    this.sources = sources
    this.files = files
    this.columns = readColumns(opened.schema, query)
    this.shown = readColumns(opened.schema, { ...query, provenance: false }).length
  }

  static async open(opened: OpenedArray, query: ReadQuery, maxSorted: number): Promise<SparseReader> {
    const { schema, fragments } = opened
    const filter = await CellFilter.of(opened, query)
    const overlapOf = rangeOverlap(schema.domain.dimensions, query.ranges)
    const sources: SparseSource[] = []
    remarkChanged(opened, filter.wanted, query.onRemark)
    const files = new OpenFiles(filter.wanted)
    const small = new SmallFragments(query.ranges)
    for (const [index, fragment] of fragments.entries()) {
      if (!hasTilesOf(schema, fragment, query.onFault)) continue
      const { nonempty_domain } = fragment.info
      const overlap = nonempty_domain ? overlapOf(nonempty_domain) : 'all'
      if (overlap === 'none' || (overlap === 'some' && small.hasNoCell(fragment))) continue
      if (isLost(fragment, query.onFault)) continue
      const atOnce = SparseSource.openSync(fragment, index, filter.wanted, query)
      if (atOnce) sources.push(atOnce)
      else {
        const source = await SparseSource.open(fragment, index, filter.wanted, query).catch((error) => {
          if (!query.onFault) throw error
          query.onFault(faultOf(error))
        })
        if (!source) continue
        await files.use(source)
        sources.push(source)
      }
      if (overlap === 'some' && fragments.length >= MANY) await small.learn(fragment)
    }
    if (query.where) {
      const { where } = query
      const alone = schema.allows_duplicates || !isMerged(sources)
      for (const source of sources) {
        const { fragment, info } = source.fragment
        await files.use(source)
        source.mayHold = await tileTest(fragment, info, where, alone)
      }
    }
    return new SparseReader(opened, query, filter, { sources, files, maxSorted })
  }

  async close(): Promise<void> {
    this.waiting.release()
    this.unsorted.release()
    await this.files.close()
  }

  batches(): ReadBatches {
    const { order, ranges } = this.query
    return order === 'row-major' || order === 'col-major'
      ? this.sorted(order === 'col-major')
      : this.merged(ranges, order === 'global')
  }

  /**
   * Yields the cells of all fragments.
   * @param inOrder whether the cells must come in global order. If not, and duplicates are allowed, they come fragment after fragment.
   */
  private async *merged(ranges: RangeSets, inOrder: boolean, reuse = this.query.reuse === true): ReadBatches {
    const { sources, opened } = this
    if (isMerged(sources) && (inOrder || !opened.schema.allows_duplicates)) yield* this.windows(ranges)
    else {
      const memories: ReusedMemories | undefined = reuse && !this.query.provenance ? new Map() : undefined
      for (const source of sources) yield* this.streamed(source, ranges, memories)
    }
  }

  /** Yields the cells of one fragment in stored order. */
  private async *streamed(source: SparseSource, ranges: RangeSets, memories?: ReusedMemories): ReadBatches {
    await this.files.use(source)
    for (const group of source.tileGroups(ranges)) {
      const { tiles, partly } = await wantedTiles(source, group, ranges)
      yield* this.streamedTiles(source, tiles, (tile) => (partly.has(tile) ? ranges : undefined), memories)
    }
  }

  private async *streamedTiles(
    source: SparseSource,
    tiles: readonly number[],
    rangesOf: (tile: number) => RangeSets | undefined,
    memories?: ReusedMemories,
  ): ReadBatches {
    for await (const batch of source.batches(tiles, memories)) {
      const rows = this.rowsOf(batch, rangesOf(batch.tile))
      this.query.onHeld?.(rows?.length ?? batch.cell_num, batch.source.index)
      const columns = batch.columns.slice(0, this.shown)
      if (this.filter.keepsAll(batch) && !this.query.provenance && columns.every((column) => column !== undefined)) {
        this.query.onMerged?.(rows?.length ?? batch.cell_num)
        yield { tile: batch.tile, first: batch.first, cell_num: batch.cell_num, rows, columns }
      } else {
        const all = rows ?? allRows(batch.cell_num)
        yield* this.shownCells([batch], { from: new Uint32Array(all.length), rows: all })
      }
    }
  }

  /** The rows inside the ranges and inside the times of the opening; undefined for all. */
  private rowsOf(batch: SourceBatch, ranges: RangeSets | undefined): Uint32Array | undefined {
    const { dimensions } = this.opened.schema.domain
    const columns = batch.columns.slice(0, dimensions.length) as ColumnData[]
    const rows = ranges && rowsInside(dimensions, columns, batch.cell_num, ranges)
    const { written } = batch
    if (!written || !isCutByTime(this.opened, batch.source.fragment)) return rows
    const [first, last] = this.opened.between.map(exactTime)
    const all = rows ?? allRows(batch.cell_num)
    return all.filter((row) => written[row] >= first && written[row] <= last)
  }

  /** Yields a batch of the picked cells that the filter keeps. */
  private *shownCells(batches: readonly SourceBatch[], picked: Picked): Generator<CellBatch> {
    this.query.onMerged?.(picked.rows.length)
    const kept = this.filter.kept(batches, picked)
    const cell_num = kept.rows.length
    if (cell_num === 0) return
    const columns = this.columns.slice(0, this.shown).map((_, c) => this.filter.column(c, batches, kept))
    if (this.query.provenance) {
      columns.push(...provenanceOf(batches, kept))
      this.remarkUntimed(batches)
    }
    yield { tile: 0, cell_num, rows: undefined, columns }
  }

  /** Remarks, once per fragment, that the times of its cells are unknown. */
  private remarkUntimed(batches: readonly SourceBatch[]): void {
    const { provenance, onRemark } = this.query
    if (provenance !== true || !onRemark) return
    for (const batch of batches) {
      if (isTimed(batch) || this.untimed.has(batch.source)) continue
      this.untimed.add(batch.source)
      onRemark(WRITTEN.name, untimedText(batch.source.fragment, 'unknown'))
    }
  }

  /** Yields the cells in global order, merged window by window. */
  private async *windows(ranges: RangeSets): ReadBatches {
    const { schema } = this.opened
    const all: SourceTile[] = []
    // Not by spreading, which gives each object a class of its own.
    for (const source of this.sources)
      for (const { tile, overlap } of source.tiles(ranges)) all.push({ tile, overlap, source })
    if (all.length === 0) return
    const pool = new MergePool(schema, this.query.onNotUnique)
    const schedule = schema.cell_order === 'hilbert' ? storedSchedule(schema, all, pool) : cornerSchedule(schema, all)
    const { pause } = this.opened.array.cx
    let bytes = FIRST_WINDOW
    for (let more = true; more; ) {
      const batches = await this.load(schedule.next(bytes), ranges, pool)
      const limits = schedule.limits(batches)
      // Nothing can be returned before more tiles are read.
      if (limits === null) continue
      await pause?.()
      const taken = pool.take(limits)
      schedule.merged(taken.firstLimit)
      this.waiting.hold(pool.bytes)
      yield* this.shownCells(taken.batches, taken.picked)
      more = limits !== undefined
      bytes = Math.min(MAX_WINDOW, bytes * WINDOW_GROWTH)
    }
  }

  /** Reads tiles into the pool. */
  private async load(asked: readonly SourceTile[], ranges: RangeSets, pool: MergePool): Promise<SourceBatch[]> {
    const read: SourceBatch[] = []
    for (const [source, own] of groupBy(asked, (one) => one.source)) {
      await this.files.use(source)
      const { tiles, partly } = await wantedTiles(source, own, ranges)
      for await (const batch of source.batches(tiles)) {
        const rows = this.rowsOf(batch, partly.has(batch.tile) ? ranges : undefined)
        this.query.onHeld?.(rows?.length ?? batch.cell_num, batch.source.index)
        pool.add(batch, rows ?? allRows(batch.cell_num))
        this.waiting.hold(pool.bytes)
        read.push(batch)
      }
    }
    return read
  }

  /** Yields the cells in row-major or column-major order: one slice of the slowest dimension after another. */
  private async *sorted(colMajor: boolean): ReadBatches {
    const { dimensions } = this.opened.schema.domain
    const slowest = colMajor ? dimensions.length - 1 : 0
    for (const ranges of this.slices(slowest)) {
      const batches: CellBatch[] = []
      this.unsorted.release()
      for await (const batch of this.merged(ranges, false, false)) {
        batches.push(batch)
        const added = columnsBytes(batch.columns) + (batch.rows?.length ?? batch.cell_num) * MERGE_BYTES
        this.unsorted.hold(this.unsorted.bytes + added)
      }
      yield* this.sortedBatches(batches, colMajor)
    }
  }

  /** Cuts the ranges along a dimension into slices. Each has about as many cells as can be sorted together. */
  private *slices(dimension: number): Generator<RangeSets> {
    const { ranges } = this.query
    const { type } = this.opened.schema.domain.dimensions[dimension]
    const spans = this.sources.flatMap((source) =>
      Array.from(source.tiles(ranges), ({ tile }) => {
        const { min, max } = source.mbr(tile)[dimension]
        return { low: comparable(type, min), high: comparable(type, max), bytes: source.tileBytes(tile) }
      }),
    )
    let low: Comparable | undefined
    for (const below of cuts(spans, this.maxSorted)) {
      yield limited(ranges, dimension, { low, high: undefined, below })
      low = below
    }
    // NaN belongs to the last slice, because the sort puts it last.
    yield low === undefined ? ranges : limited(ranges, dimension, { low, high: undefined, nan: !ranges.has(dimension) })
  }

  private *sortedBatches(batches: readonly CellBatch[], colMajor: boolean): Generator<CellBatch> {
    const { schema } = this.opened
    const { dimensions } = schema.domain
    const { from, rows } = cellsOfBatches(batches.map(({ rows, cell_num }) => rows ?? allRows(cell_num)))
    const count = rows.length
    // Cells that lie in thousands of batches are far slower to sort than those of one.
    const joined = this.columns.map((column, c) => {
      const unsorted = batches.map(({ columns }) => columns[c])
      for (const { columns } of batches) columns[c] = undefined
      return pickedColumn(schema, column, unsorted, { from, rows })
    })
    const coordinates = joined.slice(0, dimensions.length)
    const order = sortedPositions(layoutLanes(dimensions, coordinates, count, colMajor), count)
    for (let first = 0; first < count; first += SORTED_BATCH) {
      const positions = order.subarray(first, first + SORTED_BATCH)
      const picked = { from: new Uint32Array(positions.length), rows: Uint32Array.from(positions) }
      const columns = this.columns.map((column, c) => pickedColumn(schema, column, [joined[c]], picked))
      yield { tile: 0, cell_num: positions.length, rows: undefined, columns }
    }
  }
}

/** Whether cells must be merged. The cells of a single fragment are in global order, and hide each other only if they have times. */
function isMerged(sources: readonly SparseSource[]): boolean {
  return sources.length > 1 || sources.some(({ hasTimes }) => hasTimes)
}

/** Finds the tiles with cells in the ranges, rising, and which of them may also have cells outside the ranges. */
export async function wantedTiles(
  source: SparseSource,
  wanted: readonly WantedTile[],
  ranges: RangeSets,
): Promise<{ tiles: number[]; partly: Set<number> }> {
  const rising = wanted.toSorted((a, b) => a.tile - b.tile)
  const some = rising.flatMap(({ tile, overlap }) => (overlap === 'all' ? [] : [tile]))
  const partly = await source.touched(some, ranges)
  const tiles = rising.flatMap(({ tile, overlap }) => (overlap === 'all' || partly.has(tile) ? [tile] : []))
  return { tiles, partly }
}

/** Limits the ranges of one dimension to a slice. */
function limited(ranges: RangeSets, dimension: number, slice: Bounds): RangeSets {
  const own = ranges.get(dimension) ?? [{ low: undefined, high: undefined }]
  const { below, nan } = slice
  return new Map(ranges).set(
    dimension,
    own.map((range) => ({ ...range, low: highest(range.low, slice.low), below, nan })),
  )
}

function highest(a: Comparable | undefined, b: Comparable | undefined): Comparable | undefined {
  if (a === undefined || b === undefined) return a ?? b
  return compare(a, b) < 0 ? b : a
}

/** The {@link import('./query.ts').PROVENANCE} columns of the picked cells. */
function provenanceOf(batches: readonly SourceBatch[], { from, rows }: Picked): ColumnData[] {
  const count = rows.length
  const fragment = new Int32Array(count)
  const [tile, cell, written] = [new BigUint64Array(count), new BigUint64Array(count), new BigInt64Array(count)]
  for (let i = 0; i < count; i++) {
    const batch = batches[from[i]]
    fragment[i] = batch.source.index
    tile[i] = BigInt(batch.tile)
    cell[i] = BigInt(batch.first + rows[i])
    written[i] = BigInt(writtenAt(batch, rows[i]))
  }
  const validity = new Uint8Array(count).fill(1)
  const known = batches.map(isTimed)
  const timed = known.includes(false) ? Uint8Array.from(from, (batch) => Number(known[batch])) : validity
  const columns = [fragment, tile, cell, written].map(({ buffer }) => new Uint8Array(buffer))
  return provenanceColumns(columns, validity, timed)
}
