import { Pages } from '../base/result.ts'
import { rangeFilter } from '../cells/bounds.ts'
import { DenseCoordinates } from '../cells/dense-coordinates.ts'
import {
  checkOffsetCount,
  fieldTileFile,
  fileCellSize,
  sizeBetween,
  type TileRole,
  tileCellNum,
} from '../cells/tile-places.ts'
import type { CellValue, ValueRange } from '../documents/common.ts'
import type { TilesDocument, TilesLine, TilesLineField } from '../documents/tiles.ts'
import { type Datatype, datatypeSize } from '../format/datatype.ts'
import type { Slot } from '../format/fragment-slots.ts'
import type { NDRange } from '../format/range.ts'
import { leafLevel, mbrAt } from '../format/rtree.ts'
import { sumReader, type ValueStyle } from '../format/value.ts'
import { countReadBytes } from '../source/lean-heap.ts'
import type { Fragment, FragmentInfo } from '../store/fragment.ts'
import { BLOCK_TILES, type TileList, TileLists } from '../store/tile-lists.ts'
import {
  type CommandContext,
  type CommandModule,
  collect,
  documentHead,
  type Outcome,
  throughFragments,
} from './command.ts'
import { parseTiles } from './decode.ts'
import { selectedSlots } from './fields.ts'
import { minMaxCellSize, minMaxValues, NO_VALUES } from './metadata.ts'
import { parseRanges, RANGE_FORMS } from './ranges.ts'
import { addTimesOptions, asOf, type TimesOptions, useTimes } from './times.ts'
import { mbrsResult, rangesResult } from './values.ts'

interface TilesOptions extends TimesOptions {
  field?: string[]
  range?: string[]
  tiles?: string
}

export const command: CommandModule<TilesOptions> = {
  examples: [
    ['box, offsets, sizes, minima and maxima, tile by tile', 'tiles places/__1714'],
    ['of one field, only the tiles that a box touches', 'tiles places --field population --range lat=40..60'],
    ['one line of JSON a tile', 'tiles weather --format ndjson'],
    ['of the fragments that TileDB read then', 'tiles weather --as-of 2024-05-02'],
  ],

  configure(command) {
    command
      .argument('<target...>', 'fragment, array (every fragment) or group (of each array)')
      .option('--field <name>', 'only this field (repeatable)', collect)
      .option('--range <NAME=LO..HI>', `only the tiles that the range touches, ends included: ${RANGE_FORMS}`, collect)
      .option('--tiles <I..J>', 'only these tiles')
    addTimesOptions(command)
  },

  async *run(cx, [path], options) {
    useTimes(cx, options)
    yield* throughFragments(cx, path, 'tiles', (fragment) => tilesOutcome(cx, fragment, options))
  },
}

async function tilesOutcome(cx: CommandContext, fragment: Fragment, options: TilesOptions): Promise<Outcome> {
  const info = await fragment.info()
  const { dimensions } = info.schema.domain
  const lists = new TileLists(fragment, countReadBytes)
  const boxes = await boxBlocks(lists, info, cx.style)
  const bounds = options.range && parseRanges(dimensions, options.range)
  const touches = bounds && rangeFilter(dimensions, bounds)
  const wanted = options.tiles === undefined ? undefined : parseTiles(options.tiles, info.tile_num)
  const fields: FieldBlocks[] = []
  for (const slot of selectedSlots(info, options.field)) {
    fields.push(await fieldBlocks(lists, fragment, info, slot, cx.style))
  }
  const from = wanted?.from ?? 0
  const end = Math.min(wanted?.to ?? info.tile_num - 1, info.tile_num - 1) + 1
  async function* pages(): AsyncGenerator<Iterable<TilesLine>> {
    for (let first = from; first < end; first += BLOCK_TILES) {
      const next = Math.min(first + BLOCK_TILES, end)
      const box = await boxes(first, next)
      const ofFields: FieldBlock[] = []
      for (const field of fields) ofFields.push(await field(first, next))
      yield rows(info, { first, next, box }, ofFields, touches)
    }
  }
  const tiles = new Pages(pages)
  const document: TilesDocument = {
    ...documentHead('tiles', cx.shownPath(fragment.folder.path)),
    ...asOf(cx),
    format_version: info.format_version,
    dense: info.dense,
    tile_num: info.tile_num,
    tiles,
  }
  return {
    document,
    rows: tiles,
    columns: () => ['tile', 'cell_num', info.dense ? 'tile_domain' : 'mbr', 'fields'],
    origin: { fragment: fragment.name },
    async table(out) {
      const { tilesTable } = await import('../render/views/tiles.ts')
      const names = dimensions.map(({ name }) => name)
      await tilesTable(document, { names, limited: touches !== undefined || wanted !== undefined, full: cx.full }, out)
    },
  }
}

/** The tiles `[first, next)`, except those whose box does not overlap the range. */
function* rows(
  info: FragmentInfo,
  { first, next, box }: { first: number; next: number; box: BoxBlock },
  fields: readonly FieldBlock[],
  touches: ((box: NDRange) => boolean) | undefined,
): Generator<TilesLine> {
  for (let tile = first; tile < next; tile++) {
    if (touches) {
      const range = box.range(tile)
      if (!range || !touches(range)) continue
    }
    const cell_num = tileCellNum(info, tile)
    const value = box.value(tile)
    const ofFields: TilesLineField[] = []
    for (const field of fields) ofFields.push(field(tile))
    yield info.dense
      ? { tile, cell_num, tile_domain: value, fields: ofFields }
      : { tile, cell_num, mbr: value, fields: ofFields }
  }
}

/** Boxes of the tiles of a block: raw, and as they are shown. */
interface BoxBlock {
  range: (tile: number) => NDRange | undefined
  value: (tile: number) => ValueRange[] | null
}

const NO_BOXES: BoxBlock = { range: () => undefined, value: () => null }

/** The box of each tile: its MBR, or in dense fragments its part of the non-empty domain. */
async function boxBlocks(
  lists: TileLists,
  info: FragmentInfo,
  style: ValueStyle,
): Promise<(from: number, to: number) => Promise<BoxBlock>> {
  const { dimensions } = info.schema.domain
  if (info.dense) {
    const range = denseBoxes(info)
    const block = range ? { range, value: (tile: number) => rangesResult(dimensions, range(tile), style) } : NO_BOXES
    return async () => block
  }
  const leaves = await lists.boxes()
  if (!leaves) return async () => NO_BOXES
  return async (from, to) => {
    const { first, entries } = await leaves.block(from, to)
    const mbr = mbrsResult(entries, dimensions, style)
    return {
      range: (tile) => (tile < leaves.count ? mbrAt(entries, tile - first, dimensions) : undefined),
      value: (tile) => (tile < leaves.count ? mbr(tile - first) : null),
    }
  }
}

/** The stored box of each tile; all of them are in memory. */
export async function tileBoxes(
  fragment: Fragment,
  info: FragmentInfo,
): Promise<(tile: number) => NDRange | undefined> {
  const { dimensions } = info.schema.domain
  if (info.dense) return denseBoxes(info) ?? (() => undefined)
  const leaves = leafLevel(await fragment.rtree())
  return (tile) => (leaves && tile < leaves.mbr_num ? mbrAt(leaves, tile, dimensions) : undefined)
}

function denseBoxes(info: FragmentInfo): ((tile: number) => NDRange) | undefined {
  if (!info.nonempty_domain) return undefined
  const { dimensions } = info.schema.domain
  const coordinates = new DenseCoordinates(info)
  return (tile) =>
    coordinates.tileBox(tile).map(({ low, high }, d) => {
      const { type } = dimensions[d]
      return { min: integerBytes(type, low), max: integerBytes(type, high) }
    })
}

function integerBytes(type: Datatype, value: bigint): Uint8Array {
  const bytes = new Uint8Array(8)
  new DataView(bytes.buffer).setBigInt64(0, BigInt.asIntN(64, value), true)
  return bytes.subarray(0, datatypeSize(type))
}

/** What the metadata says about one tile of a field, for the tiles of a block. */
type FieldBlock = (tile: number) => TilesLineField
type FieldBlocks = (from: number, to: number) => Promise<FieldBlock>
type Block<T> = (from: number, to: number) => Promise<(tile: number) => T>

/** Opens the lists of one field. Lists that its version or type does not have are left out. */
async function fieldBlocks(
  lists: TileLists,
  fragment: Fragment,
  info: FragmentInfo,
  slot: number,
  style: ValueStyle,
): Promise<FieldBlocks> {
  const field = info.slots[slot]
  const { name, varSized, nullable } = field
  const ofFile = (role: TileRole): Promise<Block<Place>> => placeBlocks(lists, fragment, info, slot, role)
  const main = await ofFile(varSized ? 'offsets' : 'data')
  const variable = varSized ? await ofFile('var') : undefined
  const validity = nullable ? await ofFile('validity') : undefined
  const mins = await minMaxBlocks(lists, field, slot, 'min', style)
  const maxs = await minMaxBlocks(lists, field, slot, 'max', style)
  const sums = perTile(await lists.sums(slot), (entries) => sumReader(field.type, entries))
  const nulls = perTile(await lists.offsets('tile_null_counts', slot), (counts) => (index) => counts[index])
  return async (from, to) => {
    const place = await main(from, to)
    const varPlace = await variable?.(from, to)
    const validityPlace = await validity?.(from, to)
    const min = await mins?.(from, to)
    const max = await maxs?.(from, to)
    const sum = await sums?.(from, to)
    const null_count = await nulls?.(from, to)
    return (tile) => {
      const own = place(tile)
      const ofVar = varPlace?.(tile)
      const ofValidity = validityPlace?.(tile)
      // Objects of one shape are fast to create and to write.
      return {
        name,
        offset: own.offset,
        size: own.size,
        unfiltered_size: own.unfiltered_size,
        var_offset: ofVar?.offset,
        var_size: ofVar?.size,
        var_unfiltered_size: ofVar?.unfiltered_size,
        validity_offset: ofValidity?.offset,
        validity_size: ofValidity?.size,
        validity_unfiltered_size: ofValidity?.unfiltered_size,
        min: min?.(tile),
        max: max?.(tile),
        sum: sum?.(tile),
        null_count: null_count?.(tile),
      }
    }
  }
}

/** Place of a tile in its file, with its stored and unfiltered bytes. */
interface Place {
  offset: number
  size: number
  unfiltered_size: number
}

/** @throws InspectError INCONSISTENT if the metadata does not have an offset for each tile */
async function placeBlocks(
  lists: TileLists,
  fragment: Fragment,
  info: FragmentInfo,
  slot: number,
  role: TileRole,
): Promise<Block<Place>> {
  const { name, offsetsList, size: fileSize } = fieldTileFile(info, slot, role)
  const file = fragment.folder.file(name).name
  const offsets = await lists.offsets(offsetsList, slot)
  checkOffsetCount(fragment, info, `${offsetsList}.${info.slots[slot].name}`, offsets?.count ?? 0)
  const varSizes = role === 'var' ? await lists.offsets('tile_var_sizes', slot) : undefined
  const cellSize = role === 'var' ? 0 : fileCellSize(info, slot, role)
  const none = { first: 0, entries: new Float64Array(0) }
  return async (from, to) => {
    // A tile ends where the next one starts.
    const { first, entries } = (await offsets?.block(from, to + 1)) ?? none
    const sizes = await varSizes?.block(from, to)
    return (tile) => {
      const offset = entries[tile - first]
      const end = tile + 1 < info.tile_num ? entries[tile + 1 - first] : fileSize
      const unfiltered_size = sizes ? sizes.entries[tile - sizes.first] : tileCellNum(info, tile) * cellSize
      return { offset, size: sizeBetween(offset, end, tile, file), unfiltered_size }
    }
  }
}

async function minMaxBlocks(
  lists: TileLists,
  field: Slot,
  slot: number,
  which: 'min' | 'max',
  style: ValueStyle,
): Promise<Block<CellValue> | undefined> {
  const list = await lists.minMax(which, slot, minMaxCellSize(field))
  if (!list || !minMaxValues(field, list.whole ?? NO_VALUES, style)) return undefined
  return perTile(list, (entries) => minMaxValues(field, entries, style)?.at ?? (() => null))
}

/** The values of a list, block by block; null for tiles without an entry. @param read the value at an index of the entries */
function perTile<L, T>(
  list: TileList<L> | undefined,
  read: (entries: L) => (index: number) => T,
): Block<T | null> | undefined {
  return (
    list &&
    (async (from, to) => {
      const { first, entries } = await list.block(from, to)
      const at = read(entries)
      return (tile) => (tile < list.count ? at(tile - first) : null)
    })
  )
}
