import { compareBytes } from '../filters/bytes.ts'
import { type Datatype, datatypeKind, isSignedInteger } from '../format/datatype.ts'
import { sumType } from '../format/value.ts'
import { allRows, type ColumnData, type ColumnType, isNumeric } from './column.ts'
import {
  isWide,
  markedPieces,
  type Numbers,
  numbersOf,
  uint32LanesOf,
  type VisitedCells,
  wideNumbersOf,
} from './elements.ts'
import { type Extremes, textExtremes, wideExtremes } from './extremes.ts'
import { compareValues } from './rtree-builder.ts'
import { cellSizeOf } from './tile-statistics.ts'

/** Up to this many numbers of 32 bits can be added exactly. */
const EXACT_ADDITIONS = 1 << 20

/** No byte ends a text. */
const NO_END = -1

/** Text whose bytes sort like its characters. */
const ORDERED_TEXT: ReadonlySet<Datatype> = new Set(['CHAR', 'STRING_ASCII', 'STRING_UTF8'])

/**
 * Minimum, maximum, sum and counts of the cells of a column, which are added batch by batch. They differ from the statistics
 * that TileDB stores: the sum of integers is exact, NaN and NaT are only counted, and infinities are ordinary values.
 */
export class ColumnSummary {
  readonly column: ColumnType
  nulls = 0
  /** Number of cells that are not null, NaN or NaT. */
  values = 0
  /** Bytes of the shortest cell, of the longest, and of all, in var-sized fields. */
  readonly lengths = { min: Number.POSITIVE_INFINITY, max: 0, sum: 0 }
  /** Number of NaN and NaT, in fields with one float or date per cell. */
  nans = 0
  /** Raw extreme values; undefined if there are no values, or their type has no order. */
  min: Uint8Array | undefined
  max: Uint8Array | undefined
  /** Count of each index of an enumeration; undefined for a column without one. With it there are no extremes and no sum. */
  readonly indexes: Map<bigint, number> | undefined
  private integerSum = 0n
  private floatSum = 0
  /** Compares two raw values. */
  private readonly compare: (a: Uint8Array, b: Uint8Array) => number

  /** @param isLabelled whether the column holds indexes of an enumeration */
  constructor(column: ColumnType, isLabelled = false) {
    this.column = column
    const { type } = column
    this.compare = ORDERED_TEXT.has(type) ? compareBytes : (a, b) => compareValues({ type, cell_val_num: 1 }, a, b)
    if (isLabelled && isNumeric(column)) this.indexes = new Map()
  }

  /** Adds the cells of a batch. @param cells the cells that count */
  add(data: ColumnData, cells: VisitedCells): void {
    const { validity } = data
    this.nulls += cells.length
    for (const left of validity ? markedPieces([cells], validity) : [cells])
      if (left.length > 0) this.addValues(data, left)
  }

  /** @param left cells that are not null */
  private addValues(data: ColumnData, left: VisitedCells): void {
    const { type } = this.column
    this.nulls -= left.length
    this.values += left.length
    if (data.starts) this.measure(data.starts, left)
    if (this.indexes) countIndexes(type, data.data, left, this.indexes)
    else if (ORDERED_TEXT.has(type))
      this.updateExtremes(textExtremes(data.data, data.starts, cellSizeOf(this.column), [left], NO_END))
    else if (isNumeric(this.column)) {
      if (isWide(type)) this.addIntegers(data.data, left)
      else this.addNumbers(numbersOf(type, data.data), data.data, left)
    }
  }

  private measure(starts: Float64Array, { length, at }: VisitedCells): void {
    const { lengths } = this
    let { min, max, sum } = lengths
    for (let i = 0; i < length; i++) {
      const cell = at ? at[i] : i
      const bytes = starts[cell + 1] - starts[cell]
      if (bytes < min) min = bytes
      if (bytes > max) max = bytes
      sum += bytes
    }
    Object.assign(lengths, { min, max, sum })
  }

  private updateExtremes(found: Extremes | undefined): void {
    if (!found) return
    if (!this.min || this.compare(found.min, this.min) < 0) this.min = found.min.slice()
    if (!this.max || this.compare(found.max, this.max) > 0) this.max = found.max.slice()
  }

  /** Adds floats, and integers of up to 4 bytes, in one pass. */
  private addNumbers(values: Numbers, data: Uint8Array, { length, at }: VisitedCells): void {
    const isFloat = sumType(this.column.type) === 'FLOAT64'
    let [min, max, nans] = [-1, -1, 0]
    let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
    for (let from = 0; from < length; from += EXACT_ADDITIONS) {
      const to = Math.min(length, from + EXACT_ADDITIONS)
      let sum = isFloat ? this.floatSum : 0
      for (let i = from; i < to; i++) {
        const cell = at ? at[i] : i
        const value = values[cell]
        if (Number.isNaN(value)) {
          nans++
          continue
        }
        sum += value
        if (value < low || min < 0) {
          low = value
          min = cell
        }
        if (value > high || max < 0) {
          high = value
          max = cell
        }
      }
      if (isFloat) this.floatSum = sum
      else this.integerSum += BigInt(sum)
    }
    this.nans += nans
    this.values -= nans
    const size = values.BYTES_PER_ELEMENT
    const bytesAt = (cell: number): Uint8Array => data.subarray(cell * size, (cell + 1) * size)
    if (min >= 0) this.updateExtremes({ min: bytesAt(min), max: bytesAt(max) })
  }

  /** Adds 8-byte integers, dates and times. */
  private addIntegers(data: Uint8Array, cells: VisitedCells): void {
    const { type } = this.column
    const left = mayBeNaN(this.column) ? withoutNaT(uint32LanesOf(data), cells) : cells
    this.nans += cells.length - left.length
    this.values -= cells.length - left.length
    if (left.length === 0) return
    this.updateExtremes(wideExtremes(data, isSignedInteger(type), [left]))
    if (isSummed(this.column)) this.integerSum += sumOfWide(uint32LanesOf(data), isSignedInteger(type), left)
  }

  /** The sum, exact for integers of any size. Undefined for types that are not summed. */
  get sum(): bigint | number | undefined {
    if (!isSummed(this.column) || this.indexes) return undefined
    return sumType(this.column.type) === 'FLOAT64' ? this.floatSum : this.integerSum
  }

  /** Whether the sum exceeds the 64 bits in which TileDB sums integers. */
  get overflows(): boolean {
    const { integerSum } = this
    return (sumType(this.column.type) === 'INT64' ? BigInt.asIntN : BigInt.asUintN)(64, integerSum) !== integerSum
  }
}

/** Whether cells of a column can be NaN or NaT. */
export function mayBeNaN(column: Pick<ColumnType, 'type' | 'cell_val_num'>): boolean {
  return column.cell_val_num === 1 && ['float', 'datetime'].includes(datatypeKind(column.type))
}

/** Those of some dates and times that are not NaT, the smallest integer. */
function withoutNaT(lanes: Uint32Array, cells: VisitedCells): VisitedCells {
  const { length: total, at } = cells
  const isNaT = (cell: number): boolean => lanes[2 * cell] === 0 && lanes[2 * cell + 1] === 0x80000000
  // Most often none is. Looking costs less than copying.
  let i = 0
  while (i < total && !isNaT(at ? at[i] : i)) i++
  if (i === total) return cells
  const left = (at ?? allRows(total)).subarray(0, total).filter((cell) => !isNaT(cell))
  return { length: left.length, at: left }
}

/** Whether the cells are summed. Sums of coordinates and of dates have no meaning. */
function isSummed(column: ColumnType): boolean {
  return column.kind === 'attribute' && isNumeric(column) && !['datetime', 'time'].includes(datatypeKind(column.type))
}

/** The sum of 8-byte integers. It adds the halves separately, without a bigint for each cell. */
function sumOfWide(lanes: Uint32Array, signed: boolean, { length, at }: VisitedCells): bigint {
  let sum = 0n
  for (let from = 0; from < length; from += EXACT_ADDITIONS) {
    const to = Math.min(length, from + EXACT_ADDITIONS)
    let [low, high] = [0, 0]
    for (let i = from; i < to; i++) {
      const cell = at ? at[i] : i
      low += lanes[2 * cell]
      high += signed ? lanes[2 * cell + 1] | 0 : lanes[2 * cell + 1]
    }
    sum += (BigInt(high) << 32n) + BigInt(low)
  }
  return sum
}

function countIndexes(
  type: Datatype,
  data: Uint8Array,
  { length, at }: VisitedCells,
  counts: Map<bigint, number>,
): void {
  const values = isWide(type) ? wideNumbersOf(type, data) : numbersOf(type, data)
  const added = new Map<number | bigint, number>()
  for (let i = 0; i < length; i++) {
    const value = values[at ? at[i] : i]
    added.set(value, (added.get(value) ?? 0) + 1)
  }
  for (const [index, count] of added) counts.set(BigInt(index), (counts.get(BigInt(index)) ?? 0) + count)
}
