import { rising } from '../base/rising.ts'
import { sum } from '../base/sum.ts'
import { isSorted, orderLanes } from '../cells/cell-order.ts'
import { type ColumnData, columnsBytes, sameCell } from '../cells/column.ts'
import { gatherFrom } from '../cells/gather.ts'
import { isBefore, type KeyLanes, sortedPositions } from '../cells/sorted-positions.ts'
import type { ArraySchema } from '../format/array-schema.ts'
import { datatypeKind, datatypeSize } from '../format/datatype.ts'
import { fixedSize } from '../format/range.ts'
import { type Picked, writtenAt } from './filter.ts'
import type { ReadQuery } from './query.ts'
import type { SourceBatch } from './source.ts'

/** Cells of a batch that were read but not returned yet. */
interface Entry {
  batch: SourceBatch
  /** Positions in the batch, rising. */
  rows: Uint32Array
}

/** Cells that were taken out of the pool. */
interface Taken {
  batches: SourceBatch[]
  picked: Picked
  /** The position, among the limiting cells, of the one that sorts first. */
  firstLimit: number
}

const NO_FILL: ColumnData = { data: new Uint8Array(0), starts: undefined, validity: undefined }

/** Merges the cells of several fragments into global order. */
export class MergePool {
  private readonly schema: ArraySchema
  private readonly onNotUnique: ReadQuery['onNotUnique']
  /** The batches whose order was checked. */
  private readonly checked = new WeakSet<SourceBatch>()
  private entries: Entry[] = []
  /** Memory of the entries, in bytes. */
  bytes = 0

  constructor(schema: ArraySchema, onNotUnique?: ReadQuery['onNotUnique']) {
    this.schema = schema
    this.onNotUnique = onNotUnique
  }

  add(batch: SourceBatch, rows: Uint32Array): void {
    if (rows.length === 0) return
    this.entries.push({ batch, rows })
    this.bytes += entryBytes(batch, rows)
  }

  /** Number of cells of a fragment in the pool. @param index position of the fragment */
  waiting(index: number): number {
    return sum(this.entries, ({ batch, rows }) => (batch.source.index === index ? rows.length : 0))
  }

  /**
   * Takes out, in global order, the cells that come before all limiting cells. In an array without duplicates it returns only the newest
   * cell of equal coordinates: the one with the highest time, and at equal times the one of the last fragment.
   *
   * @param limits coordinates of the limiting cells, by dimension; undefined to take out all cells
   */
  take(limits: readonly ColumnData[] | undefined): Taken {
    this.entries.sort((a, b) => newestFirst(a.batch, b.batch))
    const { entries } = this
    const { from, rows } = cellsOfBatches(entries.map((entry) => entry.rows))
    const batches = entries.map(({ batch }) => batch)
    const { dimensions } = this.schema.domain
    const limitNum = limits ? cellNum(limits, fixedSize(dimensions[0])) : 0
    const count = rows.length
    const columns = dimensions.map((dimension, d) => {
      const sources = [...batches.map((batch) => batch.columns[d]), limits?.[d]]
      const size = fixedSize(dimension)
      if (!limits) return gatherFrom(sources.slice(0, -1), from, rows, size, NO_FILL)
      return gatherFrom(
        sources,
        withMore(from, limitNum, () => batches.length),
        withMore(rows, limitNum, (i) => i),
        size,
        NO_FILL,
      )
    })
    const coordinates = orderLanes(this.schema, columns, count + limitNum)
    const times = batches.some(({ written }) => written) ? timeLanes(batches, from, rows) : []
    const lanes = [...coordinates, ...times]
    const sorted = isSorted(lanes, count) ? undefined : sortedPositions(lanes, count)
    if (sorted && this.onNotUnique) this.checkOrder(coordinates)
    let [taken, firstLimit] = [count, 0]
    for (let limit = 1; limit < limitNum; limit++)
      if (isBefore(coordinates, count + limit, count + firstLimit)) firstLimit = limit
    if (limitNum > 0) taken = countBefore(coordinates, sorted, count + firstLimit, count)
    const floats = dimensions.flatMap(({ type }, d) =>
      datatypeKind(type) === 'float' ? { column: columns[d], size: datatypeSize(type) } : [],
    )
    const picks = this.schema.allows_duplicates
      ? (sorted?.subarray(0, taken) ?? Int32Array.from({ length: taken }, (_, i) => i))
      : firstOfEach(coordinates, floats, sorted, taken, (first, cell) =>
          this.replaces(batches[from[first]], rows[first], batches[from[cell]], rows[cell]),
        )
    this.keep(sorted, taken, from, rows)
    return { batches, firstLimit, picked: { from: pickFrom(from, picks), rows: pickFrom(rows, picks) } }
  }

  /** {@link laterTileWins}. Tells if the cells have one time in two fragments: TileDB's readers then choose differently. */
  private replaces(first: SourceBatch, row: number, second: SourceBatch, other: number): boolean {
    if (this.onNotUnique && first.source !== second.source && sameTime(first, row, second, other))
      this.onNotUnique({ kind: 'equal-times', fragments: [first.source.index, second.source.index] })
    return laterTileWins(first, row, second, other)
  }

  /**
   * Tells of batches that are not in global order. Each batch is looked at once, when sorting shows that some cells were not in order.
   * @param lanes of the cells of all entries, one entry after another
   */
  private checkOrder(lanes: KeyLanes): void {
    let end = 0
    for (const { batch, rows } of this.entries) {
      const start = end
      end += rows.length
      if (this.checked.has(batch)) continue
      this.checked.add(batch)
      const lanesOfBatch = lanes.map((lane) => lane.subarray(start, end))
      if (isSorted(lanesOfBatch, rows.length)) continue
      this.onNotUnique?.({ kind: 'out-of-order', fragments: [batch.source.index] })
    }
  }

  /** Keeps only the cells after the first `taken` ones. */
  private keep(sorted: Int32Array | undefined, taken: number, from: Uint32Array, rows: Uint32Array): void {
    if (taken === rows.length) {
      this.entries = []
      this.bytes = 0
      return
    }
    const gone = new Uint8Array(rows.length)
    for (let i = 0; i < taken; i++) gone[sorted ? sorted[i] : i] = 1
    const left = this.entries.map(({ rows }) => ({ rows: new Uint32Array(rows.length), count: 0 }))
    for (let i = 0; i < rows.length; i++) {
      if (gone[i]) continue
      const of = left[from[i]]
      of.rows[of.count++] = rows[i]
    }
    this.entries = this.entries.flatMap(({ batch }, i) =>
      left[i].count > 0 ? [{ batch, rows: left[i].rows.slice(0, left[i].count) }] : [],
    )
    this.bytes = sum(this.entries, ({ batch, rows }) => entryBytes(batch, rows))
  }
}

/** Bytes of the lists that merging and sorting make of a cell: its places, and about one dimension as lanes. */
export const MERGE_BYTES = 8

function entryBytes({ columns }: SourceBatch, rows: Uint32Array): number {
  return columnsBytes(columns) + rows.length * MERGE_BYTES
}

function newestFirst(a: SourceBatch, b: SourceBatch): number {
  const [x, y] = [a.source.fragment.time, b.source.fragment.time]
  return rising(y, x) || b.source.index - a.source.index || a.tile - b.tile || a.first - b.first
}

/** Lists the cells of several batches, one batch after another. */
export function cellsOfBatches(cells: readonly Uint32Array[]): Picked {
  const count = sum(cells, ({ length }) => length)
  const [from, rows] = [new Uint32Array(count), new Uint32Array(count)]
  let at = 0
  for (const [i, own] of cells.entries()) {
    from.fill(i, at, at + own.length)
    rows.set(own, at)
    at += own.length
  }
  return { from, rows }
}

/** Number of cells in columns. */
function cellNum([{ data, starts }]: readonly ColumnData[], size: number | undefined): number {
  return starts ? starts.length - 1 : data.length / (size ?? 1)
}

/** A list with `count` more values at its end. */
function withMore(list: Uint32Array, count: number, value: (i: number) => number): Uint32Array {
  const out = new Uint32Array(list.length + count)
  out.set(list)
  for (let i = 0; i < count; i++) out[list.length + i] = value(i)
  return out
}

/** The elements of a list at some positions. */
export function pickFrom(list: Uint32Array, positions: Int32Array): Uint32Array {
  const out = new Uint32Array(positions.length)
  for (let i = 0; i < out.length; i++) out[i] = list[positions[i]]
  return out
}

/** Key lanes that sort the newest cell first. */
function timeLanes(batches: readonly SourceBatch[], from: Uint32Array, rows: Uint32Array): KeyLanes {
  const [high, low] = [new Uint32Array(rows.length), new Uint32Array(rows.length)]
  for (let i = 0; i < rows.length; i++) {
    const time = writtenAt(batches[from[i]], rows[i])
    if (typeof time === 'bigint') {
      high[i] = ~Number(time >> 32n)
      low[i] = ~Number(BigInt.asUintN(32, time))
    } else {
      high[i] = ~Math.floor(time / 2 ** 32)
      low[i] = ~(time % 2 ** 32)
    }
  }
  return [high, low]
}

/** The number of cells, among the first `most` sorted ones, that come before the cell `end`. */
function countBefore(lanes: KeyLanes, sorted: Int32Array | undefined, end: number, most: number): number {
  let [low, high] = [0, most]
  while (low < high) {
    const middle = (low + high) >>> 1
    if (isBefore(lanes, sorted ? sorted[middle] : middle, end)) low = middle + 1
    else high = middle
  }
  return low
}

/**
 * Whether the second of two cells of equal coordinates replaces the first, although it is sorted after it. In one fragment, at equal
 * times, the cell of the later tile wins; but inside one tile the first cell wins.
 * @see SparseGlobalOrderReader::dedup_tiles_with_timestamps, dedup_fragments_with_timestamps
 */
function laterTileWins(first: SourceBatch, row: number, second: SourceBatch, other: number): boolean {
  return first.source === second.source && second.tile > first.tile && sameTime(first, row, second, other)
}

function sameTime(first: SourceBatch, row: number, second: SourceBatch, other: number): boolean {
  if (!first.written && !second.written) return first.source.fragment.time === second.source.fragment.time
  return BigInt(writtenAt(first, row)) === BigInt(writtenAt(second, other))
}

/**
 * Finds one of the cells of equal coordinates, among the first `count` sorted cells: the first one, unless a later one replaces it.
 * @param floats the coordinates that are floats
 */
function firstOfEach(
  lanes: KeyLanes,
  floats: readonly Floats[],
  sorted: Int32Array | undefined,
  count: number,
  replaces: (first: number, cell: number) => boolean,
): Int32Array {
  const out = new Int32Array(count)
  let found = 0
  for (let i = 0; i < count; i++) {
    const cell = sorted ? sorted[i] : i
    if (found === 0 || !isSame(lanes, floats, out[found - 1], cell)) out[found++] = cell
    else if (replaces(out[found - 1], cell)) out[found - 1] = cell
  }
  return out.subarray(0, found)
}

/** The coordinates of a dimension of floats, and the bytes of one. */
interface Floats {
  column: ColumnData
  size: number
}

/** Whether two cells have the same coordinates. Zeros of both signs, and all NaN, sort alike, but are different coordinates. */
function isSame(lanes: KeyLanes, floats: readonly Floats[], a: number, b: number): boolean {
  // The last lane first: most neighbours differ there.
  for (let l = lanes.length - 1; l >= 0; l--) if (lanes[l][a] !== lanes[l][b]) return false
  for (const { column, size } of floats) if (!sameCell(column, a, b, size)) return false
  return true
}
