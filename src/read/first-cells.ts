import { element } from '../base/element.ts'
import type { CellBatch, ColumnData, ColumnType } from '../cells/column.ts'
import { cellBytes } from '../cells/column.ts'
import { isWide, numbersOf, wideNumbersOf } from '../cells/elements.ts'
import { compareBytes } from '../filters/bytes.ts'
import type { ArraySchema } from '../format/array-schema.ts'
import { datatypeKind, datatypeSize } from '../format/datatype.ts'
import { pickedColumn } from './fill.ts'

/** How cells are sorted: by which column, and whether from its largest value on. */
export interface CellSort {
  column: ColumnType
  descending: boolean
}

/** A value to sort by. Undefined for null, NaN and NaT, which come last in both directions. */
type Key = number | bigint | Uint8Array | undefined

/** The integer of a date or time that is none. @see numpy.datetime64("NaT") */
const NAT = -(2n ** 63n)

/** Whether a column can be sorted by: its cells are single values, or bytes. */
export function canSort({ type, cell_val_num }: Pick<ColumnType, 'type' | 'cell_val_num'>): boolean {
  const kind = datatypeKind(type)
  return kind === 'text' || kind === 'bytes' ? datatypeSize(type) === 1 : cell_val_num === 1
}

/** Returns the keys of the cells of a batch. */
function keysOf({ type, cell_val_num }: ColumnType, data: ColumnData): (cell: number) => Key {
  const key = valuesOf({ type, cell_val_num }, data)
  const { validity } = data
  return validity ? (cell) => (validity[cell] === 0 ? undefined : key(cell)) : key
}

function valuesOf(
  { type, cell_val_num }: Pick<ColumnType, 'type' | 'cell_val_num'>,
  data: ColumnData,
): (cell: number) => Key {
  const kind = datatypeKind(type)
  if (kind === 'text' || kind === 'bytes') {
    const size = cell_val_num === 'var' ? 1 : cell_val_num * datatypeSize(type)
    return (cell) => cellBytes(data, cell, size)
  }
  if (isWide(type)) {
    const values = wideNumbersOf(type, data.data)
    if (kind !== 'datetime' && kind !== 'time') return (cell) => values[cell]
    return (cell) => (values[cell] === NAT ? undefined : values[cell])
  }
  const values = numbersOf(type, data.data)
  if (kind !== 'float') return (cell) => values[cell]
  return (cell) => {
    const value = element(values, cell)
    return Number.isNaN(value) ? undefined : value
  }
}

function compareKeys(a: Key, b: Key): number {
  if (a === undefined || b === undefined) return Number(a === undefined) - Number(b === undefined)
  if (a instanceof Uint8Array) return b instanceof Uint8Array ? compareBytes(a, b) : 0
  if (b instanceof Uint8Array || a === b) return 0
  return a < b ? -1 : 1
}

/** A cell among the first ones. */
interface Candidate {
  key: Key
  /** Its number among all cells that were read: cells with equal keys stay in this order. */
  number: number
  /** Whether it is in the batch, and not yet among the kept cells. */
  isNew: boolean
  /** Its position in the batch, or among the kept cells. */
  row: number
}

/** The first `limit` cells of batches in the order of a column. Holds at most twice as many. */
export class FirstCells {
  private readonly schema: ArraySchema
  private readonly columns: readonly ColumnType[]
  private readonly sort: CellSort
  private readonly limit: number
  /** Position of the column in `columns`. */
  private readonly by: number
  private cells: Candidate[] = []
  private kept: (ColumnData | undefined)[]
  /** The last of the first cells, if there are `limit` of them. */
  private last: Candidate | undefined
  private count = 0

  /** @param limit at least 1 */
  constructor(schema: ArraySchema, columns: readonly ColumnType[], sort: CellSort, limit: number) {
    this.schema = schema
    this.columns = columns
    this.sort = sort
    this.limit = limit
    this.by = columns.indexOf(sort.column)
    this.kept = columns.map(() => undefined)
  }

  /** Adds the cells of a batch whose positions pass. */
  add({ cell_num, rows, columns }: CellBatch, passes?: (cell: number) => boolean): void {
    const data = columns[this.by]
    if (!data) return
    const keys = keysOf(this.sort.column, data)
    const shown = rows?.length ?? cell_num
    for (let i = 0; i < shown; i++) {
      const row = rows?.[i] ?? i
      if (passes?.(row) === false) continue
      const key = keys(row)
      const number = this.count++
      if (this.last && this.compare(key, this.last.key) >= 0) continue
      // A view of bytes would change with the memory of the batch.
      this.cells.push({ key: key instanceof Uint8Array ? key.slice() : key, number, isNew: true, row })
      if (this.cells.length >= 2 * this.limit) this.cut()
    }
    this.cut()
    this.keep(columns)
  }

  /** The cells in order. Undefined if there are none. */
  batch(): CellBatch | undefined {
    if (this.cells.length === 0) return undefined
    return { tile: 0, cell_num: this.cells.length, rows: undefined, columns: this.kept }
  }

  private compare(a: Key, b: Key): number {
    const order = compareKeys(a, b)
    return this.sort.descending && a !== undefined && b !== undefined ? -order : order
  }

  /** Sorts the cells, and drops those behind the limit. */
  private cut(): void {
    this.cells.sort((a, b) => this.compare(a.key, b.key) || a.number - b.number)
    if (this.cells.length < this.limit) return
    this.cells.length = this.limit
    this.last = this.cells.at(-1)
  }

  /** Copies the cells of the batch that are among the first ones: its memory may be used again. */
  private keep(columns: CellBatch['columns']): void {
    if (!this.cells.some(({ isNew }) => isNew)) return
    const from = Uint32Array.from(this.cells, ({ isNew }) => Number(isNew))
    const rows = Uint32Array.from(this.cells, ({ row }) => row)
    this.kept = this.columns.map((column, c) =>
      pickedColumn(this.schema, column, [this.kept[c], columns[c]], { from, rows }),
    )
    for (const [row, cell] of this.cells.entries()) {
      cell.isNew = false
      cell.row = row
    }
  }
}
