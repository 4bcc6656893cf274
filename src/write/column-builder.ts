import { badValue } from '../base/errors.ts'
import type { ColumnData } from '../cells/column.ts'
import type { Attribute } from '../format/attribute.ts'
import { datatypeSize } from '../format/datatype.ts'
import { ByteSink } from './byte-sink.ts'

/** The facts about a field that are needed to build a column of its cells. */
export type BuiltField = Pick<Attribute, 'name' | 'type' | 'cell_val_num' | 'nullable'>

/** Builds a column from its cells, one after another. */
export class ColumnBuilder {
  private readonly data = new ByteSink()
  /** Bytes of a null cell: zeros, or none if cells are var-sized. */
  private readonly nullCell: Uint8Array
  private readonly starts: number[] | undefined
  private readonly validity: number[] | undefined
  /** Size of an element in bytes. */
  private readonly size: number

  constructor({ type, cell_val_num, nullable }: BuiltField) {
    const varSized = cell_val_num === 'var'
    this.size = datatypeSize(type)
    this.nullCell = new Uint8Array(varSized ? 0 : this.size * cell_val_num)
    this.starts = varSized ? [] : undefined
    this.validity = nullable ? [] : undefined
  }

  /** @throws InspectError BAD_VALUE if the cell does not hold whole elements */
  add(cell: Uint8Array): void {
    if (cell.length % this.size !== 0)
      throw badValue({ expected: `whole values of ${this.size} bytes`, found: `${cell.length} bytes` })
    this.append(cell, 1)
  }

  addNull(): void {
    this.append(this.nullCell, 0)
  }

  private append(cell: Uint8Array, valid: number): void {
    this.starts?.push(this.data.length)
    this.validity?.push(valid)
    this.data.append(cell)
  }

  finish(): ColumnData {
    const { data, validity } = this
    let starts: Float64Array | undefined
    if (this.starts) {
      starts = new Float64Array(this.starts.length + 1)
      starts.set(this.starts)
      starts[this.starts.length] = data.length
    }
    return {
      data: data.bytes(),
      starts,
      validity: validity && Uint8Array.from(validity),
    }
  }
}
