import { latin1Text } from '../base/byte-text.ts'
import { Distribution } from '../base/distribution.ts'
import { rising } from '../base/rising.ts'
import { type Datatype, datatypeSize, isSignedInteger } from '../format/datatype.ts'
import { type ColumnData, type ColumnType, isNumeric } from './column.ts'
import { mayBeNaN } from './column-summary.ts'
import { isWide, markedPieces, numbersOf, type VisitedCells, wideNumbersOf } from './elements.ts'
import { cellSizeOf } from './tile-statistics.ts'

/** Bytes that an entry of a map takes, beside its text. */
const ENTRY_BYTES = 128
/** Bytes of a value in a list, and how often a growing list may be held at once: grown, and as the shorter one that it is copied from. */
const VALUE_BYTES = 8
const TIMES_HELD = 2
/** Values for which a list has room at first. */
const FIRST_ROOM = 1024
/** The smallest 8-byte integer: NaT of a date. */
const NAT = -(2n ** 63n)

/** A number, or the bytes of another value as characters of 8 bits. */
export type Key = number | bigint | string

type List = Float64Array | BigInt64Array | BigUint64Array

/** A value, raw, and the number of cells that have it. */
export interface ValueCount {
  value: Uint8Array
  cells: number
}

/**
 * Counts the cells of a column by their values, without those that are null, NaN or NaT. If there are more distinct values than memory
 * may hold, numbers are listed instead, as long as these fit.
 */
export class ValueCounts {
  private readonly column: ColumnType
  /** Upper limit on the bytes of all entries. */
  private readonly most: number
  private counts: Map<Key, number> | undefined = new Map()
  private bytes = 0
  /** All values, if there are too many distinct ones. */
  private list: List | undefined
  private total = 0
  /** Number of distinct values that did not fit any more. */
  moreThan: number | undefined
  /** Lengths of the values of a var-sized column, in elements. */
  readonly lengths = new Distribution()

  constructor(column: ColumnType, most: number) {
    this.column = column
    this.most = most
  }

  /** Number of distinct values; undefined if they did not fit. */
  get distinct(): number | undefined {
    return this.counts?.size
  }

  /** Whether the values have percentiles: each cell is one number, date or time. */
  get isOrdered(): boolean {
    return isNumeric(this.column)
  }

  /** Adds the cells of a batch. @param cells the cells that count */
  add(data: ColumnData, cells: VisitedCells): void {
    const { validity, starts } = data
    if (starts) {
      const size = datatypeSize(this.column.type)
      for (const { length, at } of validity ? markedPieces([cells], validity) : [cells])
        for (let i = 0; i < length; i++) {
          const cell = at ? (at[i] ?? 0) : i
          this.lengths.add(((starts[cell + 1] ?? 0) - (starts[cell] ?? 0)) / size)
        }
    }
    if (!this.counts && !this.list) return
    const keyAt = keysOf(this.column, data)
    for (const { length, at } of validity ? markedPieces([cells], validity) : [cells])
      for (let i = 0; i < length; i++) {
        const key = keyAt(at ? (at[i] ?? 0) : i)
        if (key !== undefined) this.count(key)
      }
  }

  /** The values that most cells have, at most `most` of them, and the smaller ones first if as many cells have them. */
  frequent(most: number): ValueCount[] {
    const found: [Key, number][] = []
    const compare = (a: [Key, number], b: [Key, number]): number => b[1] - a[1] || rising(a[0], b[0])
    for (const entry of this.counts ?? []) {
      const last = found[most - 1]
      if (last && compare(entry, last) > 0) continue
      found.push(entry)
      found.sort(compare).splice(most)
    }
    return found.map(([key, cells]) => ({ value: bytesOfKey(this.column.type, key), cells }))
  }

  /**
   * The values below which so many percent of the cells lie, by nearest rank: the first of the sorted values of which at least so many
   * percent are not larger. Undefined if the values did not fit, or if there are none.
   */
  percentiles(percents: readonly number[]): Uint8Array[] | undefined {
    if (!this.isOrdered || this.total === 0) return undefined
    const at = this.counts ? this.fromCounts(this.counts) : this.fromList()
    return (
      at &&
      percents.map((percent) => bytesOfKey(this.column.type, at(Math.max(1, Math.ceil((percent * this.total) / 100)))))
    )
  }

  /** A function that returns the key of a rank, from 1 on. Ranks must rise. */
  private fromCounts(counts: ReadonlyMap<Key, number>): (rank: number) => Key {
    const sorted = [...counts].sort(([a], [b]) => rising(a, b))
    let [next, seen] = [0, 0]
    return (rank) => {
      for (; seen < rank && next < sorted.length; next++) seen += sorted[next]?.[1] ?? 0
      return sorted[next - 1]?.[0] ?? 0
    }
  }

  private fromList(): ((rank: number) => Key) | undefined {
    const sorted = this.list?.subarray(0, this.total).sort()
    return sorted && ((rank) => sorted[rank - 1] ?? 0)
  }

  private count(key: Key): void {
    this.total++
    const { counts } = this
    if (!counts) {
      this.append(key, this.total - 1)
      return
    }
    const known = counts.get(key)
    counts.set(key, (known ?? 0) + 1)
    if (known !== undefined) return
    this.bytes += ENTRY_BYTES + (typeof key === 'string' ? key.length : 0)
    if (this.bytes > this.most) this.spill(counts)
  }

  /** Gives up the distinct values. Numbers become a list. */
  private spill(counts: ReadonlyMap<Key, number>): void {
    this.moreThan = counts.size - 1
    this.counts = undefined
    if (!this.isOrdered) return
    this.list = this.newList(FIRST_ROOM)
    let at = 0
    for (const [key, cells] of counts) for (let i = 0; i < cells && this.list; i++) this.append(key, at++)
  }

  private append(key: Key, at: number): void {
    if (this.list && at >= this.list.length) this.grow(this.list)
    if (this.list) this.list[at] = key as never
  }

  private grow(list: List): void {
    const room = Math.min(2 * list.length, Math.floor(this.most / VALUE_BYTES / TIMES_HELD))
    this.list = room > list.length ? this.newList(room) : undefined
    this.list?.set(list as never)
  }

  private newList(room: number): List {
    const { type } = this.column
    if (!isWide(type)) return new Float64Array(room)
    return isSignedInteger(type) ? new BigInt64Array(room) : new BigUint64Array(room)
  }
}

/** A function that returns the key of a cell; undefined for NaN and NaT. */
export function keysOf(column: ColumnType, data: ColumnData): (cell: number) => Key | undefined {
  const { type } = column
  if (!isNumeric(column)) {
    const size = Number(cellSizeOf(column))
    const { data: bytes, starts } = data
    if (!starts) return (cell) => latin1Text(bytes, cell * size, (cell + 1) * size)
    return (cell) => latin1Text(bytes, starts[cell] ?? 0, starts[cell + 1] ?? 0)
  }
  const skipsNaN = mayBeNaN(column)
  if (isWide(type)) {
    const values = wideNumbersOf(type, data.data)
    return (cell) => (skipsNaN && values[cell] === NAT ? undefined : values[cell])
  }
  const values = numbersOf(type, data.data)
  return (cell) => {
    const value = values[cell]
    return skipsNaN && Number.isNaN(value ?? Number.NaN) ? undefined : value
  }
}

/** The raw value of a key. */
export function bytesOfKey(type: Datatype, key: Key): Uint8Array {
  if (typeof key === 'string') return Uint8Array.from(key, (character) => character.charCodeAt(0))
  const bytes = new Uint8Array(datatypeSize(type))
  if (typeof key === 'bigint') wideNumbersOf(type, bytes)[0] = key
  else numbersOf(type, bytes)[0] = key
  return bytes
}
