import { InspectError, orError, usage } from '../base/errors.ts'
import { lastPathPart } from '../base/paths.ts'
import type { Output } from '../base/result.ts'
import { mapRows, walk } from '../base/walk.ts'
import type { CommandContext, CommandModule } from '../calls/command.ts'
import { documentHead, errorResult } from '../calls/document-parts.ts'
import { keyValueResult } from '../calls/key-values.ts'
import {
  addListOptions,
  checkListOrder,
  cutRows,
  LIST_ORDERS,
  type ListCut,
  type ListOptions,
  type ListOrder,
  parseDepth,
  parseListOptions,
  sortedBy,
} from '../calls/list-order.ts'
import {
  type Examined,
  entryOf,
  examineFragment,
  FACTS,
  fragmentColumns,
  type Listed,
  sizesWithFooters,
} from '../calls/listed-fragment.ts'
import type { TreeLine } from '../calls/member-lines.ts'
import { collect, openRecursive } from '../calls/options.ts'
import type { Outcome } from '../calls/outcome.ts'
import { comparableDomain, findOverlaps } from '../calls/overlaps.ts'
import { overwrittenFragments } from '../calls/overwritten.ts'
import { parseRanges, RANGE_FORMS } from '../calls/ranges.ts'
import { tellGroupNotOpened, tellNotOpened } from '../calls/refused.ts'
import { addJobsOfSweeps, addSweepOptions, type SweepOptions } from '../calls/sweep-options.ts'
import { type Takes, type TargetFor, targetFor, targetsHelp } from '../calls/targets.ts'
import { asOf } from '../calls/times.ts'
import { filterResult, releases, timeResult } from '../calls/values.ts'
import { overEntries } from '../calls/walkers.ts'
import { rangeFilter } from '../cells/bounds.ts'
import type { ArrayFragment, ArrayListing, ArrayNames, ArraySums } from '../documents/array.ts'
import type { AsOf, DocumentHead } from '../documents/common.ts'
import type { ListedDataset, SweepMember } from '../documents/dataset.ts'
import type { FragmentDocument, FragmentLine } from '../documents/fragment.ts'
import type { GroupDocument, GroupLine } from '../documents/group.ts'
import type { ArraySchema } from '../format/array-schema.ts'
import type { Dimension } from '../format/dimension.ts'
import { FRAGMENT_METADATA_FILE } from '../format/fragment-footer.ts'
import type { RangeType } from '../format/range.ts'
import { sortedAsWritten } from '../format/timestamped-name.ts'
import type { FragmentEntry, InspectArray } from '../objects/array.ts'
import { deletePlaces, laterDeletePlaces } from '../objects/deletes.ts'
import { unfilteredFileSize } from '../objects/file-sizes.ts'
import { type Fragment, type FragmentInfo, filePipeline } from '../objects/fragment.ts'
import { isOddFooter } from '../objects/may-be-refused.ts'
import type { GroupTarget, Target } from '../objects/target.ts'

interface LsOptions extends ListOptions, SweepOptions {
  names?: boolean
  range?: string[]
  samples?: boolean
}

const TAKES = { array: 'its fragments', fragment: 'its files', group: 'its members' } as const satisfies Takes
const TAKES_WITH = {
  '--depth': { group: '' },
  '--names': { array: '', group: '' },
  '--range': { array: '' },
  '--samples': { group: '' },
} as const satisfies CommandModule<never>['takesWith']

export const command: CommandModule<LsOptions> = {
  about:
    'It shows each fragment of an array: whether TileDB reads it, and if not, why (never committed, waiting for vacuum, ignored, hidden, dated in the future); its cells, tiles, size, time, box and overlaps; and which releases read it. Of a fragment it shows the files, and which of them are missing or too short. An array on S3 is named s3://bucket/path, here and in every command. Its region, endpoint and your credentials come from AWS_REGION, AWS_ENDPOINT_URL, AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or from the profile in AWS_PROFILE. --no-sign-request sends no credentials.',
  examples: [
    ['the fragments of an array: state, cells, tiles, size, time, domain', 'ls places'],
    ['the files of a fragment, named by the beginning of its name', 'ls places/__1714'],
    ['fragments that a query of this box would touch', 'ls places --range lat=40..60 --range lon=0..20'],
    ['what TileDB reads when it opens the array at that time', 'ls weather --as-of 2024-05-02'],
  ],
  takesTimes: true,
  readsOnce: true,

  takes: TAKES,
  takesWith: TAKES_WITH,

  configure(command) {
    command
      .argument('<target...>', targetsHelp(TAKES))
      .option(
        '--names',
        'show only the names of fragments, which are opened only for --range; or the members of a group, without a look into them',
      )
      .option(
        '--range <NAME=LO..HI>',
        `only fragments whose non-empty domain touches the range, ends included: ${RANGE_FORMS}`,
        collect,
      )
      .option(
        '--depth <n>',
        'levels of the members of a group, shown as a tree: a number (1), or all; with --recursive, levels of folders that are entered (32)',
      )
    command.option(
      '--samples',
      'of a dataset of a layer, also what only its cells tell: the samples of a VCF dataset, its contigs and records',
    )
    addSweepOptions(command)
    addJobsOfSweeps(command)
    addListOptions(command)
  },

  async *run(cx, [path], options) {
    const cut = parseListOptions(options)
    const target = await openRecursive(cx, path, options.recursive)
    refuseOrder(cut, target.type, options)
    if (options.depth !== undefined) await targetFor(cx, 'ls --depth', TAKES_WITH['--depth'], target)
    if (options.names) await targetFor(cx, 'ls --names', TAKES_WITH['--names'], target)
    if (options.range) await targetFor(cx, 'ls --range', TAKES_WITH['--range'], target)
    if (options.samples) await targetFor(cx, 'ls --samples', TAKES_WITH['--samples'], target)
    if (options.samples && options.names) throw usage({ expected: '--samples or --names', found: 'both' })
    yield await targetOutcome(cx, path, await targetFor(cx, 'ls', TAKES, target), options, cut)
  },
}

function targetOutcome(
  cx: CommandContext,
  path: string,
  target: TargetFor<typeof TAKES>,
  options: LsOptions,
  cut: ListCut,
): Promise<Outcome> {
  switch (target.type) {
    case 'array':
      return arrayOutcome(cx, path, target.array, options, cut)
    case 'fragment':
      return fragmentOutcome(cx, path, target.fragment, cut)
    case 'group':
      return options.recursive && !options.names
        ? sweptOutcome(cx, path, target, options, cut)
        : groupOutcome(cx, path, target, options, cut)
  }
}

/** The orders of each list. Names alone have no sizes. */
const ORDERS = {
  array: ['name', 'size', 'cells', 'written'],
  fragment: ['name', 'size'],
  group: LIST_ORDERS,
  file: [],
} as const satisfies Readonly<Record<Target['type'], readonly ListOrder[]>>

/** @throws InspectError USAGE for an order that the list does not have: before anything of it is read */
function refuseOrder({ order }: ListCut, type: Target['type'], { names, range }: LsOptions): void {
  const all: readonly ListOrder[] = ORDERS[type]
  const known = names && !(range && type === 'array') ? (['name'] as const) : all
  if (order !== undefined && type !== 'file') checkListOrder(order, known)
}

async function sweptOutcome(
  cx: CommandContext,
  path: string,
  target: GroupTarget,
  options: LsOptions,
  cut: ListCut,
): Promise<Outcome> {
  const { sweepOutcome } = await import('../calls/sweep.ts')
  const isWrong = ({ finding_num }: SweepMember): boolean => (finding_num?.error ?? 0) > 0
  return sweepOutcome(cx, path, target, options, { command: 'ls', settings: {}, isWrong, cut })
}

const GROUP_COLUMNS: readonly (keyof GroupLine)[] = [
  ...(['name', 'type', 'uri', 'relative', 'implicit', 'state', 'resolved', 'place', 'again', 'found'] as const),
  ...(['array_type', 'format_version', 'shape', 'cell_num', 'certainty', 'timestamp_range', 'array_num'] as const),
  ...(['fragment_num', 'file_num', 'size', 'finding_num', 'codes'] as const),
  ...(['layer_type', 'layer_facts', 'error', 'unlisted', 'members'] as const),
]

async function arrayOutcome(
  cx: CommandContext,
  path: string,
  array: InspectArray,
  options: LsOptions,
  cut: ListCut,
): Promise<Outcome> {
  const head = { ...documentHead('array', cx.shownPath(path)), ...asOf(cx) }
  if (options.names && !options.range) return namesOutcome(head, cutNames(await namesOf(cx, array), cut))
  const entries = sortedAsWritten(await array.fragments())
  const newest = await orError(() => array.newestSchema())
  // Fragments can be listed without a schema. Only --range needs the dimensions.
  const unreadable = newest instanceof InspectError ? newest : undefined
  if (unreadable) cx.fault(unreadable)
  if (unreadable && options.range) throw unreadable
  const schema = newest instanceof InspectError ? undefined : newest.schema
  const dimensions = schema?.domain.dimensions ?? []
  const touches = options.range ? rangeFilter(dimensions, parseRanges(dimensions, options.range)) : undefined
  const totals = new Totals()
  const odd: { fragment: Fragment; info: FragmentInfo }[] = []
  const isWanted = (one: Listed): boolean => {
    if (!touches) return true
    const domain = comparableDomain(one, dimensions)
    return domain !== undefined && touches(domain)
  }
  const wanted = (): AsyncGenerator<Listed> =>
    listedEntries(cx, array, entries, { totals, odd, isWanted, unreadable: unreadable?.at.file })
  if (options.names) {
    const found: Listed[] = []
    for await (const one of wanted()) if (one.isRead || !cx.times) found.push(one)
    const names = sortedFragments(found, cut).map(({ result }) => result.name)
    return namesOutcome(head, names.slice(0, cut.limit))
  }
  // Fragments stay in memory only if they are compared with each other.
  const compared = entries.length <= MAX_COMPARED
  const isKept = compared || cut.order !== undefined || cut.isReverse
  const found: Listed[] = []
  if (isKept) for await (const one of wanted()) found.push(one)
  const overlapping = compared ? overlapsOf(found, dimensions) : { overlap_pair_num: null, overlap_pairs: null }
  if (compared && !touches)
    noteOverwritten(found, dimensions, newest instanceof InspectError ? undefined : newest.file.name)
  const sorted = sortedFragments(found, cut)
  const schemaFiles = await array.schemaFiles()
  const first = {
    ...head,
    ...(await arrayFacts(cx, array, schema)),
    error: unreadable && errorResult(cx, unreadable),
    fragment_num: entries.length,
  }
  const tail = (): ListingTail => ({
    schemas: schemaFiles.map(({ name, timestamp_range }) => ({
      name,
      timestamp_range: timestamp_range ?? null,
      fragment_num: totals.bySchema.get(name) ?? 0,
    })),
    total_size: totals.read.size + totals.notRead.size,
    read: totals.read,
    unread: totals.notRead,
    ...overlapping,
  })
  async function* fragments(): AsyncGenerator<ArrayFragment, ListingTail> {
    let listed_num = 0
    for await (const { result } of isKept ? sorted : wanted()) if (listed_num++ < (cut.limit ?? Infinity)) yield result
    const told = new Set(unreadable?.at.file === undefined ? [] : [unreadable.at.file])
    await tellNotOpened(cx, array, { odd, told, schema: true })
    return tail()
  }
  return {
    kind: 'stream',
    head: first,
    list: 'fragments',
    walk: fragments,
    columns: () => Object.keys(FACTS).filter((fact) => compared || (fact !== 'overlap_num' && fact !== 'overwritten')),
    async table(out: Output) {
      const { arrayTable } = await import('../render/views/ls.ts')
      const names = dimensions.map(({ name }) => name)
      const listed: ArrayFragment[] = []
      const last = await walk(fragments(), (fragment) => void listed.push(fragment))
      const whole = { ...first, fragments: listed, ...last }
      await arrayTable(whole, (exact) => fragmentColumns(whole, names, exact), out)
    },
  }
}

/** Names of the fragments that readers see. Without times they come from the list of the folder alone. */
async function namesOf(cx: CommandContext, array: InspectArray): Promise<readonly string[]> {
  await array.checkVersion()
  if (!cx.times) return array.fragmentNames()
  const read = (await array.fragments()).filter(({ isRead }) => isRead)
  return sortedAsWritten(read).map(({ name }) => name)
}

/** What is known only after the fragments. */
type ListingTail = Pick<
  ArrayListing,
  'schemas' | 'total_size' | 'read' | 'unread' | 'overlap_pair_num' | 'overlap_pairs'
>

/** What a listing says of the array as a whole. */
async function arrayFacts(
  cx: CommandContext,
  array: InspectArray,
  schema: ArraySchema | undefined,
): Promise<
  Omit<
    ArrayListing,
    keyof ListingTail | 'fragments' | 'error' | 'fragment_num' | keyof DocumentHead<'array'> | keyof AsOf
  >
> {
  const encryption = await orError(() => array.encryption())
  const foreign = await array.foreignEntries()
  return {
    array_type: schema?.array_type ?? null,
    format_version: schema?.version ?? null,
    ...releases(schema?.version),
    encryption: encryption instanceof InspectError ? null : encryption,
    delete_condition_num: (await deletePlaces(array)).length,
    later_deletes: (await laterDeletePlaces(array)).map(({ end }) => timeResult(end, cx.style)),
    missing_fragments: (await array.missingFragments()).map(lastPathPart),
    foreign_entries: foreign.length === 0 ? undefined : foreign,
  }
}

/** Notes for each fragment how much of it newer ones overwrite. @param schemaName the newest schema */
function noteOverwritten(
  found: readonly Listed[],
  dimensions: readonly Dimension[],
  schemaName: string | undefined,
): void {
  const overwritten = overwrittenFragments(found, dimensions, schemaName)
  for (const [i, { result }] of found.entries()) result.overwritten = overwritten[i]
}

function sortedFragments(found: readonly Listed[], { order, isReverse }: ListCut): readonly Listed[] {
  if (order === undefined) return reversedIf(isReverse, found)
  return sortedBy(found, order, isReverse, {
    name: ({ result }) => result.name,
    size: ({ result }) => result.size,
    cells: ({ result }) => result.cells_in_domain,
    written: ({ result }) => result.timestamp_range?.[1],
  })
}

/** Names in the order that was asked for. */
function cutNames(names: readonly string[], { order, isReverse, limit }: ListCut): readonly string[] {
  const sorted = order === 'name' ? names.toSorted() : names
  return reversedIf(isReverse, sorted).slice(0, limit)
}

function namesOutcome(head: DocumentHead<'array'> & AsOf, names: readonly string[]): Outcome {
  const fragments = names.map((name) => ({ name }))
  const document: ArrayNames = { ...head, fragments }
  return {
    kind: 'rows',
    document,
    rows: fragments,
    columns: () => ['name'],
    table: (out) => out.write(names.map((name) => `${name}\n`).join('')),
  }
}

/** Sums over the fragments of an array. */
class Totals {
  /** Fragments that TileDB reads now. */
  readonly read: ArraySums = { ...NO_SUMS }
  /** All other fragments on disk. */
  readonly notRead: ArraySums = { ...NO_SUMS }
  /** Number of fragments by the schema that they name. */
  readonly bySchema = new Map<string, number>()
}

const NO_SUMS: ArraySums = { fragment_num: 0, cell_num: 0, cells_in_domain: 0, tile_num: 0, size: 0 }

/**
 * Examines the fragments of an array, and adds each to `totals`. Those whose footers contradict something are added to `odd`.
 * @param isWanted whether a fragment is listed. All count
 * @param unreadable the file of the newest schema, if its fault was reported already; fragments with this schema do not report it again
 */
async function* listedEntries(
  cx: CommandContext,
  array: InspectArray,
  entries: readonly FragmentEntry[],
  {
    totals,
    odd,
    isWanted,
    unreadable,
  }: {
    totals: Totals
    odd: { fragment: Fragment; info: FragmentInfo }[]
    isWanted: (one: Listed) => boolean
    unreadable: string | undefined
  },
): AsyncGenerator<Listed> {
  const reported = new Set([unreadable])
  const sizesOf = sizesWithFooters(array)
  const work = (fragment: Fragment, entry: FragmentEntry): Listed | Promise<Listed> => {
    const noted = ({ listed, info }: Examined): Listed => {
      if (info && entry.isRead && isOddFooter(info)) odd.push({ fragment, info })
      return listed
    }
    const examined = examineFragment(cx, fragment, entry, sizesOf)
    return examined instanceof Promise ? examined.then(noted) : noted(examined)
  }
  for await (const listed of overEntries(cx, array, entries, 'reading footers', work)) {
    const { fault, isRead, result } = listed
    if (fault && (fault.at.file === undefined || !reported.has(fault.at.file))) cx.fault(fault)
    reported.add(fault?.at.file)
    addSums(isRead ? totals.read : totals.notRead, result)
    const schema = result.array_schema_name
    if (schema !== null) totals.bySchema.set(schema, (totals.bySchema.get(schema) ?? 0) + 1)
    if (isWanted(listed)) yield listed
  }
}

/** Adds a fragment to sums. Numbers that could not be read are left out. */
function addSums(sums: ArraySums, { size, cell_num, cells_in_domain, tile_num }: ArrayFragment): void {
  sums.fragment_num++
  sums.size += size
  sums.cell_num = exactSum(sums.cell_num, cell_num ?? 0)
  sums.cells_in_domain = exactSum(sums.cells_in_domain, cells_in_domain ?? 0)
  sums.tile_num += tile_num ?? 0
}

function exactSum(a: number | bigint, b: number | bigint): number | bigint {
  const sum = Number(a) + Number(b)
  return Number.isSafeInteger(sum) ? sum : BigInt(a) + BigInt(b)
}

/** Largest number of fragments whose overlaps are computed. With more fragments that takes too long for a listing. */
const MAX_COMPARED = 20_000
/** Largest number of overlapping pairs that are listed. If all fragments overlap, there are far more. */
const MAX_PAIRS = 1000

/**
 * Sets `overlap_num` of each fragment: with how many others its non-empty domain overlaps. Only fragments that TileDB reads count.
 * @returns the totals for the array
 */
function overlapsOf(
  found: readonly Listed[],
  dimensions: readonly RangeType[],
): Pick<ArrayListing, 'overlap_pair_num' | 'overlap_pairs'> {
  const boxes = found.map((one) => (one.isRead ? comparableDomain(one, dimensions) : undefined))
  const { counts, pair_num, pairs } = findOverlaps(boxes, dimensions, MAX_PAIRS)
  found.forEach(({ result }, i) => {
    result.overlap_num = boxes[i] ? counts[i] : null
  })
  const name = (i: number): string => found[i].result.name
  return { overlap_pair_num: pair_num, overlap_pairs: pairs.map(([a, b]) => [name(a), name(b)]) }
}

async function fragmentOutcome(
  cx: CommandContext,
  path: string,
  fragment: Fragment,
  { order, isReverse, limit }: ListCut,
): Promise<Outcome> {
  const { info, onDisk, listed } = await examineFragment(cx, fragment, await entryOf(fragment))
  const { result, fault } = listed
  if (fault) cx.fault(fault)
  const all = await fragmentFiles(fragment, info, onDisk)
  const keys = { name: ({ name }: FragmentLine) => name, size: ({ size }: FragmentLine) => size }
  const sorted = order === undefined ? reversedIf(isReverse, all) : sortedBy(all, order, isReverse, keys)
  const files = sorted.slice(0, limit)
  await fragment.close()
  const document: FragmentDocument = {
    ...documentHead('fragment', cx.shownPath(path)),
    ...asOf(cx),
    ...result,
    path: cx.shownPath(path),
    ...(result.format_version !== null && releases(result.format_version)),
    files,
  }
  return {
    kind: 'rows',
    document,
    rows: document.files,
    table: async (out) =>
      (await import('../render/views/ls.ts')).fragmentTable(
        document,
        info?.schema.domain.dimensions.map(({ name }) => name) ?? [],
        out,
      ),
  }
}

/** @param size bytes of the file; null if there is none @param listed bytes by the metadata */
function stateOfFile(size: number | null, listed: number): 'missing' | 'short' | 'present' {
  if (size === null) return listed > 0 ? 'missing' : 'present'
  return size < listed ? 'short' : 'present'
}

/** The files of a fragment: first the files that the metadata lists, then all others. */
async function fragmentFiles(
  fragment: Fragment,
  info: FragmentInfo | undefined,
  sizes: ReadonlyMap<string, number>,
): Promise<FragmentLine[]> {
  const onDisk = new Map(sizes)
  const files: FragmentLine[] = []
  for (const file of info ? await fragment.fieldFiles() : []) {
    const size = onDisk.get(file.name) ?? null
    onDisk.delete(file.name)
    files.push({
      name: file.name,
      field: info?.slots[file.slot].name ?? null,
      role: file.role,
      tile_num: info?.tile_num,
      unfiltered_size: await unfilteredFileSize(fragment, file),
      filters: info && filePipeline(info, file, fragment.cx.encrypted).map(filterResult),
      size,
      listed_size: file.size,
      state: stateOfFile(size, file.size),
    })
  }
  for (const [name, size] of onDisk) {
    const role = name === FRAGMENT_METADATA_FILE ? 'metadata' : 'unknown'
    files.push({ name, field: null, role, size, state: role === 'metadata' ? 'present' : 'not-listed' })
  }
  return files
}

/** What is known of a group after its members. */
type GroupTail = Pick<GroupDocument, 'member_num' | 'totals' | 'layer' | 'metadata'>

async function groupOutcome(
  cx: CommandContext,
  path: string,
  target: GroupTarget,
  { depth, names, samples = false }: LsOptions,
  cut: ListCut,
): Promise<Outcome> {
  const levels = depth === undefined ? 1 : parseDepth(depth)
  const head = { ...documentHead(target.isPlain ? 'dataset' : 'group', cx.shownPath(path)), ...asOf(cx) }
  async function* members(): AsyncGenerator<GroupLine, GroupTail> {
    const tail = yield* names ? namedMembers(cx, target, levels, cut) : sortedMembers(cx, target, levels, cut, samples)
    const metadata = keyValueResult(await target.group.metadata(), cx.style)
    await tellGroupNotOpened(cx, target.group)
    return { ...tail, metadata }
  }
  // If the list cannot be read, the error stands in place of the document.
  const rows = members()
  const first = await rows.next()
  async function* all(): AsyncGenerator<GroupLine, GroupTail> {
    if (first.done) return first.value
    yield first.value
    return yield* rows
  }
  return {
    kind: 'stream',
    head,
    list: 'members',
    walk: all,
    columns: () => GROUP_COLUMNS,
    async table(out: Output) {
      const shown: GroupLine[] = []
      const tail = await walk(all(), (member) => void shown.push(member))
      const { groupTable } = await import('../render/views/ls.ts')
      await groupTable({ ...head, members: shown, ...tail } as GroupDocument | ListedDataset, out, samples)
    },
  }
}

/** The members as the lists of groups have them. */
async function* namedMembers(
  cx: CommandContext,
  target: GroupTarget,
  levels: number,
  cut: ListCut,
): AsyncGenerator<GroupLine, Omit<GroupTail, 'metadata'>> {
  const { listedMembers } = await import('../calls/member-lines.ts')
  const byName = ({ name, uri }: GroupLine): string => name ?? uri
  const sorted = (all: readonly TreeLine[], order: ListOrder) => sortedBy(all, order, cut.isReverse, { name: byName })
  return { member_num: (yield* cutRows(listedMembers(cx, target, levels), cut, sorted)).num }
}

async function* sortedMembers(
  cx: CommandContext,
  target: GroupTarget,
  levels: number,
  cut: ListCut,
  samples: boolean,
): AsyncGenerator<GroupLine, Omit<GroupTail, 'metadata'>> {
  const [{ DatasetSums, datasetTrees, sortTree, cutTree }, { layeredTarget }] = await Promise.all([
    import('../calls/dataset-lines.ts'),
    import('../calls/layer-part.ts'),
  ])
  const sums = new DatasetSums()
  const sorted = (all: readonly TreeLine[], order: ListOrder): TreeLine[] => sortTree(all, order, cut.isReverse)
  const trees = cutRows(
    datasetTrees(cx, target, { sums, layered: await layeredTarget(target, { cells: samples }) }),
    cut,
    sorted,
  )
  const { num, end } = yield* mapRows(trees, (tree) => cutTree([tree], levels)[0])
  return { member_num: num, totals: sums.result(), layer: end }
}

function reversedIf<T>(isReverse: boolean, list: readonly T[]): readonly T[] {
  return isReverse ? list.toReversed() : list
}
