import type { Document, Output, Result } from '../result.ts'
import { type Column, heading, keyValues, type Pair, table } from '../table.ts'
import { cutMiddle } from '../text-width.ts'
import { escapeText, formatSize } from '../units.ts'
import { keyValueRows, METADATA_COLUMNS } from './metadata.ts'
import { amount, type Fields, fieldList, fields, integer, list, text } from './narrow.ts'
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
/** Of a fragment that is live and holds the cells of others. */
const CONSOLIDATED = 'consolidated'
/** What a reader may want to know about fragments that TileDB does not read. */
const HIDDEN: Readonly<Record<string, string>> = {
  uncommitted: 'no commit names it: a write that failed or is still going on',
  'to-vacuum': 'consolidation wrote its cells anew; it waits for vacuum',
  ignored: 'an ignore file took its commit back',
  'no-metadata': 'a folder without a metadata file: a write that failed or is still going on',
}

/** @param names of the dimensions */
export async function arrayTable(
  document: Document,
  names: readonly string[],
  full: boolean,
  out: Output,
): Promise<void> {
  const fragments = fieldList(document.fragments)
  await title(document.path, arrayFacts(document), out)
  const missing = Array.from(list(document.missing_fragments)).length
  if (fragments.length === 0) {
    const all = amount(document.fragment_num)
    await line(all === 0 ? 'no fragments' : `the range touches none of ${counted(all, 'fragment')}`, out)
    await missingLine(missing, out)
    return
  }
  await fragmentsTable(fragments, fields(document.error), schemaNumbers(document), names, limitOf(full, ROWS), out)
  await line(totalText(fragments, document), out)
  const overlaps = amount(document.overlap_pair_num)
  if (overlaps > 0) {
    await line(
      `${counted(overlaps, 'pair')} of fragments overlap: their cells are merged when they are read`,
      out,
      'dim',
    )
  }
  const merged = fragments.filter((fragment) => stateText(fragment) === CONSOLIDATED).length
  if (merged > 0)
    await line(`${CONSOLIDATED} (${merged}): live, with the cells of the fragments between its times`, out, 'dim')
  for (const [state, meaning] of Object.entries(HIDDEN)) {
    const count = fragments.filter((fragment) => fragment.state === state).length
    if (count > 0) await line(`${state} (${count}): not read by TileDB; ${meaning}`, out, 'dim')
  }
  await missingLine(missing, out)
}

async function missingLine(count: number, out: Output): Promise<void> {
  if (count === 0) return
  const what = count === 1 ? '1 commit names a fragment that is' : `${count} commits name fragments that are`
  await line(`${what} not there: check says what that means`, out, 'bad')
}

function arrayFacts(document: Document): string {
  const schemas = Array.from(list(document.schemas)).length
  const facts = [
    ...(document.array_type === null
      ? ['array whose schema cannot be read']
      : [`${text(document.array_type)} array`, `format version ${versionText(document.format_version)}`]),
    document.encryption === 'NO_ENCRYPTION' || document.encryption === null
      ? ''
      : `encrypted (${text(document.encryption)})`,
    schemas > 1 ? `${schemas} schemas` : '',
  ]
  return facts.filter((fact) => fact !== '').join(', ')
}

/** Which of an evolved array's schemas each name is: `2/3`. Undefined where there is only one. */
function schemaNumbers(document: Document): ReadonlyMap<string, string> | undefined {
  const names = fieldList(document.schemas).map(({ name }) => text(name))
  return names.length < 2 ? undefined : new Map(names.map((name, i) => [name, `${i + 1}/${names.length}`]))
}

async function fragmentsTable(
  fragments: readonly Fields[],
  error: Fields,
  schemas: ReadonlyMap<string, string> | undefined,
  names: readonly string[],
  limit: number | undefined,
  out: Output,
): Promise<void> {
  const overlapping = fragments.some(({ overlap_num }) => amount(overlap_num) > 0)
  const ratios = fragments.some(({ ratio }) => typeof ratio === 'number')
  const columns: Column[] = [
    { name: 'fragment', role: 'field' },
    { name: 'state', role: stateRole },
    { name: 'cells', align: 'right' },
    { name: 'tiles', align: 'right' },
    { name: 'size', align: 'right' },
    ...(ratios ? [{ name: 'ratio', align: 'right' } as const] : []),
    ...(schemas ? [{ name: 'schema', align: 'right' } as const] : []),
    ...(overlapping ? [{ name: 'overlaps', align: 'right' } as const] : []),
    // aligned right so that names give way first
    { name: 'time', align: 'right' },
    { name: 'non-empty domain', role: (cell) => (cell.startsWith('error: ') ? 'bad' : undefined) },
  ]
  const rows = (exact: boolean): string[][] =>
    fragments.map((fragment) => [
      text(fragment.name),
      stateText(fragment),
      countText(fragment.cells_in_domain),
      countText(fragment.tile_num),
      exact ? sizeText(fragment.size) : shortSizeText(fragment.size),
      ...(ratios ? [ratioText(fragment.unfiltered_size, fragment.data_size)] : []),
      ...(schemas ? [schemas.get(text(fragment.array_schema_name)) ?? NOTHING] : []),
      ...(overlapping ? [countText(fragment.overlap_num)] : []),
      timeRangeText(fragment.timestamp_range, exact),
      domainOrError(fragment, error, names),
    ])
  const wide = rows(true)
  const narrow = fits(columns, wide.slice(0, limit), out) ? wide : rows(false)
  await fragmentRows({ columns, rows: narrow, limit }, out)
}

/** Columns that a name in the table is not cut below. */
const LEAST_NAME = 16
/** Columns of a name at the head of a line, and of one with much behind it. */
const LINE_NAME = 40
const SHORT_LINE_NAME = 28
/** Columns that go to lines of their own, the last first, until the rest fits. */
const OPTIONAL = ['non-empty domain', 'time']
/** Columns that are left out before that. */
const SPARE = ['ratio', 'tiles']

async function fragmentRows(content: ListContent, out: Output): Promise<void> {
  let { columns, rows } = content
  const without = (name: string): void => {
    const at = columns.findIndex((column) => column.name === name)
    if (at < 0) return
    columns = columns.toSpliced(at, 1)
    rows = rows.map((row) => row.toSpliced(at, 1))
  }
  const below: { name: string; cells: string[] }[] = []
  const roomy = (): boolean => {
    const shown = rows.slice(0, content.limit)
    // a name may lose more of its middle where another column would have to go
    return fits(columns, below.length === 0 ? shown : shown.map((row) => row.with(0, row[0].slice(0, LEAST_NAME))), out)
  }
  for (const name of OPTIONAL) {
    if (roomy()) break
    const at = columns.findIndex((column) => column.name === name)
    below.push({ name, cells: rows.map((row) => row[at]) })
    without(name)
  }
  for (const name of SPARE) if (!roomy()) without(name)
  await table({ columns, rows, limit: content.limit }, out)
  if (below.length === 0) return
  await section(below.map(({ name }) => name).join('; '), out)
  await keyValues(
    rows.slice(0, content.limit).map(
      (row, i): Pair => [
        cutMiddle(escapeText(row[0]), below.length === 1 ? LINE_NAME : SHORT_LINE_NAME),
        below
          .map(({ cells }) => cells[i])
          .filter((cell) => cell !== '' && cell !== NOTHING)
          .join('; '),
      ],
    ),
    out,
  )
  await out.write('\n')
}

/** The state in a word. */
function stateText({ state, consolidated, error }: Fields): string {
  const word = state === 'live' && consolidated === true ? CONSOLIDATED : text(state) || NOTHING
  return error === undefined ? word : `${word}, ${UNREADABLE}`
}

function stateRole(state: string): 'good' | 'bad' | 'dim' {
  if (state.endsWith(UNREADABLE)) return 'bad'
  return state === 'live' || state === CONSOLIDATED
    ? 'good'
    : state === 'uncommitted' || state === 'no-metadata'
      ? 'bad'
      : 'dim'
}

/** @param ofArray what is wrong with the whole array, and was said */
function domainOrError(fragment: Fields, ofArray: Fields, names: readonly string[]): string {
  const { message, file } = fields(fragment.error)
  if (message !== undefined) {
    if (file !== undefined && file === ofArray.file) return NOTHING
    const name = text(file).slice(text(file).lastIndexOf('/') + 1)
    return `error: ${name === '' || name === fragment.name ? '' : `${name}: `}${text(message)}`
  }
  return domainText(names, fragment.nonempty_domain)
}

/** `3 fragments (2 live), 1,234 cells, 8 tiles, 12.3 KiB (12,595 bytes)` */
function totalText(fragments: readonly Fields[], document: Document): string {
  const sum = (key: string): bigint =>
    fragments.reduce((total, fragment) => total + BigInt(integer(fragment[key]) ?? 0), 0n)
  const live = fragments.filter(({ visible }) => visible === true).length
  const unreadable = fragments.filter(({ error }) => error !== undefined).length
  const notes = [
    live === fragments.length ? '' : `${live} live`,
    unreadable === 0 ? '' : `${unreadable} ${UNREADABLE}`,
  ].filter((note) => note !== '')
  const size = Number(sum('size'))
  const all = amount(document.total_size)
  return [
    `${counted(fragments.length, 'fragment')}${notes.length === 0 ? '' : ` (${notes.join(', ')})`}`,
    counted(sum('cells_in_domain'), 'cell'),
    counted(sum('tile_num'), 'tile'),
    size === all ? formatSize(size) : `${formatSize(size)} of ${formatSize(all)} in the array`,
  ].join(', ')
}

/** @param names of the dimensions; empty where the schema is not known */
export async function fragmentTable(document: Document, names: readonly string[], out: Output): Promise<void> {
  await heading(document.path, out)
  await keyValues(fragmentFacts(document, names), out)
  const { message } = fields(document.error)
  if (message !== undefined) await line(`error: ${text(message)}`, out, 'bad')
  const files = fieldList(document.files)
  await section(files.length === 0 ? 'no files' : counted(files.length, 'file'), out)
  // without the metadata nobody knows which files it lists
  if (files.length > 0) await filesTable(files, message === undefined ? fileNote : () => '', out)
}

function fragmentFacts(document: Document, names: readonly string[]): Pair[] {
  const { dense, cell_num, cells_in_domain, state } = document
  const meaning = HIDDEN[text(state)]
  const pairs: Pair[] = []
  if (state !== undefined) pairs.push(['state', meaning === undefined ? text(state) : `${text(state)}: ${meaning}`])
  if (dense !== null) pairs.push(['type', dense === true ? 'dense' : 'sparse'])
  pairs.push(['format version', releasesText(document.format_version)])
  pairs.push(['written', timeRangeText(document.timestamp_range)])
  if (document.consolidated === true)
    pairs.push(['consolidated', 'it holds the cells of fragments written between these times'])
  if (typeof document.hidden_by === 'string') pairs.push(['hidden by', document.hidden_by])
  if (document.array_schema_name !== null) pairs.push(['schema', text(document.array_schema_name)])
  if (cells_in_domain !== null) {
    const whole = cells_in_domain === cell_num ? '' : ` (${countText(cell_num)} stored, in whole tiles)`
    pairs.push(['cells', countText(cells_in_domain) + whole])
    pairs.push(['tiles', countText(document.tile_num)])
  }
  pairs.push(['size', sizeText(document.size)])
  if (dense !== null) pairs.push(['non-empty domain', domainText(names, document.nonempty_domain)])
  if (document.has_consolidated_metadata === true) {
    pairs.push(['footer', 'also in a consolidated fragment metadata file'])
  }
  return pairs
}

async function filesTable(files: readonly Fields[], note: (file: Fields) => string, out: Output): Promise<void> {
  const noted = files.some((file) => note(file) !== '')
  const wide = fileList(files, { noted, tiles: true, size: sizeText })
  // all files of a fragment have as many tiles, which stands above
  const content = fits(wide.columns, wide.rows, out)
    ? wide
    : fileList(files, { noted, tiles: false, size: shortSizeText })
  if (await tableOrBelow(content, out)) await out.write('\n')
  const data = files.filter(({ unfiltered_size }) => unfiltered_size !== undefined)
  if (data.length > 0) {
    const sum = (key: string): number => data.reduce((total, file) => total + amount(file[key]), 0)
    const [stored, unfiltered] = [sum('size'), sum('unfiltered_size')]
    const ratio = stored === 0 ? '' : `, ratio ${ratioText(unfiltered, stored)}`
    await line(`data: ${formatSize(stored)}, unfiltered ${formatSize(unfiltered)}${ratio}`, out)
  }
}

interface FileListStyle {
  noted: boolean
  tiles: boolean
  size: (value: Result | undefined) => string
}

function fileList(files: readonly Fields[], { noted, tiles, size }: FileListStyle): ListContent {
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
      text(file.name),
      file.field === null || file.field === undefined ? NOTHING : fieldName(file.field),
      text(file.role),
      size(file.size),
      ...(tiles ? [countText(file.tile_num)] : []),
      size(file.unfiltered_size),
      ratioText(file.unfiltered_size, file.size),
      ...(noted ? [fileNote(file)] : []),
      filtersText(file.filters),
    ]),
  }
}

/** What is wrong with a file, in words; empty where nothing is. */
function fileNote({ state, size, listed_size }: Fields): string {
  if (state === 'missing') return `missing (listed with ${countText(listed_size)} bytes)`
  if (state === 'not-listed') return 'not listed in the metadata'
  const listed = integer(listed_size)
  return listed === undefined || listed === size ? '' : `listed with ${countText(listed)} bytes`
}

export async function groupTable(document: Document, out: Output): Promise<void> {
  const members = fieldList(document.members)
  const what = members.length === 0 ? 'no members' : counted(members.length, 'member')
  await title(document.path, `group, ${what}`, out)
  if (members.length > 0) {
    await tableOrBelow(
      {
        columns: [{ name: 'member', role: 'field' }, { name: 'type' }, { name: 'path' }, { name: 'where' }],
        rows: members.map(({ name, type, uri, relative }) => [
          text(name) || NOTHING,
          text(type),
          text(uri),
          relative === true ? 'in the group' : 'elsewhere',
        ]),
      },
      out,
    )
  }
  const rows = keyValueRows(document.metadata)
  await section(rows.length === 0 ? 'no metadata' : 'metadata', out)
  if (rows.length > 0) await tableOrBelow({ columns: METADATA_COLUMNS, rows }, out)
}
