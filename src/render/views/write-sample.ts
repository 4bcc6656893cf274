import type { Output } from '../../base/result.ts'
import type { AttributeDescription } from '../../documents/common.ts'
import type { SampleDocument } from '../../documents/sample.ts'
import { heading, keyValues, type Pair } from '../table.ts'
import { formatSize } from '../units.ts'
import { line, section, tableOrBelow } from './parts.ts'
import { dimensionFilters } from './schema.ts'
import { counted, filtersText, NOTHING, rangeText, versionText } from './wording.ts'

/** The contents of a sample, and commands to try on it. */
export async function sampleTable(document: SampleDocument, out: Output): Promise<void> {
  await heading(`${document.path}: ${document.array_type} array, written`, out)
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
      rows: document.dimensions.map((one) => [
        one.name,
        one.type,
        one.domain === null ? NOTHING : rangeText(one.domain),
        one.tile_extent === null ? NOTHING : String(one.tile_extent),
        dimensionFilters(one, document.coords_filters),
      ]),
    },
    out,
  )
  await section('attributes', out)
  await tableOrBelow(
    {
      columns: [{ name: 'name', role: 'field' }, { name: 'type' }, { name: 'cells' }, { name: 'filters' }],
      rows: document.attributes.map((one) => [one.name, one.type, cellText(one), filtersText(one.filters.filters)]),
    },
    out,
  )
  for (const note of document.notes) await line(`note: ${note}`, out)
  await section('try', out)
  for (const command of document.next) await line(`  ${command}`, out)
}

function facts({
  cell_num,
  fragments,
  files,
  total_size,
  enumerations,
  metadata,
  ...document
}: SampleDocument): Pair[] {
  const pairs: Pair[] = [
    ['format version', versionText(document.format_version)],
    ['cells', `${counted(cell_num, 'cell')} in ${counted(fragments.length, 'fragment')}`],
    ['cell order', document.cell_order],
    ['files', `${counted(files.length, 'file')}, ${formatSize(total_size)}`],
  ]
  if (document.encryption === 'AES_256_GCM') pairs.push(['encryption', 'AES_256_GCM'])
  if (enumerations.length > 0) pairs.push(['enumerations', enumerations.join(', ')])
  if (metadata.length > 0) pairs.push(['metadata', metadata.join(', ')])
  return pairs
}

/** `3 values`, `var-sized, nullable` */
function cellText({ cell_val_num, nullable, enumeration }: AttributeDescription): string {
  const size = cell_val_num === 'var' ? 'var-sized' : cell_val_num === 1 ? 'one value' : `${cell_val_num} values`
  return `${size}${nullable ? ', nullable' : ''}${enumeration === null ? '' : `, of ${enumeration}`}`
}
