import type { ColumnType } from '../../cells/column.ts'
import type { CellValue } from '../../documents/common.ts'
import { type Enumeration, enumerationValues, enumerationValueType } from '../../format/enumeration.ts'
import { cellValue } from '../../format/value.ts'
import { attributeLabels } from '../../objects/labels.ts'
import type { OpenedArray } from '../../read/query.ts'
import { shortValue } from '../../render/units.ts'

/** The labels of attributes whose cells are indexes into an enumeration, by name. Those that cannot be read are missing. */
export type Labels = ReadonlyMap<string, readonly string[]>

/** Upper limit on the labels of an attribute. Of more, a scale shows the indexes. */
const MOST = 1000

export async function pictureLabels({ array, schema }: OpenedArray): Promise<Labels> {
  const found = new Map<string, readonly string[]>()
  for (const { name, enumeration } of schema.attributes) {
    if (enumeration === '') continue
    const labels = await attributeLabels(array, name, schema)
    if (labels.enumeration) found.set(name, textsOf(labels.enumeration))
  }
  return found
}

function textsOf(enumeration: Enumeration): readonly string[] {
  const values = enumerationValues(enumeration)
  const type = enumerationValueType(enumeration, values)
  if (values.length > MOST) return []
  return values.map((one) => {
    const value = cellValue(type, enumeration.cell_val_num, one, { raw: false }) as CellValue
    return typeof value === 'string' ? value : shortValue(value)
  })
}

/** The label of a cell, or at a place of a scale: empty between two labels. Undefined if the attribute has none. */
export function labelText(
  { labels }: { labels: Labels },
  column: Pick<ColumnType, 'name'> | undefined,
  value: number,
): string | undefined {
  const known = column && labels.get(column.name)
  if (!known || known.length === 0) return undefined
  return Number.isInteger(value) ? (known[value] ?? String(value)) : ''
}
