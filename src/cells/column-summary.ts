import { compareBytes } from '../filters/bytes.ts'
import { type Datatype, datatypeKind, isSignedInteger } from '../format/datatype.ts'
import { type ColumnData, type ColumnType, cellBytes } from './column.ts'
import { isWide, lanesOf, numbersOf, wideNumbersOf } from './elements.ts'
import { wideExtremes } from './extremes.ts'
import { compareValues } from './rtree-builder.ts'
import { cellSizeOf, sumType } from './tile-statistics.ts'

/** Up to this many numbers of 32 bits can be added exactly. */
const EXACT_ADDITIONS = 1 << 20

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

  /** Adds the cells of a batch. @param cells positions of the cells that count */
  add(data: ColumnData, cells: Uint32Array): void {
    const { type } = this.column
    const { validity } = data
    const notNull = validity ? withoutNulls(cells, validity) : cells
    const left = withoutNaN(this.column, data.data, notNull)
    this.nulls += cells.length - notNull.length
    this.nans += notNull.length - left.length
    this.values += left.length
    if (left.length === 0) return
    if (data.starts) this.measure(data.starts, left)
    if (this.indexes) countIndexes(type, data.data, left, this.indexes)
    else if (ORDERED_TEXT.has(type)) {
      const size = cellSizeOf(this.column)
      for (const cell of left) this.updateExtremes(cellBytes(data, cell, size))
    } else if (isNumeric(this.column)) {
      for (const value of minMaxOf(type, data.data, left)) this.updateExtremes(value)
      if (isSummed(this.column)) this.addSum(data.data, left)
    }
  }

  private measure(starts: Float64Array, cells: Uint32Array): void {
    const { lengths } = this
    for (const cell of cells) {
      const length = starts[cell + 1] - starts[cell]
      if (length < lengths.min) lengths.min = length
      if (length > lengths.max) lengths.max = length
      lengths.sum += length
    }
  }

  private updateExtremes(value: Uint8Array): void {
    if (!this.min || this.compare(value, this.min) < 0) this.min = value.slice()
    if (!this.max || this.compare(value, this.max) > 0) this.max = value.slice()
  }

  private addSum(data: Uint8Array, cells: Uint32Array): void {
    const { type } = this.column
    if (isWide(type)) this.integerSum += sumOfWide(lanesOf(data), isSignedInteger(type), cells)
    else if (sumType(type) === 'FLOAT64') {
      const values = numbersOf(type, data)
      for (const cell of cells) this.floatSum += values[cell]
    } else {
      const values = numbersOf(type, data)
      for (const some of parts(cells)) this.integerSum += BigInt(some.reduce((sum, cell) => sum + values[cell], 0))
    }
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

/** Whether each cell is one number, date or time. */
function isNumeric({ type, cell_val_num }: ColumnType): boolean {
  return cell_val_num === 1 && !['text', 'bytes'].includes(datatypeKind(type))
}

/** Whether cells of a column can be NaN or NaT. */
export function mayBeNaN(column: Pick<ColumnType, 'type' | 'cell_val_num'>): boolean {
  return column.cell_val_num === 1 && ['float', 'datetime'].includes(datatypeKind(column.type))
}

/** Those of some cells that are not left out. */
function without(cells: Uint32Array, isLeftOut: (cell: number) => boolean): Uint32Array {
  // Most often none is. Looking costs less than copying.
  for (const cell of cells) if (isLeftOut(cell)) return cells.filter((one) => !isLeftOut(one))
  return cells
}

/** Those of some cells that are not null. */
export function withoutNulls(cells: Uint32Array, validity: Uint8Array): Uint32Array {
  return without(cells, (cell) => validity[cell] === 0)
}

/** Those of some cells that are not NaN or NaT (the smallest integer). */
function withoutNaN(column: ColumnType, data: Uint8Array, cells: Uint32Array): Uint32Array {
  if (!mayBeNaN(column)) return cells
  if (datatypeKind(column.type) === 'float') {
    const values = numbersOf(column.type, data)
    return without(cells, (cell) => Number.isNaN(values[cell]))
  }
  const lanes = lanesOf(data)
  return without(cells, (cell) => lanes[2 * cell] === 0 && lanes[2 * cell + 1] === 0x80000000)
}

/** Whether the cells are summed. Sums of coordinates and of dates have no meaning. */
function isSummed(column: ColumnType): boolean {
  return column.kind === 'attribute' && isNumeric(column) && !['datetime', 'time'].includes(datatypeKind(column.type))
}

/** The smallest and the largest of some cells. None of them is NaN. */
function minMaxOf(type: Datatype, data: Uint8Array, cells: Uint32Array): [min: Uint8Array, max: Uint8Array] {
  if (isWide(type)) {
    const { min, max } = wideExtremes(data, isSignedInteger(type), { length: cells.length, at: cells })
    return [min, max]
  }
  const values = numbersOf(type, data)
  let [min, max] = [cells[0], cells[0]]
  let [low, high] = [values[min], values[max]]
  for (let i = 1; i < cells.length; i++) {
    const value = values[cells[i]]
    if (value < low) {
      low = value
      min = cells[i]
    } else if (value > high) {
      high = value
      max = cells[i]
    }
  }
  const size = values.BYTES_PER_ELEMENT
  return [data.subarray(min * size, (min + 1) * size), data.subarray(max * size, (max + 1) * size)]
}

/** The cells in parts whose sums are exact. */
function* parts(cells: Uint32Array): Generator<Uint32Array> {
  for (let from = 0; from < cells.length; from += EXACT_ADDITIONS) yield cells.subarray(from, from + EXACT_ADDITIONS)
}

/** The sum of 8-byte integers. It adds the halves separately, without a bigint for each cell. */
function sumOfWide(lanes: Uint32Array, signed: boolean, cells: Uint32Array): bigint {
  let sum = 0n
  for (const some of parts(cells)) {
    let [low, high] = [0, 0]
    for (const cell of some) {
      low += lanes[2 * cell]
      high += signed ? lanes[2 * cell + 1] | 0 : lanes[2 * cell + 1]
    }
    sum += (BigInt(high) << 32n) + BigInt(low)
  }
  return sum
}

function countIndexes(type: Datatype, data: Uint8Array, cells: Uint32Array, counts: Map<bigint, number>): void {
  const values = isWide(type) ? wideNumbersOf(type, data) : numbersOf(type, data)
  const added = new Map<number | bigint, number>()
  for (const cell of cells) added.set(values[cell], (added.get(values[cell]) ?? 0) + 1)
  for (const [index, count] of added) counts.set(BigInt(index), (counts.get(BigInt(index)) ?? 0) + count)
}
