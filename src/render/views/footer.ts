import type { Document, Output, Result } from '../../base/result.ts'
import { type Column, heading, keyValues, type Pair, table } from '../table.ts'
import { shortValue } from '../units.ts'
import { type Fields, fieldList, fields, integer, list, text } from './narrow.ts'
import { fits, line, section } from './parts.ts'
import { countText, domainText, fieldName, NOTHING, sizeText, versionText } from './wording.ts'

const FILE_SIZES: readonly (readonly [key: string, column: string])[] = [
  ['file_size', 'file'],
  ['file_var_size', 'var file'],
  ['file_validity_size', 'validity file'],
]
const SECTIONS: readonly (readonly [key: string, column: string])[] = [
  ['tile_offsets', 'offsets'],
  ['tile_var_offsets', 'var'],
  ['tile_var_sizes', 'var sizes'],
  ['tile_validity_offsets', 'validity'],
  ['tile_mins', 'mins'],
  ['tile_maxs', 'maxs'],
  ['tile_sums', 'sums'],
  ['tile_null_counts', 'nulls'],
]
/** Of a document, not of a footer. */
const HEAD = new Set(['kind', 'path', 'schema_version', 'fields', 'not_examined'])

/** Every field under its own name, in the order in which it is stored. */
export async function footerTable(document: Document, out: Output): Promise<void> {
  const slots = fieldList(document.fields)
  const names = dimensionNames(document, slots)
  const before: Pair[] = []
  const after: Pair[] = []
  let pairs = before
  for (const [key, value] of Object.entries(document)) {
    if (key === 'fields') pairs = after
    if (!HEAD.has(key) && value !== undefined) pairs.push([key, valueText(key, value, names)])
  }
  await heading(document.path, out)
  await keyValues(before, out)
  if (slots.length > 0) {
    await section('fields, bytes of their files', out)
    await slotTable(slots, FILE_SIZES, (slot) => slot, out)
  }
  if (slots.some(({ offsets }) => offsets !== undefined)) {
    await section('fields, where the metadata file has their sections', out)
    await slotTable(slots, SECTIONS, (slot) => fields(slot.offsets), out)
  }
  if (after.length > 0) {
    await out.write('\n')
    await keyValues(after, out)
  }
  for (const what of list(document.not_examined)) await line(`not examined: ${text(what)}`, out, 'bad')
}

/** Since format 5 each dimension has a slot behind that of the coordinates. */
function dimensionNames(document: Document, slots: readonly Fields[]): string[] {
  const count = Array.from(list(document.nonempty_domain)).length
  const coords = slots.findLastIndex(({ name }) => name === '__coords')
  if (coords < 0 || slots.length < coords + 1 + count) return []
  return slots.slice(coords + 1, coords + 1 + count).map(({ name }) => text(name))
}

function valueText(key: string, value: Result, names: readonly string[]): string {
  if (key === 'format_version') return versionText(value)
  if (key === 'nonempty_domain') return value === null ? NOTHING : domainText(names, value)
  if (key === 'optional_sections') return sectionsText(value)
  if (key === 'footer_size' || key === 'slack_size') return sizeText(value)
  if (typeof value === 'string') return value
  return integer(value) === undefined ? shortValue(value) : countText(value)
}

function sectionsText(sections: Result): string {
  const texts = fieldList(sections).map(
    ({ identifier, payload }) => `${shortValue(identifier)}: ${shortValue(payload, 40)}`,
  )
  return texts.length === 0 ? 'none' : texts.join('; ')
}

/** One row a slot; columns that no slot has are left out. In two parts where the terminal is narrow. */
async function slotTable(
  slots: readonly Fields[],
  wanted: readonly (readonly [key: string, column: string])[],
  of: (slot: Fields) => Fields,
  out: Output,
): Promise<void> {
  const shown = wanted.filter(([key]) => slots.some((slot) => of(slot)[key] !== undefined))
  if (shown.length === 0) return
  const columns: Column[] = [
    { name: 'field', role: 'field' },
    ...shown.map(([, name]): Column => ({ name, align: 'right' })),
  ]
  const rows = slots.map((slot) => [
    slot.phantom === true ? `${fieldName(slot.name)} (phantom)` : fieldName(slot.name),
    ...shown.map(([key]) => countText(of(slot)[key])),
  ])
  if (fits(columns, rows, out) || shown.length < 2) {
    await table({ columns, rows }, out)
    return
  }
  const half = Math.ceil(wanted.length / 2)
  await slotTable(slots, wanted.slice(0, half), of, out)
  await slotTable(slots, wanted.slice(half), of, out)
}
