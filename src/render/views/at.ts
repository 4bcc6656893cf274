import type { Output, Result } from '../../base/result.ts'
import { type Column, keyValues, type Pair, table } from '../table.ts'
import { formatCount, shortValue } from '../units.ts'
import { type Document, type Fields, fieldList, fields, integer, list, text } from './narrow.ts'
import { line, section, title } from './parts.ts'
import { counted, countText, fieldName, measuredText } from './wording.ts'

/** Bytes of a value on a terminal. */
const BYTES = 6

/** A byte's meaning, from the file down to the field. */
export async function atTable(document: Document, out: Output): Promise<void> {
  const byte = Number(document.byte)
  await title(document.path, `${text(document.role)}, byte ${countText(document.offset)} is ${hexByte(byte)}`, out)
  const columns: Column[] = [
    { name: 'part', role: 'field' },
    { name: 'from', align: 'right' },
    { name: 'bytes', align: 'right' },
    { name: 'is' },
  ]
  const rows = fieldList(document.chain).map((link, depth, chain) => [
    `${'  '.repeat(depth)}${nameText(link)}`,
    countText(link.offset),
    countText(link.length),
    meaningText(link, listName(link, chain[depth - 1]), out),
  ])
  await table({ columns, rows }, out)
  await keyValues([...cellPairs(fields(document.cells)), ...noticePairs(document)], out)
}

function hexByte(byte: number): string {
  const character = byte >= 0x20 && byte < 0x7f ? ` (${JSON.stringify(String.fromCharCode(byte))})` : ''
  return `0x${byte.toString(16).padStart(2, '0')}${character}`
}

function nameText({ name, label }: Fields): string {
  const own = text(name)
  const bracketed = /^\d+$/.test(own) ? `[${own}]` : fieldName(own)
  return label === undefined || label === own ? bracketed : `${bracketed} ${fieldName(label)}`
}

/** What says whether a number is an offset: an element's list, else the field's own name. */
function listName(link: Fields, above: Fields | undefined): string {
  return text(/^\d+$/.test(text(link.name)) ? above?.name : link.name)
}

function meaningText({ type, value, stored, unit, meaning, verdict }: Fields, name: string, out: Output): string {
  const kind = text(type).replace(/^.*:/, '')
  const plain = stored === undefined ? valueText(value ?? null, out) : `${String(value)} (${stored})`
  const measured = measuredText(value, typeof unit === 'string' ? unit : undefined, name, plain)
  const parts = [value === undefined ? kind : `${kind} ${measured}`, text(meaning), text(verdict)]
  return parts.filter((part) => part !== '').join(', ')
}

/** On a terminal only the beginning of bytes: how many there are is in a column of its own. */
function valueText(value: Result, out: Output): string {
  if (out.columns === undefined || !(value instanceof Uint8Array) || value.length <= BYTES) return shortValue(value, 40)
  return `${shortValue(value.subarray(0, BYTES))}…`
}

function cellPairs(cells: Fields): Pair[] {
  const from = integer(cells.from)
  if (from === undefined) return []
  const one = cells.from === cells.to
  const which = one ? `cell ${countText(from)}` : `cells ${countText(from)} to ${countText(cells.to)}`
  const pairs: Pair[] = [
    [
      'feeds',
      `${which} of tile ${countText(cells.tile)}${cells.field === undefined ? '' : `, ${fieldName(cells.field)}`}`,
    ],
  ]
  const coordinates = coordinatesText(cells.coordinates)
  if (coordinates !== '')
    pairs.push([
      'coordinates',
      cells.padding === true ? `${coordinates} (padding, outside of the non-empty domain)` : coordinates,
    ])
  if (cells.value !== undefined) pairs.push(['value', shortValue(cells.value)])
  return pairs
}

function coordinatesText(coordinates: Result | undefined): string {
  return Object.entries(fields(coordinates))
    .map(([name, value]) => `${fieldName(name)}=${shortValue(value)}`)
    .join(', ')
}

function noticePairs(document: Document): Pair[] {
  if (document.detected_by === undefined) return []
  const detectors = Array.from(list(document.detected_by), text)
  const unnoticed = Array.from(list(document.detected_by_bit), (names, bit) =>
    Array.from(list(names)).length > 0 ? -1 : bit,
  )
  const bits = unnoticed.filter((bit) => bit >= 0)
  const { detected_in } = document
  const name = 'a flip here is noticed by'
  if (document.not_tried !== undefined) return [[name, `not tried: ${text(document.not_tried)}`]]
  if (detected_in === null) return [[name, 'not determined: the bytes cannot be read as they are']]
  const only =
    detected_in === 'array'
      ? ''
      : detected_in === 'array --all'
        ? ' (by check --all: nothing uses this file)'
        : ` (tried on this ${text(detected_in)} alone, the array is large or far)`
  if (detectors.length === 0) return [[name, `nothing${only}`]]
  const some = bits.length === 0 ? '' : `; bit${bits.length > 1 ? 's' : ''} ${bits.join(', ')}: by nothing`
  const codes = new Set(Array.from(list(document.findings_by_bit), (found) => Array.from(list(found), text)).flat())
  const pairs: Pair[] = [[name, `${detectors.join(', ')}${some}${only}`]]
  const ofCells = new Set(Array.from(list(document.cell_findings), text))
  const ofTiles = [...codes].filter((code) => !ofCells.has(code))
  if (ofTiles.length > 0) pairs.push(['check then finds', ofTiles.join(', ')])
  if (ofCells.size > 0) pairs.push(['check --level cells', [...ofCells].join(', ')])
  return pairs
}

/** Where a cell is, file by file. */
export async function cellPlacesTable(document: Document, out: Output): Promise<void> {
  const cells = fieldList(document.cells)
  await title(document.path, cells.length === 0 ? 'no such cell' : counted(cells.length, 'cell'), out)
  for (const cell of cells) {
    await section(
      `${coordinatesText(cell.coordinates)}: cell ${countText(cell.cell)} of tile ${countText(cell.tile)}`,
      out,
    )
    const places = fieldList(cell.places)
    const columns: Column[] = [
      { name: 'field', role: 'field' },
      { name: 'file' },
      { name: 'role' },
      { name: 'from', align: 'right' },
      { name: 'bytes', align: 'right' },
      { name: 'value' },
    ]
    await table({ columns, rows: places.map(placeRow) }, out)
    if (places.some(({ exact }) => exact !== true))
      await line(
        '~: the bytes of the chunk that the cell comes out of, since its filters compress or mix cells',
        out,
        'dim',
      )
  }
}

function placeRow(place: Fields): string[] {
  const exact = place.exact === true
  const mark = exact ? '' : '~'
  const inside = exact
    ? ''
    : `, bytes ${formatCount(Number(place.content_offset))}+${formatCount(Number(place.content_length))} of its content`
  return [
    fieldName(place.field),
    text(place.file),
    text(place.role),
    `${mark}${countText(place.offset)}`,
    `${mark}${countText(place.length)}`,
    `${shortValue(place.value)}${inside}`,
  ]
}
