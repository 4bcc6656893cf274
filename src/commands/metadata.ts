import { InspectError, orError, usage } from '../base/errors.ts'
import { lastPathPart } from '../base/paths.ts'
import { PagedBytes, Pages } from '../base/result.ts'
import type { CommandContext, CommandModule } from '../calls/command.ts'
import { documentHead } from '../calls/document-parts.ts'
import { addHexOptions, type HexOptions } from '../calls/hex-options.ts'
import { keyValueResult, readNum, storedValue } from '../calls/key-values.ts'
import type { Outcome } from '../calls/outcome.ts'
import { tellNotOpened } from '../calls/refused.ts'
import { type Takes, type TargetFor, targetFor, targetsHelp } from '../calls/targets.ts'
import { minMaxCellSize, minMaxValues, sumValues } from '../calls/tile-min-max.ts'
import { asOf, refuseTimes } from '../calls/times.ts'
import { outcomeOrError, throughGroups } from '../calls/walkers.ts'
import { knowsNullCount } from '../cells/tile-statistics.ts'
import type { CellValue } from '../documents/common.ts'
import type { FragmentMetadataDocument, FragmentMetadataField, TileValues } from '../documents/fragment-metadata.ts'
import type { MetadataDocument, MetadataVersionDescription } from '../documents/metadata.ts'
import type { SlotStatistics } from '../format/fragment-min-max-sum-null-count.ts'
import type { Slot } from '../format/fragment-slots.ts'
import type { OffsetsList, SlotSectionName } from '../format/metadata-sections.ts'
import type { TileMinMax } from '../format/tile-min-max.ts'
import { cellValue, sumValue, type ValueStyle } from '../format/value.ts'
import { METADATA_FOLDER, type MetadataVersion, metadataVersions } from '../objects/array.ts'
import type { Fragment } from '../objects/fragment.ts'
import { refusedTilesIn } from '../objects/generic-tile.ts'
import type { ArrayTarget, GroupTarget } from '../objects/target.ts'
import { BLOCK_TILES, type TileList, TileLists } from '../objects/tile-lists.ts'
import { isPassedOver } from '../objects/timed-files.ts'
import { countReadBytes } from '../storage/lean-heap.ts'
import type { Entry } from '../storage/source.ts'

interface MetadataOptions extends HexOptions {
  all?: boolean
}

const TAKES = {
  'fragment or its file': 'its metadata by column',
  array: '',
  group: 'key-value metadata, also of the members',
} as const satisfies Takes

export const command: CommandModule<MetadataOptions> = {
  about: 'With --all it shows every version of each key, when it was written, and in which file.',
  examples: [
    ['key-value metadata of an array', 'metadata weather'],
    ['every version of each key, also deleted ones', 'metadata --all weather'],
    ['tile offsets and statistics of a fragment, field by field', 'metadata places/__1714'],
    ['64-bit values as strings, for readers that round', 'metadata --json --int64 string weather/__1714'],
  ],
  takesTimes: true,

  takes: TAKES,

  configure(command) {
    command.argument('<target...>', targetsHelp(TAKES))
    command.option(
      '--all',
      'show every version of each key of an array or group, oldest first, also overwritten and deleted ones',
    )
    addHexOptions(command)
  },

  async *run(cx, [path], options) {
    const target = await targetFor(cx, 'metadata', TAKES, await cx.open(path))
    const fragment = 'fragment' in target ? target.fragment : undefined
    if (options.hex || fragment) refuseTimes(cx, options.hex ? 'what --hex shows' : 'a fragment')
    if (options.all && (options.hex || fragment)) throw usage('--all expects an array or a group, and no --hex')
    if (options.hex) yield* (await import('../calls/hex.ts')).metadataHex(cx, target, options)
    else yield await targetOutcome(cx, path, target, options)
  },
}

async function targetOutcome(
  cx: CommandContext,
  path: string,
  target: TargetFor<typeof TAKES>,
  options: MetadataOptions,
): Promise<Outcome> {
  switch (target.type) {
    case 'fragment':
    case 'file': {
      const { fragment } = target
      return outcomeOrError(fragment.folder, () => fragmentOutcome(cx, fragment))
    }
    case 'group':
      return groupOutcome(cx, path, target, options)
    case 'array':
      return keyValueOutcome(await keyValueDocument(cx, path, target, options))
  }
}

/** Shows the metadata of a group, and then of each group and array in it, as one document. */
async function groupOutcome(
  cx: CommandContext,
  path: string,
  target: GroupTarget,
  options: MetadataOptions,
): Promise<Outcome> {
  const documents: MetadataDocument[] = []
  const outcomes = throughGroups(cx, path, target, async function* (path, found) {
    const member = await targetFor(cx, 'metadata', { array: '', group: '' }, found)
    const document = await keyValueDocument(cx, path, member, options)
    documents.push(document)
    yield keyValueOutcome(document)
  })
  for await (const one of outcomes) if (one.kind === 'error') cx.fault(one.error)
  const [first, ...below] = documents
  const members = below.map(({ path, metadata, versions }) => ({ path, metadata, versions }))
  return keyValueOutcome({ ...first, members }, documents)
}

/** The key-value metadata of an array or a group. */
async function keyValueDocument(
  cx: CommandContext,
  path: string,
  target: ArrayTarget | GroupTarget,
  { all }: MetadataOptions,
): Promise<MetadataDocument> {
  const encryption = target.type === 'array' ? await target.array.checkVersion() : undefined
  const holder = target.type === 'array' ? target.array : target.group
  const odd: Entry[] = []
  // What keeps TileDB from opening a group is told by the walk of its members.
  const read =
    target.type === 'group'
      ? await target.group.metadata()
      : await target.array.metadata((entry) => void odd.push(entry))
  const metadata = keyValueResult(read, cx.style)
  const versions = all
    ? (await metadataVersions(holder.folder, holder.cx)).map((one) => versionResult(one, cx.style))
    : undefined
  const unread = odd.filter(isPassedOver)
  for (const { file } of refusedTilesIn(holder.folder.folder(METADATA_FOLDER), holder.cx))
    unread.push({ name: lastPathPart(file), kind: 'file' })
  if (unread.length > 0) {
    const { refusalError, refusedMetadata } = await import('../check/refusals.ts')
    const refused = await refusedMetadata(holder.folder, unread, holder.cx, target.type === 'group')
    if (refused.length > 0) cx.fault(refusalError(refused))
  }
  if (encryption === 'AES_256_GCM' && cx.reading.key) {
    const { refusalError, refusedPlainMetadata } = await import('../check/refusals.ts')
    const files = new Set(Array.from(read.values(), ({ file }) => file))
    const refused = await refusedPlainMetadata(holder.folder.folder(METADATA_FOLDER), files, holder.cx)
    if (refused.length > 0) cx.fault(refusalError(refused))
  }
  if (target.type === 'array') {
    // What is not encrypted was read, but nobody opens the array without its key.
    const isMixed = encryption === 'AES_256_GCM' && !cx.reading.key && read.size > 0
    const unopened = isMixed ? await orError(() => target.array.newestSchema()) : undefined
    if (unopened instanceof InspectError) cx.fault(unopened)
    await tellNotOpened(cx, target.array, { schema: false })
  }
  return { ...documentHead('metadata', cx.shownPath(path)), ...asOf(cx), metadata, versions }
}

function versionResult({ change, isCurrent }: MetadataVersion, style: ValueStyle): MetadataVersionDescription {
  const { key, deleted, type, value_num, timestamp_range, file } = change
  return {
    key,
    timestamp_range: timestamp_range ?? null,
    deleted,
    type: type ?? null,
    value_num: value_num === undefined ? 0 : readNum(value_num),
    value: storedValue(change, style) ?? null,
    current: isCurrent,
    consolidated: timestamp_range !== undefined && timestamp_range[0] !== timestamp_range[1],
    file: `${METADATA_FOLDER}/${file}`,
  }
}

/** @param shown the documents that the table shows, one below the other */
function keyValueOutcome(document: MetadataDocument, shown: readonly MetadataDocument[] = [document]): Outcome {
  return {
    kind: 'document',
    document,
    table: async (out) => (await import('../render/views/metadata.ts')).keyValueMetadataTables(shown, out),
  }
}

async function fragmentOutcome(cx: CommandContext, fragment: Fragment): Promise<Outcome> {
  const info = await fragment.info()
  const statistics = await fragment.statistics()
  const lists = new TileLists(fragment, countReadBytes)
  const fields: FragmentMetadataField[] = []
  // Opening a list reads all of it. So damage is an error before any output, not a document that ends early.
  for (const [i, slot] of info.slots.entries()) {
    fields.push({
      ...(await slotLists(lists, slot, i, cx.style)),
      ...slotTotals(slot, statistics?.[i], cx.style),
    })
  }
  const document: FragmentMetadataDocument = {
    ...documentHead('fragment-metadata', cx.shownPath(fragment.folder.path)),
    format_version: info.format_version,
    tile_num: info.tile_num,
    fields,
    processed_conditions: await fragment.processedConditions(),
  }
  return {
    kind: 'document',
    document,
    table: async (out) => (await import('../render/views/metadata.ts')).fragmentMetadataTable(document, out),
  }
}

/** The lists of a slot that have a value for each tile. */
async function slotLists(lists: TileLists, slot: Slot, i: number, style: ValueStyle): Promise<FragmentMetadataField> {
  const offsets = async (name: OffsetsList): Promise<TileValues<number> | undefined> => {
    const list = await lists.offsets(name, i)
    return list && listResult(list, (values) => values)
  }
  const minMax = async (which: 'min' | 'max'): Promise<FragmentMetadataField['tile_mins']> => {
    // The bytes of the phantom coordinates slot are not values.
    const list = await lists.minMax(which, i, slot.phantom ? 1 : minMaxCellSize(slot))
    if (slot.phantom && list && list.whole === undefined) return bytesResult(list)
    return list && listResult(list, (values) => minMaxResult(slot, values, style))
  }
  const mins = await minMax('min')
  const maxs = await minMax('max')
  const sums = await lists.sums(i)
  // The type asks for every section, so that none is forgotten.
  const columns: { readonly [name in SlotSectionName]: FragmentMetadataField[name] } = {
    tile_offsets: (await offsets('tile_offsets')) ?? [],
    tile_var_offsets: await offsets('tile_var_offsets'),
    tile_var_sizes: await offsets('tile_var_sizes'),
    tile_validity_offsets: await offsets('tile_validity_offsets'),
    tile_mins: mins,
    tile_maxs: maxs,
    tile_sums: sums && listResult(sums, (values) => sumValues(slot.type, values)),
    tile_null_counts: knowsNullCount(slot) ? await offsets('tile_null_counts') : undefined,
  }
  return { name: slot.name, phantom: slot.phantom || undefined, ...columns }
}

/** The values of a list. A long list comes in pages. */
function listResult<T, V>(list: TileList<T>, values: (entries: T) => Iterable<V>): TileValues<V> {
  if (list.whole !== undefined) return values(list.whole)
  return new Pages(async function* () {
    for await (const entries of blocks(list, BLOCK_TILES)) yield values(entries)
  })
}

/** The bytes of a list of minima or maxima, in pages. */
function bytesResult(list: TileList<TileMinMax>): PagedBytes {
  // The bytes of each page are a multiple of 3, so that its base64 has no padding.
  return new PagedBytes(async function* () {
    for await (const { fixed } of blocks(list, 3 * BLOCK_TILES)) yield fixed
  })
}

async function* blocks<T>(list: TileList<T>, tiles: number): AsyncGenerator<T> {
  try {
    for (let from = 0; from < list.count; from += tiles) yield (await list.block(from, from + tiles)).entries
  } finally {
    list.release()
  }
}

/** One value for each tile. Bytes that are not whole values stay bytes: the phantom coordinates slot has such bytes. */
function minMaxResult(slot: Slot, minMax: TileMinMax, style: ValueStyle): Iterable<CellValue> {
  return minMaxValues(slot, minMax, style) ?? (minMax.fixed.length + minMax.variable.length === 0 ? [] : minMax.fixed)
}

/** The statistics of a slot over the whole fragment; empty if the fragment has no statistics. */
function slotTotals(
  slot: Slot,
  statistics: SlotStatistics | undefined,
  style: ValueStyle,
): Partial<FragmentMetadataField> {
  if (!statistics) return {}
  const { type, cell_val_num } = slot
  const valueOrNull = (bytes: Uint8Array): CellValue =>
    bytes.length === 0 || slot.phantom ? null : cellValue(type, cell_val_num, bytes, style)
  return {
    min: valueOrNull(statistics.min),
    max: valueOrNull(statistics.max),
    sum: sumValue(type, statistics.sum),
    null_count: knowsNullCount(slot) ? statistics.null_count : null,
  }
}
