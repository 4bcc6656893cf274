import { groupBy } from '../../base/group-by.ts'
import type { Output, Result } from '../../base/result.ts'
import type {
  AttributeDescription,
  CellValue,
  DimensionDescription,
  PipelineDescription,
} from '../../documents/common.ts'
import type { SchemaChange, SchemaDimensionLabel, SchemaDocument, SchemaEnumeration } from '../../documents/schema.ts'
import { type Pair, type Pairs, writeHeading, writeKeyValues } from '../table.ts'
import { shortValue } from '../units.ts'
import { type Shows, shownList, writeLine, writeSection, writeTableOrBelow } from './parts.ts'
import { terminalHeading } from './terminal-headings.ts'
import {
  counted,
  countText,
  domainText,
  fieldName,
  NOTHING,
  nameTimeText,
  pipelineText,
  rangeText,
  scaledText,
  typeText,
  versionText,
  withTimes,
} from './wording.ts'

/** Most characters of a value. */
const VALUE = 40

/** A schema that gets a line above the tables. */
export interface ListedSchema {
  document: SchemaDocument
  /** As in {@link WhichSchema}. */
  number: number
  /** Whether TileDB opens the array with it: the one with the last name, which need not be the newest. */
  isCurrent: boolean
}

/** Position of a schema among those of its array. */
export interface WhichSchema {
  /** Number of the schema; the oldest is 1. */
  number: number
  /** Number of schemas of the array. */
  count: number
  /** Whether all schemas are shown. */
  all: boolean
}

/**
 * Shows a schema.
 * @param which undefined for a schema outside of an array
 * @param listed the schemas that get a line each, above
 */
export async function schemaTable(
  document: SchemaDocument,
  which: WhichSchema | undefined,
  out: Output,
  listed: readonly ListedSchema[] = [],
): Promise<void> {
  if (listed.length > 0) await schemaLines(listed, which?.count ?? listed.length, out)
  const { path, as_of, dimensions, attributes, enumerations, dimension_labels } = document
  const names = dimensions.map(({ name }) => name)
  const number = which && which.count > 1 ? `${which.number}/${which.count} ` : ''
  await writeHeading(withTimes(`schema ${number}of ${path}`, as_of), out)
  await writeKeyValues(facts(document, names), out)
  await writeSection(counted(dimensions.length, 'dimension'), out)
  await writeTableOrBelow(shownList(dimensionColumns(document), dimensions), out)
  await writeSection(counted(attributes.length, 'attribute'), out)
  await writeTableOrBelow(shownList(attributeColumns(attributes), attributes), out)
  const scaled = [...dimensions, ...attributes].flatMap(({ name, filters }) => {
    const text = scaledText(filters)
    return text === undefined ? [] : `${fieldName(name)}: ${text}`
  })
  if (scaled.length > 0) scaled.push('TileDB takes other values without an error, and returns wrong ones')
  for (const line of scaled) await writeLine(line, out, 'dim')
  if (enumerations.length > 0) {
    await writeSection(counted(enumerations.length, 'enumeration'), out)
    await writeTableOrBelow(shownList(ENUMERATION_COLUMNS, enumerations), out)
  }
  if (dimension_labels.length > 0) {
    await writeSection(counted(dimension_labels.length, 'dimension label'), out)
    await writeTableOrBelow(shownList(labelColumns(names), dimension_labels), out)
  }
  if (which && which.count > 1 && !which.all) {
    await out.write('\n')
    await writeLine(`One of ${which.count} schemas of this array: --all shows each.`, out, 'dim')
  }
}

/** Shows a line for each schema: when it was written, and what changed. @param count that of the array, with those that are not shown */
async function schemaLines(listed: readonly ListedSchema[], count: number, out: Output): Promise<void> {
  const some = listed.length < count ? `${listed.length} of ` : ''
  await writeHeading(`${some}${counted(count, 'schema')} of ${listed[0].document.path}, oldest first`, out)
  const pairs = listed.map(
    ({ document: { name, changes, attributes, missing_enumerations: lost = [] }, number, isCurrent }, i): Pair => {
      const time = nameTimeText(name) ?? name
      const first = `first, with ${counted(attributes.length, 'attribute')}: ${namesText(attributes)}`
      const before = listed.slice(0, i).map(({ document }) => document)
      const texts = changes ? changeTexts(changes, before) : [first]
      texts.push(...lost.map((one) => `the file of enumeration ${fieldName(one)} is missing`))
      return [
        `${number}  ${time}${isCurrent ? '  current' : ''}`,
        texts.length === 0 ? 'nothing changed' : texts.join('; '),
      ]
    },
  )
  await writeKeyValues(pairs, out)
  await out.write('\n')
}

function namesText(attributes: readonly { name: string }[]): string {
  return attributes.map(({ name }) => fieldName(name)).join(', ')
}

/**
 * Returns the changes as `added attribute w (INT32)`. Attributes that were added together share a text.
 * @param before the schemas before, the oldest first
 */
function changeTexts(changes: readonly SchemaChange[], before: readonly SchemaDocument[]): string[] {
  const alike = groupBy(changes, ({ change, what }) => `${change} ${what}`)
  return [...alike].flatMap(([verb, group]) => {
    const [{ change }] = group
    if (change !== 'added' && change !== 'dropped') return group.map(changeText)
    return `${verb}${group.length > 1 ? 's' : ''} ${group.map((one) => namedText(one, before)).join(', ')}`
  })
}

function namedText({ change, what, name, to }: SchemaChange, before: readonly SchemaDocument[]): string {
  const field = fieldName(name ?? '')
  if (change === 'dropped') return field
  const about = what === 'attribute' ? attributeText(to) : addedValuesText(to as SchemaEnumeration, before)
  return `${field} (${about})`
}

/** Returns the number of values, and whether an enumeration of that name had others: older cells still have its indexes. */
function addedValuesText({ name, values }: SchemaEnumeration, before: readonly SchemaDocument[]): string {
  const known = before.findLast(({ enumerations }) => enumerations.some((one) => one.name === name))
  const last = known?.enumerations.find((one) => one.name === name)
  const whole = (value: CellValue | undefined): string => shortValue(value ?? null, Number.POSITIVE_INFINITY)
  const isOther =
    last !== undefined &&
    (last.values.length !== values.length || values.some((value, i) => whole(value) !== whole(last.values[i])))
  return `${counted(values.length, 'value')}${isOther ? `, not those of the dropped one: ${shortValue(last.values).slice(1, -1)}` : ''}`
}

function changeText({ change, what, name, from, to }: SchemaChange): string {
  if (what === 'current_domain') return `current domain ${boxText(from)} -> ${boxText(to)}`
  if (what === 'other') return `${name}: ${shortValue(from as Result, VALUE)} -> ${shortValue(to as Result, VALUE)}`
  const of = `${what} ${fieldName(name ?? '')}`
  if (change === 'extended') return `extended ${of} by ${shortValue(to as Result).slice(1, -1)}`
  return `${of} dropped and added again: ${attributeText(from)} -> ${attributeText(to)}`
}

function attributeText(attribute: unknown): string {
  const { type, cell_val_num, nullable } = attribute as AttributeDescription
  return `${typeText({ type, cell_val_num })}${nullable ? ', nullable' : ''}`
}

function boxText(domain: unknown): string {
  if (domain === null) return 'none'
  const box = domain as NonNullable<SchemaDocument['current_domain']>
  return domainText(Object.keys(box), Object.values(box))
}

function facts(document: SchemaDocument, names: readonly string[]): Pairs {
  const { name, array_type, encryption, capacity, validity_filters, current_domain } = document
  const domain = current_domain && names.map((one) => current_domain[one])
  return [
    ['name', name],
    ['written', nameTimeText(name) ?? 'unknown: the name holds no timestamp'],
    ['array type', array_type],
    ['format version', versionText(document.format_version)],
    ['encryption', encryption === 'NO_ENCRYPTION' ? 'none' : encryption],
    ['tile order', document.tile_order],
    ['cell order', document.cell_order],
    ['capacity', `${counted(capacity, 'cell')} a tile${array_type === 'sparse' ? '' : ' (of sparse fragments)'}`],
    [terminalHeading('allows_duplicates'), document.allows_duplicates ? 'allowed' : 'not allowed'],
    ['coords filters', pipelineText(document.coords_filters)],
    ['offsets filters', pipelineText(document.offsets_filters)],
    validity_filters && ['validity filters', pipelineText(validity_filters)],
    ['current domain', domain ? `${domainText(names, domain)}; ${growthText(document)}` : 'none: the whole domain'],
  ]
}

/** Whether the current domain can be expanded. @see ArraySchema::expand_current_domain */
function growthText({ dimensions, current_domain }: SchemaDocument): string {
  const isWhole = dimensions.every(
    ({ name, domain }) => domain !== null && current_domain && rangeText(current_domain[name]) === rangeText(domain),
  )
  return isWhole ? 'it is the whole domain, and cannot grow' : 'it may be expanded up to the domain, and never shrinks'
}

function dimensionColumns({ coords_filters }: SchemaDocument): Shows<DimensionDescription>[] {
  return [
    { name: 'dimension', role: 'field', cell: ({ name }) => fieldName(name) },
    { name: 'type', cell: typeText },
    { name: 'domain', whole: true, cell: ({ domain }) => (domain === null ? 'any' : rangeText(domain)) },
    { name: terminalHeading('tile_extent'), align: 'right', cell: ({ tile_extent }) => extentText(tile_extent) },
    { name: 'filters', cell: (dimension) => dimensionFilters(dimension, coords_filters) },
  ]
}

function attributeColumns(attributes: readonly AttributeDescription[]): Shows<AttributeDescription>[] {
  const ordered = attributes.some(({ order }) => order !== 'unordered')
  const enumerated = attributes.some(({ enumeration }) => enumeration !== null)
  return [
    { name: 'attribute', role: 'field', cell: ({ name }) => fieldName(name) },
    { name: 'type', cell: typeText },
    { name: 'nullable', cell: ({ nullable }) => (nullable ? 'yes' : 'no') },
    { name: terminalHeading('fill_value'), whole: true, cell: fillText },
    { name: 'order', shown: ordered, cell: ({ order }) => order },
    { name: 'enumeration', shown: enumerated, cell: ({ enumeration }) => enumeration ?? NOTHING },
    { name: 'filters', cell: ({ filters }) => pipelineText(filters) },
  ]
}

const ENUMERATION_COLUMNS: readonly Shows<SchemaEnumeration>[] = [
  { name: 'enumeration', role: 'field', cell: ({ name }) => name },
  { name: 'type', cell: typeText },
  { name: 'ordered', cell: ({ ordered }) => (ordered ? 'yes' : 'no') },
  { name: 'values', align: 'right', cell: ({ values }) => countText(values.length) },
  { name: 'from 0 on', cell: ({ values }) => (values.length === 0 ? 'none' : shortValue(values).slice(1, -1)) },
]

function labelColumns(names: readonly string[]): Shows<SchemaDimensionLabel>[] {
  return [
    { name: 'label', role: 'field', cell: ({ name }) => name },
    { name: 'dimension', cell: ({ dimension_index }) => fieldName(names[dimension_index]) },
    { name: 'order', cell: ({ order }) => order },
    { name: 'type', cell: typeText },
    { name: 'attribute', cell: ({ attribute }) => attribute },
    { name: 'uri', cell: ({ uri }) => uri },
  ]
}

function extentText(extent: CellValue): string {
  if (extent === null) return NOTHING
  return typeof extent === 'number' || typeof extent === 'bigint' ? countText(extent) : shortValue(extent)
}

/** Returns the filters of a dimension. If its pipeline is empty, the filters of coordinates apply. */
export function dimensionFilters({ filters }: DimensionDescription, coords_filters: PipelineDescription): string {
  return filters.filters.length === 0 ? `(coords filters) ${pipelineText(coords_filters)}` : pipelineText(filters)
}

/** Returns the fill value. If the fill validity of a nullable attribute is false, cells without a value are null. */
function fillText({ fill_value, fill_value_validity }: AttributeDescription): string {
  if (fill_value === null) return NOTHING
  const value = shortValue(fill_value, 20)
  return fill_value_validity === false ? `null (${value})` : value
}
