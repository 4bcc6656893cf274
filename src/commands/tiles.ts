import { Pages } from '../base/result.ts'
import type { CommandContext, CommandModule } from '../calls/command.ts'
import { documentHead } from '../calls/document-parts.ts'
import { parseTiles, unknownField } from '../calls/option-values.ts'
import { collect } from '../calls/options.ts'
import type { Outcome } from '../calls/outcome.ts'
import { parseRanges, RANGE_FORMS } from '../calls/ranges.ts'
import { type Takes, targetsHelp } from '../calls/targets.ts'
import { type Blocks, type BoxBlock, boxBlocks } from '../calls/tile-boxes.ts'
import { minMaxCellSize, minMaxValues, NO_VALUES, sumValues } from '../calls/tile-min-max.ts'
import { asOf } from '../calls/times.ts'
import { throughFragments } from '../calls/walkers.ts'
import { rangeFilter } from '../cells/bounds.ts'
import { allRows } from '../cells/column.ts'
import { ColumnRows, type InColumns, ValueColumn } from '../cells/column-rows.ts'
import {
  checkOffsetCount,
  fieldTileFile,
  fileCellSize,
  sizeBetween,
  type TileRole,
  tileCellNum,
} from '../cells/tile-places.ts'
import { knowsNullCount } from '../cells/tile-statistics.ts'
import type { CellValue } from '../documents/common.ts'
import type { TilesDocument, TilesLine, TilesLineField } from '../documents/tiles.ts'
import type { ConditionNode } from '../format/delete-condition.ts'
import type { Slot } from '../format/fragment-slots.ts'
import type { NDRange } from '../format/range.ts'
import type { ValueStyle } from '../format/value.ts'
import { type Fragment, type FragmentInfo, slotHasFiles } from '../objects/fragment.ts'
import { BLOCK_TILES, type TileList, TileLists } from '../objects/tile-lists.ts'
import { conditionFields } from '../read/condition.ts'
import { tileTest } from '../read/pruning.ts'
import { loadWhere, parseWhere, WHERE_FORMS } from '../read/where.ts'
import { countReadBytes } from '../storage/lean-heap.ts'

interface TilesOptions {
  field?: string[]
  range?: string[]
  tiles?: string
  where?: string
}

const TAKES = { 'fragment or its file': '', array: 'every fragment', group: 'of each array' } as const satisfies Takes

export const command: CommandModule<TilesOptions> = {
  examples: [
    ['box, offsets, sizes, minima and maxima, tile by tile', 'tiles places/__1714'],
    ['of one field, only the tiles that a box touches', 'tiles places --field population --range lat=40..60'],
    ['only tiles that may have such cells', 'tiles places --where "population > 10000000"'],
    ['one line of JSON a tile', 'tiles weather --format ndjson'],
    ['of the fragments that TileDB read then', 'tiles weather --as-of 2024-05-02'],
  ],
  takesTimes: true,

  takes: TAKES,

  configure(command) {
    command
      .argument('<target...>', targetsHelp(TAKES))
      .option('--field <name>', 'only this field (repeatable)', collect)
      .option('--range <NAME=LO..HI>', `only the tiles that the range touches, ends included: ${RANGE_FORMS}`, collect)
      .option('--tiles <I..J>', 'only these tiles')
      .option(
        '--where <condition>',
        `only tiles that may have a cell that meets it, by their minima and maxima: ${WHERE_FORMS}. Tables then show only its fields without --field`,
      )
  },

  async *run(cx, [path], options) {
    yield* throughFragments(cx, path, 'tiles', TAKES, (fragment) => tilesOutcome(cx, fragment, options))
  },
}

async function tilesOutcome(cx: CommandContext, fragment: Fragment, options: TilesOptions): Promise<Outcome> {
  const info = await fragment.info()
  const { dimensions } = info.schema.domain
  const lists = new TileLists(fragment, countReadBytes)
  const boxes = await boxBlocks(lists, info, cx.style)
  const bounds = options.range && parseRanges(dimensions, options.range)
  const touches = bounds && rangeFilter(dimensions, bounds)
  const condition = options.where === undefined ? undefined : await conditionOf(fragment, info, options.where)
  const mayMeet = condition && (await tileTest(fragment, info, condition, true))
  const isShown = (tile: number, mbr: NDRange | undefined): boolean =>
    (!touches || (mbr !== undefined && touches(mbr))) && (!mayMeet || mbr === undefined || mayMeet(tile, mbr))
  const passes = touches || mayMeet ? isShown : undefined
  const wanted = options.tiles === undefined ? undefined : parseTiles(options.tiles, info.tile_num)
  const fields: Blocks<FieldBlock>[] = []
  for (const slot of selectedSlots(info, options.field)) {
    fields.push(await fieldBlocks(lists, fragment, info, slot, cx.style))
  }
  const from = wanted?.from ?? 0
  const end = Math.min(wanted?.to ?? info.tile_num - 1, info.tile_num - 1) + 1
  async function* pages(): AsyncGenerator<ColumnRows<TilesLine>> {
    for (let first = from; first < end; first += BLOCK_TILES) {
      const next = Math.min(first + BLOCK_TILES, end)
      const box = await boxes(first, next)
      const ofFields: FieldBlock[] = []
      for (const field of fields) ofFields.push(await field(first, next))
      yield rowsOf(info, { first, next, box }, ofFields, passes)
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
    kind: 'rows',
    document,
    rows: tiles,
    columns: () => ['tile', 'cell_num', info.dense ? 'tile_domain' : 'mbr', 'fields'],
    origin: { fragment: fragment.name },
    async table(out) {
      const { tilesTable } = await import('../render/views/tiles.ts')
      const names = dimensions.map(({ name }) => name)
      const limited = passes !== undefined || wanted !== undefined
      const compared = condition && [...conditionFields(condition)]
      await tilesTable(document, { names, limited, compared, isChosen: options.field !== undefined }, out)
    },
  }
}

/** The slots of the fields that `--field` names and that have data files. @throws InspectError USAGE for an unknown field */
function selectedSlots(info: FragmentInfo, names: readonly string[] | undefined): number[] {
  const { slots } = info
  const stored = slots.flatMap((slot, i) => (slotHasFiles(info, slot) ? [i] : []))
  const known = stored.map((i) => slots[i].name)
  const unknown = names?.find((name) => !known.includes(name))
  if (unknown !== undefined) throw unknownField('--field', unknown, known)
  return names ? stored.filter((i) => names.includes(slots[i].name)) : stored
}

/** The condition of `--where`. Fields are those of the array: a fragment may have none of an attribute that was added later. */
async function conditionOf(fragment: Fragment, info: FragmentInfo, text: string): Promise<ConditionNode> {
  const { array } = fragment
  return array ? loadWhere(text, (await array.newestSchema()).schema, array) : parseWhere(text, info.schema)
}

/** The tiles `[first, next)` that pass. */
function rowsOf(
  info: FragmentInfo,
  { first, next, box }: { first: number; next: number; box: BoxBlock },
  fields: readonly FieldBlock[],
  passes: ((tile: number, mbr: NDRange | undefined) => boolean) | undefined,
): ColumnRows<TilesLine> {
  const length = next - first
  const tile = numbers(length, (i) => first + i)
  const cell_num = cellNums(info, first, next)
  const shape = info.dense
    ? { tile, cell_num, tile_domain: box.values, fields }
    : { tile, cell_num, mbr: box.values, fields }
  if (!passes) return new ColumnRows<TilesLine>(shape, length)
  const shown = allRows(length).filter((i) => passes(first + i, box.range(first + i)))
  return new ColumnRows<TilesLine>(shape, shown.length, shown)
}

/** Cells of each tile `[first, next)`. */
function cellNums(info: FragmentInfo, first: number, next: number, cellSize = 1): ValueColumn<number> {
  return numbers(next - first, (i) => tileCellNum(info, first + i) * cellSize)
}

function numbers(length: number, at: (index: number) => number): ValueColumn<number> {
  const values = new Float64Array(length)
  for (let i = 0; i < length; i++) values[i] = at(i)
  return ValueColumn.numbers(values)
}

/** What the metadata says about one field of the tiles in a block. */
type FieldBlock = InColumns<TilesLineField>

/** Opens the lists of one field. Lists that its version or type does not have are left out. */
async function fieldBlocks(
  lists: TileLists,
  fragment: Fragment,
  info: FragmentInfo,
  slot: number,
  style: ValueStyle,
): Promise<Blocks<FieldBlock>> {
  const field = info.slots[slot]
  const { name, varSized, nullable } = field
  const ofFile = (role: TileRole): Promise<Blocks<PlaceColumns>> => placeBlocks(lists, fragment, info, slot, role)
  const main = await ofFile(varSized ? 'offsets' : 'data')
  const variable = varSized ? await ofFile('var') : undefined
  const validity = nullable ? await ofFile('validity') : undefined
  const mins = await minMaxBlocks(lists, field, slot, 'min', style)
  const maxs = await minMaxBlocks(lists, field, slot, 'max', style)
  const sums = perTile(await lists.sums(slot), (entries) => sumValues(field.type, entries))
  const nullCounts = knowsNullCount(field) ? await lists.offsets('tile_null_counts', slot) : undefined
  const nulls = perTile(nullCounts, ValueColumn.numbers)
  return async (from, to) => {
    const place = await main(from, to)
    const varPlace = await variable?.(from, to)
    const validityPlace = await validity?.(from, to)
    return {
      name,
      ...place,
      var_offset: varPlace?.offset,
      var_size: varPlace?.size,
      var_unfiltered_size: varPlace?.unfiltered_size,
      validity_offset: validityPlace?.offset,
      validity_size: validityPlace?.size,
      validity_unfiltered_size: validityPlace?.unfiltered_size,
      min: await mins?.(from, to),
      max: await maxs?.(from, to),
      sum: await sums?.(from, to),
      null_count: await nulls?.(from, to),
    }
  }
}

/** The places of tiles in their file, with their stored and unfiltered bytes. */
interface PlaceColumns {
  offset: ValueColumn<number>
  size: ValueColumn<number>
  unfiltered_size: ValueColumn<number>
}

/** Opens the places of tiles in one file. @throws InspectError INCONSISTENT if the metadata lacks the offset of a tile */
async function placeBlocks(
  lists: TileLists,
  fragment: Fragment,
  info: FragmentInfo,
  slot: number,
  role: TileRole,
): Promise<Blocks<PlaceColumns>> {
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
    const ends = entries.subarray(from + 1 - first, to + 1 - first)
    const endOf = (i: number): number => (from + i + 1 < info.tile_num ? ends[i] : fileSize)
    const offset = entries.subarray(from - first, to - first)
    const differences = offset.map((start, i) => endOf(i) - start)
    return {
      offset: ValueColumn.numbers(offset),
      // A tile that ends before its start throws only when its row is made. So the rows before it are shown.
      size: differences.some((size) => size < 0)
        ? new ValueColumn(to - from, (i) => sizeBetween(offset[i], endOf(i), from + i, file))
        : ValueColumn.numbers(differences),
      unfiltered_size: sizes
        ? ValueColumn.numbers(sizes.entries.subarray(from - sizes.first, to - sizes.first))
        : cellNums(info, from, to, cellSize),
    }
  }
}

async function minMaxBlocks(
  lists: TileLists,
  field: Slot,
  slot: number,
  which: 'min' | 'max',
  style: ValueStyle,
): Promise<Blocks<ValueColumn<CellValue> | null> | undefined> {
  const list = await lists.minMax(which, slot, minMaxCellSize(field))
  if (!list || !minMaxValues(field, list.whole ?? NO_VALUES, style)) return undefined
  return perTile(list, (entries) => minMaxValues(field, entries, style))
}

/** The values of a list, block by block; null for tiles without an entry. @param values gives the values of some entries */
function perTile<L, T>(
  list: TileList<L> | undefined,
  values: (entries: L) => ValueColumn<T> | undefined,
): Blocks<ValueColumn<T | null> | null> | undefined {
  return (
    list &&
    (async (from, to) => {
      const { first, entries } = await list.block(from, to)
      const column = values(entries)
      if (!column || from >= list.count) return null
      if (to <= list.count) return column.part(from - first, to - first)
      return new ValueColumn(to - from, (i) => (from + i < list.count ? column.at(from + i - first) : null))
    })
  )
}
