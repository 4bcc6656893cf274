import type { GenomicsdbImport, GenomicsdbOverviewDocument } from '../../documents/genomicsdb-overview.ts'
import { counted, countText, fullSizeText, timeRangeText } from './wording.ts'

/** A name and its value, in words. */
type Fact = readonly [name: string, value: string]

/** What an import left, in words. */
const IMPORTS: Readonly<Record<GenomicsdbImport['state'], string>> = {
  complete: 'complete: nothing shows an import that did not end',
  running:
    'an import did not end: it may still run, as files were changed in the last hour; if not, check --plan says how to go back',
  died: 'an import died: check --plan says how to go back to the state before it',
}

const SIGNS: Readonly<Record<GenomicsdbImport['signs'][number], string>> = {
  list: 'callset.json.fragmentlist is there',
  callset: 'callset.json is missing',
  folder: 'a fragment is not finished',
}

/** Number of calls, or a limit on it: a call has one cell or two. */
function callsText({ call_num, cell_num }: GenomicsdbOverviewDocument): string {
  if (call_num !== null) return counted(call_num, 'call')
  return cell_num === null ? 'an unknown number of calls' : `at most ${counted(cell_num, 'call')}`
}

function knownCount(num: number | null, what: string): string {
  return num === null ? `unknown ${what}s` : counted(num, what)
}

function named(num: number | null, names: readonly string[], what: string): string {
  if (num === null) return 'unknown'
  const more = num > names.length ? ', …' : ''
  return names.length === 0 ? counted(num, what) : `${countText(num)}: ${names.join(', ')}${more}`
}

/** The facts of an overview, name by name. What is unknown is never shown as zero. */
export function genomicsdbFacts(document: GenomicsdbOverviewDocument): (Fact | false)[] {
  const { import: imported, cell_num, tile_num, fragment_num, unread_num, schema_versions } = document
  const signs = imported.signs.map((sign) => SIGNS[sign]).join('; ')
  const unread = unread_num > 0 ? `, and ${counted(unread_num, 'folder')} that readers pass over` : ''
  return [
    document.workspace !== null && ['workspace', document.workspace],
    ['import', imported.state === 'complete' ? IMPORTS.complete : `${IMPORTS[imported.state]} (${signs})`],
    imported.new_fragment_num > 0 && [
      'new',
      `${counted(imported.new_fragment_num, 'fragment')} of that import, which readers read already`,
    ],
    ['samples', named(document.sample_num, document.samples, 'sample')],
    document.target === 'workspace' && ['intervals', named(document.interval_num, document.intervals, 'interval')],
    ['contigs', document.contig_num === null ? 'unknown' : countText(document.contig_num)],
    ['calls', `${callsText(document)} with ${knownCount(document.field_num, 'field')}`],
    [
      'cells',
      `${cell_num === null ? 'unknown: not every fragment can be read' : counted(cell_num, 'cell')}${tile_num === null ? '' : ` of ${counted(tile_num, 'tile')}`}`,
    ],
    [
      'fragments',
      `${countText(fragment_num)}${unread}; a read of an interval merges ${countText(document.most_fragments)} or fewer`,
    ],
    ['written', timeRangeText(document.timestamp_range, false).replace('..', ' to ')],
    ['size', fullSizeText(document.size)],
    [
      'versions',
      schema_versions.length === 0
        ? 'unknown'
        : `schema version ${schema_versions.join(', ')}: GenomicsDB ${document.written_by}`,
    ],
  ]
}
