import type { ArraySchema } from '../format/array-schema.ts'
import type { DimensionLabel } from '../format/dimension-label.ts'

/** A difference between a schema and what it should be. */
interface SchemaMismatch {
  /** Dotted name of the field that differs. */
  field: string
  expected: string
  found: string
}

/**
 * The first difference between the array of a label and what the labelled array says about it; undefined if they agree. If
 * they differ, TileDB reads no labels, and takes no ranges of labels.
 *
 * @param schema schema of the labelled array
 * @param labels schema of the array that holds the labels
 * @see ArraySchema::check_dimension_label_schema
 */
export function labelMismatch(
  { domain }: ArraySchema,
  label: DimensionLabel,
  labels: ArraySchema,
): SchemaMismatch | undefined {
  type Value = string | number | boolean
  const differ = (field: string, expected: Value, found: Value): SchemaMismatch | undefined =>
    expected === found ? undefined : { field, expected: String(expected), found: String(found) }
  const dimension = domain.dimensions.at(label.dimension_index)
  const [index, ...others] = labels.domain.dimensions
  const attribute = labels.attributes.find(({ name }) => name === label.attribute)
  if (!dimension) return { field: `dimension_labels.${label.name}`, expected: 'a dimension', found: 'none' }
  if (!index || others.length > 0)
    return { field: 'dimensions', expected: '1 dimension', found: String(labels.domain.dimensions.length) }
  const ofIndex = `dimensions.${index.name}`
  if (!attribute) return differ('attributes', `the attribute ${JSON.stringify(label.attribute)}`, 'none')
  const ofLabels = `attributes.${attribute.name}`
  return (
    differ(`${ofIndex}.type`, dimension.type, index.type) ??
    differ(`${ofLabels}.order`, label.order, attribute.order) ??
    differ(`${ofLabels}.type`, label.type, attribute.type) ??
    differ(`${ofLabels}.cell_val_num`, label.cell_val_num, attribute.cell_val_num) ??
    // Required by TileDB for every attribute with an order.
    differ('array_type', 'dense', labels.array_type) ??
    differ(`${ofLabels}.nullable`, false, attribute.nullable)
  )
}
