import { type CellValNum, cellValNumCoding } from './cell-val-num.ts'
import { type Datatype, datatypeCoding } from './datatype.ts'
import type { Io } from './io.ts'
import { type DataOrder, dataOrderCoding } from './layout.ts'

/**
 * A dimension label of the array schema: it names a one-dimensional array of label values. Since version 18.
 *
 * @see format_spec/array_schema.md, "Dimension Label", whose table has fields that real bytes do not have
 */
export interface DimensionLabel {
  dimension_index: number
  name: string
  /** Whether `uri` is relative to the array's folder. */
  relative: boolean
  uri: string
  /** Attribute of the label array that holds the labels. */
  attribute: string
  order: DataOrder
  type: Datatype
  cell_val_num: CellValNum
  /** Whether the label array is not part of this array. */
  external: boolean
}

export function dimensionLabel(io: Io<DimensionLabel>): DimensionLabel {
  return {
    dimension_index: io.u32('dimension_index', 'which dimension it labels'),
    name: io.string('name', 'uint32', 'name of the label'),
    relative: io.flag('relative', 'whether the URI counts from the array'),
    uri: io.string('uri', 'uint64', 'of the array that holds the labels'),
    attribute: io.string('attribute', 'uint32', 'of that array'),
    order: io.coded('order', 'uint8', dataOrderCoding, '1 increasing, 2 decreasing'),
    type: io.coded('type', 'uint8', datatypeCoding, 'of the labels'),
    cell_val_num: io.coded('cell_val_num', 'uint32', cellValNumCoding, 'of the labels'),
    external: io.flag('external', 'whether the array of labels is not part of this one'),
  }
}
