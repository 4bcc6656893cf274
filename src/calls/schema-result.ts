import { withPlace } from '../base/errors.ts'
import type { DocumentHead } from '../documents/common.ts'
import type { SchemaDocument, SchemaEnumeration } from '../documents/schema.ts'
import type { ArraySchema } from '../format/array-schema.ts'
import type { Attribute } from '../format/attribute.ts'
import { type Enumeration, enumerationValues, enumerationValueType } from '../format/enumeration.ts'
import { type CellValue, cellValue, type ValueStyle } from '../format/value.ts'
import { domainResult, pipelineResult, rangesResult } from './values.ts'

/** A schema in the form of the `schema` document. */
export function schemaResult(
  schema: ArraySchema,
  enumerations: readonly Enumeration[],
  style: ValueStyle,
): Omit<SchemaDocument, keyof DocumentHead | 'name' | 'encryption'> {
  const dimensions = schema.domain.dimensions
  const domain = schema.current_domain?.range
  const ranges = domain ? rangesResult(dimensions, domain, style) : undefined
  return {
    format_version: schema.version,
    array_type: schema.array_type,
    tile_order: schema.tile_order,
    cell_order: schema.cell_order,
    capacity: schema.capacity,
    allows_duplicates: schema.allows_duplicates,
    coords_filters: pipelineResult(schema.coords_filters),
    offsets_filters: pipelineResult(schema.offsets_filters),
    validity_filters: schema.validity_filters && pipelineResult(schema.validity_filters),
    dimensions: dimensions.map((dimension) => ({
      ...nameAndType(dimension),
      domain: domainResult(dimension.type, dimension.domain, style),
      // Raw, because an extent is a count in the dimension's unit, never a date.
      tile_extent: dimension.tile_extent ? cellValue(dimension.type, 1, dimension.tile_extent, { raw: true }) : null,
      filters: pipelineResult(dimension.filters),
    })),
    attributes: schema.attributes.map((attribute) => ({
      ...nameAndType(attribute),
      nullable: attribute.nullable,
      fill_value: attribute.fill_value ? fillValue(attribute, attribute.fill_value, style) : null,
      fill_value_validity: attribute.nullable ? attribute.fill_value_validity : undefined,
      order: attribute.order,
      enumeration: attribute.enumeration === '' ? null : attribute.enumeration,
      filters: pipelineResult(attribute.filters),
    })),
    enumerations: enumerations.map((e) => enumerationResult(e, style)),
    dimension_labels: schema.dimension_labels.map((label) => ({
      name: label.name,
      dimension_index: label.dimension_index,
      order: label.order,
      type: label.type,
      cell_val_num: label.cell_val_num,
      attribute: label.attribute,
      uri: label.uri,
      relative: label.relative,
      external: label.external,
    })),
    current_domain: ranges ? Object.fromEntries(dimensions.map(({ name }, d) => [name, ranges[d]])) : null,
  }
}

function fillValue({ name, type, cell_val_num }: Attribute, bytes: Uint8Array, style: ValueStyle): CellValue {
  return withPlace({ field: `attributes.${name}.fill_value` }, () => cellValue(type, cell_val_num, bytes, style))
}

type NameAndType = Pick<SchemaEnumeration, 'name' | 'type' | 'cell_val_num'>

/** The first keys of a field and of an enumeration. */
function nameAndType({ name, type, cell_val_num }: NameAndType): NameAndType {
  return { name, type, cell_val_num }
}

/** An enumeration with its values in their order. */
export function enumerationResult(enumeration: Enumeration, style: ValueStyle): SchemaEnumeration {
  const values = enumerationValues(enumeration)
  const type = enumerationValueType(enumeration, values)
  return {
    ...nameAndType(enumeration),
    ordered: enumeration.ordered,
    values: values.map((bytes) => cellValue(type, enumeration.cell_val_num, bytes, style)),
  }
}
