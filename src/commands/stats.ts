import { addPlace, InspectError, inconsistent } from '../base/errors.ts'
import { atOnce, inOrder } from '../base/in-order.ts'
import { checkOffsetCount, fieldTileFile, tileRole } from '../cells/tile-places.ts'
import type { DamagedFile, Distribution as DistributionResult, DocumentHead } from '../documents/common.ts'
import type {
  ArrayStats,
  StatsDocument,
  StatsFinding,
  StatsNotExamined,
  StatsRole,
  StatsSums,
} from '../documents/stats.ts'
import { FRAGMENT_METADATA_FILE } from '../format/fragment-footer.ts'
import { Folder } from '../source/source.ts'
import { FOLDERS_DEEP, firstTime, shouldEnter, tooDeep } from '../source/walk.ts'
import type { FragmentEntry, InspectArray } from '../store/array.ts'
import {
  cellsInDomain,
  entrySize,
  fileSizes,
  fragmentFileSizes,
  ratioOf,
  unfilteredFileSize,
} from '../store/file-sizes.ts'
import { type FieldFile, type Fragment, type FragmentInfo, filePipeline, storedCellNum } from '../store/fragment.ts'
import { type MetadataSection, metadataSections } from '../store/metadata-sections.ts'
import type { Target } from '../store/target.ts'
import {
  type CommandContext,
  type CommandModule,
  documentHead,
  errorResult,
  type Outcome,
  outcomeOrError,
  throughGroups,
  wrongTarget,
} from './command.ts'
import { damagedFault, damagedFiles } from './damaged-files.ts'
import { layoutFindings } from './layout-findings.ts'
import { Distribution, type Sizes, SizeTally, type TalliedRole } from './size-tally.ts'
import { exact, filterResult } from './values.ts'

interface StatsOptions {
  all?: boolean
}

export const command: CommandModule<StatsOptions> = {
  about:
    'Also which releases wrote and read it, whether tiles and capacity have a good size, whether filters pay (ratio is unfiltered over stored: below 1 they make it larger), and the memory that the metadata needs.',
  examples: [
    ['what fills the disk: fields, filters, metadata, tile sizes', 'stats weather'],
    ['why one fragment is larger than another', 'stats places/__1714 weather/__1714'],
    ['for a script: bytes, ratios, memory that the metadata needs', 'stats --json places'],
  ],

  together: true,

  configure(command) {
    command
      .argument('<target...>', 'fragment, array or group (each array); two fragments or arrays are shown side by side')
      .option('--all', 'an array: every fragment folder, not only those that TileDB lists')
  },

  async *run(cx, paths, options) {
    const work = (path: string, target: Target | Promise<Target>, found: StatsDocument[] = []): Promise<Outcome> =>
      outcomeOrError(new Folder(cx.storage, path), async () => {
        const document = await statsDocument(cx, path, await target, options)
        found.push(document)
        return statsOutcome(document, cx.full)
      })
    const each = async function* (path: string, target: Promise<Target>): AsyncGenerator<Outcome> {
      if (!(await isGroup(target))) yield await work(path, target)
      else
        yield* throughGroups(cx, path, await target, async function* (path, target) {
          if (target.type !== 'group') yield await work(path, target)
        })
    }
    if (paths.length !== 2) {
      for (const path of paths) yield* each(path, cx.open(path))
      return
    }
    const [first, second] = paths.map((path) => cx.open(path))
    if ((await isGroup(first)) || (await isGroup(second))) {
      yield* each(paths[0], first)
      yield* each(paths[1], second)
      return
    }
    const found: StatsDocument[] = []
    const [a, b] = [await work(paths[0], first, found), await work(paths[1], second, found)]
    const both = found.length === 2
    yield both ? { ...a, noTable: true } : a
    yield both ? comparison(found[0], found[1], cx.full) : b
  },
}

/** Also false if opening fails; the error is reported when the target's turn comes. */
function isGroup(target: Promise<Target>): Promise<boolean> {
  return target.then(
    ({ type }) => type === 'group',
    () => false,
  )
}

function statsOutcome(document: StatsDocument, full: boolean): Outcome {
  return {
    document,
    table: async (out) => (await import('../render/views/stats.ts')).statsTable(document, full, out),
  }
}

/** The second document, with a table of both. */
function comparison(first: StatsDocument, second: StatsDocument, full: boolean): Outcome {
  return {
    document: second,
    table: async (out) => (await import('../render/views/stats.ts')).comparisonTable(first, second, full, out),
  }
}

/** Totals over fragments. */
interface Totals {
  tally: SizeTally
  fragment_num: number
  cell_num: number
  cells_in_domain: bigint
  tile_num: number
  size: number
  metadata_size: number
  footer_size: number
  /** Unfiltered bytes of the sections; a place in the file counts once. */
  sections: Sizes & { memory_size: number }
  cells_per_tile: Distribution
  format_versions: Set<number>
  /** Data files that are missing or too short. Neither their bytes nor the bytes that they should have are counted. */
  damaged: { finding: StatsFinding; fault: InspectError }[]
}

async function statsDocument(
  cx: CommandContext,
  path: string,
  target: Target,
  options: StatsOptions,
): Promise<StatsDocument> {
  const totals: Totals = {
    tally: new SizeTally(),
    fragment_num: 0,
    cell_num: 0,
    cells_in_domain: 0n,
    tile_num: 0,
    size: 0,
    metadata_size: 0,
    footer_size: 0,
    sections: { size: 0, unfiltered_size: 0, memory_size: 0 },
    cells_per_tile: new Distribution(),
    format_versions: new Set(),
    damaged: [],
  }
  if (target.type === 'array') return arrayDocument(cx, path, target.array, totals, options)
  const fragment = target.type === 'fragment' || target.type === 'file' ? target.fragment : undefined
  if (!fragment) throw await wrongTarget(cx, 'stats', target, 'a fragment, an array or a group')
  try {
    addMeasured(totals, await measured(fragment))
  } catch (error) {
    throw addPlace(error, { file: fragment.folder.path })
  } finally {
    await fragment.close()
  }
  for (const { fault } of totals.damaged) cx.fault(fault)
  return { ...documentHead('stats', cx.shownPath(path)), target: 'fragment', ...sums(cx, totals) }
}

async function arrayDocument(
  cx: CommandContext,
  path: string,
  array: InspectArray,
  totals: Totals,
  { all }: StatsOptions,
): Promise<ArrayStats> {
  const { schema } = await array.newestSchema()
  const entries = await array.fragments()
  const wanted = entries.filter((entry) => all || entry.isRead)
  const not_examined: StatsNotExamined[] = []
  const progress = await cx.progress('reading fragment metadata')
  let done = 0
  try {
    if (array.folder.isRemote) await array.listFragmentsAhead()
    for await (const one of inOrder(wanted, atOnce(array.folder), (entry) => measuredEntry(array, entry))) {
      if ('sections' in one) addMeasured(totals, one)
      else {
        cx.fault(one.error)
        not_examined.push({ name: one.name, error: errorResult(cx, one.error) })
      }
      progress.update(++done, wanted.length)
    }
  } finally {
    progress.stop()
  }
  for (const { fault } of totals.damaged) cx.fault(fault)
  let hidden_size = 0
  const hidden = entries.filter(({ isRead }) => !isRead)
  const sizes = inOrder(hidden, atOnce(array.folder), ({ path }) => filesSize(array.folder.folder(path)))
  for await (const size of sizes) hidden_size += size
  const fragments = new Set(entries.map(({ path }) => path))
  return {
    ...documentHead('stats', cx.shownPath(path)),
    target: 'array',
    array_type: schema.array_type,
    capacity: schema.array_type === 'sparse' ? schema.capacity : undefined,
    ...sums(cx, totals),
    hidden_fragment_num: hidden.length,
    hidden_size,
    hidden_counted: all ?? false,
    other_size: await otherSize(cx, array.folder, fragments),
    not_examined,
  }
}

/** The measures of a fragment, or the error. */
async function measuredEntry(
  array: InspectArray,
  { name, path }: FragmentEntry,
): Promise<Measured | { name: string; error: InspectError }> {
  const fragment = array.fragment(path)
  try {
    return await measured(fragment)
  } catch (caught) {
    const error = addPlace(caught, { file: fragment.folder.path })
    if (!(error instanceof InspectError)) throw error
    return { name, error }
  } finally {
    await fragment.close()
  }
}

/** The measures of a fragment, before they are added to the totals. If any part is unreadable, nothing is added. */
interface Measured {
  info: FragmentInfo
  encrypted: boolean
  onDisk: ReadonlyMap<string, number>
  sections: readonly MetadataSection[]
  files: readonly { file: FieldFile; tiles: Distribution; unfiltered: number }[]
  damaged: Totals['damaged']
}

/** Reads what the sizes need: the footer, the headers of the sections, and the tile offsets, one list at a time. */
async function measured(fragment: Fragment): Promise<Measured> {
  const info = await fragment.info()
  const onDisk = await fragmentFileSizes(fragment)
  const sections = await metadataSections(fragment)
  const files: { file: FieldFile; tiles: Distribution; unfiltered: number }[] = []
  const damaged = await damagedFiles(fragment, onDisk)
  for (const file of await fragment.fieldFiles()) {
    if (damaged.some(({ name }) => name === file.name)) continue
    const tiles = await storedTileSizes(fragment, file)
    files.push({ file, tiles, unfiltered: await unfilteredFileSize(fragment, file) })
    fragment.forget()
  }
  return {
    info,
    encrypted: fragment.encrypted,
    onDisk,
    sections,
    files,
    damaged: damaged.map((one) => damagedFinding(fragment, one)),
  }
}

function addMeasured(totals: Totals, { info, encrypted, onDisk, sections, files, damaged }: Measured): void {
  for (const { file, tiles, unfiltered } of files) {
    totals.tally.addFile(
      {
        field: info.slots[file.slot].name,
        role: file.role,
        filters: filePipeline(info, file, encrypted),
        size: onDisk.get(file.name) ?? 0,
        unfiltered_size: unfiltered,
      },
      tiles,
    )
  }
  totals.damaged.push(...damaged)
  let place = -1
  for (const section of sections) {
    if (section.offset === place) continue
    place = section.offset
    totals.tally.addSection(section, section.slot === undefined ? undefined : info.slots[section.slot].name)
    totals.sections.size += section.size
    totals.sections.unfiltered_size += section.unfiltered_size
    totals.sections.memory_size += section.memory_size
  }
  totals.fragment_num++
  totals.cell_num += storedCellNum(info)
  totals.cells_in_domain += BigInt(cellsInDomain(info))
  totals.tile_num += info.tile_num
  for (const size of onDisk.values()) totals.size += size
  totals.metadata_size += onDisk.get(FRAGMENT_METADATA_FILE) ?? 0
  totals.footer_size += info.footer?.size ?? 0
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

/** @throws InspectError INCONSISTENT if there is not an offset for each tile, or offsets do not rise */
async function storedTileSizes(fragment: Fragment, file: FieldFile): Promise<Distribution> {
  const info = await fragment.info()
  const { tile_num, slots } = info
  const { offsetsList: list } = fieldTileFile(info, file.slot, tileRole(file))
  const offsets = (await fragment.offsets(list, file.slot)) ?? new Float64Array(0)
  const field = `${list}.${slots[file.slot].name}`
  const place = { file: fragment.metadataSource().name, field }
  checkOffsetCount(fragment, info, field, offsets.length)
  const sizes = new Distribution()
  for (let tile = 0; tile < tile_num; tile++) {
    const size = (tile + 1 < tile_num ? offsets[tile + 1] : file.size) - offsets[tile]
    if (size < 0) {
      throw inconsistent(`expected tile ${tile} to end behind its start ${offsets[tile]}`, place)
    }
    sizes.add(size)
  }
  return sizes
}

async function filesSize(folder: Folder): Promise<number> {
  let size = 0
  for (const one of (await fileSizes(folder)).values()) size += one
  return size
}

/** Bytes of all files of an array except those of fragments. */
async function otherSize(cx: CommandContext, folder: Folder, fragments: ReadonlySet<string>): Promise<number> {
  const deep: string[] = []
  const size = await treeSize(folder, fragments, deep)
  if (deep.length > 0)
    cx.note(
      `${cx.shownPath(folder.path)}: bytes beside fragments are counted in folders ${FOLDERS_DEEP} deep, where those of TileDB end; ${deep.length} deeper ones, such as ${[...deep].sort()[0]}, are left out. Links on the server may lead in a circle: what they lead to is then counted more than once`,
    )
  return size
}

/**
 * Bytes of all files below a folder, except those in `without`, which has relative paths. No folder is entered twice.
 * @param deep collects paths of folders that are too deep to enter
 */
async function treeSize(
  folder: Folder,
  without: ReadonlySet<string>,
  deep: string[],
  prefix = '',
  entered = new Set<string>(),
): Promise<number> {
  let size = 0
  if (!firstTime(folder, entered)) return size
  const sizes = inOrder(await folder.list(), atOnce(folder), async (entry) => {
    const path = `${prefix}${entry.name}`
    if (entry.kind === 'file') return entrySize(folder, entry)
    if (!shouldEnter(entry) || without.has(path)) return 0
    if (tooDeep(folder, path)) {
      deep.push(path)
      return 0
    }
    return treeSize(folder.folder(entry.name), without, deep, `${path}/`, entered)
  })
  for await (const one of sizes) size += one
  return size
}

function sums(cx: CommandContext, totals: Totals): Omit<StatsSums, keyof DocumentHead> {
  const { tally } = totals
  const findings = [...totals.damaged.map(({ finding }) => finding), ...layoutFindings(totals)]
  return {
    format_versions: [...totals.format_versions].sort((a, b) => a - b),
    fragment_num: totals.fragment_num,
    cell_num: totals.cell_num,
    cells_in_domain: exact(totals.cells_in_domain),
    tile_num: totals.tile_num,
    size: totals.size,
    data_size: tally.data.size,
    unfiltered_size: tally.data.unfiltered_size,
    ratio: ratio(tally.data),
    fields: [...tally.fields.values()].sort(largest).map(({ name, files, ...sizes }) => ({
      name,
      ...sizesResult(sizes),
      share: share(sizes.size, tally.data.size),
      files: [...files.values()].map((file) => ({
        ...roleResult(file),
        share: share(file.size, tally.data.size),
        filters: file.filters.map(({ filters }) => filters.map(filterResult)),
      })),
    })),
    roles: [...tally.roles.values()].sort(largest).map(roleResult),
    filters: [...tally.filters.values()].sort(largest).map(({ filters, file_num, ...sizes }) => ({
      filters: filters.map(filterResult),
      file_num,
      ...sizesResult(sizes),
    })),
    metadata: {
      size: totals.metadata_size,
      footer_size: totals.footer_size,
      sections_size: totals.sections.size,
      unfiltered_size: totals.sections.unfiltered_size,
      memory_size: totals.sections.memory_size,
    },
    sections: [...tally.sections.values()].sort(largest).map(({ field, ...section }) => ({
      name: section.name,
      field: field ?? null,
      offset: section.offset,
      size: section.size,
      unfiltered_size: section.unfiltered_size,
      memory_size: section.memory_size,
    })),
    tile_size: distributionResult(tally.tiles),
    cells_per_tile: distributionResult(totals.cells_per_tile),
    findings: findings.map((one) => ({ ...one, file: one.file === undefined ? undefined : cx.shownPath(one.file) })),
  }
}

function largest(a: Sizes, b: Sizes): number {
  return b.size - a.size
}

function roleResult({ role, tiles, ...sizes }: TalliedRole): StatsRole {
  return { role, ...sizesResult(sizes), tile_size: distributionResult(tiles) }
}

function sizesResult({ size, unfiltered_size }: Sizes): Pick<StatsSums, 'size' | 'unfiltered_size' | 'ratio'> {
  return { size, unfiltered_size, ratio: ratio({ size, unfiltered_size }) }
}

/** Unfiltered bytes divided by stored bytes. */
function ratio({ size, unfiltered_size }: Sizes): number | null {
  return size === 0 ? null : ratioOf(unfiltered_size, size)
}

function share(part: number, whole: number): number | null {
  return whole === 0 ? null : ratioOf(part, whole)
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
