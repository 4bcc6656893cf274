import type { Output } from '../../base/result.ts'
import type { ArrayFragment, ArrayListing } from '../../documents/array.ts'
import type { ErrorInfo, ListedFragment } from '../../documents/common.ts'
import type { FragmentDocument, FragmentLine } from '../../documents/fragment.ts'
import type { GroupDocument, GroupLine } from '../../documents/group.ts'
import { withArticle } from '../../store/target.ts'
import { type Column, heading, keyValues, type Pair, table } from '../table.ts'
import { formatSize } from '../units.ts'
import { keyValueRows, METADATA_COLUMNS } from './metadata.ts'
import { fits, type ListContent, limitOf, line, ROWS, section, tableOrBelow, title } from './parts.ts'
import {
  counted,
  countText,
  domainText,
  fieldName,
  filtersText,
  NOTHING,
  ratioText,
  releasesText,
  shortSizeText,
  sizeText,
  timeRangeText,
  versionText,
} from './wording.ts'

const UNREADABLE = 'unreadable'
/** State if a data file is missing or short. */
const INCOMPLETE = 'incomplete'
/** State of a live fragment that holds the cells of others. */
const CONSOLIDATED = 'live, consolidated'
/** Hints about fragments that TileDB does not read. */
const HIDDEN: { readonly [state in NonNullable<ListedFragment['state']>]?: string } = {
  hidden:
    'a vacuum file hides it, and no other fragment holds its cells: do not vacuum or delete it; check says what to do',
  future: 'its time stamps end in the future, and it is read from then on',
  uncommitted: 'no commit names it: a write that failed or is still going on',
  'to-vacuum': 'consolidation wrote its cells anew; it waits for vacuum',
  ignored: 'an ignore file took its commit back',
  'no-metadata': 'a folder without a metadata file: a write that failed or is still going on',
}

/** Hint about a fragment that is read although it is not listed. */
const UNLISTED = 'read by TileDB as far as it was written up to now, but not listed: its time stamps end in the future'

/** An array with its fragments, all in memory. */
type Listing = ArrayListing & { readonly fragments: readonly ArrayFragment[] }

/** @param names of the dimensions */
export async function arrayTable(
  document: Listing,
  names: readonly string[],
  full: boolean,
  out: Output,
): Promise<void> {
  const { fragments, fragment_num, overlap_pair_num, read } = document
  await title(document.path, arrayFacts(document), out)
  const missing = document.missing_fragments.length
  if (fragments.length === 0) {
    await line(
      fragment_num === 0 ? 'no fragments' : `the range touches none of ${counted(fragment_num, 'fragment')}`,
      out,
    )
    await missingLine(missing, out)
    return
  }
  await fragmentsTable(document, names, limitOf(full, ROWS, out), out)
  for (const text of totals(document)) await line(text, out)
  if (read.fragment_num === 0)
    await line('TileDB finds no cell in this array: check says why, and what to do', out, 'bad')
  if (overlap_pair_num) {
    await line(
      `${counted(overlap_pair_num, 'pair')} of fragments overlap: their cells are merged when they are read`,
      out,
      'dim',
    )
  }
  const merged = fragments.filter((fragment) => stateText(fragment) === CONSOLIDATED).length
  if (merged > 0)
    await line(`${CONSOLIDATED} (${merged}): with the cells of the fragments between its times`, out, 'dim')
  for (const [state, meaning] of [['unlisted', UNLISTED], ...Object.entries(HIDDEN)]) {
    const count = fragments.filter((fragment) => fragment.state === state).length
    const what = state === 'unlisted' ? meaning : `not read by TileDB; ${meaning}`
    if (count > 0) await line(`${state} (${count}): ${what}`, out, state === 'hidden' ? 'bad' : 'dim')
  }
  const { delete_condition_num: deletes } = document
  if (deletes > 0)
    await line(
      `${counted(deletes, 'delete condition')}: TileDB leaves out the cells that meet them; commits shows them`,
      out,
      'dim',
    )
  await missingLine(missing, out)
}

async function missingLine(count: number, out: Output): Promise<void> {
  if (count === 0) return
  const what = count === 1 ? '1 commit names a fragment that is' : `${count} commits name fragments that are`
  await line(`${what} not there: check says what that means`, out, 'bad')
}

function arrayFacts({ array_type, format_version, encryption, schemas }: ArrayListing): string {
  const facts = [
    ...(array_type === null
      ? ['array whose schema cannot be read']
      : [`${array_type} array`, `format version ${versionText(format_version)}`]),
    encryption === 'NO_ENCRYPTION' || encryption === null ? '' : `encrypted (${encryption})`,
    schemas.length > 1 ? `${schemas.length} schemas` : '',
  ]
  return facts.filter((fact) => fact !== '').join(', ')
}

/** The number of each schema of an evolved array: `2/3`. Undefined if there is only one. */
function schemaNumbers({ schemas }: ArrayListing): ReadonlyMap<string | null, string> | undefined {
  return schemas.length < 2 ? undefined : new Map(schemas.map(({ name }, i) => [name, `${i + 1}/${schemas.length}`]))
}

async function fragmentsTable(
  document: Listing,
  names: readonly string[],
  limit: number | undefined,
  out: Output,
): Promise<void> {
  const { fragments, error } = document
  const schemas = schemaNumbers(document)
  const overlapping = fragments.some(({ overlap_num }) => (overlap_num ?? 0) > 0)
  const ratios = fragments.some(({ ratio }) => ratio !== null)
  const columns: Column[] = [
    { name: 'fragment', role: 'field' },
    { name: 'state', role: stateRole, whole: true },
    { name: 'cells', align: 'right' },
    { name: 'tiles', align: 'right' },
    { name: 'size', align: 'right' },
    ...(ratios ? [{ name: 'ratio', align: 'right' } as const] : []),
    ...(schemas ? [{ name: 'schema', align: 'right' } as const] : []),
    ...(overlapping ? [{ name: 'overlaps', align: 'right' } as const] : []),
    // Aligned right, so that names are cut first.
    { name: 'time', align: 'right' },
    { name: 'non-empty domain', role: (cell) => (cell.startsWith('error: ') ? 'bad' : undefined) },
  ]
  const rows = (exact: boolean): string[][] =>
    fragments.map((fragment) => [
      fragment.name,
      stateText(fragment),
      countText(fragment.cells_in_domain),
      countText(fragment.tile_num),
      exact ? sizeText(fragment.size) : shortSizeText(fragment.size),
      ...(ratios ? [ratioText(fragment.unfiltered_size, fragment.data_size)] : []),
      ...(schemas ? [schemas.get(fragment.array_schema_name) ?? NOTHING] : []),
      ...(overlapping ? [countText(fragment.overlap_num)] : []),
      timeRangeText(fragment.timestamp_range, exact),
      domainOrError(fragment, error, names),
    ])
  const wide = rows(true)
  const narrow = fits(columns, wide.slice(0, limit), out) ? wide : rows(false)
  await fragmentRows({ columns, rows: narrow, limit }, out)
}

/** Columns that move to separate lines, the last first, until the rest fits. */
const OPTIONAL = ['non-empty domain', 'time']
/** Columns that are left out before that. */
const SPARE = ['ratio', 'tiles']
/** Shortest form of a name: two underscores and a timestamp. */
const LEAST_NAME = 15

/**
 * On a terminal, fragments that need attention come first; the others keep their order. If whole names do not fit, they are
 * cut to lengths that other commands still accept. Columns that do not fit go below, by row number.
 */
async function fragmentRows(content: ListContent, out: Output): Promise<void> {
  if (out.columns === undefined || out.vertical) {
    await table(content, out)
    return
  }
  const { limit } = content
  const state = content.columns.findIndex(({ name }) => name === 'state')
  const order = (row: readonly string[]): number => (stateRole(row[state]) === 'bad' ? 0 : 1)
  const sorted = content.rows.toSorted((a, b) => order(a) - order(b))
  if (fits(NUMBERED.concat(content.columns), numbered(sorted).slice(0, limit), out)) {
    await table({ columns: content.columns, rows: sorted, limit }, out)
    return
  }
  const length = enoughOf(content.rows.map(([name]) => name))
  const [, ...others] = content.columns
  let columns: readonly Column[] = [...NUMBERED, { name: 'fragment begins', role: 'field', whole: true }, ...others]
  let rows: readonly (readonly string[])[] = numbered(sorted.map((row) => row.with(0, row[0].slice(0, length))))
  const without = (name: string): void => {
    const at = columns.findIndex((column) => column.name === name)
    if (at < 0) return
    columns = columns.toSpliced(at, 1)
    rows = rows.map((row) => row.toSpliced(at, 1))
  }
  const below: { name: string; cells: string[] }[] = []
  const roomy = (): boolean => fits(columns, rows.slice(0, limit), out)
  for (const name of OPTIONAL) {
    if (roomy()) break
    const at = columns.findIndex((column) => column.name === name)
    below.push({ name, cells: rows.map((row) => row[at]) })
    without(name)
  }
  const left: string[] = []
  for (const name of SPARE) {
    if (roomy()) break
    if (!columns.some((column) => column.name === name)) continue
    left.push(name)
    without(name)
  }
  await table({ columns, rows, limit, left }, out)
  const details = rows.slice(0, limit).flatMap(([number], i): Pair[] => {
    const cells = below.map(({ cells }) => cells[i]).filter((cell) => cell !== '' && cell !== NOTHING)
    return cells.length === 0 ? [] : [[number, cells.join('; ')]]
  })
  if (details.length === 0) return
  await section(`# ${below.map(({ name }) => name).join('; ')}`, out)
  await keyValues(details, out)
  await out.write('\n')
}

const NUMBERED: readonly Column[] = [{ name: '#', align: 'right', role: 'dim' }]

function numbered(rows: readonly (readonly string[])[]): string[][] {
  return rows.map((row, i) => [String(i + 1), ...row])
}

/** Number of characters that tell all names apart. */
function enoughOf(names: readonly string[]): number {
  const sorted = names.toSorted()
  let most = LEAST_NAME
  for (let i = 1; i < sorted.length; i++) {
    let same = 0
    while (same < sorted[i].length && sorted[i][same] === sorted[i - 1][same]) same++
    most = Math.max(most, same + 1)
  }
  return most
}

/** The state in one word. */
function stateText({ state, consolidated, error, damaged_files }: ListedFragment): string {
  const word = state === 'live' && consolidated ? CONSOLIDATED : (state ?? NOTHING)
  if (damaged_files !== undefined) return `${word}, ${INCOMPLETE}`
  return error === undefined ? word : `${word}, ${UNREADABLE}`
}

function stateRole(state: string): 'good' | 'bad' | 'dim' {
  if (state.endsWith(UNREADABLE) || state.endsWith(INCOMPLETE)) return 'bad'
  return state === 'live' || state === CONSOLIDATED
    ? 'good'
    : state === 'uncommitted' || state === 'no-metadata' || state === 'hidden' || state === 'future'
      ? 'bad'
      : 'dim'
}

/** @param ofArray the error of the whole array, which was shown already */
function domainOrError(fragment: ListedFragment, ofArray: ErrorInfo | undefined, names: readonly string[]): string {
  const { error } = fragment
  if (error === undefined) return domainText(names, fragment.nonempty_domain)
  const { file = '', message } = error
  if (file !== '' && file === ofArray?.file) return NOTHING
  const name = file.slice(file.lastIndexOf('/') + 1)
  return `error: ${name === '' || name === fragment.name ? '' : `${name}: `}${message}`
}

/** Totals of what TileDB reads and of what else is on disk; separate lines if there is any of the latter. */
function totals({ fragments, total_size: all }: Listing): string[] {
  const isRead = ({ state }: ArrayFragment): boolean => state === 'live' || state === 'unlisted'
  const read = fragments.filter(isRead)
  const others = fragments.filter((fragment) => !isRead(fragment))
  const size = fragments.reduce((total, fragment) => total + fragment.size, 0)
  const part = size === all ? '' : `; together ${formatSize(size)} of ${formatSize(all)} in the array`
  return others.length === 0
    ? [sumsText(read) + part]
    : [`read by TileDB: ${sumsText(read)}`, `on disk besides: ${sumsText(others)}${part}`]
}

/** `3 fragments, 1,234 cells, 8 tiles, 12.3 KiB (12,595 bytes)` */
function sumsText(fragments: readonly ArrayFragment[]): string {
  const sum = (key: 'cells_in_domain' | 'tile_num' | 'size'): bigint =>
    fragments.reduce((total, fragment) => total + BigInt(fragment[key] ?? 0), 0n)
  const unreadable = fragments.filter(({ error }) => error !== undefined).length
  const incomplete = fragments.filter(({ damaged_files }) => damaged_files !== undefined).length
  const notes = [
    unreadable === 0 ? '' : `${unreadable} ${UNREADABLE}`,
    incomplete === 0 ? '' : `${incomplete} ${INCOMPLETE}`,
  ].filter((note) => note !== '')
  return [
    `${counted(fragments.length, 'fragment')}${notes.length === 0 ? '' : ` (${notes.join(', ')})`}`,
    // The size of unreadable data is unknown.
    ...(unreadable > 0 && unreadable === fragments.length
      ? []
      : [counted(sum('cells_in_domain'), 'cell'), counted(sum('tile_num'), 'tile')]),
    formatSize(Number(sum('size'))),
  ].join(', ')
}

/** @param names of the dimensions; empty if the schema is not known */
export async function fragmentTable(document: FragmentDocument, names: readonly string[], out: Output): Promise<void> {
  const { path, error, files } = document
  await heading(path, out)
  await keyValues(fragmentFacts(document, names), out)
  if (error) await line(`error: ${error.message}`, out, 'bad')
  await section(files.length === 0 ? 'no files' : counted(files.length, 'file'), out)
  // Without the metadata, nobody knows which files it lists.
  if (files.length > 0) await filesTable(files, error ? () => '' : fileNote, out)
}

function fragmentFacts(document: FragmentDocument, names: readonly string[]): Pair[] {
  const { dense, cell_num, cells_in_domain, state, hidden_by, array_schema_name } = document
  const pairs: Pair[] = []
  if (state) {
    const meaning = state === 'unlisted' ? UNLISTED : HIDDEN[state]
    pairs.push(['state', meaning === undefined ? state : `${state}: ${meaning}`])
  }
  if (dense !== null) pairs.push(['type', dense ? 'dense' : 'sparse'])
  pairs.push(['format version', releasesText(document.format_version)])
  pairs.push(['written', timeRangeText(document.timestamp_range)])
  if (document.consolidated) pairs.push(['consolidated', 'it holds the cells of fragments written between these times'])
  if (hidden_by) pairs.push(['hidden by', hidden_by])
  if (array_schema_name !== null) pairs.push(['schema', array_schema_name])
  if (cells_in_domain !== null) {
    const whole = cells_in_domain === cell_num ? '' : ` (${countText(cell_num)} stored, in whole tiles)`
    pairs.push(['cells', countText(cells_in_domain) + whole])
    pairs.push(['tiles', countText(document.tile_num)])
  }
  pairs.push(['size', sizeText(document.size)])
  if (dense !== null) pairs.push(['non-empty domain', domainText(names, document.nonempty_domain)])
  if (document.has_consolidated_metadata) {
    pairs.push(['footer', 'also in a consolidated fragment metadata file'])
  }
  return pairs
}

async function filesTable(
  files: readonly FragmentLine[],
  note: (file: FragmentLine) => string,
  out: Output,
): Promise<void> {
  const noted = files.some((file) => note(file) !== '')
  const wide = fileList(files, { noted, tiles: true, size: sizeText })
  // All files of a fragment have the same number of tiles, shown above.
  const content = fits(wide.columns, wide.rows, out)
    ? wide
    : { ...fileList(files, { noted, tiles: false, size: shortSizeText }), left: ['tiles'] }
  if (await tableOrBelow(content, out)) await out.write('\n')
  const data = files.filter(({ unfiltered_size, state }) => unfiltered_size !== undefined && state === 'present')
  if (data.length > 0) {
    const sum = (key: 'size' | 'unfiltered_size'): number => data.reduce((total, file) => total + (file[key] ?? 0), 0)
    const [stored, unfiltered] = [sum('size'), sum('unfiltered_size')]
    const ratio = stored === 0 ? '' : `, ratio ${ratioText(unfiltered, stored)}`
    await line(`data: ${formatSize(stored)}, unfiltered ${formatSize(unfiltered)}${ratio}`, out)
  }
}

interface FileListStyle {
  noted: boolean
  tiles: boolean
  size: (bytes: number | null | undefined) => string
}

function fileList(files: readonly FragmentLine[], { noted, tiles, size }: FileListStyle): ListContent {
  return {
    columns: [
      { name: 'file' },
      { name: 'field', role: 'field' },
      { name: 'role' },
      { name: 'size', align: 'right' },
      ...(tiles ? [{ name: 'tiles', align: 'right' } as const] : []),
      { name: 'unfiltered', align: 'right' },
      { name: 'ratio', align: 'right' },
      ...(noted ? [{ name: 'note', role: 'bad' } as const] : []),
      { name: 'filters' },
    ],
    rows: files.map((file) => [
      file.name,
      file.field === null ? NOTHING : fieldName(file.field),
      file.role,
      size(file.size),
      ...(tiles ? [countText(file.tile_num)] : []),
      size(file.unfiltered_size),
      file.state === 'present' ? ratioText(file.unfiltered_size, file.size) : NOTHING,
      ...(noted ? [fileNote(file)] : []),
      filtersText(file.filters),
    ]),
  }
}

/** What is wrong with a file, in words; empty if nothing is. */
function fileNote({ state, size, listed_size }: FragmentLine): string {
  if (state === 'missing') return `missing (listed with ${countText(listed_size)} bytes)`
  if (state === 'not-listed') return 'not listed in the metadata'
  return listed_size === undefined || listed_size === size ? '' : `listed with ${countText(listed_size)} bytes`
}

export async function groupTable({ path, members, metadata }: GroupDocument, out: Output): Promise<void> {
  const what = members.length === 0 ? 'no members' : counted(members.length, 'member')
  await title(path, `group, ${what}`, out)
  if (members.length > 0) {
    const rows = memberRows(members, 0)
    const noted = rows.some((row) => row[4] !== '')
    await tableOrBelow(
      {
        columns: [
          { name: 'member', role: 'field' },
          { name: 'type' },
          { name: 'path' },
          { name: 'where' },
          ...(noted ? [{ name: 'note', role: 'bad' } as const] : []),
        ],
        rows: noted ? rows : rows.map((row) => row.slice(0, 4)),
      },
      out,
    )
    if (rows.some((row) => row[3] === IMPLICIT))
      await line(
        `${IMPLICIT}: no list of members names it, as releases before TileDB 2.8 keep none; TileDB finds it by walking the folder`,
        out,
        'dim',
      )
  }
  const rows = keyValueRows(metadata)
  await section(rows.length === 0 ? 'no metadata' : 'metadata', out)
  if (rows.length > 0) await tableOrBelow({ columns: METADATA_COLUMNS, rows }, out)
}

const IMPLICIT = 'implicit'

/** One row per member; members of a group come below it. */
function memberRows(members: readonly GroupLine[], level: number): string[][] {
  return members.flatMap((member) => {
    const { name, type, uri, relative, implicit } = member
    const row = [
      '  '.repeat(level) + (name || (implicit ? uri : NOTHING)),
      type,
      uri,
      implicit ? IMPLICIT : relative ? 'in the group' : 'elsewhere',
      memberNote(member),
    ]
    return [row, ...memberRows(member.members ?? [], level + 1)]
  })
}

function memberNote({ state, type, found, error }: GroupLine): string {
  if (state === 'missing') return type === 'invalid' ? 'missing, as when it was added' : 'missing'
  if (state === 'outside') return 'leads out of the group: not followed'
  if (state === 'cycle') return 'a group that this one lies in'
  if (state === 'other-type' && found) return `is ${withArticle(found)}`
  if (state === 'unreadable' || error !== undefined) return UNREADABLE
  return type === 'invalid' && found ? `was not there when it was added; now ${withArticle(found)}` : ''
}
