import type { Output } from '../../base/result.ts'
import type { AttributeDescription, DimensionDescription } from '../../documents/common.ts'
import type { SampleDocument } from '../../documents/sample.ts'
import { type Pairs, writeHeading, writeKeyValues } from '../table.ts'
import { formatSize } from '../units.ts'
import { type Shows, shownList, writeCommandLine, writeLine, writeSection, writeTableOrBelow } from './parts.ts'
import { dimensionFilters } from './schema.ts'
import { terminalHeading } from './terminal-headings.ts'
import { counted, filtersText, NOTHING, rangeText, versionText } from './wording.ts'

/** Shows the contents of a sample, and commands to try on it. */
export async function sampleTable(document: SampleDocument, out: Output): Promise<void> {
  await writeHeading(`${document.path}: ${document.array_type} array, written`, out)
  await writeKeyValues(facts(document), out)
  await writeSection('dimensions', out)
  await writeTableOrBelow(shownList(dimensionColumns(document), document.dimensions), out)
  await writeSection('attributes', out)
  await writeTableOrBelow(shownList(ATTRIBUTE_COLUMNS, document.attributes), out)
  for (const note of document.notes) await writeLine(`note: ${note}`, out)
  await writeSection('try', out)
  for (const command of document.next) await writeCommandLine(command, out)
}

function dimensionColumns({ coords_filters }: SampleDocument): Shows<DimensionDescription>[] {
  return [
    { name: 'dimension', role: 'field', cell: ({ name }) => name },
    { name: 'type', cell: ({ type }) => type },
    { name: 'domain', whole: true, cell: ({ domain }) => (domain === null ? NOTHING : rangeText(domain)) },
    { name: terminalHeading('tile_extent'), align: 'right', cell: ({ tile_extent }) => String(tile_extent ?? NOTHING) },
    { name: 'filters', cell: (dimension) => dimensionFilters(dimension, coords_filters) },
  ]
}

const ATTRIBUTE_COLUMNS: readonly Shows<AttributeDescription>[] = [
  { name: 'attribute', role: 'field', cell: ({ name }) => name },
  { name: 'type', cell: ({ type }) => type },
  { name: terminalHeading('cell_val_num'), cell: cellText },
  { name: 'filters', cell: ({ filters }) => filtersText(filters.filters) },
]

function facts(document: SampleDocument): Pairs {
  const { cell_num, fragments, files, total_size, enumerations, metadata_keys } = document
  return [
    ['format version', versionText(document.format_version)],
    ['cells', `${counted(cell_num, 'cell')} in ${counted(fragments.length, 'fragment')}`],
    ['cell order', document.cell_order],
    ['files', `${counted(files.length, 'file')}, ${formatSize(total_size)}`],
    document.encryption === 'AES_256_GCM' && ['encryption', 'AES_256_GCM'],
    enumerations.length > 0 && ['enumerations', enumerations.join(', ')],
    metadata_keys.length > 0 && ['metadata keys', metadata_keys.join(', ')],
  ]
}

/** `3 values`, `var-sized, nullable` */
function cellText({ cell_val_num, nullable, enumeration }: AttributeDescription): string {
  const values = cell_val_num === 1 ? 'one value' : `${cell_val_num} values`
  const size = cell_val_num === 'var' ? 'var-sized' : values
  return `${size}${nullable ? ', nullable' : ''}${enumeration === null ? '' : `, of ${enumeration}`}`
}
