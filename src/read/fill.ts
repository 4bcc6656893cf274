import { type ColumnData, type ColumnType, cellBytes } from '../cells/column.ts'
import { gatherFrom } from '../cells/gather.ts'
import { compareBytes } from '../filters/bytes.ts'
import type { ArraySchema } from '../format/array-schema.ts'
import { defaultFillValue } from '../format/fill-value.ts'
import { fixedSize } from '../format/range.ts'
import { changedAttributes } from '../store/changed-fields.ts'
import type { Picked } from './filter.ts'
import type { OpenedArray, ReadQuery } from './query.ts'

/**
 * What a read gives for a cell of a column that was never written, by the schema with which the array is opened.
 * @returns a column of one cell
 */
export function fillCell(schema: ArraySchema, { name, kind, type, cell_val_num, nullable }: ColumnType): ColumnData {
  const attribute = kind === 'attribute' ? schema.attributes.find((one) => one.name === name) : undefined
  const data = attribute?.fill_value ?? defaultFillValue(type, cell_val_num)
  return {
    data,
    starts: cell_val_num === 'var' ? Float64Array.of(0, data.length) : undefined,
    validity: nullable ? Uint8Array.of(attribute?.fill_value_validity ? 1 : 0) : undefined,
  }
}

/** Tells of the attributes among the columns whose cells in some fragment have another form than the array has now. */
export function remarkChanged(
  { schema, fragments }: OpenedArray,
  columns: readonly ColumnType[],
  onRemark: ReadQuery['onRemark'],
): void {
  const told = new Set<string>()
  const schemas = new Set(fragments.map(({ info }) => info.schema))
  for (const { name, now, written } of [...schemas].flatMap((own) => changedAttributes(schema, own))) {
    if (told.has(`${name} ${written}`) || !columns.some((one) => one.kind === 'attribute' && one.name === name))
      continue
    told.add(`${name} ${written}`)
    onRemark?.(
      name,
      `cells that were written as ${written} are shown as fill values; TileDB reads them wrongly, as ${now}`,
    )
  }
}

/** Cells of a column, picked from several batches; undefined stands for a batch without it: its cells are fill values. */
export function pickedColumn(
  schema: ArraySchema,
  column: ColumnType,
  sources: readonly (ColumnData | undefined)[],
  { from, rows }: Picked,
): ColumnData {
  return gatherFrom(sources, from, rows, fixedSize(column), fillCell(schema, column))
}

/** Tells cells with the fill value. */
export function fillTest(column: ColumnType, data: ColumnData, fill: ColumnData): (cell: number) => boolean {
  const size = fixedSize(column) ?? 0
  return (cell) => {
    if (fill.validity && data.validity && fill.validity[0] !== Math.min(1, data.validity[cell])) return false
    return fill.validity?.[0] === 0 || compareBytes(cellBytes(data, cell, size), fill.data) === 0
  }
}
