import { firstOf } from '../../base/errors.ts'
import { relativePath } from '../../base/paths.ts'
import type { Output } from '../../base/result.ts'
import { shortSize } from '../../base/sizes.ts'
import { sum } from '../../base/sum.ts'
import type { GroupLine, GroupTotals } from '../../documents/group.ts'
import type {
  ArrayOverview,
  FileOverview,
  FragmentOverview,
  GroupOverview,
  OverviewDocument,
  OverviewField,
  OverviewFinding,
} from '../../documents/overview.ts'
import { MEASURED_RELEASE } from '../../format/releases.ts'
import type { LayerTable } from '../../layers/layer.ts'
import { isRead } from '../../objects/visibility.ts'
import { type CodeLine, codeLines } from '../code-lines.ts'
import { painter, type Role, SEVERITY_ROLES } from '../color.ts'
import type { Pair, Pairs } from '../table.ts'
import { cutMiddle, pad, textWidth, wrapText } from '../text-width.ts'
import { escapeText } from '../units.ts'
import { totalsText } from './dataset-words.ts'
import { stateMeaning } from './fragment-states.ts'
import { layerPairs, layerRows, layerTitle } from './layer.ts'
import { memberColumns } from './ls.ts'
import { type ListContent, shownList } from './parts.ts'
import { terminalHeading } from './terminal-headings.ts'
import {
  counted,
  countText,
  domainText,
  fieldName,
  laterDeletesText,
  timeRangeText,
  typeText,
  withTimes,
} from './wording.ts'

/** Number of lines of a small terminal. */
const MAX_LINES = 24
/** Most lines of one fact. */
const MAX_FACT_LINES = 4
/** Below this number of findings, each finding has more lines. */
const FEW = 3

/** Width that a pipe is assumed to have. */
const PIPE_COLUMNS = 80
const GAP = '  '

/** What to do about findings of slow reads: a call or command for each. */
export type FindingRemedies = ReadonlyMap<OverviewFinding, CodeLine>

/** Shows one screen: facts, findings, further commands, and in the last line the verdict, which agrees with the exit code. */
export async function overviewTable(document: OverviewDocument, remedies: FindingRemedies, out: Output): Promise<void> {
  const screen = await screenOf(out)
  const { findings, next, path, not_examined } = document
  const { what, facts } = factsOf(document)
  const title = withTimes(what, document.target === 'file' ? undefined : document.as_of)
  if (textWidth(escapeText(`${path}: ${title}`)) <= screen.width) await screen.line(`${path}: ${title}`, 'heading')
  else {
    await screen.line(path, 'heading')
    await screen.line(GAP + title)
  }
  const pairs: Pairs = [
    ...facts,
    document.not_checked.length > 0 && ['not checked', document.not_checked.join('; ')],
    not_examined.length > 0 && ['not examined', not_examined[0].message],
  ]
  const below = findings.length * (findings.length < FEW ? 4 : 3) + next.length + 4
  const hasTree = (document.target === 'group' || document.target === 'dataset') && document.members.length > 0
  const tables = 'layer' in document ? (document.layer?.tables ?? []) : []
  const tableLines = tables.flatMap((table) => tableText(table, screen.width))
  // The empty line, the heading, and the members that are always shown.
  const leastTree = hasTree ? 2 + Math.min(MAX_MEMBERS, countMembers(document.members)) : 0
  await screen.pairs(pairs, MAX_LINES - below - leastTree - tableLines.length)
  if (hasTree) {
    const room = MAX_LINES - below - pairs.length - tableLines.length - 1
    await screen.line('')
    const [head, ...lines] = treeLines(document, room, screen.width)
    await screen.line(head, 'heading')
    for (const line of lines) await screen.line(line)
  }
  for (const line of tableLines) await screen.line(line)
  if (findings.length > 0) await screen.line('')
  const written = new Set<string>()
  for (const finding of findings) await writeFinding(finding, remedies.get(finding), document, written, screen)
  await screen.line('')
  await screen.pairs(next.map(({ shows, command }): Pair => [shows, command]))
  const [verdict, role] = verdictOf(document)
  await screen.line(verdict, role)
}

/** Writes to a screen of a given width. It escapes all texts. */
interface Screen {
  width: number
  /** Writes a line, which is never wrapped. */
  line(text: string, role?: Role): Promise<void>
  /** Writes a text in at most `most` lines. If it is longer, the last line ends in `…`. */
  lines(text: string, most: number, role?: Role): Promise<void>
  /** Writes names and values. @param room upper limit on their lines; without it, each is on one line, however long */
  pairs(pairs: Pairs, room?: number): Promise<void>
}

async function screenOf(out: Output): Promise<Screen> {
  const paint = await painter(out)
  const width = out.columns ?? PIPE_COLUMNS
  const line = async (text: string, role?: Role): Promise<void> => {
    const escaped = escapeText(text)
    await out.write(`${role === undefined ? escaped : paint(role, escaped)}\n`)
  }
  return {
    width,
    line,
    async lines(text, most, role) {
      for (const one of clipped(escapeText(text), width - GAP.length, most))
        await out.write(`${GAP}${role === undefined ? one : paint(role, one)}\n`)
    },
    async pairs(pairs, room) {
      const known = pairs.flatMap((pair): Pair[] => (pair ? [[pair[0], escapeText(pair[1])]] : []))
      const indent = Math.max(0, ...known.map(([name]) => textWidth(name))) + GAP.length
      let spare = room === undefined ? 0 : Math.max(0, room - known.length)
      for (const [name, value] of known) {
        const most = Math.min(MAX_FACT_LINES, 1 + spare)
        const [first, ...rest] = room === undefined ? [value] : clipped(value, width - indent, most)
        spare -= rest.length
        await out.write(`${paint('field', pad(name, indent))}${first}\n`)
        for (const one of rest) await out.write(`${' '.repeat(indent)}${one}\n`)
      }
    },
  }
}

/** Returns the first lines of a wrapped text. */
function clipped(text: string, width: number, most: number): string[] {
  const lines = wrapText(text, Math.max(1, width))
  if (lines.length <= most) return lines
  const last = lines[most - 1]
  const room = width - 2
  return [
    ...lines.slice(0, most - 1),
    textWidth(last) <= room ? `${last} …` : `${last.slice(0, room).replace(/\s+\S*$/, '')} …`,
  ]
}

/**
 * Writes a finding and what to do.
 * @param remedy what to do; undefined if the finding has no advice
 * @param written remedies that were written before
 */
async function writeFinding(
  finding: OverviewFinding,
  remedy: CodeLine | undefined,
  { findings: { length: count }, path }: OverviewDocument,
  written: Set<string>,
  screen: Screen,
): Promise<void> {
  const { severity, code, finding_num, file, message, meaning } = finding
  const more = finding_num > 1 ? ` and ${countText(finding_num - 1)} more` : ''
  const place = relativePath(file, path)
  const head = `${severity} ${code}`
  const room = screen.width - head.length - more.length - 1
  await screen.line(
    [head, cutMiddle(escapeText(place), Math.max(1, room))].join(' ').trimEnd() + more,
    SEVERITY_ROLES[severity],
  )
  if (remedy !== undefined) {
    await screen.lines(message, count < FEW ? 2 : 1)
    // A remedy is never cut, so that it can be copied.
    if (!written.has(remedy.code)) for (const one of codeLines(remedy, screen.width)) await screen.line(one, 'dim')
    written.add(remedy.code)
    return
  }
  if (count < FEW) await screen.lines(message, 1)
  await screen.lines(meaning, 2, 'dim')
}

/** Returns the last line, which agrees with the exit code. */
function verdictOf({ ok, finding_num, findings, not_examined }: OverviewDocument): [string, Role] {
  const { error, warning } = finding_num
  const notes = findings.filter(({ severity }) => severity === 'note').length
  const found = [
    error > 0 ? counted(error, 'error') : '',
    warning > 0 ? counted(warning, 'warning') : '',
    notes > 0 ? counted(notes, 'note') : '',
  ]
  const words = found.filter((one) => one !== '').join(', ')
  if (!ok) return [`NOT OK: ${words}`, 'bad']
  if (not_examined.length > 0) return ['NOT FULLY EXAMINED', 'bad']
  return [`OK in what was looked at; findings: ${words === '' ? 'none' : words}`, 'good']
}

interface Facts {
  /** Kind of the target, for the title. */
  what: string
  facts: Pairs
}

function factsOf(document: OverviewDocument): Facts {
  switch (document.target) {
    case 'array':
      return arrayFacts(document)
    case 'fragment':
      return fragmentFacts(document)
    case 'group':
    case 'dataset':
      return groupFacts(document)
    case 'file':
      return fileFacts(document)
  }
}

function arrayFacts(document: ArrayOverview): Facts {
  const { array_type, format_version, encryption, attributes, timestamp_range, layer } = document
  const isKnown = array_type !== null
  const isEncrypted = encryption === 'AES_256_GCM'
  const what = isKnown ? `${array_type} array, format version ${format_version}` : `array whose schema cannot be read`
  const read_num = readNum(document)
  return {
    what: isEncrypted ? `${what}, encrypted (${encryption})` : what,
    facts: [
      isKnown && ['reader sees', seenText(document)],
      document.later_deletes.length > 0 && ['deletes later', laterDeletesText(document.later_deletes)],
      isKnown && ['dimensions', dimensionsText(document)],
      isKnown && ['attributes', fieldsText(attributes)],
      timestamp_range !== null && [
        terminalHeading('timestamp_range'),
        `${timeRangeText(timestamp_range, false).replace('..', ' to ')}, in ${counted(read_num, 'fragment')}${document.delete_condition_num > 0 ? '; deletes not counted' : ''}`,
      ],
      document.fragment_num > 0 && ['on disk', diskText(document)],
      isKnown && ['versions', versionsText(document)],
      ...(layer ? [['layer', layerTitle(layer)] as const, ...layerPairs(layer)] : []),
    ],
  }
}

function readNum({ states }: ArrayOverview): number {
  return sum(states, ({ state, fragment_num }) => (isRead(state) ? fragment_num : 0))
}

function seenText(document: ArrayOverview): string {
  const { cell_num, certainty, nonempty_domain, dimensions, fragment_num, delete_condition_num: deletes } = document
  const { whole_cell_num } = document
  if (fragment_num === 0) return 'no cells: nothing was written yet'
  if (readNum(document) === 0) return `no cells: TileDB reads none of ${counted(fragment_num, 'fragment')}`
  if (!document.opens)
    return `no cells: TileDB ${MEASURED_RELEASE} does not open the array. It has ${seenText({ ...document, opens: true })}`
  if (document.findings.some(({ code }) => code === 'SCHEMA_FOREIGN') && cell_num === null)
    return 'no cells: reads fail, as a schema is that of another array'
  if (cell_num === null) return 'an unknown number of cells'
  const names = dimensions.map(({ name }) => name)
  const least = document.nonempty_domain_certainty === 'exact' ? '' : 'at least '
  const domain = nonempty_domain === null ? undefined : `${least}${domainText(names, nonempty_domain)}`
  const cells = counted(BigInt(cell_num), 'cell')
  const how =
    certainty === 'estimated' ? `${cells}, estimated` : `${certainty === 'exact' ? '' : `${certainty} `}${cells}`
  if (whole_cell_num !== undefined) {
    if (certainty === 'exact' && BigInt(cell_num) === BigInt(whole_cell_num))
      return `${counted(BigInt(whole_cell_num), 'cell')}, all of them written: ${domainText(names, nonempty_domain)}`
    const written = certainty === 'exact' ? countText(cell_num) : how.replace(/ cells?/, '')
    const box = domain === undefined ? '' : `: ${domain}`
    return `${counted(BigInt(whole_cell_num), 'cell')} of the domain, ${written} written${box}`
  }
  const less = deletes === 0 ? '' : `; ${counted(deletes, 'delete condition')}`
  return `${how}${domain === undefined ? '' : `; ${domain}`}${less}`
}

/** The dimensions, and what about them changes how cells are found: labels, and an order that is none of rows or columns. */
function dimensionsText({ dimensions, dimension_labels: labels, cell_order }: ArrayOverview): string {
  const labelText = ({ name, dimension_index }: (typeof labels)[number]): string =>
    `${fieldName(name)} of ${fieldName(dimensions[dimension_index]?.name ?? String(dimension_index))}`
  return [
    fieldsText(dimensions),
    ...(cell_order === 'hilbert' ? ['Hilbert order'] : []),
    ...(labels.length > 0 ? [`${labels.length === 1 ? 'label' : 'labels'} ${labels.map(labelText).join(', ')}`] : []),
  ].join('; ')
}

/** `lat, lon FLOAT64; name STRING_UTF8[var]` */
function fieldsText(fields: readonly OverviewField[]): string {
  const parts: { type: string; names: string[] }[] = []
  for (const field of fields) {
    const type = typeText(field)
    const last = parts.at(-1)
    if (last?.type === type) last.names.push(fieldName(field.name))
    else parts.push({ type, names: [fieldName(field.name)] })
  }
  return parts.map(({ type, names }) => `${names.join(', ')} ${type}`).join('; ')
}

function diskText(document: ArrayOverview): string {
  const { size, unread_size, examined_num, fragment_num, states } = document
  const counts = states.map(({ state, fragment_num: count }) => `${countText(count)} ${state}`).join(', ')
  const unread =
    unread_size === 0 ? '' : `; TileDB does not read ${shortSize(unread_size)} of it${document.as_of ? '' : ' now'}`
  const fragments = `${counted(fragment_num, 'fragment')}: ${counts}`
  if (examined_num === 0) return fragments
  const where = examined_num < fragment_num ? `in ${countText(examined_num)} of ` : 'in '
  return `${shortSize(size)} ${where}${fragments}${unread}`
}

function versionsText(document: ArrayOverview): string {
  const { format_version, fragment_format_versions: formats, schema_num } = document
  const isOther = formats.some((one) => one !== format_version)
  return [
    `${isOther ? 'newest schema ' : ''}${releasesWords(document)}`,
    isOther ? `fragments of format ${formats.join(', ')}` : '',
    schema_num > 1 ? counted(schema_num, 'schema') : '',
  ]
    .filter((one) => one !== '')
    .join('; ')
}

function releasesWords({ written_by, read_by }: Partial<Pick<ArrayOverview, 'written_by' | 'read_by'>>): string {
  if (written_by === undefined || written_by === null) return 'no TileDB release has this format version'
  return `written by TileDB ${written_by}, read by ${read_by}`
}

function fragmentFacts(document: FragmentOverview): Facts {
  const { dense, format_version, state, cells_in_domain, tile_num, nonempty_domain, dimensions } = document
  const typed = dense ? 'dense ' : 'sparse '
  const type = dense === null ? '' : typed
  const meaning = state && (stateMeaning(state, document.as_of) ?? 'readers see it')
  const merged = document.consolidated ? '; consolidated: it holds the cells of fragments between its times' : ''
  return {
    what: `${type}fragment${format_version === null ? '' : `, format version ${format_version}`}`,
    facts: [
      state && ['state', `${state}: ${meaning}${merged}`],
      cells_in_domain !== null && [
        'holds',
        `${counted(BigInt(cells_in_domain), 'cell')} in ${counted(tile_num ?? 0, 'tile')}; ${domainText(dimensions, nonempty_domain)}`,
      ],
      document.timestamp_range !== null && [
        terminalHeading('timestamp_range'),
        timeRangeText(document.timestamp_range).replace('..', ' to '),
      ],
      ['on disk', shortSize(document.size)],
      document.fields.length > 0 && [
        'fields',
        document.fields.map(({ name, size }) => `${fieldName(name)} ${shortSize(size)}`).join(', '),
      ],
      format_version !== null && ['versions', releasesWords(document)],
      document.array !== null && ['array', document.array],
    ],
  }
}

function groupFacts({ path, target, members, totals, layer, unlisted, metadata_keys: keys }: GroupOverview): Facts {
  const kind = target === 'group' ? 'group' : 'folder'
  return {
    what: `${layer ? layerTitle(layer) : kind}, ${members.length === 0 ? 'no members' : counted(members.length, 'member')}`,
    facts: [
      totals && ['holds', totalsText(totals)],
      totals?.timestamp_range && ['last written', writtenText(totals)],
      ...(layer ? layerPairs(layer) : []),
      target === 'group' && [
        'metadata',
        keys.length === 0 ? 'none' : `${counted(keys.length, 'key')}: ${keys.join(', ')}`,
      ],
      unlisted.length > 0 && [
        'not listed',
        `${firstOf(unlisted.map((one) => relativePath(one, path)))}: in the folder, but readers of the group do not see it`,
      ],
    ],
  }
}

/** When the arrays were written first and last, and in which format versions. */
function writtenText({ timestamp_range, format_versions: formats }: GroupTotals): string {
  const [first, last = first] = timestamp_range ? timeRangeText(timestamp_range, false).split('..') : ['']
  return [
    last,
    formats.length > 0 && `format ${formats.join(', ')}`,
    // The last, as a narrow screen has no room for it.
    first !== last && `first ${first}`,
  ]
    .filter((one) => one !== false)
    .join('; ')
}

/** Lines of a tree: the heading, the members that fit, and how many more there are. @param room upper limit on the lines */
function treeLines({ target, members }: GroupOverview, room: number, width: number): string[] {
  const shown = shownMembers(members, Math.max(MAX_MEMBERS, room - 2))
  const all = countMembers(members)
  const lines = shown.map(({ line, indent }) => ({ ...line, indent }))
  const columns = memberColumns(lines, target === 'dataset')
  // Where there is no room for all, names are needed more than shapes.
  const list = [columns, columns.filter(({ name }) => name !== 'shape')]
    .map((some) => shownList(some, lines))
    .find((one, i) => i === 1 || widthOf(one) <= width)
  if (!list) return []
  const [head, ...rows] = textTable([list.columns.map(({ name }) => name), ...list.rows], list.columns, width)
  return [
    head,
    ...rows,
    ...(all > shown.length
      ? [`… ${countText(all - shown.length)} more${all > members.length ? ', at all levels' : ''}`]
      : []),
  ]
}

/** Most rows of a table of a layer that a screen shows. */
const MAX_TABLE_ROWS = 4

/** A table of a layer, after an empty line. */
function tableText(table: LayerTable, width: number): string[] {
  const [head, ...rows] = layerRows(table)
  const more = rows.length - MAX_TABLE_ROWS
  const columns = table.columns.map((_, c) => ({ align: isNumbers(table, c) ? ('right' as const) : undefined }))
  const lines = textTable([head, ...rows.slice(0, MAX_TABLE_ROWS)], columns, width)
  return ['', ...lines, ...(more > 0 ? [`… ${countText(more)} more`] : [])]
}

function isNumbers({ rows }: LayerTable, column: number): boolean {
  return rows.every((row) => row[column] === null || typeof row[column] === 'number' || typeof row[column] === 'bigint')
}

/** Least number of members that a screen shows. */
const MAX_MEMBERS = 6

/** Members with errors come first: they need to be seen. */
function worstThenLargest(a: GroupLine, b: GroupLine): number {
  return Number(isWrong(b)) - Number(isWrong(a)) || (b.size ?? 0) - (a.size ?? 0)
}

/** Whether a member, or one below it, is not there or has an error. */
function isWrong({ state, error, finding_num, members = [] }: GroupLine): boolean {
  return state !== 'present' || error !== undefined || (finding_num?.error ?? 0) > 0 || members.some(isWrong)
}

/** The members that fit: level by level, the largest first; each below its group. */
function shownMembers(members: readonly GroupLine[], most: number): { line: GroupLine; indent: string }[] {
  const chosen = new Set<GroupLine>()
  for (let level = members; level.length > 0 && chosen.size < most; level = level.flatMap((one) => one.members ?? []))
    for (const one of [...level].sort(worstThenLargest)) if (chosen.size < most) chosen.add(one)
  const walk = (lines: readonly GroupLine[], indent: string): { line: GroupLine; indent: string }[] =>
    [...lines]
      .filter((line) => chosen.has(line))
      .sort(worstThenLargest)
      .flatMap((line) => [{ line, indent }, ...walk(line.members ?? [], `${indent}  `)])
  return walk(members, '')
}

function countMembers(members: readonly GroupLine[]): number {
  return sum(members, ({ members: below }) => 1 + countMembers(below ?? []))
}

/** The width that a table needs. */
function widthOf({ columns, rows }: Pick<ListContent, 'columns' | 'rows'>): number {
  const widths = columns.map(({ name }, c) => Math.max(textWidth(name), ...rows.map((row) => textWidth(row[c]))))
  return widths.reduce((all, one) => all + one + GAP.length, -GAP.length)
}

/** A table as lines of text. If it is too wide, its longest texts are cut. */
function textTable(
  rows: readonly (readonly string[])[],
  columns: readonly { align?: 'left' | 'right' | undefined }[],
  width: number,
): string[] {
  const widths = columns.map((_, c) => Math.max(...rows.map((row) => textWidth(row[c]))))
  let over = widths.reduce((all, one) => all + one + GAP.length, -GAP.length) - width
  const texts = columns.flatMap(({ align }, c) => (align === 'right' ? [] : [c]))
  // The first columns have names, which are needed to go on.
  for (const c of texts.toReversed()) {
    const less = Math.max(0, Math.min(over, widths[c] - MIN_TEXT))
    widths[c] -= less
    over -= less
  }
  return rows.map((row) => {
    const cells = row.map((text, c) => {
      const cut = cutMiddle(text, widths[c])
      const spaces = ' '.repeat(Math.max(0, widths[c] - textWidth(cut)))
      return columns[c].align === 'right' ? spaces + cut : cut + spaces
    })
    return cells.join(GAP).trimEnd()
  })
}

/** Least width to which a text is cut. */
const MIN_TEXT = 14

function fileFacts({ file_kind, size, field, fragment, array }: FileOverview): Facts {
  return {
    what: file_kind,
    facts: [
      field !== null && ['cells of', fieldName(field)],
      ['size', counted(size, 'byte')],
      fragment !== null && ['fragment', fragment],
      array !== null && ['array', array],
    ],
  }
}
