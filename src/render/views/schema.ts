import type { Output } from '../../base/result.ts'
import { heading, keyValues, type Pair } from '../table.ts'
import { shortValue } from '../units.ts'
import { type Document, type Fields, fieldList, fields, integer, list, text } from './narrow.ts'
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

/** Which of an array's schemas one is, the oldest being 1, and whether all of them are shown. */
export interface WhichSchema {
  number: number
  count: number
  all: boolean
}

/** @param which undefined of a schema in no array */
export async function schemaTable(document: Document, which: WhichSchema | undefined, out: Output): Promise<void> {
  const dimensions = fieldList(document.dimensions)
  const attributes = fieldList(document.attributes)
  const names = dimensions.map(({ name }) => text(name))
  const number = which && which.count > 1 ? `${which.number}/${which.count} ` : ''
  await heading(`schema ${number}of ${document.path}`, out)
  await keyValues(facts(document, names), out)
  await section(counted(dimensions.length, 'dimension'), out)
  await dimensionTable(document, dimensions, out)
  await section(counted(attributes.length, 'attribute'), out)
  await attributeTable(attributes, out)
  await enumerationTable(fieldList(document.enumerations), out)
  await labelTable(fieldList(document.dimension_labels), names, out)
  if (which && which.count > 1 && !which.all) {
    await out.write('\n')
    await line(`One of ${which.count} schemas of this array: --all shows each.`, out, 'dim')
  }
}

function facts(document: Document, names: readonly string[]): Pair[] {
  const sparse = document.array_type === 'sparse'
  const pairs: Pair[] = [
    ['name', text(document.name)],
    ['written', nameTimeText(document.name) ?? 'unknown: the name holds no time stamp'],
    ['array type', text(document.array_type)],
    ['format version', versionText(document.format_version)],
    ['encryption', document.encryption === 'NO_ENCRYPTION' ? 'none' : text(document.encryption)],
    ['tile order', text(document.tile_order)],
    ['cell order', text(document.cell_order)],
    ['capacity', `${countText(document.capacity)} cells a tile${sparse ? '' : ' (of sparse fragments)'}`],
    ['duplicates', document.allows_duplicates === true ? 'allowed' : 'not allowed'],
    ['coords filters', pipelineText(document.coords_filters)],
    ['offsets filters', pipelineText(document.offsets_filters)],
  ]
  if (document.validity_filters !== undefined) pairs.push(['validity filters', pipelineText(document.validity_filters)])
  const domain = fields(document.current_domain)
  const ranges = names.map((name) => domain[name] ?? null)
  pairs.push(['current domain', document.current_domain ? domainText(names, ranges) : 'none: the whole domain'])
  return pairs
}

async function dimensionTable(document: Document, dimensions: readonly Fields[], out: Output): Promise<void> {
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
        dimension.tile_extent === null ? NOTHING : numberText(dimension),
        dimensionFilters(document, dimension),
      ]),
    },
    out,
  )
}

function numberText({ tile_extent }: Fields): string {
  return integer(tile_extent) === undefined ? shortValue(tile_extent) : countText(tile_extent)
}

/** An empty pipeline of a dimension means that the array's filters for coordinates apply. */
export function dimensionFilters(document: Document, { filters }: Fields): string {
  const empty = fieldList(fields(filters).filters).length === 0
  return empty ? `(coords filters) ${pipelineText(document.coords_filters)}` : pipelineText(filters)
}

async function attributeTable(attributes: readonly Fields[], out: Output): Promise<void> {
  const ordered = attributes.some(({ order }) => order !== undefined && order !== 'unordered')
  const enumerated = attributes.some(({ enumeration }) => typeof enumeration === 'string')
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
        attribute.nullable === true ? 'yes' : 'no',
        fillText(attribute),
        ...(ordered ? [text(attribute.order)] : []),
        ...(enumerated ? [text(attribute.enumeration) || NOTHING] : []),
        pipelineText(attribute.filters),
      ]),
    },
    out,
  )
}

/** A nullable attribute's empty cells are null, or the value, as its validity says. */
function fillText({ fill_value, fill_value_validity }: Fields): string {
  if (fill_value === null) return NOTHING
  const value = shortValue(fill_value, 20)
  return fill_value_validity === false ? `null (${value})` : value
}

async function enumerationTable(enumerations: readonly Fields[], out: Output): Promise<void> {
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
      rows: enumerations.map((enumeration) => {
        const values = Array.from(list(enumeration.values))
        return [
          text(enumeration.name),
          typeText(enumeration),
          enumeration.ordered === true ? 'yes' : 'no',
          countText(values.length),
          values.length === 0 ? 'none' : shortValue(values).slice(1, -1),
        ]
      }),
    },
    out,
  )
}

async function labelTable(labels: readonly Fields[], names: readonly string[], out: Output): Promise<void> {
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
        text(label.name),
        fieldName(names[Number(integer(label.dimension_index))]),
        text(label.order),
        typeText(label),
        text(label.attribute),
        text(label.uri),
      ]),
    },
    out,
  )
}
