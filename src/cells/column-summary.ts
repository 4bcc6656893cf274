import { compareBytes } from '../filters/bytes.ts'
import { type Datatype, datatypeKind, isSignedInteger } from '../format/datatype.ts'
import { type ColumnData, type ColumnType, cellBytes } from './column.ts'
import { aligned, isWide, lanesOf, numbersOf } from './elements.ts'
import { wideExtremes } from './extremes.ts'
import { cellSizeOf, sumType } from './tile-statistics.ts'

/** This many numbers of up to 32 bits can be added without a loss. */
const EXACT_ADDITIONS = 1 << 20

/** Text whose bytes sort like its characters. */
const ORDERED_TEXT: ReadonlySet<Datatype> = new Set(['CHAR', 'STRING_ASCII', 'STRING_UTF8'])

/**
 * Minimum, maximum, sum and counts of the cells of a column, batch by batch. Unlike in the statistics that TileDB stores, the sum of
 * integers is exact, NaN and NaT are counted and otherwise left out, and infinities are values like others.
 */
export class ColumnSummary {
  readonly column: ColumnType
  nulls = 0
  /** Cells with a value: not null, NaN or NaT. */
  values = 0
  /** Of var-sized fields how many bytes the shortest and the longest cell have, and all. */
  readonly lengths = { min: Number.POSITIVE_INFINITY, max: 0, sum: 0 }
  /** NaN and NaT, of fields with one float or date a cell. */
  nans = 0
  /** Raw values; undefined without values, and for types without an order. */
  min: Uint8Array | undefined
  max: Uint8Array | undefined
  /** How often each index of an enumeration comes; undefined for a column without one, which has the others. */
  readonly indexes: Map<bigint, number> | undefined
  private whole = 0n
  private real = 0

  /** @param isLabelled whether the column holds indexes of an enumeration */
  constructor(column: ColumnType, isLabelled = false) {
    this.column = column
    if (isLabelled && isNumeric(column)) this.indexes = new Map()
  }

  /** @param cells positions of the cells that count */
  add(data: ColumnData, cells: Uint32Array): void {
    const { type } = this.column
    const { validity } = data
    const there = validity ? cells.filter((cell) => validity[cell] !== 0) : cells
    const isNoValue = noValueOf(this.column, data.data)
    const left = isNoValue ? there.filter((cell) => !isNoValue(cell)) : there
    this.nulls += cells.length - there.length
    this.nans += there.length - left.length
    this.values += left.length
    if (left.length === 0) return
    if (data.starts) this.measure(data.starts, left)
    if (this.indexes) countIndexes(type, data.data, left, this.indexes)
    else if (ORDERED_TEXT.has(type)) {
      const size = cellSizeOf(this.column)
      for (const cell of left) this.take(cellBytes(data, cell, size))
    } else if (isNumeric(this.column)) {
      for (const value of extremesOf(type, data.data, left)) this.take(value)
      if (hasSum(this.column)) this.addSum(data.data, left)
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

  private take(value: Uint8Array): void {
    const { type } = this.column
    if (!this.min || compareValues(type, value, this.min) < 0) this.min = value.slice()
    if (!this.max || compareValues(type, value, this.max) > 0) this.max = value.slice()
  }

  private addSum(data: Uint8Array, cells: Uint32Array): void {
    const { type } = this.column
    if (isWide(type)) this.whole += sumOfWide(lanesOf(data), isSignedInteger(type), cells)
    else if (sumType(type) === 'FLOAT64') {
      const values = numbersOf(type, data)
      for (const cell of cells) this.real += values[cell]
    } else {
      const values = numbersOf(type, data)
      for (const some of parts(cells)) this.whole += BigInt(some.reduce((sum, cell) => sum + values[cell], 0))
    }
  }

  /** The sum: of integers exact, however large; of floats as they were added. Undefined for types that are not summed. */
  get sum(): bigint | number | undefined {
    if (!hasSum(this.column) || this.indexes) return undefined
    return sumType(this.column.type) === 'FLOAT64' ? this.real : this.whole
  }

  /** Whether the sum is beyond the 64 bits in which TileDB sums integers. */
  get overflows(): boolean {
    const { whole } = this
    return (sumType(this.column.type) === 'INT64' ? BigInt.asIntN : BigInt.asUintN)(64, whole) !== whole
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

/** Tells cells that are NaN or NaT: of dates the smallest integer. Undefined for types that have none. */
function noValueOf(column: ColumnType, data: Uint8Array): ((cell: number) => boolean) | undefined {
  if (!mayBeNaN(column)) return undefined
  if (datatypeKind(column.type) === 'float') {
    const values = numbersOf(column.type, data)
    return (cell) => Number.isNaN(values[cell])
  }
  const lanes = lanesOf(data)
  return (cell) => lanes[2 * cell] === 0 && lanes[2 * cell + 1] === 0x80000000
}

/** Sums of coordinates and of dates say nothing. */
function hasSum(column: ColumnType): boolean {
  return column.kind === 'attribute' && isNumeric(column) && !['datetime', 'time'].includes(datatypeKind(column.type))
}

function compareValues(type: Datatype, a: Uint8Array, b: Uint8Array): number {
  if (ORDERED_TEXT.has(type)) return compareBytes(a, b)
  const [[x], [y]] = [a, b].map((bytes) => (isWide(type) ? integersOf(type, bytes) : numbersOf(type, bytes)))
  return x < y ? -1 : x > y ? 1 : 0
}

/** 8-byte integers. */
function integersOf(type: Datatype, data: Uint8Array): BigInt64Array | BigUint64Array {
  const { buffer, byteOffset, length } = aligned(data, 8)
  return isSignedInteger(type)
    ? new BigInt64Array(buffer, byteOffset, length >>> 3)
    : new BigUint64Array(buffer, byteOffset, length >>> 3)
}

/** The smallest and the largest of some cells, of which none is NaN. */
function extremesOf(type: Datatype, data: Uint8Array, cells: Uint32Array): [min: Uint8Array, max: Uint8Array] {
  if (isWide(type)) {
    const { min, max } = wideExtremes(data, isSignedInteger(type), { length: cells.length, at: cells })
    return [min, max]
  }
  const values = numbersOf(type, data)
  let [min, max] = [cells[0], cells[0]]
  for (const cell of cells) {
    if (values[cell] < values[min]) min = cell
    if (values[cell] > values[max]) max = cell
  }
  const size = values.BYTES_PER_ELEMENT
  return [data.subarray(min * size, (min + 1) * size), data.subarray(max * size, (max + 1) * size)]
}

function* parts(cells: Uint32Array): Generator<Uint32Array> {
  for (let from = 0; from < cells.length; from += EXACT_ADDITIONS) yield cells.subarray(from, from + EXACT_ADDITIONS)
}

/** Without a bigint for each cell: the halves are added by themselves. */
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
  const values = isWide(type) ? integersOf(type, data) : numbersOf(type, data)
  const own = new Map<number | bigint, number>()
  for (const cell of cells) own.set(values[cell], (own.get(values[cell]) ?? 0) + 1)
  for (const [index, count] of own) counts.set(BigInt(index), (counts.get(BigInt(index)) ?? 0) + count)
}
