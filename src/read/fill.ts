import { type ColumnData, type ColumnType, cellBytes } from '../cells/column.ts'
import { gatherFrom } from '../cells/gather.ts'
import { compareBytes } from '../filters/bytes.ts'
import type { ArraySchema } from '../format/array-schema.ts'
import { defaultFillValue } from '../format/fill-value.ts'
import { fixedSize } from '../format/range.ts'
import { changedAttributes } from '../objects/changed-fields.ts'
import type { Picked } from './filter.ts'
import type { OpenedArray, OpenedFragment, ReadQuery } from './query.ts'

/**
 * The cell that a read returns where nothing was written, by the schema with which the array is opened.
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

/**
 * Whether a fragment has the cells of an attribute in the form that the array has now. TileDB misreads cells of another form, so a read
 * shows them as fill values.
 */
export function hasAttribute(
  { info, misread }: Pick<OpenedFragment, 'info' | 'misread'>,
  { name }: ColumnType,
): boolean {
  return !misread?.has(name) && info.schema.attributes.some((own) => own.name === name)
}

/** Makes a remark on each wanted attribute whose cells have, in some fragment, another form than the array has now. */
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

/** Copies cells of a column from several batches. A batch that lacks the column is undefined: its cells become fill values. */
export function pickedColumn(
  schema: ArraySchema,
  column: ColumnType,
  sources: readonly (ColumnData | undefined)[],
  { from, rows }: Picked,
): ColumnData {
  return gatherFrom(sources, from, rows, fixedSize(column), fillCell(schema, column))
}

/** Returns a function that tells whether a cell of a column has the fill value. */
export function fillTest(column: ColumnType, data: ColumnData, fill: ColumnData): (cell: number) => boolean {
  const size = fixedSize(column) ?? 0
  return (cell) => {
    if (fill.validity && data.validity && fill.validity[0] !== Math.min(1, data.validity[cell])) return false
    return fill.validity?.[0] === 0 || compareBytes(cellBytes(data, cell, size), fill.data) === 0
  }
}
