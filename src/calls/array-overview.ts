import { type AdviceLine, lineText } from '../advice/line.ts'
import { InspectError, orError, unlessFault } from '../base/errors.ts'
import type { Prose } from '../base/prose.ts'
import { rising } from '../base/rising.ts'
import { sum } from '../base/sum.ts'
import { comparable, compare } from '../cells/bounds.ts'
import { type FindingCode, refusalOf } from '../check/codes.ts'
import type { Finding, Item } from '../check/finding.ts'
import { QuickCheck } from '../check/quick.ts'
import type {
  ArrayOverview,
  Exactness,
  Extent,
  NextCommand,
  OverviewFinding,
  StateCount,
} from '../documents/overview.ts'
import type { ArraySchema } from '../format/array-schema.ts'
import { integerOf } from '../format/dense-tiles.ts'
import type { NDRange, RangeType } from '../format/range.ts'
import type { FragmentEntry, InspectArray } from '../objects/array.ts'
import { paddingNum } from '../objects/cell-counts.ts'
import { deletePlaces, laterDeletePlaces } from '../objects/deletes.ts'
import type { Fragment } from '../objects/fragment.ts'
import { openedCells } from '../read/domain-cells.ts'
import type { OpenedArray, OpenedFragment } from '../read/query.ts'
import type { CodeLine } from '../render/code-lines.ts'
import type { FindingRemedies } from '../render/views/overview.ts'
import type { CommandContext } from './command.ts'
import { documentHead } from './document-parts.ts'
import { examineFragment, type Listed, sizesWithFooters } from './listed-fragment.ts'
import { comparableDomain, findOverlaps } from './overlaps.ts'
import { type CallMaker, dataText, judgement } from './overview-parts.ts'
import { emptyTilesOf, refusedOf } from './refused.ts'
import { asOf } from './times.ts'
import { exact, rangesResult, releases, timeResult } from './values.ts'
import { overEntries } from './walkers.ts'

/** Largest number of fragments that an overview opens. Of more it opens the newest, so that it is faster than a listing. */
const MAX_OPENED = 500

/** Findings that are about the present only. They are left out at another time. */
const OF_NOW: ReadonlySet<string> = new Set<FindingCode>(['FRAGMENT_FUTURE', 'DELETE_FUTURE', 'ARRAY_READS_EMPTY'])

/**
 * The overview of an array, and what to do about its findings of slow reads.
 * @param more findings of others, such as of the layer above TileDB
 */
export async function arrayOverview(
  cx: CommandContext,
  path: string,
  array: InspectArray,
  call: CallMaker,
  more: readonly Item[] = [],
): Promise<{ document: ArrayOverview; remedies: FindingRemedies; facts: OverviewFacts }> {
  const files = await array.schemaFiles()
  const check = new QuickCheck(array, files)
  const entries = await array.fragments()
  const newest = await orError(() => array.newestSchema())
  const schema = newest instanceof InspectError ? undefined : newest.schema
  const encryption = await orError(() => array.encryption())
  const items = [...(await check.arrayItems(entries)), ...more]
  if (schema) await addRefused(items, { array, schema })
  const lacksKey = newest instanceof InspectError && (newest.code === 'KEY_NEEDED' || newest.code === 'WRONG_KEY')
  const wanted = lacksKey ? [] : newestOf(entries)
  const { opened, toRead, size, unread_size } = await openFragments(cx, array, wanted, check, items)
  items.push(...(await emptyTilesOf(toRead, undefined)))
  const read = opened.filter(({ isRead }) => isRead)
  const read_num = entries.filter(({ isRead }) => isRead).length
  const delete_condition_num = (await deletePlaces(array)).length
  const known = read.filter(({ result }) => result.tile_num !== null)
  const versions = new Set(known.flatMap(({ result }) => result.format_version ?? []))
  const shown = items.filter((item) => !(cx.times && 'code' in item && OF_NOW.has(item.code)))
  const slow = schema ? await slowFindings(cx, path, { array, schema, fragments: toRead }, read_num) : []
  // By the schema of another array, the numbers of the footers are not those of cells.
  const isForeign = shown.some((item) => 'code' in item && item.code === 'SCHEMA_FOREIGN' && item.severity === 'error')
  const sound = isForeign ? [] : known
  const tile_num = sum(sound, ({ result }) => result.tile_num ?? 0)
  const box = schema && boxAround(sound, schema.domain.dimensions)
  const document: ArrayOverview = {
    ...documentHead('overview', cx.shownPath(path)),
    ...asOf(cx),
    target: 'array',
    array_type: schema?.array_type ?? null,
    format_version: schema?.version ?? null,
    ...releases(schema?.version),
    encryption: encryption instanceof InspectError ? null : encryption,
    dimensions: schema?.domain.dimensions.map(fieldOf) ?? [],
    cell_order: schema?.cell_order ?? null,
    dimension_labels: schema?.dimension_labels.map(({ name, dimension_index }) => ({ name, dimension_index })) ?? [],
    attributes: schema?.attributes.map(fieldOf) ?? [],
    schema_num: files.length,
    fragment_num: entries.length,
    states: statesOf(entries),
    examined_num: opened.length,
    fragment_format_versions: [...versions].sort((a, b) => a - b),
    opens: !shown.some((item) => 'code' in item && refusalOf(item)?.act === 'open'),
    ...cellsOf({ known: sound, lost_num: read.length - known.length, read_num, delete_condition_num, box }, schema),
    whole_cell_num: schema?.array_type === 'dense' ? exact(openedCells(schema)) : undefined,
    nonempty_domain: schema && box ? rangesResult(schema.domain.dimensions, box, cx.style) : null,
    nonempty_domain_certainty: extentOf(sound.length, read_num),
    tile_num,
    tile_num_certainty: extentOf(sound.length, read_num),
    timestamp_range: timesOf(entries),
    delete_condition_num,
    later_deletes: (await laterDeletePlaces(array)).map(({ end }) => timeResult(end, cx.style)),
    size,
    size_certainty: extentOf(opened.length, entries.length),
    unread_size,
    ...judgement(
      cx,
      shown,
      slow.map(({ finding }) => finding),
    ),
    not_checked: [
      ...(opened.length < entries.length ? [unopenedText(entries.length - opened.length)] : []),
      ...(sound.length > 0 ? [dataText(tile_num)] : []),
      partsNotRead(schema, entries, delete_condition_num > 0),
    ],
    next: nextOf({ path: array.folder.path, items: shown, entries, schema, isSlow: slow.length > 0 }, call),
  }
  const explain = call(WHAT_IS_SLOW, ['explain'], array.folder.path)
  const facts = { entries, opened, schema, fragments: toRead }
  return { document, remedies: new Map(slow.map(({ finding, lines }) => [finding, callOf(lines, explain)])), facts }
}

/** Adds why readers would refuse the array, unless a check has said so. */
async function addRefused(items: Item[], opened: Parameters<typeof refusedOf>[0]): Promise<void> {
  const refused = (await refusedOf(opened, undefined, false).catch(unlessFault)) ?? []
  for (const { finding } of refused) if (!items.some((item) => isSame(item, finding))) items.push(finding)
}

/** What an overview reads of no array, and what it does not read of this one. */
function partsNotRead(schema: ArraySchema | undefined, entries: readonly FragmentEntry[], hasDeletes: boolean): Prose {
  return [
    'R-trees, tile offsets, statistics, key-value metadata',
    hasDeletes && 'delete conditions',
    schema && schema.enumerations.length > 0 && 'enumerations',
    schema && schema.dimension_labels.length > 0 && 'labels',
    entries.some((entry) => entry.has_consolidated_metadata) && 'copies of footers',
  ]
    .filter((one) => typeof one === 'string')
    .join(', ')
}

/** What an overview was made of. */
export interface OverviewFacts extends Pick<OpenedArray, 'fragments'> {
  entries: readonly FragmentEntry[]
  /** The fragments that were examined. */
  opened: readonly Listed[]
  schema: ArraySchema | undefined
}

/** Whether a finding is there already. */
function isSame(item: Item, { code, file, field }: Finding): boolean {
  return 'code' in item && item.code === code && item.file === file && item.field === field
}

/** A finding about slow reads, and its advice as data. */
interface SlowFinding {
  finding: OverviewFinding
  lines: readonly AdviceLine[]
}

/**
 * What an overview shows of advice: its first line; or, if that does nothing without the others, the command that shows all of them.
 * @param explain the command that shows them
 */
function callOf(lines: readonly AdviceLine[], explain: NextCommand): CodeLine {
  const [{ does, code }] = lines
  if (does !== 'load') return { code }
  return { code: explain.command, note: `shows the ${lines.length} lines that rewrite the array` }
}

/** Whether what is known of some fragments is that of all. */
function extentOf(known_num: number, all_num: number): Extent {
  return known_num < all_num ? 'at least' : 'exact'
}

function unopenedText(count: number): string {
  return count === 1 ? '1 fragment, except for its name and commit' : `${count} fragments, except for names and commits`
}

/** The newest fragments. Fragments that TileDB does not read are taken only if there is room left. */
function newestOf(entries: readonly FragmentEntry[]): readonly FragmentEntry[] {
  if (entries.length <= MAX_OPENED) return entries
  return entries.toSorted((a, b) => Number(a.isRead) - Number(b.isRead)).slice(-MAX_OPENED)
}

/** Opens fragments as `ls` does, and adds to `items` what is wrong with them. */
async function openFragments(
  cx: CommandContext,
  array: InspectArray,
  entries: readonly FragmentEntry[],
  check: QuickCheck,
  items: Item[],
): Promise<{ opened: Listed[]; toRead: OpenedFragment[]; size: number; unread_size: number }> {
  const sizesOf = sizesWithFooters(array)
  const toRead: OpenedFragment[] = []
  const work = async (fragment: Fragment, entry: FragmentEntry): Promise<{ listed: Listed; found: Item[] }> => {
    const { listed, info, onDisk } = await examineFragment(cx, fragment, entry, sizesOf)
    if (info && entry.isRead) toRead.push({ fragment, info, time: entry.timestamp_range?.[0] ?? 0n })
    return { listed, found: await check.fragmentItems(fragment, entry, onDisk) }
  }
  const opened: Listed[] = []
  for await (const { listed, found } of overEntries(cx, array, entries, 'reading footers', work)) {
    opened.push(listed)
    items.push(...found)
  }
  const size = sum(opened, ({ result }) => result.size)
  return { opened, toRead, size, unread_size: sum(opened, ({ isRead, result }) => (isRead ? 0 : result.size)) }
}

/**
 * What makes reads slow, according to the footers.
 * @param read_num number of fragments that TileDB reads, including fragments that were not opened
 */
async function slowFindings(
  cx: CommandContext,
  path: string,
  { array, schema, fragments }: Pick<OpenedArray, 'array' | 'schema' | 'fragments'>,
  read_num: number,
): Promise<SlowFinding[]> {
  const bytes = sum(fragments, ({ info }) => sum([...info.file_sizes], (size) => size))
  const padding = sum(fragments, ({ info }) => paddingNum(info))
  if (fragments.length < MIN_FRAGMENTS && bytes < MIN_BYTES && padding < MIN_PADDING) return []
  const { footerAdvice } = await import('../advice/footer-findings.ts')
  const between = [array.cx.from ?? 0n, array.cx.now] as const
  const found = await footerAdvice({ array, between, schema, fragments, deletes: [] })
  const shown = cx.shownPath(path)
  const partly = fragments.length < read_num ? `in the ${fragments.length} newest: ` : ''
  return found.map(({ severity, code, message, meaning, advice }) => {
    // Calls name the array by its path in the storage; here they get the path that the user wrote.
    const lines = advice.map((line) => ({ ...line, code: line.code.replaceAll(array.folder.path, shown) }))
    const about = { severity, code, finding_num: 1, file: shown, message: partly + message, meaning }
    return { finding: { ...about, advice: lines.map(lineText) }, lines }
  })
}

/** Number of fragments, stored bytes and cells of padding below which an array is fast in any layout: `footerAdvice` then finds nothing. */
const MIN_FRAGMENTS = 6
const MIN_BYTES = 64 * 1024
const MIN_PADDING = 4096

function fieldOf({ name, type, cell_val_num }: RangeType & { name: string }) {
  return { name, type, cell_val_num }
}

function statesOf(entries: readonly FragmentEntry[]): StateCount[] {
  const counts = new Map<FragmentEntry['state'], number>()
  for (const { state } of entries) counts.set(state, (counts.get(state) ?? 0) + 1)
  const isLive = ({ state }: StateCount): number => (state === 'live' ? 1 : 0)
  return Array.from(counts, ([state, fragment_num]) => ({ state, fragment_num })).sort((a, b) => isLive(b) - isLive(a))
}

/** First and last time of the fragments that TileDB reads. @param entries in the order of their first times */
function timesOf(entries: readonly FragmentEntry[]): [bigint, bigint] | null {
  const ranges = entries.flatMap(({ isRead, timestamp_range }) => (isRead && timestamp_range ? [timestamp_range] : []))
  if (ranges.length === 0) return null
  const ends = ranges.map(([, end]) => end).sort(rising)
  return [ranges[0][0], ends[ends.length - 1]]
}

/** The smallest box around the non-empty domains of all fragments; undefined if no domain is known. */
function boxAround(listed: readonly Listed[], dimensions: readonly RangeType[]): NDRange | undefined {
  let box: NDRange | undefined
  for (const one of listed) {
    const domain = comparableDomain(one, dimensions)
    box = box && domain ? box.map((range, d) => union(dimensions[d], range, domain[d])) : (box ?? domain)
  }
  return box
}

function union({ type }: RangeType, a: NDRange[number], b: NDRange[number]): NDRange[number] {
  const isLess = (x: Uint8Array, y: Uint8Array): boolean => compare(comparable(type, x), comparable(type, y)) < 0
  return { min: isLess(b.min, a.min) ? b.min : a.min, max: isLess(a.max, b.max) ? b.max : a.max }
}

/** What tells how many cells an array has. */
interface Counted {
  /** The fragments that TileDB reads and whose footers can be read. */
  known: readonly Listed[]
  /** Number of fragments that TileDB reads and whose footers cannot be read. */
  lost_num: number
  /** Number of all fragments that TileDB reads. */
  read_num: number
  delete_condition_num: number
  /** The box around the known fragments. A dense array has no more cells than its box. */
  box: NDRange | undefined
}

/** How many cells a reader sees, according to the footers. An average says nothing of a fragment that cannot be read: it may be any size. */
function cellsOf(
  { known, lost_num, read_num, delete_condition_num, box }: Counted,
  schema: ArraySchema | undefined,
): { cell_num: number | bigint | null; certainty: Exactness } {
  if (!schema || (known.length === 0 && read_num > 0)) return { cell_num: null, certainty: 'at least' }
  const held = known.reduce((cells, { result }) => cells + BigInt(result.cells_in_domain ?? 0), 0n)
  const mayBeExact = delete_condition_num === 0 && !known.some(({ result }) => result.state === 'unlisted')
  const isExact = (lost_num > 0 || known.length === read_num) && mayBeExact && !mayHoldMore(known, schema)
  if (lost_num > 0) return { cell_num: isExact ? exact(held) : null, certainty: 'at least' }
  if (known.length < read_num)
    return { cell_num: exact((held * BigInt(read_num)) / BigInt(known.length)), certainty: 'estimated' }
  if (isExact) return { cell_num: exact(held), certainty: 'exact' }
  const inBox = schema.array_type === 'dense' && box ? cellsIn(box, schema.domain.dimensions) : undefined
  const isLess = inBox !== undefined && inBox < held
  return { cell_num: exact(isLess ? inBox : held), certainty: 'at most' }
}

/** Cells of a dense box. */
function cellsIn(box: NDRange, dimensions: readonly RangeType[]): bigint {
  return box.reduce((cells, { min, max }, d) => {
    const { type } = dimensions[d]
    return cells * (integerOf(type, max) - integerOf(type, min) + 1n)
  }, 1n)
}

/** Whether fragments may hold more cells than a reader sees: older versions of a cell, or cells that were never written. */
function mayHoldMore(known: readonly Listed[], schema: ArraySchema): boolean {
  if (schema.array_type === 'sparse' && schema.allows_duplicates) return false
  // Consolidation keeps every version of a sparse cell for time travel. In dense arrays it fills gaps with fill values.
  if (known.some(({ result }) => result.consolidated)) return true
  const { dimensions } = schema.domain
  const boxes = known.map((one) => comparableDomain(one, dimensions))
  return findOverlaps(boxes, dimensions, 0).pair_num > 0
}

/** What decides which commands an overview suggests. */
interface Overviewed {
  /** Path of the array. */
  path: string
  items: readonly Item[]
  entries: readonly FragmentEntry[]
  schema: ArraySchema | undefined
  /** Whether something makes reads slow. */
  isSlow: boolean
}

function nextOf({ path, items, entries, schema, isSlow }: Overviewed, call: CallMaker): NextCommand[] {
  const isDamaged = items.some((item) => 'severity' in item && item.severity !== 'note')
  const isBroken = items.some((item) => 'severity' in item && item.severity === 'error')
  const isRead = entries.some((entry) => entry.isRead)
  const plain = entries.every(({ state }) => state === 'live')
  const all: (NextCommand | false)[] = [
    isDamaged && call('all findings', ['check'], path),
    !plain && call('why not all are live', ['ls'], path),
    isSlow && call(WHAT_IS_SLOW, ['explain'], path),
    !schema && call('commits', ['commits'], path),
    isRead &&
      schema !== undefined &&
      call('first cells', ['read', ...(isBroken ? ['--keep-going'] : []), '--limit', '10'], path),
    schema !== undefined && call('fields, filters', ['schema'], path),
    !isDamaged && call('every tile', ['check'], path),
    isRead && schema !== undefined && !isSlow && call('cost of a read', ['explain'], path),
    entries.length > 0 && plain && call('fragments', ['ls'], path),
  ]
  return all.filter((one) => one !== false).slice(0, MAX_NEXT)
}

/** What `explain` shows of an array with findings of slow reads. */
const WHAT_IS_SLOW = 'what is slow'

/** Largest number of commands that an overview suggests. */
const MAX_NEXT = 4
