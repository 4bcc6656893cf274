import type { Output } from '../../base/result.ts'
import type {
  AttributeDescription,
  CellValue,
  DimensionDescription,
  PipelineDescription,
} from '../../documents/common.ts'
import type { SchemaDimensionLabel, SchemaDocument, SchemaEnumeration } from '../../documents/schema.ts'
import { heading, keyValues, type Pair } from '../table.ts'
import { shortValue } from '../units.ts'
import { line, section, tableOrBelow } from './parts.ts'
import {
  counted,
  countText,
  domainText,
  fieldName,
  NOTHING,
  nameTimeText,
  pipelineText,
  rangeText,
  typeText,
  versionText,
} from './wording.ts'

/** The number of a schema in its array, the oldest being 1, and whether all schemas are shown. */
export interface WhichSchema {
  number: number
  count: number
  all: boolean
}

/** @param which undefined for a schema outside an array */
export async function schemaTable(
  document: SchemaDocument,
  which: WhichSchema | undefined,
  out: Output,
): Promise<void> {
  const { path, dimensions, attributes, enumerations, dimension_labels } = document
  const names = dimensions.map(({ name }) => name)
  const number = which && which.count > 1 ? `${which.number}/${which.count} ` : ''
  await heading(`schema ${number}of ${path}`, out)
  await keyValues(facts(document, names), out)
  await section(counted(dimensions.length, 'dimension'), out)
  await dimensionTable(document, out)
  await section(counted(attributes.length, 'attribute'), out)
  await attributeTable(attributes, out)
  await enumerationTable(enumerations, out)
  await labelTable(dimension_labels, names, out)
  if (which && which.count > 1 && !which.all) {
    await out.write('\n')
    await line(`One of ${which.count} schemas of this array: --all shows each.`, out, 'dim')
  }
}

function facts(document: SchemaDocument, names: readonly string[]): Pair[] {
  const { name, array_type, encryption, capacity, validity_filters, current_domain } = document
  const pairs: Pair[] = [
    ['name', name],
    ['written', nameTimeText(name) ?? 'unknown: the name holds no time stamp'],
    ['array type', array_type],
    ['format version', versionText(document.format_version)],
    ['encryption', encryption === 'NO_ENCRYPTION' ? 'none' : encryption],
    ['tile order', document.tile_order],
    ['cell order', document.cell_order],
    ['capacity', `${countText(capacity)} cells a tile${array_type === 'sparse' ? '' : ' (of sparse fragments)'}`],
    ['duplicates', document.allows_duplicates ? 'allowed' : 'not allowed'],
    ['coords filters', pipelineText(document.coords_filters)],
    ['offsets filters', pipelineText(document.offsets_filters)],
  ]
  if (validity_filters) pairs.push(['validity filters', pipelineText(validity_filters)])
  const domain = current_domain && names.map((one) => current_domain[one])
  pairs.push(['current domain', domain ? domainText(names, domain) : 'none: the whole domain'])
  return pairs
}

async function dimensionTable({ dimensions, coords_filters }: SchemaDocument, out: Output): Promise<void> {
  await tableOrBelow(
    {
      columns: [
        { name: 'dimension', role: 'field' },
        { name: 'type' },
        { name: 'domain' },
        { name: 'tile extent', align: 'right' },
        { name: 'filters' },
      ],
      rows: dimensions.map((dimension) => [
        fieldName(dimension.name),
        typeText(dimension),
        dimension.domain === null ? 'any' : rangeText(dimension.domain),
        extentText(dimension.tile_extent),
        dimensionFilters(dimension, coords_filters),
      ]),
    },
    out,
  )
}

function extentText(extent: CellValue): string {
  if (extent === null) return NOTHING
  return typeof extent === 'number' || typeof extent === 'bigint' ? countText(extent) : shortValue(extent)
}

/** If a dimension has an empty pipeline, the array's filters for coordinates apply. */
export function dimensionFilters({ filters }: DimensionDescription, coords_filters: PipelineDescription): string {
  return filters.filters.length === 0 ? `(coords filters) ${pipelineText(coords_filters)}` : pipelineText(filters)
}

async function attributeTable(attributes: readonly AttributeDescription[], out: Output): Promise<void> {
  const ordered = attributes.some(({ order }) => order !== 'unordered')
  const enumerated = attributes.some(({ enumeration }) => enumeration !== null)
  await tableOrBelow(
    {
      columns: [
        { name: 'attribute', role: 'field' },
        { name: 'type' },
        { name: 'nullable' },
        { name: 'fill value' },
        ...(ordered ? [{ name: 'order' }] : []),
        ...(enumerated ? [{ name: 'enumeration' }] : []),
        { name: 'filters' },
      ],
      rows: attributes.map((attribute) => [
        fieldName(attribute.name),
        typeText(attribute),
        attribute.nullable ? 'yes' : 'no',
        fillText(attribute),
        ...(ordered ? [attribute.order] : []),
        ...(enumerated ? [attribute.enumeration ?? NOTHING] : []),
        pipelineText(attribute.filters),
      ]),
    },
    out,
  )
}

/** For a nullable attribute, the fill validity decides whether empty cells are null or the fill value. */
function fillText({ fill_value, fill_value_validity }: AttributeDescription): string {
  if (fill_value === null) return NOTHING
  const value = shortValue(fill_value, 20)
  return fill_value_validity === false ? `null (${value})` : value
}

async function enumerationTable(enumerations: readonly SchemaEnumeration[], out: Output): Promise<void> {
  if (enumerations.length === 0) return
  await section(counted(enumerations.length, 'enumeration'), out)
  await tableOrBelow(
    {
      columns: [
        { name: 'enumeration', role: 'field' },
        { name: 'type' },
        { name: 'ordered' },
        { name: 'values', align: 'right' },
        { name: 'from 0 on' },
      ],
      rows: enumerations.map((enumeration) => [
        enumeration.name,
        typeText(enumeration),
        enumeration.ordered ? 'yes' : 'no',
        countText(enumeration.values.length),
        enumeration.values.length === 0 ? 'none' : shortValue(enumeration.values).slice(1, -1),
      ]),
    },
    out,
  )
}

async function labelTable(
  labels: readonly SchemaDimensionLabel[],
  names: readonly string[],
  out: Output,
): Promise<void> {
  if (labels.length === 0) return
  await section(counted(labels.length, 'dimension label'), out)
  await tableOrBelow(
    {
      columns: [
        { name: 'label', role: 'field' },
        { name: 'dimension' },
        { name: 'order' },
        { name: 'type' },
        { name: 'attribute' },
        { name: 'array' },
      ],
      rows: labels.map((label) => [
        label.name,
        fieldName(names[label.dimension_index]),
        label.order,
        typeText(label),
        label.attribute,
        label.uri,
      ]),
    },
    out,
  )
}
