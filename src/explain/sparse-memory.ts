import { groupBy } from '../base/group-by.ts'
import { atOnce, inOrder } from '../base/in-order.ts'
import { rowsInside } from '../cells/bounds.ts'
import { type KeyLanes, orderLanes, sortedPositions } from '../cells/cell-order.ts'
import { allRows, type ColumnData, cellBytes } from '../cells/column.ts'
import { tileCellNum } from '../cells/tile-places.ts'
import { once } from '../filters/codecs/once.ts'
import type { FragmentMetadataV1 } from '../format/fragment-metadata-v1.ts'
import { fixedSize } from '../format/range.ts'
import { leafLevel, mbrAt, type RTreeLevel } from '../format/rtree.ts'
import { isCutByTime } from '../read/opening.ts'
import { readColumns } from '../read/query.ts'
import { columnOf } from '../read/schedule.ts'
import { Source } from '../read/source.ts'
import { rtreeSize } from '../store/metadata-sections.ts'
import type { MetadataRead } from './plan.ts'
import type { FoundCells, IndexedFragment, SparseIndex } from './sparse-index.ts'

/**
 * The least `sm.mem.total_budget` with which TileDB's readers of sparse arrays by index make progress, where its shares are the defaults:
 * a half of it is for coordinates and what is loaded beside them, a tenth for metadata. What is returned has all that is left.
 *
 * @see tiledb/sm/query/readers/sparse_index_reader_base.h, MemoryBudget; sizes measured with TileDB 2.30
 */
const FOR_COORDINATES = 0.5
const FOR_METADATA = 0.1
/** Most bytes for tiles at once: `sm.mem.tile_upper_memory_limit`. */
const MOST_TILES = 2 ** 30
/** From so many tiles on, what a merge needs at once is not worked out but estimated. */
const MOST_PLACES = 200_000
/** How close budgets are that are tried, for as many tiles and for more. */
const [STEP, MANY_TILES, WIDE_STEP] = [1.02, 10_000, 1.15]
/** Bytes of TileDB's objects on 64-bit systems. */
const UNORDERED_TILE = 1464
const GLOBAL_TILE = 1576
const TILE_ID = 16
const TILE_RANGE = 16
const TIME = 8
const POINTER = 8
const OFFSET = 8
const HILBERT_VALUE = 8
const VECTOR = 32
/** The vectors of the tile offsets of a slot. */
const SLOT_VECTORS = 4 * VECTOR

/** The tiles that a reader loads, in its order: fragment after fragment. */
interface LoadedTiles {
  count: number
  /** Positions of the fragments. */
  fragment: Uint32Array
  /** Numbers of the tiles in their fragments. */
  tile: Uint32Array
  /** Bytes of the coordinates, and of what is loaded beside them. */
  first: Float64Array
  /** Bytes of the largest field to return that is not loaded before. */
  returned: Float64Array
  /** The same for each such field. */
  fields: readonly Float64Array[]
  /** 0 for a tile of which no cell stays. */
  gives: Uint8Array
}

interface Metadata {
  /** Bytes of footers and R-trees. */
  loaded: number
  /** Bytes of the budget that all metadata needs. */
  least: number
}

/** What is read at a time where not all fits into memory, by fragment. */
export interface TileRound {
  /** Tiles whose coordinates are read. */
  loaded: Uint32Array[]
  /** Tiles of which the fields to return are read. */
  given: Uint32Array[]
}

interface SparseMemory {
  least_memory_budget: number
  /** Undefined where all fits at once, where no progress is made, and where it was not worked out. */
  rounds: readonly TileRound[] | undefined
}

/** Is told what is read at a time: places in {@link LoadedTiles}. */
type VisitRound = (loaded: ArrayLike<number>, given: readonly number[]) => void

/** What is read at a time with a budget. @param works says so to the visitor, and whether progress is made to the end */
function roundsOf(
  { fragments }: SparseIndex,
  tiles: LoadedTiles,
  works: (visit: VisitRound) => boolean,
): TileRound[] | undefined {
  const rounds: TileRound[] = []
  const own = (places: ArrayLike<number>): Uint32Array[] => {
    const all: number[][] = fragments.map(() => [])
    for (const place of Array.from(places)) all[tiles.fragment[place]].push(tiles.tile[place])
    return all.map((some) => Uint32Array.from(some).sort())
  }
  const done = works((loaded, given) => {
    rounds.push({ loaded: own(loaded), given: own(given.filter((place) => tiles.gives[place] === 1)) })
  })
  return done && rounds.length > 1 ? rounds : undefined
}

/** Whether a budget has room for all tiles. @param used bytes beside the tiles */
function fitsAtOnce({ first, fields }: LoadedTiles, most: number, room: number): boolean {
  const sum = (sizes: Float64Array): number => sizes.reduce((all, size) => all + size, 0)
  const coordinates = sum(first)
  return coordinates <= most && fields.every((sizes) => sum(sizes) <= Math.min(MOST_TILES, room - coordinates))
}

/** Of SparseUnorderedWithDupsReader. @param found undefined if it is not known which cells stay */
export async function unorderedMemory(
  index: SparseIndex,
  reads: readonly MetadataRead[],
  found: FoundCells | undefined,
  total_budget: number,
): Promise<SparseMemory> {
  const metadata = await metadataMemory(index, reads)
  const tiles = await loadedTiles(index, found, UNORDERED_TILE)
  const ranges = index.isRanged ? TILE_RANGE * runsOf(index) : 0
  const held = metadata.loaded + ranges
  const least = Math.max(metadata.least, ranges / FOR_METADATA)
  const most = Math.max(enoughToReturn(tiles, held), largest(tiles.first) + largest(tiles.returned) + held)
  const everyMore = found === undefined
  return {
    least_memory_budget: leastBudget(tiles, [least, most], everyMore, (budget) => unorderedWorks(tiles, budget, held)),
    rounds: fitsAtOnce(tiles, Math.min(MOST_TILES, total_budget * FOR_COORDINATES), total_budget - held)
      ? undefined
      : roundsOf(index, tiles, (visit) => unorderedWorks(tiles, total_budget, held, visit)),
  }
}

/** Of SparseGlobalOrderReader. @param found undefined if it is not known which cells stay */
export async function globalMemory(
  index: SparseIndex,
  reads: readonly MetadataRead[],
  found: FoundCells | undefined,
  total_budget: number,
): Promise<SparseMemory> {
  const { loaded, least } = await metadataMemory(index, reads)
  const tiles = await loadedTiles(index, found, GLOBAL_TILE)
  const { schema } = index.query.opened
  const isAlone = index.fragments.filter((one) => one.tiles.length > 0).length < 2
  const boxes = once(async () => (isAlone ? storedPlaces(tiles.count) : placesOf(index, tiles, undefined)))
  const cells = once(async () => (isAlone ? boxes() : placesOf(index, tiles, await tileEnds(index))))
  const least_memory_budget = await leastGlobal(index, tiles, { loaded, least }, found, boxes, cells)
  const most = total_budget * FOR_COORDINATES - TILE_ID * tiles.count
  const atOnce = fitsAtOnce(tiles, most, total_budget - loaded - TILE_ID * tiles.count)
  const isHilbert = schema.cell_order === 'hilbert'
  if (atOnce) return { least_memory_budget, rounds: undefined }
  const areKnown = isAlone || (tiles.count <= MOST_PLACES && (found !== undefined || !isHilbert))
  if (!areKnown || total_budget < least_memory_budget)
    return { least_memory_budget, rounds: found ? undefined : mostReads(evenRounds(index, tiles, total_budget)) }
  const places = await (found ? cells() : boxes())
  const rounds = roundsOf(index, tiles, (visit) =>
    isHilbert
      ? hilbertRounds(tiles, places, total_budget, loaded, visit)
      : globalWorks(tiles, places, schema.allows_duplicates, total_budget, loaded, visit),
  )
  if (!found && !isAlone)
    return {
      least_memory_budget,
      rounds: mostReads(rounds?.map(({ loaded }) => loaded) ?? evenRounds(index, tiles, total_budget)),
    }
  // Without duplicates some tiles are known to give no cell only after the merge.
  const gives = found?.tiles.map((own) => new Set(own))
  return {
    least_memory_budget,
    rounds: rounds?.map(({ loaded, given }) => ({
      loaded,
      given: given.map((own, f) => own.filter((tile) => gives?.[f].has(tile) ?? true)),
    })),
  }
}

/**
 * About how often tiles are loaded where it is not known how far each merge goes: each uses up the share of one fragment.
 * @returns by part and fragment, the tiles
 */
function evenRounds({ fragments }: SparseIndex, { first, fragment }: LoadedTiles, budget: number): Uint32Array[][] {
  const bytes = fragments.map(() => 0)
  for (const [i, size] of first.entries()) bytes[fragment[i]] += size
  const tile = largest(first)
  const share = Math.max(tile, (budget * FOR_COORDINATES) / bytes.filter((own) => own > 0).length - tile)
  const most = fragments.reduce((most, { tiles }) => Math.max(most, tiles.length), 1)
  const count = Math.min(
    most,
    bytes.reduce((sum, own) => sum + Math.ceil(own / share), 0),
  )
  return Array.from({ length: count }, (_, r) =>
    fragments.map(({ tiles }) =>
      tiles.subarray(Math.floor((r * tiles.length) / count), Math.floor(((r + 1) * tiles.length) / count)),
    ),
  )
}

/** Where one part ends, each fragment may have a tile that gives cells to the next one, too. @param loaded by part and fragment */
function mostReads(loaded: readonly Uint32Array[][]): TileRound[] {
  const last: Uint32Array[] = []
  return loaded.map((tiles) => ({
    loaded: tiles,
    given: tiles.map((own, f) => {
      const given = new Uint32Array((last[f]?.length ?? 0) + own.length)
      given.set(last[f] ?? [])
      given.set(own, given.length - own.length)
      if (own.length > 0) last[f] = own.subarray(own.length - 1)
      return given
    }),
  }))
}

/** @param boxes @param cells where tiles are, by their boxes and by their cells */
async function leastGlobal(
  index: SparseIndex,
  tiles: LoadedTiles,
  { loaded, least }: Metadata,
  found: FoundCells | undefined,
  boxes: () => Promise<TilePlaces>,
  cells: () => Promise<TilePlaces>,
): Promise<number> {
  const { schema } = index.query.opened
  const returned = enoughToReturn(tiles, loaded)
  if (schema.cell_order === 'hilbert') {
    const most = (index.fragments.length * largest(tiles.first)) / FOR_COORDINATES
    return leastBudget(tiles, [least, Math.max(most, returned)], found === undefined, (budget) =>
      hilbertWorks(index, tiles, budget, loaded),
    )
  }
  // Once to list the tiles of fragments, and once in their order.
  const listing = Math.max(least, (2 * TILE_ID * tiles.count) / FOR_COORDINATES)
  const isAlone = index.fragments.filter((one) => one.tiles.length > 0).length < 2
  const first = isAlone ? largest(tiles.first) : tiles.first.reduce((sum, size) => sum + size, 0)
  const most = Math.max(returned, (TILE_ID * tiles.count + first) / FOR_COORDINATES)
  if (most <= listing) return Math.ceil(listing)
  if (!isAlone && tiles.count > MOST_PLACES)
    return Math.ceil(Math.max(listing, Math.min(most, returned + pairs(tiles))))
  const leastIn = (places: TilePlaces, everyMore: boolean): number =>
    leastBudget(tiles, [listing, most], everyMore, (budget) =>
      globalWorks(tiles, places, schema.allows_duplicates, budget, loaded),
    )
  if (isAlone) return leastIn(await boxes(), found === undefined)
  if (found) return leastIn(await cells(), false)
  const atOnce = (TILE_ID * tiles.count + openAtOnce(tiles, await boxes())) / FOR_COORDINATES
  return Math.ceil(Math.max(listing, returned, atOnce))
}

/**
 * The most bytes of tiles that are needed at once, wherever in their boxes cells are. A tile has given all of them, at the latest, when every
 * tile is loaded that begins before its box ends. It is kept until the next one of its fragment begins, if that is loaded.
 */
function openAtOnce({ count, fragment, first: sizes }: LoadedTiles, { corner, last, order }: TilePlaces): number {
  // Of the tiles from each on, the first corner.
  const begins = Uint32Array.from(order, (tile) => corner[tile])
  for (let i = count - 2; i >= 0; i--) begins[i] = Math.min(begins[i], begins[i + 1])
  const ending = sortedPositions([last], count)
  const reasons = new Uint8Array(count)
  let [open, most, closed] = [0, 0, 0]
  const hold = (tile: number, change: 1 | -1): void => {
    const before = reasons[tile]
    reasons[tile] += change
    if (before === 0 || reasons[tile] === 0) open += change * sizes[tile]
  }
  const keep = (tile: number, change: 1 | -1): void => {
    hold(tile, change)
    if (fragment[tile - 1] === fragment[tile]) hold(tile - 1, change)
  }
  for (const [i, tile] of order.entries()) {
    for (; last[ending[closed]] < begins[i]; closed++) keep(ending[closed], -1)
    most = Math.max(most, open + sizes[tile])
    keep(tile, 1)
  }
  return most
}

/** What is enough for two tiles of each fragment: about what a merge needs at once. */
function pairs({ count, first, fragment }: LoadedTiles): number {
  const each = new Map<number, number>()
  for (let i = 0; i < count; i++) each.set(fragment[i], Math.max(each.get(fragment[i]) ?? 0, first[i]))
  return [...each.values()].reduce((sum, size) => sum + (2 * size) / FOR_COORDINATES, 0)
}

/** A budget with which what is returned always has enough. */
function enoughToReturn({ returned }: LoadedTiles, held: number): number {
  return (largest(returned) + held) / (1 - FOR_COORDINATES)
}

function largest(sizes: Float64Array): number {
  return sizes.reduce((most, size) => Math.max(most, size), 0)
}

/**
 * The least budget that works, within 1 %. A larger one may fail: more memory loads more coordinates, and leaves less for the rest.
 *
 * @param between no budget below the first works, and from the second on all do
 * @param everyMore whether to give one from which on all work
 */
function leastBudget(
  { count }: LoadedTiles,
  between: readonly [least: number, most: number],
  everyMore: boolean,
  works: (budget: number) => boolean,
): number {
  const step = count > MANY_TILES ? WIDE_STEP : STEP
  const bottom = Math.ceil(between[0])
  const top = Math.max(bottom, Math.ceil(between[1]))
  let [fails, good] = [bottom, top]
  if (everyMore) {
    for (fails = top; fails > bottom && works(fails); fails = Math.max(bottom, Math.floor(fails / step))) good = fails
  } else {
    for (good = bottom; good < top && !works(good); good = Math.min(top, Math.ceil(good * step))) fails = good
  }
  if (good === bottom || works(fails)) return Math.min(fails, good)
  while (good - fails > fails / 200) {
    const middle = Math.floor((fails + good) / 2)
    if (works(middle)) good = middle
    else fails = middle
  }
  return good
}

/**
 * Footers that were read from their files and R-trees are counted as they are stored, the lists of tile offsets by their number.
 *
 * @see ReaderBase::tile_offset_sizes, MemoryTracker::get_memory_available
 */
async function metadataMemory(index: SparseIndex, reads: readonly MetadataRead[]): Promise<Metadata> {
  const { opened } = index.query
  const consolidated = await opened.array.consolidatedFooters()
  let [loaded, vectors] = [0, 0]
  for (const { fragment, info } of opened.fragments) {
    vectors += info.v1 ? vectorsOf(info.v1) : SLOT_VECTORS * info.slots.length
    if (!consolidated.has(fragment.name)) loaded += info.footer?.size ?? 0
  }
  const trees = new Set(reads.flatMap(({ section, fragment }) => (section === 'rtree' ? [fragment] : [])))
  for (const at of trees) {
    const { fragment } = opened.fragments[at]
    loaded += await rtreeSize(fragment)
    await fragment.close()
  }
  let offsets = 0
  for (const fragment of index.fragments) {
    if (!fragment.relevant) continue
    const { slots, tile_num } = fragment.opened.info
    offsets += SLOT_VECTORS * slots.length + OFFSET * tile_num * index.offsetLists(fragment)
  }
  // Without a fragment to read, no lists are loaded.
  return { loaded, least: (loaded + (offsets > 0 ? vectors + offsets : 0)) / FOR_METADATA }
}

/** Versions 1 and 2 load all offsets as the array is opened. */
function vectorsOf({ tile_offsets, tile_var_offsets, tile_var_sizes }: FragmentMetadataV1): number {
  return [...tile_offsets, ...tile_var_offsets, ...tile_var_sizes].reduce(
    (sum, { values }) => sum + VECTOR + OFFSET * values.length,
    0,
  )
}

/** Runs of touched tiles without a gap. */
function runsOf({ fragments }: SparseIndex): number {
  return fragments.reduce(
    (sum, { tiles }) => sum + tiles.filter((tile, i) => i === 0 || tiles[i - 1] !== tile - 1).length,
    0,
  )
}

type TileBytes = (tile: number) => number

async function loadedTiles(
  index: SparseIndex,
  found: FoundCells | undefined,
  tileObject: number,
): Promise<LoadedTiles> {
  const { opened, query } = index.query
  const { schema } = opened
  const isGlobal = tileObject === GLOBAL_TILE
  const count = index.fragments.reduce((sum, { tiles }) => sum + tiles.length, 0)
  const withCoordinates = isGlobal || index.isRanged
  const { dimensions, attributes, forConditions } = index.fields
  const returned = [
    ...attributes,
    ...(withCoordinates ? [] : dimensions.filter((name) => !forConditions.includes(name))),
  ]
  const isVar = returned.map((field) =>
    [...schema.domain.dimensions, ...schema.attributes].some((one) => one.name === field && one.cell_val_num === 'var'),
  )
  const tiles: LoadedTiles = {
    count,
    fragment: new Uint32Array(count),
    tile: new Uint32Array(count),
    first: new Float64Array(count),
    returned: new Float64Array(count),
    fields: returned.map(() => new Float64Array(count)),
    gives: new Uint8Array(count).fill(1),
  }
  const bytesOfAll = async (fragment: IndexedFragment) => {
    const measure = (name: string): Promise<TileBytes> => bytesOf(index, fragment, name)
    const beside = await Promise.all([...(withCoordinates ? dimensions : []), ...forConditions].map(measure))
    const later = await Promise.all(returned.map(measure))
    fragment.opened.fragment.forget()
    await fragment.opened.fragment.close()
    return { fragment, beside, later }
  }
  const touched = index.fragments.filter((one) => one.tiles.length > 0)
  let at = 0
  for await (const { fragment, beside, later } of inOrder(touched, atOnce(opened.array.folder), bytesOfAll)) {
    const { info } = fragment.opened
    const isDeleted = info.slots.some(({ kind }) => kind === 'delete_timestamps')
    const isCut = info.slots.some(({ kind }) => kind === 'timestamps') && isCutByTime(opened, fragment.opened)
    const hasConditions = isDeleted || query.where !== undefined || opened.deletes.length > 0
    const duplicates = !isGlobal || schema.allows_duplicates
    const bitmaps =
      (index.isRanged || isCut || (duplicates && hasConditions) ? 1 : 0) + (!duplicates && hasConditions ? 1 : 0)
    const perCell =
      (fragment.loadsTimes ? TIME : 0) +
      (isDeleted ? TIME : 0) +
      bitmaps +
      (isGlobal && schema.cell_order === 'hilbert' ? HILBERT_VALUE : 0)
    const counts = found?.counts[fragment.index]
    fragment.tiles.forEach((tile, i) => {
      const cells = tileCellNum(info, tile)
      // Without duplicates the reader counts cells before those that others hide are left out.
      const stay = counts && (duplicates || fragment.inside[i] === 0 || isCut) ? counts[i] : cells
      tiles.fragment[at] = fragment.index
      tiles.tile[at] = tile
      tiles.first[at] = tileObject + cells * perCell + beside.reduce((sum, bytes) => sum + bytes(tile), 0)
      if (duplicates && counts && counts[i] === 0) tiles.gives[at] = 0
      later.forEach((bytes, f) => {
        const size = bytes(tile)
        tiles.fields[f][at] = size + (isVar[f] && size > 0 ? POINTER * stay : 0)
        tiles.returned[at] = Math.max(tiles.returned[at], tiles.fields[f][at])
      })
      at++
    })
  }
  return tiles
}

/** Bytes without filters of the tiles of a field. @see ReaderBase::get_attribute_tile_size */
async function bytesOf(index: SparseIndex, fragment: IndexedFragment, name: string): Promise<TileBytes> {
  const { info } = fragment.opened
  const { schema } = index.query.opened
  const dimension = schema.domain.dimensions.find((one) => one.name === name)
  const cellsOf = (tile: number): number => tileCellNum(info, tile)
  if (dimension && info.format_version < 5) return (tile) => cellsOf(tile) * (fixedSize(dimension) ?? 0)
  const slot = index.slotOf(fragment, name)
  if (slot < 0) return () => 0
  const { varSized, cellSize } = info.slots[slot]
  const isNullable = schema.attributes.some((one) => one.name === name && one.nullable)
  const perCell = (varSized ? OFFSET : cellSize) + (isNullable ? 1 : 0)
  const sizes = varSized ? await fragment.opened.fragment.offsets('tile_var_sizes', slot) : undefined
  return (tile) => cellsOf(tile) * perCell + (sizes?.[tile] ?? 0)
}

/** @param held bytes of metadata, and of lists of tiles */
function unorderedWorks(
  { count, first, fields, gives }: LoadedTiles,
  budget: number,
  held: number,
  visit?: VisitRound,
): boolean {
  const most = Math.min(MOST_TILES, budget * FOR_COORDINATES)
  let next = 0
  while (next < count) {
    let used = 0
    const group: number[] = []
    for (
      ;
      next < count && (used + first[next] <= most || (group.length === 0 && first[next] <= budget - held));
      next++
    ) {
      used += first[next]
      group.push(next)
    }
    if (group.length === 0) return false
    const left = group.filter((tile) => gives[tile] === 1)
    for (const tile of group) if (gives[tile] === 0) used -= first[tile]
    if (left.length === 0) visit?.(group, [])
    for (let from = 0; from < left.length; ) {
      const room = budget - used - held
      let to = left.length
      for (const field of fields) {
        let sum = 0
        for (let i = from; i < to; i++) {
          const size = field[left[i]]
          if (sum + size > Math.min(MOST_TILES, room) && (i > from || size > room)) to = i
          sum += size
        }
      }
      if (to === from) return false
      visit?.(from === 0 ? group : [], left.slice(from, to))
      for (; from < to; from++) used -= first[left[from]]
    }
  }
  return true
}

/** Every fragment has its share, as long as it has tiles to load. */
function hilbertWorks(index: SparseIndex, tiles: LoadedTiles, budget: number, held: number): boolean {
  const waiting = index.fragments
    .filter((one) => !index.isRanged || one.tiles.length > 0)
    .map((one) => one.tiles.length)
  let share = (budget * FOR_COORDINATES) / waiting.length
  const more = waiting.filter((count) => count > 1).length
  let [used, own] = [0, 0]
  for (let i = 0; i < tiles.count; i++) {
    const isFirst = i === 0 || tiles.fragment[i] !== tiles.fragment[i - 1]
    if (isFirst) own = 0
    share = (budget * FOR_COORDINATES) / (isFirst ? waiting.length : Math.max(1, more))
    if (tiles.first[i] > share) return false
    if (own + tiles.first[i] > (budget * FOR_COORDINATES) / waiting.length) continue
    own += tiles.first[i]
    used += tiles.first[i]
  }
  return tiles.returned.every((size) => size <= budget - used - held)
}

/**
 * Every fragment has its share, as long as it has tiles to load. Cells are merged up to the last that is there of a fragment with more
 * tiles. @returns whether progress is made to the end
 */
function hilbertRounds(
  tiles: LoadedTiles,
  places: TilePlaces,
  budget: number,
  held: number,
  visit: VisitRound,
): boolean {
  const { count, fragment, first: sizes, gives } = tiles
  const { last } = places
  const waiting = groupBy(allRows(count), (tile) => fragment[tile])
  const open = new Map([...waiting.keys()].map((f) => [f, [] as number[]]))
  const used = new Map([...waiting.keys()].map((f) => [f, 0]))
  const all = (): number => [...used.values()].reduce((sum, own) => sum + own, 0)
  for (let done = -1; waiting.size > 0 || all() > 0; ) {
    const share = (budget * FOR_COORDINATES) / waiting.size
    const loaded: number[] = []
    let end = Number.POSITIVE_INFINITY
    for (const [f, own] of waiting) {
      const kept = open.get(f) as number[]
      let bytes = used.get(f) as number
      let next = 0
      for (; next < own.length && bytes + sizes[own[next]] <= share; next++) {
        loaded.push(own[next])
        if (gives[own[next]] === 0) continue
        bytes += sizes[own[next]]
        kept.push(own[next])
      }
      used.set(f, bytes)
      if (next === own.length) waiting.delete(f)
      else {
        waiting.set(f, own.slice(next))
        if (kept.length === 0) return false
        end = Math.min(end, last[kept[kept.length - 1]])
      }
    }
    const merged = mergedTiles(tiles, places, [...open.values()].flat(), [done, end], budget - all() - held)
    visit(loaded, merged.tiles)
    if (merged.end <= done && loaded.length === 0) return false
    done = Math.max(done, merged.end)
    for (const [f, kept] of open) {
      const left = kept.filter((tile) => last[tile] > done)
      open.set(f, left)
      used.set(
        f,
        left.reduce((sum, tile) => sum + sizes[tile], 0),
      )
    }
  }
  return true
}

/** Where tiles are in global order, as ranks: their cells, and the lowest corner of their boxes. */
interface TilePlaces {
  corner: Uint32Array
  first: Uint32Array
  last: Uint32Array
  /** The tiles in the order in which the reader loads them: by the corners of their boxes. */
  order: Int32Array
}

/**
 * Tiles are loaded in the order of their corners while there is room. Then cells are merged that come before the corner of the next tile
 * of a fragment of which no tile is loaded, up to the last cell of a fragment that has more tiles.
 *
 * @see SparseGlobalOrderReader::create_result_tiles_using_preprocess, merge_result_cell_slabs
 */
function globalWorks(
  tiles: LoadedTiles,
  places: TilePlaces,
  duplicates: boolean,
  budget: number,
  held: number,
  visit?: VisitRound,
): boolean {
  const { count, fragment, first: sizes, returned, gives } = tiles
  const { corner, first, last, order } = places
  const most = budget * FOR_COORDINATES
  let used = TILE_ID * count
  const open = new Map<number, number[]>()
  const unloaded = new Map<number, number>()
  for (let i = 0; i < count; i++) unloaded.set(fragment[i], (unloaded.get(fragment[i]) ?? 0) + 1)
  let [next, done] = [0, -1]
  while (next < count || open.size > 0) {
    const before = next
    for (; next < count && used + sizes[order[next]] <= most; next++) {
      const tile = order[next]
      const f = fragment[tile]
      unloaded.set(f, (unloaded.get(f) ?? 0) - 1)
      if (gives[tile] === 0) continue
      used += sizes[tile]
      const known = open.get(f)
      if (known) known.push(tile)
      else open.set(f, [tile])
    }
    if (next < count && open.size === 0 && next === before) return false
    // Cells of rank up to `end` are merged.
    let end = Number.POSITIVE_INFINITY
    const pending = [...unloaded].some(([f, left]) => left > 0 && !open.has(f))
    for (let i = next; pending && i < count; i++) {
      if (open.has(fragment[order[i]])) continue
      end = corner[order[i]] - (duplicates ? 0 : 1)
      break
    }
    for (const [f, loaded] of open) if ((unloaded.get(f) ?? 0) > 0) end = Math.min(end, last[loaded[loaded.length - 1]])
    const room = budget - used - held
    if (visit) {
      const merged = mergedTiles(tiles, places, [...open.values()].flat(), [done, end], room)
      visit(order.subarray(before, next), merged.tiles)
      end = merged.end
    }
    let moved = end > done && next > before
    for (const [f, loaded] of open) {
      for (const tile of loaded) {
        if (first[tile] > end) break
        if (returned[tile] > room) return false
        if (last[tile] > done && first[tile] <= end && end > done) moved = true
      }
      while (loaded.length > 0 && last[loaded[0]] <= end && (loaded.length === 1 || first[loaded[1]] <= end)) {
        used -= sizes[loaded.shift() as number]
        moved = true
      }
      if (loaded.length === 0) open.delete(f)
    }
    if (!moved && next === before) return false
    done = Math.max(done, end)
  }
  return true
}

/**
 * Which of the tiles give cells behind one rank and up to another. Those whose fields to return do not fit into memory wait for the next
 * time: then the end comes before them.
 */
function mergedTiles(
  tiles: LoadedTiles,
  { first, last }: TilePlaces,
  open: readonly number[],
  [done, until]: readonly [number, number],
  room: number,
): { tiles: number[]; end: number } {
  const from = (tile: number): number => Math.max(first[tile], done + 1)
  const given = open.filter((tile) => first[tile] <= until && last[tile] > done).sort((a, b) => from(a) - from(b))
  const fits = howManyFit(tiles, given, room)
  const end = fits < given.length && from(given[fits]) - 1 > done ? from(given[fits]) - 1 : until
  return { tiles: given.filter((tile) => first[tile] <= end), end }
}

/** How many tiles fit into memory with each of the fields to return, at least one. */
function howManyFit({ fields }: LoadedTiles, tiles: readonly number[], room: number): number {
  let most = tiles.length
  for (const sizes of fields) {
    let sum = 0
    for (let i = 0; i < most; i++) {
      sum += sizes[tiles[i]]
      if (sum > room) most = Math.max(1, i)
    }
  }
  return most
}

/** The first and the last cell of each tile inside the ranges, by dimension; undefined for a tile without any. */
type TileEnds = ([first: Uint8Array[], last: Uint8Array[]] | undefined)[]

/** Reads the coordinates of all touched tiles. */
async function tileEnds(index: SparseIndex): Promise<TileEnds> {
  const { opened, query } = index.query
  const { dimensions } = opened.schema.domain
  const columns = readColumns(opened.schema, { ...query, fields: [], provenance: false })
  const ends: TileEnds = []
  for (const { opened: one, index: at, tiles } of index.fragments) {
    const own = new Map<number, [Uint8Array[], Uint8Array[]]>()
    const source = await Source.open(one, at, columns, undefined)
    try {
      for await (const batch of source.batches([...tiles])) {
        const coordinates = batch.columns as ColumnData[]
        const rows = rowsInside(dimensions, coordinates, batch.cell_num, query.ranges)
        const count = rows?.length ?? batch.cell_num
        if (count === 0) continue
        const cell = (i: number): Uint8Array[] =>
          dimensions.map((d, c) => cellBytes(coordinates[c], rows?.[i] ?? i, fixedSize(d) ?? 0).slice())
        own.set(batch.tile, [own.get(batch.tile)?.[0] ?? cell(0), cell(count - 1)])
      }
    } finally {
      await source.close()
    }
    for (const tile of tiles) ends.push(own.get(tile))
  }
  return ends
}

/** The places of the tiles of one fragment. */
function storedPlaces(count: number): TilePlaces {
  const places = allRows(count)
  return { corner: places, first: places, last: places, order: Int32Array.from(places) }
}

/** @param ends without them, cells may be anywhere in the boxes of their tiles */
async function placesOf(index: SparseIndex, tiles: LoadedTiles, ends: TileEnds | undefined): Promise<TilePlaces> {
  const { schema } = index.query.opened
  const { dimensions } = schema.domain
  const { count } = tiles
  const points: Uint8Array[][] = dimensions.map(() => new Array(3 * count))
  let at = 0
  const touched = index.fragments.filter((one) => one.tiles.length > 0)
  const leavesOf = async ({ opened: { fragment } }: IndexedFragment): Promise<RTreeLevel> => {
    const leaves = leafLevel(await fragment.rtree()) as RTreeLevel
    fragment.forget()
    await fragment.close()
    return leaves
  }
  let next = 0
  for await (const leaves of inOrder(touched, atOnce(index.query.opened.array.folder), leavesOf)) {
    for (const tile of touched[next++].tiles) {
      const mbr = mbrAt(leaves, tile, dimensions)
      const known = ends?.[at]
      if (ends && !known) tiles.gives[at] = 0
      for (const d of dimensions.keys()) {
        points[d][at] = mbr[d].min
        // Where nothing is known the first cell comes as late as it may: cells that are merged late hold memory longest.
        points[d][count + at] = known?.[0][d] ?? mbr[d].max
        points[d][2 * count + at] = known?.[1][d] ?? mbr[d].max
      }
      at++
    }
  }
  const columns = dimensions.map((dimension, d) => columnOf(points[d], fixedSize(dimension)))
  const ranks = ranksOf(orderLanes(schema, columns, 3 * count), 3 * count)
  const { tile_order, cell_order } = schema
  // Where these differ, TileDB 2.30 takes one for the other.
  const swapped = { ...schema, tile_order: cell_order, cell_order: tile_order }
  const loaded = tile_order === cell_order ? ranks : ranksOf(orderLanes(swapped, columns, 3 * count), 3 * count)
  return {
    corner: ranks.slice(0, count),
    first: ranks.slice(count, 2 * count),
    last: ranks.slice(2 * count),
    order: mergedOrder(tiles.fragment, loaded),
  }
}

/**
 * The tiles of all fragments in one order: those of a fragment one after another, of all fragments the next with the lowest rank. Of equal
 * ones TileDB takes what a heap of the GNU C++ library has on top, so this is that heap.
 *
 * @param fragment of each tile, one fragment after another
 * @see ParallelMerge::tournament_merge
 */
function mergedOrder(fragment: Uint32Array, ranks: Uint32Array): Int32Array {
  const heap: number[] = []
  const raise = (tile: number, from: number): void => {
    let at = from
    for (let parent = (at - 1) >> 1; at > 0 && ranks[tile] < ranks[heap[parent]]; parent = (at - 1) >> 1) {
      heap[at] = heap[parent]
      at = parent
    }
    heap[at] = tile
  }
  for (const [tile, own] of fragment.entries()) if (tile === 0 || own !== fragment[tile - 1]) raise(tile, heap.length)
  return Int32Array.from(fragment, () => {
    const [top] = heap
    const last = heap.pop() as number
    // The gap moves down to a leaf: the last one fills it there, and rises.
    let at = 0
    for (let child = 2; heap.length > 0 && child <= heap.length; child = 2 * at + 2) {
      const next = child === heap.length || ranks[heap[child - 1]] < ranks[heap[child]] ? child - 1 : child
      heap[at] = heap[next]
      at = next
    }
    if (heap.length > 0) raise(last, at)
    if (fragment[top + 1] === fragment[top]) raise(top + 1, heap.length)
    return top
  })
}

/** Positions in the order of keys; equal keys have equal ranks. */
function ranksOf(lanes: KeyLanes, count: number): Uint32Array {
  const sorted = sortedPositions(lanes, count)
  const ranks = new Uint32Array(count)
  for (let i = 1; i < count; i++) {
    const [a, b] = [sorted[i - 1], sorted[i]]
    ranks[b] = ranks[a] + (lanes.some((lane) => lane[a] !== lane[b]) ? 1 : 0)
  }
  return ranks
}
