import type { ColumnType } from '../cells/column.ts'
import type { FillCell } from '../cells/gather.ts'
import type { ArraySchema } from '../format/array-schema.ts'
import { defaultFillValue } from '../format/fill-value.ts'

/** What a read gives for cells of a column that were never written, by the schema with which the array is opened. */
export function fillCell(schema: ArraySchema, { name, kind, type, cell_val_num, nullable }: ColumnType): FillCell {
  const attribute = kind === 'attribute' ? schema.attributes.find((one) => one.name === name) : undefined
  return {
    value: attribute?.fill_value ?? defaultFillValue(type, cell_val_num),
    nullable,
    valid: attribute?.fill_value_validity ?? false,
  }
}
