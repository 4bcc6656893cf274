import { type CellValNum, cellValNumCoding } from './cell-val-num.ts'
import { type Datatype, datatypeCoding } from './datatype.ts'
import type { Io } from './io.ts'
import { type DataOrder, dataOrderCoding } from './layout.ts'

/**
 * A dimension label of the array schema: a name for a one-dimensional array of label values. Since version 18.
 *
 * @see format_spec/array_schema.md, "Dimension Label", whose table has fields that bytes do not
 */
export interface DimensionLabel {
  dimension_index: number
  name: string
  /** Whether `uri` counts from the array's folder. */
  relative: boolean
  uri: string
  /** Attribute of the label array that holds the labels. */
  attribute: string
  order: DataOrder
  type: Datatype
  cell_val_num: CellValNum
  /** The label array is not the schema's own. */
  external: boolean
}

export function dimensionLabel(io: Io<DimensionLabel>): DimensionLabel {
  return {
    dimension_index: io.u32('dimension_index'),
    name: io.string('name', 'uint32'),
    relative: io.flag('relative'),
    uri: io.string('uri', 'uint64'),
    attribute: io.string('attribute', 'uint32'),
    order: io.coded('order', 'uint8', dataOrderCoding),
    type: io.coded('type', 'uint8', datatypeCoding),
    cell_val_num: io.coded('cell_val_num', 'uint32', cellValNumCoding),
    external: io.flag('external'),
  }
}
