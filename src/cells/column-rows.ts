import type { CellValNum } from '../format/cell-val-num.ts'
import type { Datatype } from '../format/datatype.ts'
import { fixedSize } from '../format/range.ts'
import type { CellValue, ValueStyle } from '../format/value.ts'
import type { ColumnData, ColumnType } from './column.ts'
import { columnValue } from './rows.ts'

/** Stored cells of a column. */
interface StoredCells {
  column: ColumnType
  data: ColumnData
  /** Whether values are shown as stored: see {@link ValueStyle}. */
  raw: boolean
}

/**
 * A list whose values are made one by one when needed. If `stored` is set, its cells are printed like the values, so that a
 * writer can print them without making the values.
 */
export class ValueColumn<T = CellValue> implements Iterable<T> {
  readonly length: number
  readonly at: (index: number) => T
  readonly stored: StoredCells | undefined

  constructor(length: number, at: (index: number) => T, stored?: StoredCells) {
    this.length = length
    this.at = at
    this.stored = stored
  }

  *[Symbol.iterator](): Generator<T> {
    for (let i = 0; i < this.length; i++) yield this.at(i)
  }

  /** Values `[from, to)`. */
  part(from: number, to: number): ValueColumn<T> {
    if (from === 0 && to === this.length) return this
    const { stored } = this
    return new ValueColumn(to - from, (index) => this.at(from + index), stored && partOf(stored, from, to))
  }

  /** The values of stored cells without nulls. @param starts start of each var-sized cell, and the end of the last */
  static of(
    type: Datatype,
    cell_val_num: CellValNum,
    { data, starts, length }: { data: Uint8Array; starts?: Float64Array | undefined; length: number },
    { raw }: ValueStyle,
  ): ValueColumn {
    const stored = storedCells(type, cell_val_num, { data, starts, validity: undefined }, raw)
    const value = columnValue(stored.column, { raw })
    return new ValueColumn(length, (index) => value(stored.data, index), stored)
  }

  static numbers(values: Float64Array): ValueColumn<number> {
    const data = new Uint8Array(values.buffer, values.byteOffset, values.byteLength)
    return new ValueColumn(values.length, (index) => values[index] ?? Number.NaN, fixedCells('FLOAT64', data))
  }
}

function partOf({ column, data: { data, starts, validity }, raw }: StoredCells, from: number, to: number): StoredCells {
  const size = fixedSize(column) ?? 0
  return {
    column,
    data: {
      data: starts ? data : data.subarray(from * size, to * size),
      starts: starts?.subarray(from, to + 1),
      validity: validity?.subarray(from, to),
    },
    raw,
  }
}

/** Stored cells with one value each, without nulls. */
export function fixedCells(type: Datatype, data: Uint8Array, raw = false): StoredCells {
  return storedCells(type, 1, { data, starts: undefined, validity: undefined }, raw)
}

function storedCells(type: Datatype, cell_val_num: CellValNum, data: ColumnData, raw: boolean): StoredCells {
  return { column: { name: '', kind: 'attribute', type, cell_val_num, nullable: false }, data, raw }
}

/** The shape of rows of type `T`: columns stand in place of the values that differ from row to row. */
export type InColumns<T> =
  | T
  | ValueColumn<T>
  | (T extends readonly (infer E)[]
      ? readonly InColumns<E>[]
      : T extends object
        ? { readonly [K in keyof T]: InColumns<T[K]> }
        : never)

/**
 * Rows of one shape, which differ only in the values of columns. Each row is made while iterating. Columns may be nested in
 * plain objects and arrays.
 */
export class ColumnRows<T> implements Iterable<T> {
  readonly shape: InColumns<T>
  readonly length: number
  /** Positions of the rows in the columns, rising; undefined for all. */
  readonly rows: Uint32Array | undefined

  constructor(shape: InColumns<T>, length: number, rows?: Uint32Array) {
    this.shape = shape
    this.length = length
    this.rows = rows
  }

  *[Symbol.iterator](): Generator<T> {
    const row = rowMaker(this.shape) as (index: number) => T
    for (let i = 0; i < this.length; i++) yield row(this.position(i))
  }

  /** The position in the columns of the i-th row. */
  position(i: number): number {
    return this.rows?.[i] ?? i
  }

  /** The same rows with other keys before theirs. */
  after(keys: object): ColumnRows<T> {
    return new ColumnRows({ ...keys, ...(this.shape as object) } as InColumns<T>, this.length, this.rows)
  }
}

/** The function that makes a row of a shape. Decisions that do not depend on the row are made once. */
function rowMaker(shape: unknown): (index: number) => unknown {
  if (shape instanceof ValueColumn) return shape.at
  if (Array.isArray(shape)) {
    const makers = shape.map(rowMaker)
    return (index) => makers.map((make) => make(index))
  }
  if (typeof shape !== 'object' || shape === null || shape instanceof Uint8Array) return () => shape
  const makers = Object.entries(shape).map(([key, part]) => ({ key, make: rowMaker(part) }))
  return (index) => {
    const row: { [key: string]: unknown } = {}
    for (const { key, make } of makers) row[key] = make(index)
    return row
  }
}
