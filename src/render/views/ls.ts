import { firstOf } from '../../base/errors.ts'
import { lastPathPart } from '../../base/paths.ts'
import type { Output } from '../../base/result.ts'
import { sum } from '../../base/sum.ts'
import type { ArrayFragment, ArrayListing } from '../../documents/array.ts'
import type { LayerPart } from '../../documents/common.ts'
import type { ListedDataset, SweepMember } from '../../documents/dataset.ts'
import type { FragmentDocument, FragmentLine } from '../../documents/fragment.ts'
import type { GroupDocument, GroupLine } from '../../documents/group.ts'
import { withArticle } from '../../objects/target.ts'
import { isRead } from '../../objects/visibility.ts'
import { type Pair, type Pairs, writeHeading, writeKeyValues, writeTable } from '../table.ts'
import { formatSize } from '../units.ts'
import { cellsText, memberKind, NOT_LISTED, totalsText } from './dataset-words.ts'
import { stateLines, stateMeaning } from './fragment-states.ts'
import { layerPairs, layerRows, layerTitle } from './layer.ts'
import { writeValues } from './metadata.ts'
import {
  fits,
  type ListContent,
  limitOf,
  prefixLength,
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
  domainText,
  fieldName,
  filtersText,
  fullSizeText,
  INCOMPLETE,
  laterDeletesText,
  NOTHING,
  ratioText,
  releasesText,
  shortSizeText,
  stateRole,
  stateText,
  timeRangeText,
  UNREADABLE,
  versionText,
  withTimes,
} from './wording.ts'

/** An array with its list of fragments. */
type Listing = ArrayListing & { readonly fragments: readonly ArrayFragment[] }

/** Shows an array and its fragments. @param columns returns the columns, with exact or short sizes and times */
export async function arrayTable(
  document: Listing,
  columns: (exact: boolean) => readonly FragmentColumn[],
  out: Output,
): Promise<void> {
  const { fragments, fragment_num, read, as_of } = document
  await writeTitle(document.path, arrayFacts(document), out)
  if (fragments.length === 0) {
    await writeLine(
      fragment_num === 0 ? 'no fragments' : `the range touches none of ${counted(fragment_num, 'fragment')}`,
      out,
    )
    await writeMissing(document, out)
    return
  }
  await writeFragments(document.fragments, columns, limitOf(ROWS, out), out)
  for (const text of totals(document)) await writeLine(text, out)
  if (read.fragment_num === 0)
    await (as_of
      ? writeLine('TileDB finds no cell in this array at that time', out, 'dim')
      : writeLine('TileDB finds no cell in this array: check says why, and what to do', out, 'bad'))
  await writeOverlaps(document, out)
  for (const { state, text } of stateLines(fragments, as_of, document.array_type === 'sparse'))
    await writeLine(text, out, state === 'hidden' ? 'bad' : 'dim')
  const { delete_condition_num: deletes, later_deletes } = document
  if (deletes > 0)
    await writeLine(
      `${counted(deletes, 'delete condition')}, not looked at: commits shows which cells are left out`,
      out,
      'dim',
    )
  if (later_deletes.length > 0) await writeLine(`not applied yet: ${laterDeletesText(later_deletes)}`, out, 'dim')
  await writeMissing(document, out)
}

/** Number of pairs of overlapping fragments that are named, except with `--full`. */
const PAIRS = 5

/** Says how many fragments overlap, and which. */
async function writeOverlaps({ overlap_pair_num, overlap_pairs, fragments }: Listing, out: Output): Promise<void> {
  if (!overlap_pair_num || !overlap_pairs) return
  const what = 'their cells are merged when they are read'
  await writeLine(`${counted(overlap_pair_num, 'pair')} of fragments overlap: ${what}`, out, 'dim')
  // The only pair of two fragments needs no names.
  if (fragments.length === 2) return
  const length = prefixLength(fragments.map(({ name }) => name))
  const shown = overlap_pairs.slice(0, out.full ? undefined : PAIRS)
  for (const pair of shown) await writeLine(`  ${pair.map((name) => name.slice(0, length)).join(' and ')}`, out, 'dim')
  const more = overlap_pair_num - shown.length
  if (more > 0) await writeLine(`  … ${countText(more)} more${out.full ? '' : ': --full names them'}`, out, 'dim')
}

async function writeMissing({ missing_fragments, foreign_entries = [] }: Listing, out: Output): Promise<void> {
  if (foreign_entries.length > 0)
    await writeLine(`in __fragments, but no fragments: ${firstOf(foreign_entries)}; check says more`, out, 'dim')
  const count = missing_fragments.length
  if (count === 0) return
  const what = count === 1 ? '1 commit names a fragment that is' : `${count} commits name fragments that are`
  await writeLine(`${what} not there: check says what that means`, out, 'bad')
}

function arrayFacts({ array_type, format_version, encryption, schemas, as_of }: ArrayListing): string {
  const facts = [
    ...(array_type === null
      ? ['array whose schema cannot be read']
      : [`${array_type} array`, `format version ${versionText(format_version)}`]),
    encryption === 'NO_ENCRYPTION' || encryption === null ? '' : `encrypted (${encryption})`,
    schemas.length > 1 ? `${schemas.length} schemas` : '',
  ]
  return withTimes(facts.filter((fact) => fact !== '').join(', '), as_of)
}

/** A column of the table of fragments. */
export interface FragmentColumn extends Shows<ArrayFragment>, Spare {
  /** Whether the column is shown below the table if it is left out. */
  below?: boolean
}

/**
 * Shows a table of fragments. On a terminal, fragments that need attention come first. If whole names do not fit, they are
 * shortened to prefixes that other commands accept. Columns that do not fit are shown below, by row number, or left out.
 */
async function writeFragments(
  fragments: readonly ArrayFragment[],
  columnsOf: (exact: boolean) => readonly FragmentColumn[],
  limit: number | undefined,
  out: Output,
): Promise<void> {
  const wide = columnsOf(true)
  if (out.columns === undefined || out.vertical) {
    await writeTable({ ...shownList(wide, fragments), limit }, out)
    return
  }
  const hasRoom = (columns: readonly FragmentColumn[], rows: readonly ArrayFragment[]): boolean => {
    const list = shownList(columns, rows.slice(0, limit))
    return fits(list.columns, list.rows, out)
  }
  const all = hasRoom(wide, fragments) ? wide : columnsOf(false)
  const isBad = (fragment: ArrayFragment): boolean => stateRole(stateText(fragment)) === 'bad'
  const sorted = fragments.toSorted((a, b) => Number(isBad(b)) - Number(isBad(a)))
  if (hasRoom([NUMBER, ...all], sorted)) {
    await writeTable({ ...shownList(all, sorted), limit }, out)
    return
  }
  const length = prefixLength(fragments.map(({ name }) => name))
  const begins: FragmentColumn = {
    name: 'fragment begins',
    role: 'field',
    whole: true,
    cell: ({ name }) => name.slice(0, length),
  }
  const most = [NUMBER, begins, ...all.slice(1)].filter(({ shown }) => shown !== false)
  const kept = withoutSpares(most, (columns) => hasRoom(columns, sorted))
  const gone = most.filter((column) => !kept.includes(column))
  gone.sort((a, b) => Number(a.spare) - Number(b.spare))
  const leftOut = gone.filter(({ below }) => !below).map(({ name }) => name)
  await writeTable({ ...shownList(kept, sorted), limit, leftOut }, out)
  const rows = sorted.slice(0, limit)
  const hasText = (text: string): boolean => text !== '' && text !== NOTHING
  const below = gone.filter(({ below, cell }) => below && rows.some((fragment, i) => hasText(cell(fragment, i))))
  const details = rows.map((fragment, i): Pair | false => {
    const cells = below.map(({ cell }) => cell(fragment, i)).filter(hasText)
    return cells.length > 0 && [String(i + 1), cells.join('; ')]
  })
  if (!details.some(Boolean)) return
  await writeSection(`# ${below.map(({ name }) => name).join('; ')}`, out)
  await writeKeyValues(details, out)
  await out.write('\n')
}

const NUMBER: FragmentColumn = { name: '#', align: 'right', role: 'dim', cell: (_, i) => String(i + 1) }

/** Returns a line with totals of the fragments that TileDB reads, and a line for the others if there are any. */
function totals({ fragments, total_size: all }: Listing): string[] {
  const counts = ({ state }: ArrayFragment): boolean => state !== undefined && isRead(state)
  const read = fragments.filter(counts)
  const others = fragments.filter((fragment) => !counts(fragment))
  const size = sum(fragments, (fragment) => fragment.size)
  const part = size === all ? '' : `; together ${formatSize(size)} of ${formatSize(all)} in the array`
  return others.length === 0
    ? [sumsText(read) + part]
    : [`read by TileDB: ${sumsText(read)}`, `on disk besides: ${sumsText(others)}${part}`]
}

/** `3 fragments, 1,234 cells, 8 tiles, 12.3 KiB (12,595 bytes)` */
function sumsText(fragments: readonly ArrayFragment[]): string {
  const total = (key: 'cells_in_domain' | 'tile_num' | 'size'): bigint =>
    fragments.reduce((all, fragment) => all + BigInt(fragment[key] ?? 0), 0n)
  const unreadable = fragments.filter(({ error }) => error !== undefined).length
  const incomplete = fragments.filter(({ damaged_files }) => damaged_files !== undefined).length
  const notes = [
    unreadable === 0 ? '' : `${unreadable} ${UNREADABLE}`,
    incomplete === 0 ? '' : `${incomplete} ${INCOMPLETE}`,
  ].filter((note) => note !== '')
  const least = unreadable > 0 ? 'at least ' : ''
  return [
    `${counted(fragments.length, 'fragment')}${notes.length === 0 ? '' : ` (${notes.join(', ')})`}`,
    // The numbers of cells and tiles of an unreadable fragment are unknown.
    ...(unreadable > 0 && unreadable === fragments.length
      ? []
      : [`${least}${counted(total('cells_in_domain'), 'cell')}`, `${least}${counted(total('tile_num'), 'tile')}`]),
    formatSize(Number(total('size'))),
  ].join(', ')
}

/** Shows a fragment and its files. @param names names of the dimensions; empty if the schema is unknown */
export async function fragmentTable(document: FragmentDocument, names: readonly string[], out: Output): Promise<void> {
  const { path, error, files } = document
  await writeHeading(withTimes(path, document.as_of), out)
  await writeKeyValues(fragmentFacts(document, names), out)
  if (error) await writeLine(`error: ${error.message}`, out, 'bad')
  await writeSection(files.length === 0 ? 'no files' : counted(files.length, 'file'), out)
  if (files.length > 0) await writeFiles(files, !error, out)
}

function fragmentFacts(document: FragmentDocument, names: readonly string[]): Pairs {
  const { dense, cell_num, cells_in_domain, state, hidden_by, array_schema_name } = document
  const meaning = stateMeaning(state, document.as_of)
  const whole = cells_in_domain === cell_num ? '' : ` (${countText(cell_num)} stored, in whole tiles)`
  return [
    state && ['state', meaning === undefined ? state : `${state}: ${meaning}`],
    dense !== null && ['type', dense ? 'dense' : 'sparse'],
    ['format version', releasesText(document.format_version)],
    [terminalHeading('timestamp_range'), timeRangeText(document.timestamp_range)],
    document.consolidated && ['consolidated', 'it holds the cells of fragments written between these times'],
    hidden_by ? ['hidden by', hidden_by] : undefined,
    array_schema_name !== null && ['schema', array_schema_name],
    cells_in_domain !== null && ['cells', countText(cells_in_domain) + whole],
    cells_in_domain !== null && ['tiles', countText(document.tile_num)],
    ['size', fullSizeText(document.size)],
    dense !== null && ['non-empty domain', domainText(names, document.nonempty_domain)],
    document.has_consolidated_metadata && ['footer', 'also in a consolidated fragment metadata file'],
  ]
}

/** Shows the files of a fragment. @param isListKnown whether the metadata, which lists the files, could be read */
async function writeFiles(files: readonly FragmentLine[], isListKnown: boolean, out: Output): Promise<void> {
  const noted = isListKnown && files.some((file) => fileNote(file) !== '')
  const wide = fileList(files, { noted, tiles: true, size: fullSizeText })
  // All files of a fragment have the same number of tiles, which is shown above the table.
  const content = fits(wide.columns, wide.rows, out)
    ? wide
    : { ...fileList(files, { noted, tiles: false, size: shortSizeText }), leftOut: ['tiles'] }
  if (await writeTableOrBelow(content, out)) await out.write('\n')
  const data = files.filter(({ unfiltered_size, state }) => unfiltered_size !== undefined && state === 'present')
  if (data.length > 0) {
    const total = (key: 'size' | 'unfiltered_size'): number => sum(data, (file) => file[key] ?? 0)
    const [stored, unfiltered] = [total('size'), total('unfiltered_size')]
    const ratio = stored === 0 ? '' : `, ratio ${ratioText(unfiltered, stored)}`
    await writeLine(`data: ${formatSize(stored)}, unfiltered ${formatSize(unfiltered)}${ratio}`, out)
  }
}

interface FileListStyle {
  noted: boolean
  tiles: boolean
  size: (bytes: number | null | undefined) => string
}

function fileList(files: readonly FragmentLine[], { noted, tiles, size }: FileListStyle): ListContent {
  const columns: Shows<FragmentLine>[] = [
    { name: 'file', cell: ({ name }) => name },
    { name: 'field', role: 'field', cell: ({ field }) => (field === null ? NOTHING : fieldName(field)) },
    { name: 'role', cell: ({ role }) => role },
    { name: 'size', align: 'right', cell: (file) => size(file.size) },
    { name: terminalHeading('tile_num'), align: 'right', shown: tiles, cell: ({ tile_num }) => countText(tile_num) },
    { name: terminalHeading('unfiltered_size'), align: 'right', cell: ({ unfiltered_size }) => size(unfiltered_size) },
    { name: 'ratio', align: 'right', cell: fileRatio },
    { name: 'note', role: 'bad', shown: noted, cell: fileNote },
    { name: 'filters', cell: ({ filters }) => filtersText(filters) },
  ]
  return shownList(columns, files)
}

function fileRatio({ state, unfiltered_size, size }: FragmentLine): string {
  return state === 'present' ? ratioText(unfiltered_size, size) : NOTHING
}

/** Returns what is wrong with a file, in words; empty if nothing is wrong. */
function fileNote({ state, size, listed_size }: FragmentLine): string {
  const listed = `listed with ${counted(listed_size, 'byte')}`
  if (state === 'missing') return `missing (${listed})`
  if (state === 'not-listed') return 'not listed in the metadata'
  return listed_size === undefined || listed_size === size ? '' : listed
}

/** All that a layer says of a dataset. */
async function writeLayer(layer: LayerPart, out: Output): Promise<void> {
  await writeSection(layerTitle(layer), out)
  await writeKeyValues(layerPairs(layer), out)
  for (const table of layer.tables) {
    await writeSection(table.title, out)
    const [head, ...rows] = layerRows(table)
    await writeTable({ columns: head.map((name) => ({ name })), rows, limit: limitOf(ROWS, out) }, out)
  }
}

/** Shows a group and its members. @param showsLayer whether to show all that its layer says */
export async function groupTable(
  document: GroupDocument | ListedDataset,
  out: Output,
  showsLayer = false,
): Promise<void> {
  const { kind, path, as_of, members, member_num, totals, layer, metadata } = document
  const what = member_num === 0 ? 'no members' : counted(member_num, 'member')
  const plain = kind === 'group' ? 'group' : 'folder'
  const title = layer ? layerTitle(layer) : plain
  await writeTitle(path, withTimes(`${title}, ${what}`, as_of), out)
  if (members.length > 0) {
    const all = membersBelow(members, '')
    await writeTableOrBelow(shownList(memberColumns(all, kind === 'dataset'), all), out)
    if (members.length < member_num) await writeLine(`${countText(member_num - members.length)} more`, out, 'dim')
    if (totals) await writeLine(totalsText(totals), out)
    for (const text of absoluteTexts(members)) await writeLine(text, out, 'dim')
    if (kind === 'group' && all.some(({ implicit }) => implicit))
      await writeLine(
        `${all.every(({ implicit }) => implicit) ? 'all are ' : ''}${IMPLICIT}: no list of members names them, as releases before TileDB 2.8 keep none; TileDB finds them by walking the folder`,
        out,
        'dim',
      )
  }
  if (layer && showsLayer) await writeLayer(layer, out)
  if (kind === 'dataset') return
  const empty = Object.keys(metadata).length === 0
  await writeSection(empty ? 'no metadata' : 'metadata', out)
  if (!empty) await writeValues(metadata, out)
}

/** Which members have absolute URIs, and what that means if the group is moved. */
function absoluteTexts(members: readonly GroupLine[]): string[] {
  const absolute = members.filter(({ relative, implicit, resolved }) => !relative && !implicit && resolved !== null)
  const texts = [
    { inside: false, means: 'stay where they are if the group is moved or copied' },
    { inside: true, means: "lie in the group's folder, but only relative URIs move with it" },
  ].map(({ inside, means }) => {
    const names = absolute.filter(({ place }) => (place === 'inside') === inside).map(({ name, uri }) => name ?? uri)
    return names.length === 0 ? '' : `absolute URIs: ${firstOf(names)}; they ${means}`
  })
  return texts.filter((text) => text !== '')
}

/** The columns of members. @param all the lines of a tree. @param isPlain whether they are those of a plain folder: then all are implicit */
export function memberColumns(all: readonly TreeMember[], isPlain: boolean): Shows<TreeMember>[] {
  return [
    { name: 'member', role: 'field', cell: memberName },
    { name: 'kind', cell: memberKind },
    { name: 'shape', align: 'right', cell: ({ shape }) => shapeText(shape) },
    { name: terminalHeading('cell_num'), align: 'right', cell: cellsText },
    {
      name: terminalHeading('fragment_num'),
      align: 'right',
      cell: ({ fragment_num: num }) => (num === undefined ? '' : countText(num)),
    },
    { name: 'size', align: 'right', cell: ({ size }) => (size === undefined ? '' : shortSizeText(size)) },
    {
      name: 'reads from',
      // If no list names any of them, the column says nothing.
      shown: !isPlain && all.some((member) => !member.implicit && whereText(member) !== ''),
      cell: whereText,
    },
    { name: 'state', shown: all.some((member) => memberNote(member) !== ''), role: 'bad', cell: memberNote },
  ]
}

/** `2638 x 1838`; `*` for a dimension without a number of values. */
export function shapeText(shape: GroupLine['shape']): string {
  return shape?.map((length) => (length === null || length > MAX_SHOWN ? '*' : countText(length))).join(' x ') ?? ''
}

/** Above this length a dimension is as good as without an end: writers that know none take about the largest INT32. */
const MAX_SHOWN = 2 ** 31 - 3

/** Where a member is read from, if that needs to be said. */
function whereText({ implicit, place, resolved, uri, relative }: GroupLine): string {
  if (implicit) return IMPLICIT
  if (place === 'linked') return `${uri} (a link)`
  return place === 'elsewhere' || !relative ? (resolved ?? uri) : ''
}

const IMPLICIT = 'implicit'

/** A member in a tree. */
export type TreeMember = GroupLine & { indent: string }

/** Returns the members, each followed by its own members. */
export function membersBelow(members: readonly GroupLine[], indent: string): TreeMember[] {
  return members.flatMap((member) => [{ ...member, indent }, ...membersBelow(member.members ?? [], `${indent}  `)])
}

/** The name of a member; of one without a name, the last part of its path. */
function memberName({ indent, name, implicit, uri }: TreeMember): string {
  return indent + (name || (implicit ? uri : lastPathPart(uri)))
}

function memberNote(member: GroupLine & Partial<Pick<SweepMember, 'not_listed'>>): string {
  const { state, type, found, error } = member
  if (state === 'missing') return type === 'invalid' ? 'missing, also when it was added' : 'missing'
  if (state === 'outside') return 'leads out of the group: not followed'
  if (state === 'cycle') return 'a group that this one lies in'
  if (state === 'other-type' && found) return `listed as ${type === 'invalid' ? 'invalid' : withArticle(type)}`
  if (state === 'unreadable' || error !== undefined) return UNREADABLE
  if (type === 'invalid' && found) return `was not there when it was added; now ${withArticle(found)}`
  return [member.not_listed ? NOT_LISTED : '', foundText(member)].filter((one) => one !== '').join('; ')
}

/** The worst that an overview of the member finds. */
function foundText({ again, finding_num, codes }: GroupLine): string {
  if (again !== undefined) return `the same as ${again}`
  const [code] = codes ?? []
  if (!finding_num || code === undefined) return ''
  const more = finding_num.error + finding_num.warning - 1
  return `${finding_num.error > 0 ? 'error' : 'warning'} ${code}${more > 0 ? ` +${countText(more)}` : ''}`
}
