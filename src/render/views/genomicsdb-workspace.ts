import { firstOf } from '../../base/errors.ts'
import type { Output } from '../../base/result.ts'
import type { GenomicsdbArrayDocument, GenomicsdbArrayLine } from '../../documents/genomicsdb-array.ts'
import type { GenomicsdbFragmentDocument, GenomicsdbFragmentLine } from '../../documents/genomicsdb-fragment.ts'
import type { GenomicsdbOverviewDocument } from '../../documents/genomicsdb-overview.ts'
import type { GenomicsdbStatsDocument } from '../../documents/genomicsdb-stats.ts'
import type {
  GenomicsdbInterval,
  GenomicsdbIntervals,
  GenomicsdbSample,
  GenomicsdbSamples,
} from '../../documents/genomicsdb-workspace.ts'
import type { OverviewHead } from '../../documents/overview.ts'
import { SEVERITY_ROLES } from '../color.ts'
import { type Pair, writeKeyValues } from '../table.ts'
import { genomicsdbFacts } from './genomicsdb-facts.ts'
import {
  limitOf,
  ROWS,
  type Shows,
  shownList,
  writeLine,
  writeNotExamined,
  writeSection,
  writeTableOrBelow,
  writeTitle,
} from './parts.ts'
import { terminalHeading } from './terminal-headings.ts'
import {
  counted,
  countText,
  fullSizeText,
  momentText,
  NOTHING,
  percentText,
  ratioText,
  shortSizeText,
} from './wording.ts'

/** Shows what a workspace or an array is, what is in it, and what is wrong. */
export async function genomicsdbOverviewTable(document: GenomicsdbOverviewDocument, out: Output): Promise<void> {
  const { path, target } = document
  await writeTitle(path, target === 'workspace' ? 'workspace of GenomicsDB' : 'array of GenomicsDB', out)
  await writeKeyValues(genomicsdbFacts(document), out)
  await writeVerdict(document, out)
}

/** Shows the findings of an overview, the commands to continue with, and whether all is right. */
async function writeVerdict(
  { path, findings, next, not_checked, not_examined, ok, finding_num }: Omit<OverviewHead, 'kind'>,
  out: Output,
): Promise<void> {
  for (const { severity, code, file, message, meaning, finding_num: num } of findings) {
    await out.write('\n')
    const more = num > 1 ? ` and ${countText(num - 1)} more` : ''
    await writeLine(
      `${severity} ${code} ${file.startsWith(`${path}/`) ? file.slice(path.length + 1) : file}${more}`,
      out,
      SEVERITY_ROLES[severity],
    )
    await writeLine(`  ${message}`, out)
    await writeLine(`  ${meaning}`, out, 'dim')
  }
  await out.write('\n')
  await writeNotExamined(not_examined, path, out)
  await writeLine(`not checked: ${not_checked.join('; ')}`, out, 'dim')
  await writeKeyValues(
    next.map(({ shows, command }): Pair => [shows, command]),
    out,
  )
  const { error, warning } = finding_num
  const words = [error > 0 && counted(error, 'error'), warning > 0 && counted(warning, 'warning')]
    .filter(Boolean)
    .join(', ')
  await writeLine(
    ok ? `OK in what was looked at; findings: ${words || 'none'}` : `NOT OK: ${words}`,
    out,
    ok ? 'good' : 'bad',
  )
}

const FILES: Shows<GenomicsdbFragmentLine>[] = [
  { name: 'file', role: 'field', cell: ({ name }) => name },
  { name: 'holds', cell: ({ holds }) => holds },
  { name: 'field', cell: ({ field }) => field ?? NOTHING },
  { name: 'size', align: 'right', cell: ({ size }) => (size === null ? 'missing' : shortSizeText(size)) },
]

/** Shows the files of a fragment. */
export async function filesTable({ path, files }: GenomicsdbFragmentDocument, out: Output): Promise<void> {
  await writeTitle(path, `fragment of GenomicsDB, ${counted(files.length, 'file')}`, out)
  await writeTableOrBelow({ ...shownList(FILES, files), limit: limitOf(ROWS, out) }, out)
}

/** Shows what a fragment is, what its files take, and what is wrong. */
export async function genomicsdbFragmentTable(document: GenomicsdbFragmentDocument, out: Output): Promise<void> {
  const { path, array, state, timestamp, cell_num, tile_num, row_range, column_range, size, files } = document
  await writeTitle(path, 'fragment of GenomicsDB', out)
  const known = (num: number | null): string => (num === null ? 'unknown' : countText(num))
  await writeKeyValues(
    [
      ['array', array],
      ['state', STATES[state]],
      ['written', timestamp === null ? 'unknown' : momentText(timestamp)],
      ['cells', known(cell_num)],
      ['tiles', known(tile_num)],
      ['rows', row_range === null ? 'unknown' : spanText(row_range)],
      ['columns', column_range === null ? 'unknown' : spanText(column_range)],
      ['size', fullSizeText(size)],
    ],
    out,
  )
  await writeSection('files', out)
  await writeTableOrBelow({ ...shownList(FILES, files), limit: limitOf(ROWS, out) }, out)
  await writeVerdict(document, out)
}

/** The state of a fragment, in words. */
const STATES: Readonly<Record<GenomicsdbFragmentDocument['state'], string>> = {
  read: 'read: it has its mark',
  unmarked: 'unmarked: readers pass over it, as it has no mark',
  unfinished: 'unfinished: it has the name that a fragment has while it is written',
}

function spanText([first, last]: readonly [number, number]): string {
  return `${first}..${last}`
}

/** Shows the intervals of a workspace. */
export async function intervalsTable(
  { path, intervals, interval_num, sample_num }: GenomicsdbIntervals,
  out: Output,
): Promise<void> {
  const samples = sample_num === null ? '' : `, ${counted(sample_num, 'sample')}`
  await writeTitle(path, `workspace of GenomicsDB, ${counted(interval_num, 'interval')}${samples}`, out)
  const columns: Shows<GenomicsdbInterval>[] = [
    { name: 'interval', role: 'field', cell: ({ name }) => name },
    {
      name: 'contigs',
      cell: ({ contigs }) => firstOf(contigs),
      shown: intervals.some(({ contig }) => contig === null),
    },
    { name: terminalHeading('fragment_num'), align: 'right', cell: ({ fragment_num }) => countText(fragment_num) },
    { name: 'batches', align: 'right', cell: ({ batch_num }) => (batch_num === null ? NOTHING : countText(batch_num)) },
    { name: terminalHeading('cell_num'), align: 'right', cell: ({ cell_num }) => countText(cell_num) },
    { name: terminalHeading('tile_num'), align: 'right', cell: ({ tile_num }) => countText(tile_num) },
    { name: 'size', align: 'right', cell: ({ size }) => shortSizeText(size) },
    {
      name: 'not read',
      align: 'right',
      role: 'bad',
      shown: intervals.some(({ unread_num }) => unread_num > 0),
      cell: ({ unread_num }) => countText(unread_num),
    },
    {
      name: 'state',
      role: 'bad',
      shown: intervals.some(({ error }) => error),
      cell: ({ error }) => (error ? 'unreadable' : ''),
    },
  ]
  await writeTableOrBelow({ ...shownList(columns, intervals), limit: limitOf(ROWS, out) }, out)
}

/** Shows the samples of a workspace. */
export async function samplesTable({ path, samples, interval_num }: GenomicsdbSamples, out: Output): Promise<void> {
  await writeTitle(
    path,
    `workspace of GenomicsDB, ${counted(samples.length, 'sample')}, ${counted(interval_num, 'interval')}`,
    out,
  )
  const columns: Shows<GenomicsdbSample>[] = [
    { name: 'sample', role: 'field', cell: ({ name }) => name ?? NOTHING },
    { name: 'row', align: 'right', cell: ({ row }) => countText(row) },
    { name: 'intervals', align: 'right', cell: (one) => countText(one.interval_num) },
    { name: 'calls', align: 'right', cell: ({ call_num }) => countText(call_num) },
    { name: 'note', role: 'bad', cell: noteOf },
  ]
  await writeTableOrBelow({ ...shownList(columns, samples), limit: limitOf(ROWS, out) }, out)
}

function noteOf({ name, call_num }: GenomicsdbSample): string {
  if (name === null) return 'no sample in callset.json'
  return call_num === 0 ? 'no calls' : ''
}

/** Shows the fragments of an array. */
export async function fragmentsTable(
  { path, fragments, fragment_num }: GenomicsdbArrayDocument,
  out: Output,
): Promise<void> {
  await writeTitle(path, `array of GenomicsDB, ${counted(fragment_num, 'fragment')}`, out)
  const span = (range: readonly [number, number] | null): string => (range === null ? NOTHING : spanText(range))
  const columns: Shows<GenomicsdbArrayLine>[] = [
    { name: 'fragment', role: 'field', cell: ({ name }) => name },
    { name: 'state', cell: ({ state, error }) => (error ? `${state}, unreadable` : state) },
    { name: 'written', cell: ({ timestamp }) => (timestamp === null ? NOTHING : momentText(timestamp)) },
    {
      name: terminalHeading('cell_num'),
      align: 'right',
      cell: ({ cell_num }) => (cell_num === null ? NOTHING : countText(cell_num)),
    },
    {
      name: terminalHeading('tile_num'),
      align: 'right',
      cell: ({ tile_num }) => (tile_num === null ? NOTHING : countText(tile_num)),
    },
    { name: 'rows', align: 'right', cell: ({ row_range }) => span(row_range) },
    { name: 'columns', align: 'right', cell: ({ column_range }) => span(column_range) },
    { name: 'size', align: 'right', cell: ({ size }) => shortSizeText(size) },
  ]
  await writeTableOrBelow({ ...shownList(columns, fragments), limit: limitOf(ROWS, out) }, out)
}

/** Shows what fills a workspace or an array. */
export async function genomicsdbStatsTable(document: GenomicsdbStatsDocument, out: Output): Promise<void> {
  const { path, fields, intervals, not_examined } = document
  await writeTitle(path, `${counted(document.interval_num, 'interval')}, ${fullSizeText(document.size)}`, out)
  await writeKeyValues(
    [
      [
        'calls',
        document.call_num === null
          ? 'unknown'
          : `${countText(document.call_num)} in ${counted(document.cell_num, 'cell')}`,
      ],
      [
        'fragments',
        `${countText(document.fragment_num)} with ${counted(document.tile_num, 'tile')}; a read of an interval merges ${countText(document.most_fragments)} or fewer`,
      ],
      ['data', `${fullSizeText(document.data_size)}, before compression ${fullSizeText(document.unfiltered_size)}`],
      document.unread_size > 0 && [
        'not read',
        `${counted(document.unread_num, 'folder')}, ${fullSizeText(document.unread_size)}`,
      ],
      ['other files', fullSizeText(document.other_size)],
    ],
    out,
  )
  await writeSection('fields, largest first', out)
  const limit = limitOf(ROWS, out)
  const columns: Shows<(typeof fields)[number]>[] = [
    { name: 'field', role: 'field', cell: ({ name }) => name },
    { name: 'size', align: 'right', cell: ({ size }) => shortSizeText(size) },
    { name: 'share', align: 'right', cell: ({ share }) => percentText(share) },
    { name: 'ratio', align: 'right', cell: ({ unfiltered_size, size }) => ratioText(unfiltered_size, size) },
    { name: 'compression', cell: ({ compression }) => compression },
  ]
  await writeTableOrBelow({ ...shownList(columns, fields), limit }, out)
  if (intervals.length > 1) {
    await writeSection('largest intervals', out)
    const ofIntervals: Shows<(typeof intervals)[number]>[] = [
      { name: 'interval', role: 'field', cell: ({ name }) => name },
      { name: terminalHeading('fragment_num'), align: 'right', cell: ({ fragment_num }) => countText(fragment_num) },
      { name: terminalHeading('cell_num'), align: 'right', cell: ({ cell_num }) => countText(cell_num) },
      { name: 'size', align: 'right', cell: ({ size }) => shortSizeText(size) },
    ]
    await writeTableOrBelow({ ...shownList(ofIntervals, intervals), limit }, out)
  }
  await writeNotExamined(not_examined, path, out)
}
