import { byteDigits, isPrintable } from '../../base/byte-text.ts'
import { firstOf } from '../../base/errors.ts'
import type { Output } from '../../base/result.ts'
import type { AtDocument } from '../../documents/at.ts'
import type { CellDocument, CellLinePlace } from '../../documents/cell.ts'
import type { DumpField } from '../../documents/dump.ts'
import { writeKeyValues } from '../table.ts'
import { shortValue } from '../units.ts'
import { cellPairs, noticePairs } from './at-pairs.ts'
import { type Shows, shownList, writeLine, writeSection, writeTableOrBelow, writeTitle } from './parts.ts'
import { terminalHeading } from './terminal-headings.ts'
import { counted, countText, fieldName, isIndex, measuredText, partName, valuesText } from './wording.ts'

/** Number of bytes of a value that a terminal shows. */
const BYTES = 6

/** Shows the meaning of a byte, from the file down to the field. */
export async function atTable(document: AtDocument, out: Output): Promise<void> {
  const { path, file_kind, offset, byte, cells } = document
  await writeTitle(path, `${file_kind}, byte ${countText(offset)} is ${hexByte(byte)}`, out)
  const { chain } = document
  const columns: Shows<DumpField>[] = [
    { name: 'part', role: 'field', cell: (link, depth) => `${'  '.repeat(depth)}${partName(link)}` },
    { name: 'offset', align: 'right', cell: ({ offset }) => countText(offset) },
    { name: terminalHeading('length'), align: 'right', cell: ({ length }) => countText(length) },
    { name: 'is', cell: (link, depth) => meaningText(link, listName(link, chain[depth - 1]), out) },
  ]
  if (await writeTableOrBelow(shownList(columns, chain), out)) await out.write('\n')
  await writeKeyValues([...(cells ? cellPairs(cells) : []), ...noticePairs(document)], out)
}

function hexByte(byte: number): string {
  const character = isPrintable(byte) ? ` (${JSON.stringify(String.fromCharCode(byte))})` : ''
  return `0x${byteDigits(byte)}${character}`
}

/** Returns the name that shows whether a number is an offset: for an element, the name of its list. */
function listName({ name }: DumpField, above: DumpField | undefined): string {
  return isIndex(name) && above ? above.name : name
}

function meaningText(
  { type, value, stored_value, unit, meaning, verdict }: DumpField,
  name: string,
  out: Output,
): string {
  const kind = type.replace(/^.*:/, '')
  const plain = stored_value === undefined ? valueText(value, out) : `${String(value)} (${stored_value})`
  const parts = [value === undefined ? kind : `${kind} ${measuredText(value, unit, name, plain)}`, meaning, verdict]
  return parts.filter((part) => part).join(', ')
}

/** Returns a value as text. A terminal shows only some bytes, as another column has their number. */
function valueText(value: DumpField['value'], out: Output): string {
  if (out.columns === undefined || !(value instanceof Uint8Array) || value.length <= BYTES) return shortValue(value, 40)
  return `${shortValue(value.subarray(0, BYTES))}…`
}

/** Shows where the bytes of cells are, file by file. */
export async function cellPlacesTable(document: CellDocument, out: Output): Promise<void> {
  const { path, cells, state, other_fragments: others = [] } = document
  await writeTitle(path, cells.length === 0 ? 'no such cell' : counted(cells.length, 'cell'), out)
  if (state) await writeLine(state === 'current' ? 'a reader has this version' : `no reader has it now: ${state}`, out)
  if (others.length > 0) await writeLine(`other versions, which history shows: ${firstOf(others)}`, out)
  for (const { coordinates, position, tile, places } of cells) {
    await writeSection(`${valuesText(coordinates)}: cell ${countText(position)} of tile ${countText(tile)}`, out)
    const names = places.map(({ field, role }) => `${fieldName(field)} ${role}`)
    const below = await writeTableOrBelow({ ...shownList(PLACE_COLUMNS, places), names }, out)
    if (places.every(({ cell_only }) => cell_only)) continue
    if (below) await out.write('\n')
    await writeLine(
      '~: the bytes of the whole chunk that holds the cell, since its filters compress or mix cells',
      out,
      'dim',
    )
  }
}

const PLACE_COLUMNS: readonly Shows<CellLinePlace>[] = [
  { name: 'field', role: 'field', cell: ({ field }) => fieldName(field) },
  { name: 'file', cell: ({ file }) => file },
  { name: 'role', cell: ({ role }) => role },
  { name: 'offset', align: 'right', cell: ({ cell_only, offset }) => `${cell_only ? '' : '~'}${countText(offset)}` },
  {
    name: terminalHeading('length'),
    align: 'right',
    cell: ({ cell_only, length }) => `${cell_only ? '' : '~'}${countText(length)}`,
  },
  { name: 'value', cell: ({ value, ...place }) => `${shortValue(value)}${contentText(place)}` },
]

function contentText({ cell_only, content_offset, content_length }: Omit<CellLinePlace, 'value'>): string {
  return cell_only ? '' : `, bytes ${countText(content_offset)}+${countText(content_length)} of its content`
}
