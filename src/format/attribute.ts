import { cellValNumCoding } from './cell-val-num.ts'
import { datatypeCoding } from './datatype.ts'
import { filterPipeline } from './filter-pipeline.ts'
import { type AnyIo, lengthAndBytes } from './io.ts'
import { dataOrderCoding } from './layout.ts'

/** An attribute of the array schema. `fill_value` is one cell, or one element if cells are var-sized. */
export type Attribute = ReturnType<ReturnType<typeof attribute>>

/** @see format_spec/array_schema.md, "Attribute", which lacks the enumeration */
export function attribute(version: number) {
  const filters = filterPipeline(version)
  const ofFill = 'value of cells that were never written'
  const ofEnumeration = 'name of the enumeration whose values the cells index; empty: none'
  const ofOrder = 'order of the values in a dimension label’s array: 0 unordered, 1 increasing, 2 decreasing'
  return (io: AnyIo) => ({
    // Versions 3 and 4 store `__attr` as the name of an anonymous attribute.
    name: io.string('name', 'uint32', 'empty: anonymous'),
    type: io.coded('type', 'uint8', datatypeCoding, 'type of the values'),
    cell_val_num: io.coded('cell_val_num', 'uint32', cellValNumCoding, 'values of a cell; all bits set: var-sized'),
    filters: io.struct('filters', filters, 'filters of the values'),
    fill_value: version >= 6 ? lengthAndBytes(io, 'fill_value', 'uint64', ofFill) : undefined,
    nullable: version >= 7 ? io.flag('nullable', 'whether cells may be null') : false,
    fill_value_validity: version >= 7 ? io.flag('fill_value_validity', '0: the fill value is null') : false,
    order: version >= 17 ? io.coded('order', 'uint8', dataOrderCoding, ofOrder) : 'unordered',
    enumeration: version >= 20 ? io.string('enumeration', 'uint32', ofEnumeration) : '',
  })
}
