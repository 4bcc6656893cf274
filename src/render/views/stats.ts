import type { Output } from '../../base/result.ts'
import { shortSize } from '../../base/sizes.ts'
import { sum } from '../../base/sum.ts'
import type { Distribution } from '../../documents/common.ts'
import type { SweepStats } from '../../documents/dataset.ts'
import type {
  ArrayStats,
  GroupStats,
  GroupStatsArray,
  GroupStatsField,
  GroupStatsFragment,
  OneStats,
  StatsDocument,
  StatsFieldFile,
  StatsFilter,
  StatsSection,
} from '../../documents/stats.ts'
import { drawHistogram, type HistogramLine } from '../histogram.ts'
import { type Pairs, writeHeading, writeKeyValues, writeTable } from '../table.ts'
import { formatCount } from '../units.ts'
import {
  fits,
  limitOf,
  ROWS,
  type Shows,
  type Spare,
  shownList,
  withoutSpares,
  writeLine,
  writeSection,
  writeTableOrBelow,
  writeTitle,
} from './parts.ts'
import { terminalHeading } from './terminal-headings.ts'
import {
  counted,
  countText,
  fieldName,
  filtersText,
  fullSizeText,
  NOTHING,
  percentText,
  ratioText,
  releasesText,
  shortSizeText,
  UNREADABLE,
  withTimes,
} from './wording.ts'

/** Number of fields that a terminal shows by default. */
const FIELDS = 10
/** Number of sections that a terminal shows by default. */
const SECTIONS = 12

/** Shows what uses the disk, largest first. */
export async function statsTable(document: StatsDocument, out: Output): Promise<void> {
  if (document.target === 'group') return groupStatsTable(document, out)
  const { path, target, size, fields, filters, findings } = document
  const what = target === 'array' ? `${document.array_type} array, ${fragmentsText(document)}` : 'fragment'
  await writeTitle(
    path,
    withTimes(`${what}, ${fullSizeText(size)}`, target === 'array' ? document.as_of : undefined),
    out,
  )
  await writeKeyValues(facts(document), out)
  if (fields.length > 0) {
    await writeSection('fields, largest first', out)
    const files = fields.flatMap(({ name, files, not_in_schema }) =>
      files.map(
        (file, i): FileRow => ({
          ...file,
          field: fieldName(name) + (not_in_schema ? DROPPED : ''),
          isFirst: i === 0,
        }),
      ),
    )
    await writeFields(files, fields.length, out)
    if (fields.some(({ not_in_schema }) => not_in_schema))
      await writeLine(
        'dropped: the schema no longer has the attribute, so TileDB does not read these bytes; read --as-of an earlier time does',
        out,
        'dim',
      )
    await writeSection('by filters', out)
    await writeTableOrBelow(shownList(FILTER_COLUMNS, filters), out)
  }
  await writeSections(document, out)
  await writeHistograms(document, out)
  for (const { severity, message } of findings)
    await writeLine(`${severity}: ${message}`, out, severity === 'error' ? 'bad' : 'dim')
}

/** Shows what fills a dataset, on one screen. */
async function groupStatsTable(document: GroupStats, out: Output): Promise<void> {
  const { path, as_of, size, array_num } = document
  await writeTitle(path, withTimes(`dataset, ${counted(array_num, 'array')}, ${fullSizeText(size)}`, as_of), out)
  await groupSums(document, out)
  await writeLine('--full shows each array', out, 'dim')
}

/** Shows the sums over many arrays, and the largest parts. */
export async function groupSums(document: SweepStats, out: Output): Promise<void> {
  const { arrays, fields, fragments, filters, findings } = document
  const { unread_kept_size, vacuum_size, other_size, memory_size } = document
  await writeKeyValues(
    [
      ['cells', `${countText(document.cells_in_domain)} in ${counted(document.fragment_num, 'fragment')}`],
      ['data', dataText(document)],
      ['fragment metadata', memoryText(memory_size)],
      ['vacuum frees', vacuumText(vacuum_size)],
      unread_kept_size > 0 && [
        'unread, kept by vacuum',
        `${fullSizeText(unread_kept_size)} of fragments: tiledb-inspect why PATH says which may be deleted`,
      ],
      ['beside fragments', `${fullSizeText(other_size)} of schemas, commits, key-value metadata, groups`],
    ],
    out,
  )
  if (arrays.length > 1) {
    await writeSection('arrays, largest first', out)
    await writeTableOrBelow(shownList(GROUP_ARRAY_COLUMNS, arrays.slice(0, FEW_ROWS)), out)
  }
  if (fields.length > 0) {
    await writeSection('fields of all arrays, largest first', out)
    await writeTableOrBelow(shownList(GROUP_FIELD_COLUMNS, fields.slice(0, FEW_ROWS)), out)
  }
  // If each array has one fragment, the table of arrays says as much. Of 10 arrays and more, both lists are cut to 10.
  if (fragments.length > arrays.length) {
    await writeSection('fragments, largest first', out)
    await writeTableOrBelow(shownList(GROUP_FRAGMENT_COLUMNS, fragments.slice(0, FEW_FRAGMENTS)), out)
  }
  if (filters.length > 0) {
    await writeSection('by filters', out)
    await writeTableOrBelow(shownList(FILTER_COLUMNS, filters.slice(0, FEW_ROWS)), out)
  }
  for (const { code, severity, finding_num, members } of findings) {
    const [first] = members
    const more = members.length > 1 ? ' and others' : ''
    await writeLine(
      `${severity}: ${code}, ${counted(finding_num, 'finding')}: ${first}${more}`,
      out,
      severity === 'error' ? 'bad' : 'dim',
    )
  }
}

function dataText({ data_size, unfiltered_size }: Pick<OneStats, 'data_size' | 'unfiltered_size'>): string {
  const ratio = data_size === 0 ? '' : `, ratio ${ratioText(unfiltered_size, data_size)}`
  return `${fullSizeText(data_size)}, unfiltered ${fullSizeText(unfiltered_size)}${ratio}`
}

function memoryText(memory_size: number): string {
  return `about ${shortSizeText(memory_size)} in TileDB's memory once all is loaded`
}

function vacuumText(vacuum_size: number): string {
  return vacuum_size === 0 ? 'nothing' : fullSizeText(vacuum_size)
}

/** Mark beside the name of an attribute. */
const DROPPED = ' (dropped)'

/** Number of rows of the tables of a dataset. It is shown on one screen. */
const FEW_ROWS = 5
const FEW_FRAGMENTS = 3

const GROUP_ARRAY_COLUMNS: readonly Shows<GroupStatsArray>[] = [
  { name: 'array', role: 'field', cell: ({ member }) => member },
  {
    name: terminalHeading('cells_in_domain'),
    align: 'right',
    cell: ({ cells_in_domain }) => countText(cells_in_domain),
  },
  { name: terminalHeading('fragment_num'), align: 'right', cell: ({ fragment_num }) => countText(fragment_num) },
  // Data alone: the size on disk has footers and the like, too.
  { name: 'data size', align: 'right', cell: ({ size }) => shortSizeText(size) },
  { name: 'share', align: 'right', cell: ({ share }) => percentText(share) },
  { name: 'ratio', align: 'right', cell: ({ unfiltered_size, size }) => ratioText(unfiltered_size, size) },
]

const GROUP_FIELD_COLUMNS: readonly Shows<GroupStatsField>[] = [
  { name: 'field', role: 'field', cell: ({ name }) => fieldName(name) },
  { name: 'array', cell: ({ member }) => member },
  { name: 'data size', align: 'right', cell: ({ size }) => shortSizeText(size) },
  { name: 'share', align: 'right', cell: ({ share }) => percentText(share) },
  { name: 'ratio', align: 'right', cell: ({ unfiltered_size, size }) => ratioText(unfiltered_size, size) },
]

const GROUP_FRAGMENT_COLUMNS: readonly Shows<GroupStatsFragment>[] = [
  { name: 'fragment', cell: ({ name }) => name },
  { name: 'array', role: 'field', cell: ({ member }) => member },
  { name: 'size', align: 'right', cell: ({ size }) => shortSizeText(size) },
]

function facts(document: OneStats): Pairs {
  const { cell_num, cells_in_domain, fragment_metadata } = document
  const padding = Number(cell_num) - Number(cells_in_domain)
  const padded = padding > 0 && cell_num ? `: ${percentText(padding / Number(cell_num))} padding` : ''
  const whole = cells_in_domain === cell_num ? '' : ` (${countText(cell_num)} stored, in whole tiles${padded})`
  const sums: Pairs = [
    ['format version', document.format_versions.map(releasesText).join(', ') || NOTHING],
    ['cells', countText(cells_in_domain) + whole],
    ['tiles', countText(document.tile_num)],
    ['data', dataText(document)],
    ['fragment metadata', `${fullSizeText(fragment_metadata.size)}, ${memoryText(fragment_metadata.memory_size)}`],
  ]
  const nothingRead = document.target === 'array' && document.fragment_num === 0 && document.not_examined.length > 0
  return [
    // Sums of 0 would suggest that there are no cells.
    ...(nothingRead ? [] : sums),
    ...(document.target === 'array' ? arrayFacts(document) : []),
  ]
}

/** `3 fragments (1 unreadable)` */
function fragmentsText({ fragment_num, not_examined }: ArrayStats): string {
  const unreadable = not_examined.length === 0 ? '' : ` (${countText(not_examined.length)} ${UNREADABLE})`
  return counted(fragment_num + not_examined.length, 'fragment') + unreadable
}

function arrayFacts(document: ArrayStats): Pairs {
  const { unread_fragment_num, unread_size, vacuum_size, unread_counted, other_size, not_examined } = document
  const unread = `${counted(unread_fragment_num, 'fragment')} that TileDB does not read, ${fullSizeText(unread_size)}`
  return [
    not_examined.length > 0 && [
      UNREADABLE,
      `${counted(not_examined.length, 'fragment')}, only counted in the size on disk`,
    ],
    unread_fragment_num > 0 && ['unread', `${unread}, ${unread_counted ? 'counted here' : 'not counted here'}`],
    document.vacuum_loses_cells
      ? ['do not vacuum', 'it would delete fragments whose cells no other fragment holds: check says what to do']
      : (unread_fragment_num > 0 || vacuum_size > 0) && ['vacuum frees', vacuumText(vacuum_size)],
    ['beside fragments', `${fullSizeText(other_size)} of schemas, commits, key-value metadata`],
  ]
}

/** Writes the largest fields, and the sums of the others. @param field_num number of fields */
async function writeFields(files: readonly FileRow[], field_num: number, out: Output): Promise<void> {
  const most = limitOf(FIELDS, out) ?? field_num
  const firsts = files.flatMap(({ isFirst }, i) => (isFirst ? i : []))
  const isCut = field_num > most + 1
  const shown = isCut ? files.slice(0, firsts[most]) : files
  const hasRoom = (columns: readonly FileColumn[]): boolean =>
    fits(columns.slice(0, -1), shownList(columns.slice(0, -1), shown).rows, out)
  const columns = withoutSpares(FILE_COLUMNS, hasRoom)
  const leftOut = FILE_COLUMNS.filter((column) => !columns.includes(column)).map(({ name }) => name)
  const names = shown.map(({ field, role }) => `${field} ${role}`)
  const sums = isCut ? sumsOf(files.slice(shown.length), `… ${countText(field_num - most)} more (--full)`) : undefined
  const rest = sums && columns.map((column, i) => (i === 0 ? sums.field : (column.sum?.(sums) ?? '')))
  await writeTableOrBelow({ ...shownList(columns, shown), names, leftOut, sums: rest }, out)
}

/** Sums of files; null where one is not known. */
interface FileSums {
  field: string
  size: number
  share: number | null
  unfiltered_size: number | null
}

function sumsOf(files: readonly FileRow[], field: string): FileSums {
  const known = (value: number): number | null => (Number.isNaN(value) ? null : value)
  return {
    field,
    size: sum(files, ({ size }) => size),
    share: known(sum(files, ({ share }) => share ?? Number.NaN)),
    unfiltered_size: known(sum(files, ({ unfiltered_size }) => unfiltered_size ?? Number.NaN)),
  }
}

/** A row of the table of files. */
type FileRow = StatsFieldFile & { field: string; isFirst: boolean }

interface FileColumn extends Shows<FileRow>, Spare {
  /** The text for sums of files; without it, none. */
  sum?(sums: FileSums): string
}

const sizeCell = ({ size }: FileSums | FileRow): string => shortSizeText(size)
const shareCell = ({ share }: FileSums | FileRow): string => percentText(share)
const unfilteredCell = ({ unfiltered_size }: FileSums | FileRow): string => shortSizeText(unfiltered_size)
const ratioCell = ({ unfiltered_size, size }: FileSums | FileRow): string => ratioText(unfiltered_size, size)

const FILE_COLUMNS: readonly FileColumn[] = [
  { name: 'field', role: 'field', cell: ({ field, isFirst }) => (isFirst ? field : '') },
  { name: 'role', cell: ({ role }) => role },
  { name: 'size', align: 'right', cell: sizeCell, sum: sizeCell },
  { name: 'share', align: 'right', cell: shareCell, sum: shareCell },
  { name: terminalHeading('unfiltered_size'), align: 'right', cell: unfilteredCell, sum: unfilteredCell },
  { name: 'ratio', align: 'right', cell: ratioCell, sum: ratioCell },
  {
    name: terminalHeading('tile_size'),
    align: 'right',
    spare: 1,
    cell: ({ tile_size }) => shortSizeText(tile_size && Math.round(tile_size.mean)),
  },
  { name: 'filters', cell: ({ filters }) => pipelinesText(filters) },
]

const FILTER_COLUMNS: readonly Shows<StatsFilter>[] = [
  { name: 'filters', cell: ({ filters }) => filtersText(filters) },
  { name: terminalHeading('file_num'), align: 'right', cell: ({ file_num }) => countText(file_num) },
  { name: 'size', align: 'right', cell: ({ size }) => shortSizeText(size) },
  {
    name: terminalHeading('unfiltered_size'),
    align: 'right',
    cell: ({ unfiltered_size }) => shortSizeText(unfiltered_size),
  },
  { name: 'ratio', align: 'right', cell: ({ unfiltered_size, size }) => ratioText(unfiltered_size, size) },
]

const SECTION_COLUMNS: readonly Shows<StatsSection>[] = [
  { name: 'section', cell: ({ name }) => name },
  { name: 'field', role: 'field', cell: ({ field }) => (field === null ? NOTHING : fieldName(field)) },
  { name: 'size', align: 'right', cell: ({ size }) => shortSizeText(size) },
  {
    name: terminalHeading('unfiltered_size'),
    align: 'right',
    cell: ({ unfiltered_size }) => shortSizeText(unfiltered_size),
  },
  { name: terminalHeading('memory_size'), align: 'right', cell: ({ memory_size }) => shortSizeText(memory_size) },
  { name: 'offset', align: 'right', cell: ({ offset }) => countText(offset) },
]

/** Shows the sections of the metadata file, largest first. With `--full`, those of one fragment are in the order of the file. */
async function writeSections(document: OneStats, out: Output): Promise<void> {
  const { sections, fragment_metadata, fragment_num } = document
  if (sections.length === 0) return
  const placed = sections.every(({ offset }) => offset !== undefined)
  const inOrder = placed && out.full === true
  const ordered = inOrder ? sections.toSorted((a, b) => (a.offset ?? 0) - (b.offset ?? 0)) : sections
  await writeSection(`sections of __fragment_metadata.tdb, ${inOrder ? 'in its order' : 'largest first'}`, out)
  const content = shownList(SECTION_COLUMNS, ordered)
  const hasRoom = placed && fits(content.columns, content.rows, out)
  // The last column has the offsets. Sums over fragments have none.
  const columns = hasRoom ? content.columns : content.columns.slice(0, -1)
  await writeTable({ ...content, columns, limit: limitOf(SECTIONS, out) }, out)
  if (fragment_metadata.footer_size > 0)
    await writeLine(
      `and ${fragment_num > 1 ? 'footers' : 'a footer'} of ${fullSizeText(fragment_metadata.footer_size)}`,
      out,
      'dim',
    )
}

async function writeHistograms({ tile_size, cells_per_tile }: OneStats, out: Output): Promise<void> {
  if (tile_size) {
    const tiles = counted(tile_size.tile_num, 'tile')
    await writeSection(`stored size of the ${tiles} of all files: ${spread(tile_size, shortSize)}`, out)
    await drawHistogram(bars(tile_size, shortSize), out)
  }
  if (cells_per_tile) {
    await writeSection(`cells a tile: ${spread(cells_per_tile, formatCount)}`, out)
    await drawHistogram(bars(cells_per_tile, formatCount), out)
  }
}

/** `12 B to 1.2 KiB, 400 B on average` */
function spread({ min, max, mean }: Distribution, format: (value: number) => string): string {
  const average = `${format(Math.round(mean))} on average`
  return min === max ? `all ${format(min)}` : `${format(min)} to ${format(max)}, ${average}`
}

function bars({ histogram }: Distribution, format: (value: number) => string): HistogramLine[] {
  return histogram.map(({ from, to, tile_num }) => ({
    label: from === to ? format(from) : `${format(from)}..${format(to)}`,
    count: tile_num,
    text: counted(tile_num, 'tile'),
  }))
}

/** A number of two targets. */
interface Compared {
  what: string
  a: number
  b: number
  /** Filters of a file. */
  filters?: string | undefined
}

/** Shows two documents side by side, largest differences in bytes first. */
export async function comparisonTable(a: OneStats, b: OneStats, out: Output): Promise<void> {
  await writeHeading('a and b compared', out)
  await writeKeyValues(Object.entries({ a: a.path, b: b.path }), out)
  await writeSection('in all', out)
  await writeCompared(
    [
      { what: 'fragments', a: a.fragment_num, b: b.fragment_num },
      ...unreadableRow(a, b),
      { what: 'cells', a: Number(a.cells_in_domain), b: Number(b.cells_in_domain) },
      { what: 'cells stored', a: Number(a.cell_num), b: Number(b.cell_num) },
      { what: 'tiles', a: a.tile_num, b: b.tile_num },
    ],
    formatCount,
    undefined,
    out,
  )
  await out.write('\n')
  await writeCompared(
    [
      { what: 'size', a: a.size, b: b.size },
      { what: 'data', a: a.data_size, b: b.data_size },
      { what: 'data, unfiltered', a: a.unfiltered_size, b: b.unfiltered_size },
      { what: 'fragment metadata', a: a.fragment_metadata.size, b: b.fragment_metadata.size },
    ],
    shortSize,
    undefined,
    out,
  )
  const parts = comparedParts(a, b)
  const differing = parts.filter((one) => one.a !== one.b).sort((x, y) => Math.abs(y.b - y.a) - Math.abs(x.b - x.a))
  await writeSection(
    differing.length === 0 ? 'no file or section differs in size' : 'largest differences in bytes on disk first',
    out,
  )
  if (differing.length > 0) await writeCompared(differing, shortSize, limitOf(ROWS, out), out)
  const same = parts.length - differing.length
  if (same > 0)
    await writeLine(`${counted(same, 'file or section', 'files and sections')} of the same size`, out, 'dim')
}

/** Returns a row for the unreadable fragments, if there are any. */
function unreadableRow(a: OneStats, b: OneStats): Compared[] {
  const [left, right] = [a, b].map((one) => (one.target === 'array' ? one.not_examined.length : 0))
  return left + right === 0 ? [] : [{ what: `fragments, ${UNREADABLE}`, a: left, b: right }]
}

async function writeCompared(
  rows: readonly Compared[],
  format: (value: number) => string,
  limit: number | undefined,
  out: Output,
): Promise<void> {
  const columns: Shows<Compared>[] = [
    { name: 'what', role: 'field', cell: ({ what }) => what },
    { name: 'a', align: 'right', cell: ({ a }) => format(a) },
    { name: 'b', align: 'right', cell: ({ b }) => format(b) },
    { name: 'b - a', align: 'right', cell: ({ a, b }) => differenceText(b - a, format) },
    { name: 'b / a', align: 'right', cell: ({ a, b }) => (a === 0 ? NOTHING : (b / a).toFixed(2)) },
    { name: 'filters', shown: rows.some(({ filters }) => filters !== undefined), cell: ({ filters = '' }) => filters },
  ]
  await writeTableOrBelow({ ...shownList(columns, rows), limit }, out)
}

function differenceText(difference: number, format: (value: number) => string): string {
  return difference === 0 ? '0' : `${difference > 0 ? '+' : '-'}${format(Math.abs(difference))}`
}

/** Compares the stored bytes of each file of each field, and of each section of the metadata. */
function comparedParts(a: OneStats, b: OneStats): Compared[] {
  const [left, right] = [storedSizes(a), storedSizes(b)]
  const names = new Set([...left.keys(), ...right.keys()])
  return Array.from(names, (name) => {
    const [one, other] = [left.get(name), right.get(name)]
    return { what: name, a: one?.size ?? 0, b: other?.size ?? 0, filters: bothFilters(one?.filters, other?.filters) }
  })
}

/** Returns `ZSTD -> GZIP` if the filters differ; otherwise those of the targets that have the file. */
function bothFilters(a: string | undefined, b: string | undefined): string | undefined {
  return a !== undefined && b !== undefined && a !== b ? `${a} -> ${b}` : (a ?? b)
}

/** The stored bytes of each file and section, by what it is. */
function storedSizes({ fields, sections }: OneStats): Map<string, { size: number; filters: string | undefined }> {
  const sizes = new Map<string, { size: number; filters: string | undefined }>()
  for (const { name, files } of fields) {
    for (const { role, size, filters } of files)
      sizes.set(`${fieldName(name)} ${role}`, { size, filters: pipelinesText(filters) })
  }
  for (const { name, field, size } of sections) {
    const of = field === null ? '' : ` of ${fieldName(field)}`
    sizes.set(`metadata: ${name}${of}`, { size, filters: undefined })
  }
  return sizes
}

function pipelinesText(pipelines: StatsFieldFile['filters']): string {
  return pipelines.map(filtersText).join(' | ')
}
