import type { ColumnData } from '../cells/column.ts'
import type { CellValNum } from '../format/cell-val-num.ts'
import { type Datatype, datatypeSize } from '../format/datatype.ts'

/** The shape of a field, as needed to build a column of its cells. */
export interface BuiltField {
  name: string
  type: Datatype
  cell_val_num: CellValNum
  nullable: boolean
}

const FIRST_BYTES = 1024

/** Takes the cells of a column one after another. */
export class ColumnBuilder {
  readonly field: BuiltField
  /** Size of a fixed-sized cell in bytes. */
  private readonly size: number | undefined
  private data = new Uint8Array(FIRST_BYTES)
  private length = 0
  private readonly starts: number[] = []
  private readonly validity: number[] = []

  constructor(field: BuiltField) {
    this.field = field
    this.size = field.cell_val_num === 'var' ? undefined : datatypeSize(field.type) * field.cell_val_num
  }

  add(cell: Uint8Array): void {
    this.room(cell.length)
    this.data.set(cell, this.length)
    this.end(cell.length, 1)
  }

  /** A null cell holds zeros; a var-sized one is empty. */
  addNull(): void {
    this.room(this.size ?? 0)
    this.end(this.size ?? 0, 0)
  }

  private end(length: number, valid: number): void {
    if (this.size === undefined) this.starts.push(this.length)
    if (this.field.nullable) this.validity.push(valid)
    this.length += length
  }

  private room(length: number): void {
    if (this.length + length <= this.data.length) return
    const larger = new Uint8Array(Math.max(this.length + length, 2 * this.data.length))
    larger.set(this.data)
    this.data = larger
  }

  finish(): ColumnData {
    const varSized = this.size === undefined
    if (varSized) this.starts.push(this.length)
    return {
      data: this.data.subarray(0, this.length),
      starts: varSized ? Float64Array.from(this.starts) : undefined,
      validity: this.field.nullable ? Uint8Array.from(this.validity) : undefined,
    }
  }
}

/** The cells of a column in another order. `order[i]` is the position of cell `i` among the given cells. */
export function reordered(
  column: ColumnData,
  { type, cell_val_num }: Pick<BuiltField, 'type' | 'cell_val_num'>,
  order: ArrayLike<number>,
): ColumnData {
  const count = order.length
  const validity = column.validity && Uint8Array.from({ length: count }, (_, i) => column.validity?.[order[i]] ?? 1)
  const { starts, data } = column
  if (starts === undefined) {
    const size = datatypeSize(type) * (cell_val_num === 'var' ? 1 : cell_val_num)
    return { data: fixedReordered(data, size, order), starts, validity }
  }
  const own = new Float64Array(count + 1)
  for (let i = 0; i < count; i++) own[i + 1] = own[i] + starts[order[i] + 1] - starts[order[i]]
  const out = new Uint8Array(own[count])
  for (let i = 0; i < count; i++) out.set(data.subarray(starts[order[i]], starts[order[i] + 1]), own[i])
  return { data: out, starts: own, validity }
}

function fixedReordered(data: Uint8Array, size: number, order: ArrayLike<number>): Uint8Array {
  const out = new Uint8Array(order.length * size)
  for (let i = 0; i < order.length; i++) {
    const from = order[i] * size
    for (let b = 0; b < size; b++) out[i * size + b] = data[from + b]
  }
  return out
}
