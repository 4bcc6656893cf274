import type { FragmentEntry, InspectArray } from '../array.ts'
import { addPlace, InspectError } from '../errors.ts'
import { cellsInDomain, entrySize, fileSizes, fragmentFileSizes, ratioOf, unfilteredFileSize } from '../file-sizes.ts'
import { FRAGMENT_METADATA_FILE } from '../format/fragment-footer.ts'
import { type FieldFile, type Fragment, filePipeline, type OffsetsList, storedCellNum } from '../fragment.ts'
import { metadataSections } from '../metadata-sections.ts'
import type { Document, Output, Result } from '../render/result.ts'
import { Folder } from '../source/source.ts'
import {
  type CommandContext,
  type CommandModule,
  documentHead,
  errorResult,
  type Outcome,
  outcomeOrError,
  wrongTarget,
} from './command.ts'
import { Distribution, type Sizes, SizeTally, type TalliedRole } from './size-tally.ts'
import { filterResult } from './values.ts'

interface StatsOptions {
  all?: boolean
}

export const command: CommandModule<StatsOptions> = {
  together: true,

  configure(command) {
    command
      .argument('<target...>', 'fragment or array; two of them are shown side by side')
      .option('--all', 'an array: every fragment folder, not only those that TileDB lists')
  },

  async *run(cx, paths, options) {
    const work = (path: string): Promise<Outcome> =>
      outcomeOrError(new Folder(cx.storage, path), async () =>
        statsOutcome(await statsDocument(cx, path, options), cx.full),
      )
    if (paths.length !== 2) {
      for (const path of paths) yield await work(path)
      return
    }
    const [a, b] = [await work(paths[0]), await work(paths[1])]
    const both = !a.error && !b.error
    yield both ? { ...a, noTable: true } : a
    yield both ? comparison(a.document, b, cx.full) : b
  },
}

function statsOutcome(document: Document, full: boolean): Outcome {
  return {
    document,
    async table(out: Output) {
      const { statsTable } = await import('../render/views/stats.ts')
      await statsTable(document, full, out)
    },
  }
}

function comparison(first: Document, second: Outcome, full: boolean): Outcome {
  return {
    ...second,
    async table(out: Output) {
      const { comparisonTable } = await import('../render/views/stats.ts')
      await comparisonTable(first, second.document, full, out)
    },
  }
}

/** What is summed up over fragments. */
interface Totals {
  tally: SizeTally
  fragment_num: number
  cell_num: number
  cells_in_domain: bigint
  tile_num: number
  size: number
  metadata_size: number
  footer_size: number
  /** Unfiltered bytes of the sections, each place in the file counted once. */
  sections: Sizes & { memory_size: number }
  cells_per_tile: Distribution
  format_versions: Set<number>
}

async function statsDocument(cx: CommandContext, path: string, options: StatsOptions): Promise<Document> {
  const target = await cx.open(path)
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
  }
  if (target.type === 'array') return arrayDocument(cx, path, target.array, totals, options)
  const fragment = target.type === 'fragment' || target.type === 'file' ? target.fragment : undefined
  if (!fragment) throw await wrongTarget('stats', target, 'a fragment or an array')
  try {
    await addFragment(totals, fragment)
  } catch (error) {
    throw addPlace(error, { file: fragment.folder.path })
  } finally {
    await fragment.close()
  }
  return { ...documentHead('stats', cx.shownPath(path)), target: 'fragment', ...result(totals) }
}

async function arrayDocument(
  cx: CommandContext,
  path: string,
  array: InspectArray,
  totals: Totals,
  { all }: StatsOptions,
): Promise<Document> {
  const { schema } = await array.newestSchema()
  const entries = await array.fragments()
  const wanted = entries.filter((entry) => all || entry.visible)
  const not_examined: Result[] = []
  const progress = await cx.progress('reading fragment metadata')
  let done = 0
  try {
    for (const entry of wanted) {
      await orNotExamined(cx, array, entry, totals, not_examined)
      progress.update(++done, wanted.length)
    }
  } finally {
    progress.stop()
  }
  let hidden_size = 0
  for (const entry of entries) {
    if (!wanted.includes(entry)) hidden_size += await filesSize(array.folder.folder(entry.path))
  }
  const fragments = new Set(entries.map(({ path }) => path))
  return {
    ...documentHead('stats', cx.shownPath(path)),
    target: 'array',
    array_type: schema.array_type,
    capacity: schema.array_type === 'sparse' ? schema.capacity : undefined,
    ...result(totals),
    hidden_fragment_num: entries.length - wanted.length,
    hidden_size,
    other_size: await treeSize(array.folder, fragments, ''),
    not_examined,
  }
}

async function orNotExamined(
  cx: CommandContext,
  array: InspectArray,
  entry: FragmentEntry,
  totals: Totals,
  notExamined: Result[],
): Promise<void> {
  const fragment = array.fragment(entry.path)
  try {
    await addFragment(totals, fragment)
  } catch (caught) {
    const error = addPlace(caught, { file: fragment.folder.path })
    if (!(error instanceof InspectError)) throw error
    cx.fault(error)
    notExamined.push({ name: entry.name, error: errorResult(cx, error) })
  } finally {
    await fragment.close()
  }
}

/** Reads what the sizes of a fragment take: the footer, the headers of the sections, and the tile offsets, a list at a time. */
async function addFragment(totals: Totals, fragment: Fragment): Promise<void> {
  const info = await fragment.info()
  const onDisk = await fragmentFileSizes(fragment)
  const sections = await metadataSections(fragment)
  const files: { file: FieldFile; tiles: Distribution; unfiltered: number }[] = []
  for (const file of await fragment.fieldFiles()) {
    const tiles = await storedTileSizes(fragment, file)
    files.push({ file, tiles, unfiltered: await unfilteredFileSize(fragment, file) })
    fragment.forget()
  }
  // nothing above is counted if any of it cannot be read
  for (const { file, tiles, unfiltered } of files) {
    totals.tally.addFile(
      {
        field: info.slots[file.slot].name,
        role: file.role,
        filters: filePipeline(info, file, fragment.encrypted),
        size: onDisk.get(file.name) ?? 0,
        unfiltered_size: unfiltered,
      },
      tiles,
    )
  }
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

/** @throws InspectError INCONSISTENT where there is no offset for each tile, or offsets do not rise */
async function storedTileSizes(fragment: Fragment, file: FieldFile): Promise<Distribution> {
  const { tile_num, slots } = await fragment.info()
  const list: OffsetsList =
    file.role === 'var' ? 'tile_var_offsets' : file.role === 'validity' ? 'tile_validity_offsets' : 'tile_offsets'
  const offsets = (await fragment.offsets(list, file.slot)) ?? new Float64Array(0)
  const field = `${list}.${slots[file.slot].name}`
  const place = { file: fragment.metadataSource().name, field }
  if (offsets.length < tile_num) {
    throw new InspectError('INCONSISTENT', `expected ${tile_num} tile offsets, found ${offsets.length}`, place)
  }
  const sizes = new Distribution()
  for (let tile = 0; tile < tile_num; tile++) {
    const size = (tile + 1 < tile_num ? offsets[tile + 1] : file.size) - offsets[tile]
    if (size < 0) {
      throw new InspectError('INCONSISTENT', `expected tile ${tile} to end behind its start ${offsets[tile]}`, place)
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

/** Bytes of all files below a folder but those in `without`, which are paths from there. */
async function treeSize(folder: Folder, without: ReadonlySet<string>, prefix: string): Promise<number> {
  let size = 0
  for (const entry of await folder.list()) {
    const path = `${prefix}${entry.name}`
    if (entry.kind === 'file') size += await entrySize(folder, entry)
    else if (entry.kind === 'folder' && !without.has(path)) {
      size += await treeSize(folder.folder(entry.name), without, `${path}/`)
    }
  }
  return size
}

function result(totals: Totals): { [key: string]: Result | undefined } {
  const { tally } = totals
  return {
    format_versions: [...totals.format_versions].sort((a, b) => a - b),
    fragment_num: totals.fragment_num,
    cell_num: totals.cell_num,
    cells_in_domain: smallest(totals.cells_in_domain),
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
  }
}

function largest(a: Sizes, b: Sizes): number {
  return b.size - a.size
}

function roleResult({ role, tiles, ...sizes }: TalliedRole): { [key: string]: Result | undefined } {
  return { role, ...sizesResult(sizes), tile_size: distributionResult(tiles) }
}

function sizesResult({ size, unfiltered_size }: Sizes): { [key: string]: Result } {
  return { size, unfiltered_size, ratio: ratio({ size, unfiltered_size }) }
}

/** Unfiltered over stored. */
function ratio({ size, unfiltered_size }: Sizes): number | null {
  return size === 0 ? null : ratioOf(unfiltered_size, size)
}

function share(part: number, whole: number): number | null {
  return whole === 0 ? null : ratioOf(part, whole)
}

function distributionResult(distribution: Distribution): Result {
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

function smallest(value: bigint): number | bigint {
  return value <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(value) : value
}
