import type { Output } from '../../base/result.ts'
import { heading, keyValues, type Pair } from '../table.ts'
import { formatSize } from '../units.ts'
import { amount, type Document, type Fields, fieldList, fields, list, text } from './narrow.ts'
import { line, section, tableOrBelow } from './parts.ts'
import { dimensionFilters } from './schema.ts'
import { counted, domainText, filtersText, NOTHING, versionText } from './wording.ts'

/** What a sample holds, and what to try on it. */
export async function sampleTable(document: Document, out: Output): Promise<void> {
  await heading(`${document.path}: ${text(document.array_type)} array, written`, out)
  await keyValues(facts(document), out)
  await section('dimensions', out)
  await tableOrBelow(
    {
      columns: [
        { name: 'name', role: 'field' },
        { name: 'type' },
        { name: 'domain' },
        { name: 'extent', align: 'right' },
        { name: 'filters' },
      ],
      rows: fieldList(document.dimensions).map((one) => [
        text(one.name),
        text(one.type),
        one.domain === null ? NOTHING : domainText([], [one.domain ?? null]),
        one.tile_extent === null ? NOTHING : String(one.tile_extent),
        dimensionFilters(document, one),
      ]),
    },
    out,
  )
  await section('attributes', out)
  await tableOrBelow(
    {
      columns: [{ name: 'name', role: 'field' }, { name: 'type' }, { name: 'cells' }, { name: 'filters' }],
      rows: fieldList(document.attributes).map((one) => [
        text(one.name),
        text(one.type),
        cellText(one),
        filtersText(fields(one.filters).filters),
      ]),
    },
    out,
  )
  for (const note of list(document.notes)) await line(`note: ${text(note)}`, out)
  await section('try', out)
  for (const command of list(document.next)) await line(`  ${text(command)}`, out)
}

function facts(document: Document): Pair[] {
  const fragments = Array.from(list(document.fragments)).length
  const files = Array.from(list(document.files)).length
  const pairs: Pair[] = [
    ['format version', versionText(document.format_version)],
    ['cells', `${counted(amount(document.cell_num), 'cell')} in ${counted(fragments, 'fragment')}`],
    ['cell order', text(document.cell_order)],
    ['files', `${counted(files, 'file')}, ${formatSize(amount(document.total_size))}`],
  ]
  if (document.encryption === 'AES_256_GCM') pairs.push(['encryption', 'AES_256_GCM'])
  for (const [key, name] of [
    ['enumerations', 'enumerations'],
    ['metadata', 'metadata'],
  ] as const) {
    const names = Array.from(list(document[key]), text)
    if (names.length > 0) pairs.push([name, names.join(', ')])
  }
  return pairs
}

/** `3 values`, `var-sized, nullable` */
function cellText({ cell_val_num, nullable, enumeration }: Fields): string {
  const size =
    cell_val_num === 'var' ? 'var-sized' : cell_val_num === 1 ? 'one value' : `${String(cell_val_num)} values`
  const index = typeof enumeration === 'string' ? `, of ${enumeration}` : ''
  return `${size}${nullable === true ? ', nullable' : ''}${index}`
}
