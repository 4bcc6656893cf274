import { type CellValNum, cellValNumCoding } from './cell-val-num.ts'
import { type Datatype, datatypeCoding } from './datatype.ts'
import { type FilterPipeline, filterPipeline } from './filter-pipeline.ts'
import type { Describe } from './io.ts'
import { type DataOrder, dataOrderCoding } from './layout.ts'

/** An attribute of the array schema. */
export interface Attribute {
  /** May be empty (anonymous); versions 3 and 4 store `__attr` there. */
  name: string
  type: Datatype
  cell_val_num: CellValNum
  filters: FilterPipeline
  /** One cell, or one element if cells are var-sized. Since version 6. */
  fill_value: Uint8Array | undefined
  /** Since version 7. */
  nullable: boolean
  /** Validity of the fill value, since version 7. */
  fill_value_validity: boolean
  /** Order of the values in a dimension label's array; since version 17. */
  order: DataOrder
  /**
   * Name of the enumeration whose values the cells index; empty for none. Since version 20. Upstream's page lacks it.
   */
  enumeration: string
}

/** @see format_spec/array_schema.md, "Attribute" */
export function attribute(version: number): Describe<Attribute> {
  return (io) => {
    const name = io.string('name', 'uint32', 'empty: anonymous')
    const type = io.coded('type', 'uint8', datatypeCoding, 'of the values')
    const cell_val_num = io.coded(
      'cell_val_num',
      'uint32',
      cellValNumCoding,
      'values of a cell; all bits set: var-sized',
    )
    const filters = io.struct('filters', filterPipeline(version))
    let fill_value: Uint8Array | undefined
    if (version >= 6) {
      const length = io.derive('fill_value_length', 'uint64', (a) => a.fill_value?.length ?? 0, 'bytes')
      fill_value = io.bytes('fill_value', length, 'what readers put where nothing was written')
    }
    const nullable = version >= 7 ? io.flag('nullable', 'whether cells may be null') : false
    const fill_value_validity = version >= 7 ? io.flag('fill_value_validity', '0: the fill value is null') : false
    const order =
      version >= 17
        ? io.coded('order', 'uint8', dataOrderCoding, '0 unordered, 1 increasing, 2 decreasing')
        : 'unordered'
    const enumeration =
      version >= 20 ? io.string('enumeration', 'uint32', 'whose values the cells are indexes of; empty: none') : ''
    return { name, type, cell_val_num, filters, fill_value, nullable, fill_value_validity, order, enumeration }
  }
}
