import { cellValNumCoding } from './cell-val-num.ts'
import { datatypeCoding } from './datatype.ts'
import type { AnyIo } from './io.ts'
import { dataOrderCoding } from './layout.ts'

/**
 * A dimension label of the array schema: it names a one-dimensional array of label values. Since version 18.
 *
 * @see format_spec/array_schema.md, "Dimension Label", whose table has fields that real bytes do not have
 */
export type DimensionLabel = ReturnType<typeof dimensionLabel>

export function dimensionLabel(io: AnyIo) {
  return {
    dimension_index: io.u32('dimension_index', 'index of the dimension that it labels'),
    name: io.string('name', 'uint32', 'name of the label'),
    relative: io.flag('relative', 'whether the URI is relative to the array'),
    uri: io.string('uri', 'uint64', 'URI of the array with the labels'),
    attribute: io.string('attribute', 'uint32', 'name of the attribute of that array with the labels'),
    order: io.coded('order', 'uint8', dataOrderCoding, 'order of the labels: 1 increasing, 2 decreasing'),
    type: io.coded('type', 'uint8', datatypeCoding, 'type of the labels'),
    cell_val_num: io.coded('cell_val_num', 'uint32', cellValNumCoding, 'values of a label; all bits set: var-sized'),
    external: io.flag('external', 'whether the array of labels is not part of this one'),
  }
}
