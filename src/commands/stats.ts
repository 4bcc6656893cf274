import type { AdvisedFinding } from '../advice/finding.ts'
import { arrayFindings, fragmentFindings } from '../advice/findings.ts'
import { Distribution } from '../base/distribution.ts'
import { InspectError, inconsistent, orError, unlessFault, usage, withPlaceAsync } from '../base/errors.ts'
import { atOnce, inOrder } from '../base/in-order.ts'
import type { Output } from '../base/result.ts'
import { rising } from '../base/rising.ts'
import { sum } from '../base/sum.ts'
import type { CommandContext, CommandModule } from '../calls/command.ts'
import { damagedFault, damagedFiles } from '../calls/damaged-files.ts'
import { documentHead, notExaminedResult } from '../calls/document-parts.ts'
import { onlyWith, openRecursive } from '../calls/options.ts'
import type { Outcome } from '../calls/outcome.ts'
import { addCellOptions, type QueryOptions } from '../calls/read-query.ts'
import { noteBytesToRead } from '../calls/reading-ahead.ts'
import { tellGroupNotOpened, tellNotOpened } from '../calls/refused.ts'
import { addJobsOfSweeps, addSweepOptions, type SweepOptions } from '../calls/sweep-options.ts'
import { type Takes, targetFor, targetsHelp } from '../calls/targets.ts'
import { asOf, refuseTimes } from '../calls/times.ts'
import { exact } from '../calls/values.ts'
import { noteNoMembers, outcomeOrError, overEntries, throughGroups } from '../calls/walkers.ts'
import { checkOffsetCount, fieldTileFile, tileRole } from '../cells/tile-places.ts'
import type { DamagedFile, Distribution as DistributionResult, DocumentHead } from '../documents/common.ts'
import type { MemberStatsFragment } from '../documents/dataset.ts'
import type {
  ArrayStats,
  GroupStats,
  OneStats,
  StatsDocument,
  StatsFinding,
  StatsMetadata,
  StatsNotExamined,
  StatsRole,
  StatsSizes,
  StatsSums,
} from '../documents/stats.ts'
import type { ArraySchema } from '../format/array-schema.ts'
import { FRAGMENT_METADATA_FILE } from '../format/fragment-footer.ts'
import type { FragmentEntry, InspectArray } from '../objects/array.ts'
import { cellsInDomain } from '../objects/cell-counts.ts'
import { droppedAttributes } from '../objects/changed-fields.ts'
import { fileSizes, fragmentFileSizes, ratioOf, unfilteredFileSize } from '../objects/file-sizes.ts'
import {
  type FieldFile,
  type Fragment,
  type FragmentInfo,
  fieldFilesOf,
  filePipeline,
  storedCellNum,
} from '../objects/fragment.ts'
import { isOddFooter } from '../objects/may-be-refused.ts'
import { metadataSections } from '../objects/metadata-sections.ts'
import { arrayFiles } from '../objects/object-files.ts'
import type { Target } from '../objects/target.ts'
import { freedBytes, losesCells } from '../objects/vacuum.ts'
import type { OpenedFragment } from '../read/query.ts'
import { Folder } from '../storage/source.ts'
import { FOLDERS_DEEP } from '../storage/walk.ts'
import { ratio, SizeTally, type TalliedFile, type TalliedRole } from './size-tally.ts'

interface StatsOptions extends QueryOptions, SweepOptions {
  all?: boolean
  read?: boolean
  values?: boolean
  fragments?: boolean
  by?: string
}

const TAKES = { 'fragment or its file': '', array: '', group: 'each array' } as const satisfies Takes
const TAKES_WITH = { '--read': { array: '', group: '' } } as const satisfies CommandModule<never>['takesWith']

export const command: CommandModule<StatsOptions> = {
  about:
    'It also shows which releases wrote and read it, how full the tiles are, whether filters pay, and the memory that the metadata needs. A ratio is unfiltered over stored bytes: below 1, filters make it larger. whatif computes whether another capacity or tile extent is better: whatif places --capacity 1000.',
  examples: [
    ['what fills the disk: fields, filters, metadata, tile sizes', 'stats weather'],
    ['why one fragment is larger than another', 'stats places/__1714 weather/__1714'],
    ['what a reader sees: duplicates, deleted cells, minimum, maximum, sum', 'stats --read places'],
    [
      'the most frequent values, the median and percentiles of a field',
      'stats --read --values --field rain_mm weather',
    ],
    ['for a script: bytes, ratios, memory that the metadata needs', 'stats --json places'],
  ],

  together: true,
  takesTimes: true,

  takes: TAKES,
  takesWith: TAKES_WITH,

  configure(command) {
    command
      .argument('<target...>', `${targetsHelp(TAKES)}; two fragments or arrays are shown side by side`)
      .option('--all', 'count every fragment folder of an array, not only those that TileDB lists')
      .option(
        '--read',
        'show instead what a reader sees of an array: how many cells there are, and how many are unwritten, overwritten, deleted or have equal coordinates; of each field minimum, maximum, sum, mean, lengths, nulls, and which values of its enumeration are used. It reads all these fields once, so use --field and --range if the array is large',
      )
    command.option(
      '--fragments',
      'with --read: of each fragment the cells that a reader sees of it, that newer ones overwrite, and that delete conditions hide',
    )
    command.option(
      '--by <FIELD[:UNIT]>',
      'with --read: the cells of each value of a field, and nulls, minimum, maximum, sum and mean of each --field for these; of dates also by year, month, day, hour, minute or second, as in t:hour',
    )
    command.option(
      '--values',
      'with --read: of each field (--field) the number of distinct values, the ten that most cells have, and of numbers and dates the median and percentiles; of var-sized values how many have which length',
    )
    addSweepOptions(command)
    addJobsOfSweeps(command)
    addCellOptions(command, '; with --read')
    onlyWith(command, 'read', 'field', 'range', 'where', 'values', 'fragments', 'by')
  },

  async *run(cx, paths, options) {
    if (options.read) {
      if (options.all) throw usage({ expected: '--all or --read', found: 'both' })
      if ([options.fragments, options.by, options.values].filter((one) => one !== undefined).length > 1)
        throw usage({ expected: 'one of --fragments, --by and --values', found: 'several' })
      for (const path of paths) {
        const target = await openRecursive(cx, path, options.recursive)
        yield* throughGroups(cx, path, target, (path, target) => readOutcome(cx, path, target, options))
      }
      return
    }
    if (options.all) refuseTimes(cx, 'what --all shows')
    const found: OneStats[] = []
    const work = (path: string, target: Target | Promise<Target>): Promise<Outcome> =>
      outcomeOrError(new Folder(cx.storage, path), async () => {
        const document = await statsDocument(cx, path, await target, options)
        found.push(document)
        return statsOutcome(document)
      })
    const eachIn = async function* (path: string, target: Promise<Target>): AsyncGenerator<Outcome> {
      if (!(await isGroup(target))) {
        yield await work(path, target)
        return
      }
      if (options.recursive) {
        yield await sweptOutcome(cx, path, await target, options)
        return
      }
      yield* groupOutcomes(cx, path, await target, options)
    }
    const open = (path: string): Promise<Target> => {
      const target = openRecursive(cx, path, options.recursive)
      // An error is reported when the target is used. Until then it must not count as unhandled.
      target.catch(() => {})
      return target
    }
    // Both of two targets are needed before the first is shown: they may be shown side by side.
    const both = paths.length === 2 ? paths.map(open) : []
    if (both.length === 0 || (await isGroup(both[0])) || (await isGroup(both[1]))) {
      for (const [i, path] of paths.entries()) yield* eachIn(path, both[i] ?? open(path))
      return
    }
    const [a, b] = [await work(paths[0], both[0]), await work(paths[1], both[1])]
    if (a.kind === 'document' && b.kind === 'document') {
      const sideBySide = async (out: Output): Promise<void> =>
        (await import('../render/views/stats.ts')).comparisonTable(found[0], found[1], out)
      yield { ...a, table: undefined }
      yield { ...b, table: sideBySide }
    } else yield* [a, b]
  },
}

/** The sums of a group, and with `--full` then each of its arrays. */
async function* groupOutcomes(
  cx: CommandContext,
  path: string,
  target: Target,
  options: StatsOptions,
): AsyncGenerator<Outcome> {
  if (target.type !== 'group') throw new TypeError(target.type)
  const [{ walkDataset }, { groupFiles }, { memberOpener }, { tellingMembers }, { GroupTally, memberStats }] =
    await Promise.all([
      import('../objects/dataset.ts'),
      import('../objects/object-files.ts'),
      import('../calls/member-lines.ts'),
      import('../calls/telling-members.ts'),
      import('./stats-group.ts'),
    ])
  const tally = new GroupTally()
  tally.addGroup((await groupFiles(target.group.folder)).size)
  const arrays: Outcome[] = []
  let member_num = 0
  for await (const member of tellingMembers(cx, target, walkDataset(target, memberOpener(cx)))) {
    const { target: found, names, error, again, state } = member
    member_num++
    if (error && state === 'unreadable') cx.fault(error)
    if (!found || again) continue
    const name = names.join('/')
    if (found.type === 'group') {
      tally.addGroup((await groupFiles(found.group.folder)).size)
      await tellGroupNotOpened(cx, found.group)
    }
    if (found.type !== 'array') continue
    const own = member.path ?? found.path
    const outcome = await outcomeOrError(found.array.folder, async () => {
      const fragments: MemberStatsFragment[] = []
      const document = await arrayDocument(cx, own, found.array, options, (one) => void fragments.push(one))
      tally.addArray(name, memberStats(document, fragments))
      return statsOutcome(document)
    })
    if (cx.full || outcome.kind === 'error') arrays.push({ ...outcome, oneOfSeveral: true })
  }
  await tellGroupNotOpened(cx, target.group)
  if (member_num === 0) noteNoMembers(cx, path)
  const document: GroupStats = {
    ...documentHead('stats', cx.shownPath(path)),
    ...asOf(cx),
    target: 'group',
    ...tally.result(),
  }
  yield statsOutcome(document)
  yield* arrays
}

async function sweptOutcome(cx: CommandContext, path: string, target: Target, options: StatsOptions): Promise<Outcome> {
  if (target.type !== 'group') throw new TypeError(target.type)
  const [{ sweepOutcome }, { groupFiles }, { GroupTally, memberStats }] = await Promise.all([
    import('../calls/sweep.ts'),
    import('../objects/object-files.ts'),
    import('./stats-group.ts'),
  ])
  const tally = new GroupTally()
  tally.addGroup((await groupFiles(target.group.folder)).size)
  return sweepOutcome(cx, path, target, options, {
    command: 'stats',
    settings: { all: options.all ?? false },
    async examine(own, { target: found, path: place, again }) {
      if (found?.type !== 'array' || again) return {}
      const fragments: MemberStatsFragment[] = []
      const add = (one: MemberStatsFragment): void => void fragments.push(one)
      const document = await arrayDocument(own, place ?? found.path, found.array, options, add)
      return { stats: memberStats(document, fragments) }
    },
    isWrong: ({ finding_num }) => (finding_num?.error ?? 0) > 0,
    add({ name, type, found, again, size, stats }) {
      if (stats) tally.addArray(name, stats)
      else if (again === undefined && (found ?? type) === 'group') tally.addGroup(size ?? 0)
    },
    tail: () => ({ stats: tally.result() }),
  })
}

function statsOutcome(document: StatsDocument): Outcome {
  return {
    kind: 'document',
    document,
    table: async (out) => (await import('../render/views/stats.ts')).statsTable(document, out),
  }
}

async function* readOutcome(
  cx: CommandContext,
  path: string,
  found: Target,
  options: StatsOptions,
): AsyncGenerator<Outcome> {
  const target = await targetFor(cx, 'stats --read', TAKES_WITH['--read'], found)
  if (target.type === 'group') return
  if (options.range === undefined) await noteBytesToRead(cx, target)
  const { readStats } = await import('./stats-read.ts')
  const { document, lines } = await readStats(cx, path, target.array, options)
  const rows = document.fragments ?? document.groups
  yield {
    ...(rows ? { kind: 'rows', document, rows } : { kind: 'document', document }),
    table: async (out) =>
      (await import('../render/views/read-stats.ts')).readStatsTable(
        document,
        lines,
        { isNow: cx.times === undefined, chosen: options.field },
        out,
      ),
  }
}

/** Whether a target is a group; false if it cannot be opened. */
function isGroup(target: Promise<Target>): Promise<boolean> {
  return target.then(
    ({ type }) => type === 'group',
    () => false,
  )
}

/** Totals over fragments. */
class Totals {
  readonly tally = new SizeTally()
  fragment_num = 0
  cell_num = 0
  cells_in_domain = 0n
  tile_num = 0
  size = 0
  /** Bytes of the fragment metadata. A section that several fields share counts once. */
  readonly metadata: StatsMetadata = { size: 0, footer_size: 0, sections_size: 0, unfiltered_size: 0, memory_size: 0 }
  readonly cells_per_tile = new Distribution()
  readonly format_versions = new Set<number>()
  /** Data files that are missing or too short. They are left out of all sums. */
  readonly damaged: { finding: StatsFinding; fault: InspectError }[] = []
  /** The fragments that could be read. */
  readonly opened: OpenedFragment[] = []

  /** Adds the bytes of a fragment's files, whether or not the fragment could be read. */
  addFiles(sizes: ReadonlyMap<string, number>): void {
    for (const size of sizes.values()) this.size += size
  }
}

async function statsDocument(
  cx: CommandContext,
  path: string,
  found: Target,
  options: StatsOptions,
): Promise<OneStats> {
  const target = await targetFor(cx, 'stats', TAKES, found)
  if (target.type === 'array') return arrayDocument(cx, path, target.array, options)
  // Of a group, each array has a document of its own.
  if (target.type === 'group') throw new TypeError(target.type)
  const { fragment } = target
  refuseTimes(cx, 'a fragment')
  const totals = new Totals()
  const measures = await measure(fragment).finally(() => fragment.close())
  totals.addFiles(measures.onDisk)
  addMeasures(totals, measures)
  const [opened] = totals.opened
  const advice = await fragmentFindings(opened).catch(unlessFault)
  await fragment.close()
  for (const { fault } of totals.damaged) cx.fault(fault)
  return { ...documentHead('stats', cx.shownPath(path)), target: 'fragment', ...sums(cx, totals, advice ?? []) }
}

async function arrayDocument(
  cx: CommandContext,
  path: string,
  array: InspectArray,
  { all = false }: StatsOptions,
  onFragment: (fragment: MemberStatsFragment) => void = () => {},
): Promise<ArrayStats> {
  const totals = new Totals()
  const { schema } = await array.newestSchema()
  const entries = await array.fragments()
  const wanted = entries.filter((entry) => all || entry.isRead)
  const not_examined: StatsNotExamined[] = []
  const work = async (fragment: Fragment, { name }: FragmentEntry) => {
    const measures = await orError(() => measure(fragment))
    if (!(measures instanceof InspectError)) return { name, measures, onDisk: measures.onDisk }
    // The sizes of its files are still known, unless its folder cannot be listed.
    return { name, measures, onDisk: await orError(() => fragmentFileSizes(fragment)) }
  }
  for await (const { name, measures, onDisk } of overEntries(cx, array, wanted, 'reading fragment metadata', work)) {
    if (!(onDisk instanceof InspectError)) {
      totals.addFiles(onDisk)
      onFragment({ name, size: sum([...onDisk.values()], (size) => size) })
    }
    if (measures instanceof InspectError) {
      cx.fault(measures)
      not_examined.push({ name, ...notExaminedResult(cx, measures) })
    } else addMeasures(totals, measures)
  }
  for (const { fault } of totals.damaged) cx.fault(fault)
  const read = new Set(entries.flatMap(({ name, isRead }) => (isRead ? name : [])))
  const odd = totals.opened.filter(({ fragment, info }) => read.has(fragment.name) && isOddFooter(info))
  await tellNotOpened(cx, array, { odd, schema: true })
  const hidden = entries.filter(({ isRead }) => !isRead)
  const sizes = inOrder(hidden, atOnce(array.folder), ({ path }) => fileSizes(array.folder.folder(path)))
  let [unread_size, replaced, at] = [0, 0, 0]
  for await (const files of sizes) {
    const size = sum([...files.values()], (one) => one)
    unread_size += size
    if (hidden[at++]?.state === 'to-vacuum') replaced += size
  }
  const fragments = new Set(entries.map(({ path }) => path))
  const advice = await adviceOn(array, schema, totals)
  const vacuum_size = await freedBytes(array, replaced)
  return {
    ...documentHead('stats', cx.shownPath(path)),
    ...asOf(cx),
    target: 'array',
    array_type: schema.array_type,
    capacity: schema.array_type === 'sparse' ? schema.capacity : undefined,
    ...sums(cx, totals, advice, droppedAttributes(schema, totals.opened)),
    unread_fragment_num: hidden.length,
    unread_size,
    unread_kept_size: unread_size - replaced,
    vacuum_size,
    vacuum_loses_cells: (vacuum_size === 0 && (await losesCells(array))) || undefined,
    unread_counted: all,
    other_size: await otherSize(cx, array.folder, fragments),
    not_examined,
  }
}

/** What makes reads of the counted fragments slow; nothing if damage prevents the answer. */
async function adviceOn(array: InspectArray, schema: ArraySchema, { opened }: Totals): Promise<AdvisedFinding[]> {
  const between = [array.cx.from ?? 0n, array.cx.now] as const
  const fragments = opened.sort((a, b) => rising(a.time, b.time))
  try {
    return (await arrayFindings({ array, schema, fragments, between, deletes: [] }).catch(unlessFault)) ?? []
  } finally {
    for (const { fragment } of fragments) await fragment.close()
  }
}

/** The sizes in a fragment. They are added to the totals only if all of them could be read. */
type Measures = Awaited<ReturnType<typeof measure>>

/**
 * Reads the footer, the headers of the sections, and the tile offsets of a fragment, one list at a time.
 * @throws InspectError with the fragment as its place
 */
function measure(fragment: Fragment) {
  return withPlaceAsync({ file: fragment.folder.path }, async () => {
    const info = fragment.infoSync() ?? (await fragment.info())
    const onDisk = await fragmentFileSizes(fragment)
    const sections = await metadataSections(fragment)
    const files: { tallied: TalliedFile; tiles: Distribution }[] = []
    const fieldFiles = fieldFilesOf(info)
    const damaged = damagedFiles(fieldFiles, onDisk)
    for (const file of fieldFiles) {
      if (damaged.some(({ name }) => name === file.name)) continue
      const tiles = await storedTileSizes(fragment, info, file)
      const tallied = {
        field: info.slots[file.slot].name,
        role: file.role,
        filters: filePipeline(info, file, fragment.cx.encrypted),
        size: onDisk.get(file.name) ?? 0,
        unfiltered_size: await unfilteredFileSize(fragment, file),
      }
      files.push({ tallied, tiles })
      fragment.forget()
    }
    return { fragment, info, onDisk, sections, files, damaged: damaged.map((one) => damagedFinding(fragment, one)) }
  })
}

function addMeasures(totals: Totals, { fragment, info, onDisk, sections, files, damaged }: Measures): void {
  const { tally, metadata } = totals
  for (const { tallied, tiles } of files) tally.addFile(tallied, tiles)
  totals.damaged.push(...damaged)
  let lastOffset = -1
  for (const section of sections) {
    if (section.offset === lastOffset) continue
    lastOffset = section.offset
    tally.addSection(section, section.slot === undefined ? null : info.slots[section.slot].name)
    metadata.sections_size += section.size
    metadata.unfiltered_size += section.unfiltered_size
    metadata.memory_size += section.memory_size
  }
  totals.fragment_num++
  totals.opened.push({ fragment, info, time: fragment.timestamp_range?.[0] ?? 0n })
  totals.cell_num += storedCellNum(info)
  totals.cells_in_domain += BigInt(cellsInDomain(info))
  totals.tile_num += info.tile_num
  metadata.size += onDisk.get(FRAGMENT_METADATA_FILE) ?? 0
  metadata.footer_size += info.footer_span?.size ?? 0
  if (info.tile_num > 0) {
    totals.cells_per_tile.add(info.cells_per_tile, info.tile_num - 1)
    totals.cells_per_tile.add(info.last_tile_cell_num)
  }
  totals.format_versions.add(info.format_version)
}

function damagedFinding(fragment: Fragment, one: DamagedFile): Totals['damaged'][number] {
  const fault = damagedFault(fragment, [one])
  const code = one.size === null ? 'FILE_MISSING' : 'FILE_SHORT'
  const bytes = one.listed_size - (one.size ?? 0)
  const message = `${fault.message}; it is left out of all sums`
  return { finding: { code, severity: 'error', message, file: `${fragment.folder.path}/${one.name}`, bytes }, fault }
}

/**
 * Stored bytes of the tiles of a file.
 * @throws InspectError INCONSISTENT if there is not one offset for each tile, or if offsets fall
 */
async function storedTileSizes(fragment: Fragment, info: FragmentInfo, file: FieldFile): Promise<Distribution> {
  const { tile_num, slots } = info
  const { offsetsList: list } = fieldTileFile(info, file.slot, tileRole(file))
  const offsets = (await fragment.offsets(list, file.slot)) ?? new Float64Array(0)
  const field = `${list}.${slots[file.slot].name}`
  const place = { file: fragment.metadataSource().name, field }
  checkOffsetCount(fragment, info, field, offsets.length)
  const sizes = new Distribution()
  for (let tile = 0; tile < tile_num; tile++) {
    const size = (tile + 1 < tile_num ? offsets[tile + 1] : file.size) - offsets[tile]
    if (size < 0) throw inconsistent(`expected tile ${tile} to end after its start ${offsets[tile]}`, place)
    sizes.add(size)
  }
  return sizes
}

/** Bytes of all files of an array except those of fragments. */
async function otherSize(cx: CommandContext, folder: Folder, fragments: ReadonlySet<string>): Promise<number> {
  const deep: string[] = []
  const { size } = await arrayFiles(folder, fragments, (path) => void deep.push(path))
  if (deep.length > 0)
    cx.note(
      `${cx.shownPath(folder.path)}: bytes outside fragments are counted down to a depth of ${FOLDERS_DEEP} folders, where those of TileDB end; ${deep.length} deeper ones, such as ${[...deep].sort()[0]}, are left out. Links on the server may lead in a circle: what they lead to is then counted more than once`,
      'target',
    )
  return size
}

function sums(
  cx: CommandContext,
  totals: Totals,
  advice: readonly AdvisedFinding[],
  dropped: ReadonlySet<string> = new Set(),
): Omit<StatsSums, keyof DocumentHead> {
  const { tally, damaged, metadata } = totals
  const { data } = tally
  const findings: StatsFinding[] = [
    ...damaged.map(({ finding }) => finding),
    ...advice.map(({ code, severity, message, effect }) => ({ code, severity, message, bytes: effect.bytes ?? 0 })),
  ]
  const share = ({ size }: StatsSizes): number | null => ratio(size, data.size)
  return {
    format_versions: [...totals.format_versions].sort((a, b) => a - b),
    fragment_num: totals.fragment_num,
    cell_num: totals.cell_num,
    cells_in_domain: exact(totals.cells_in_domain),
    tile_num: totals.tile_num,
    size: totals.size,
    data_size: data.size,
    unfiltered_size: data.unfiltered_size,
    ratio: ratio(data.unfiltered_size, data.size),
    fields: largestFirst(tally.fields).map(({ files, ...field }) => ({
      ...withRatio(field),
      share: share(field),
      not_in_schema: dropped.has(field.name) || undefined,
      files: [...files.values()].map(({ filters, ...file }) => ({
        ...roleResult(file),
        share: share(file),
        filters: filters.map((one) => one.filters),
      })),
    })),
    roles: largestFirst(tally.roles).map(roleResult),
    filters: largestFirst(tally.filters).map(withRatio),
    fragment_metadata: metadata,
    sections: largestFirst(tally.sections),
    tile_size: distributionResult(tally.tiles),
    cells_per_tile: distributionResult(totals.cells_per_tile),
    findings: findings.map((one) => ({ ...one, file: one.file === undefined ? undefined : cx.shownPath(one.file) })),
  }
}

function largestFirst<T extends StatsSizes>(tallied: ReadonlyMap<string, T> | readonly T[]): T[] {
  return [...tallied.values()].sort((a, b) => b.size - a.size)
}

function roleResult({ tiles, ...role }: TalliedRole): StatsRole {
  return { ...withRatio(role), tile_size: distributionResult(tiles) }
}

function withRatio<T extends StatsSizes>(sizes: T): T & { ratio: number | null } {
  return { ...sizes, ratio: ratio(sizes.unfiltered_size, sizes.size) }
}

function distributionResult(distribution: Distribution): DistributionResult | null {
  if (distribution.count === 0) return null
  const { count, min, max, mean } = distribution
  return {
    tile_num: count,
    min,
    max,
    mean: ratioOf(mean, 1),
    histogram: distribution.histogram().map(({ from, to, count }) => ({ from, to, tile_num: count })),
  }
}
