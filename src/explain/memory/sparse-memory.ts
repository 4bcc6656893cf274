import { sum } from '../../base/sum.ts'
import { sortedPositions } from '../../cells/sorted-positions.ts'
import { once } from '../../filters/codecs/once.ts'
import { rtreeSize } from '../../objects/metadata-sections.ts'
import type { MetadataRead } from '../plan.ts'
import type { FoundCells, SparseIndex } from '../sparse-index.ts'
import { type LoadedTiles, largest, loadedTiles } from './loaded-tiles.ts'
import { openedMemory, slotVectorBytes } from './metadata-memory.ts'
import { RELEASE } from './release.ts'
import {
  evenRounds,
  fitsAtOnce,
  fitsHilbert,
  forCoordinates,
  mostTileBytes,
  roundsAtMost,
  roundsOf,
  simulateGlobal,
  simulateHilbert,
  simulateUnordered,
  type TileRound,
} from './sparse-rounds.ts'
import { rankTiles, storedRanks, type TileRanks, tileEnds } from './tile-ranks.ts'

/**
 * The smallest `sm.mem.total_budget` with which TileDB's index readers of sparse arrays make progress, and what they read in each round
 * with a given budget.
 */

/** Above this number of tiles the memory of a merge is estimated, not computed. */
const MAX_RANKED_TILES = 200_000
/** Ratio between two budgets that are tried one after the other: STEP up to MANY_TILES tiles, WIDE_STEP above. */
const [STEP, MANY_TILES, WIDE_STEP] = [1.02, 10_000, 1.15]

/** The smallest budget whose share for metadata has this many bytes. */
function budgetForMetadata(bytes: number): number {
  return bytes / RELEASE.settings['sm.mem.reader.*.ratio_array_data']
}

/** The smallest budget whose share for coordinates has this many bytes. */
function budgetForCoordinates(bytes: number): number {
  return bytes / RELEASE.settings['sm.mem.reader.*.ratio_coords']
}

interface Metadata {
  /** Bytes of footers and R-trees. */
  loaded: number
  /** Bytes of the smallest budget that has room for all metadata. */
  least: number
}

export interface SparseMemory {
  /** In bytes. */
  least_memory_budget: number
  /** Undefined if one round is enough, if the reader makes no progress, or if the rounds were not computed. */
  rounds: readonly TileRound[] | undefined
}

/** The memory of SparseUnorderedWithDupsReader. */
export async function unorderedMemory(
  index: SparseIndex,
  reads: readonly MetadataRead[],
  found: FoundCells | undefined,
  total_budget: number,
): Promise<SparseMemory> {
  const metadata = await metadataMemory(index, reads)
  const tiles = await loadedTiles(index, found, 'unordered')
  // The lists of the runs of tiles to read take none of the memory for tiles: measured with many ranges.
  const held = metadata.loaded
  const enough = Math.max(enoughToReturn(tiles, held), largest(tiles.first) + largest(tiles.returned) + held)
  const most = Math.min(mostTileBytes(), forCoordinates(total_budget))
  return {
    least_memory_budget: leastBudget(tiles, [metadata.least, enough], found === undefined, (budget) =>
      simulateUnordered(tiles, budget, held),
    ),
    rounds: fitsAtOnce(tiles, most, total_budget - held)
      ? undefined
      : roundsOf(index, tiles, (visit) => simulateUnordered(tiles, total_budget, held, visit)),
  }
}

/** The memory of SparseGlobalOrderReader. */
export async function globalMemory(
  index: SparseIndex,
  reads: readonly MetadataRead[],
  found: FoundCells | undefined,
  total_budget: number,
): Promise<SparseMemory> {
  const metadata = await metadataMemory(index, reads)
  const tiles = await loadedTiles(index, found, 'global')
  const ranks = once(async () =>
    isAlone(index) ? storedRanks(tiles.count) : rankTiles(index, tiles, found && (await tileEnds(index))),
  )
  const least_memory_budget = await leastGlobal(index, tiles, metadata, found, ranks)
  const { loaded } = metadata
  const ids = RELEASE.bytes.tile_id * tiles.count
  if (fitsAtOnce(tiles, forCoordinates(total_budget) - ids, total_budget - loaded - ids))
    return { least_memory_budget, rounds: undefined }
  const canSimulate = total_budget >= least_memory_budget && areRanksUseful(index, tiles, found)
  const rounds = canSimulate ? globalRounds(index, tiles, await ranks(), total_budget, loaded) : undefined
  if (found) {
    // In an array without duplicates, some tiles turn out to give no cell only after the merge.
    const gives = found.tiles.map((own) => new Set(own))
    const thatGive = (own: Uint32Array, f: number): Uint32Array => own.filter((tile) => gives[f].has(tile))
    return {
      least_memory_budget,
      rounds: rounds?.map(({ loaded, given }) => ({ loaded, given: given.map(thatGive) })),
    }
  }
  if (isAlone(index) && canSimulate) return { least_memory_budget, rounds }
  const loads = rounds?.map(({ loaded }) => loaded) ?? evenRounds(index, tiles, total_budget)
  return { least_memory_budget, rounds: roundsAtMost(loads) }
}

/** Whether only one fragment has tiles to read. */
function isAlone({ touched }: SparseIndex): boolean {
  return touched.length < 2
}

/** Whether the ranks of tiles tell how far each merge goes. In Hilbert order the corners of boxes tell nothing. */
function areRanksUseful(index: SparseIndex, { count }: LoadedTiles, found: FoundCells | undefined): boolean {
  const isHilbert = index.query.opened.schema.cell_order === 'hilbert'
  return isAlone(index) || (count <= MAX_RANKED_TILES && (found !== undefined || !isHilbert))
}

function globalRounds(
  index: SparseIndex,
  tiles: LoadedTiles,
  ranks: TileRanks,
  total_budget: number,
  held: number,
): TileRound[] | undefined {
  const { cell_order, allows_duplicates } = index.query.opened.schema
  return roundsOf(index, tiles, (visit) =>
    cell_order === 'hilbert'
      ? simulateHilbert(tiles, ranks, total_budget, held, visit)
      : simulateGlobal(tiles, ranks, { duplicates: allows_duplicates, budget: total_budget, held }, visit),
  )
}

/** @param ranks of the tiles' cells, or only of their boxes if it is not known which cells are found */
async function leastGlobal(
  index: SparseIndex,
  tiles: LoadedTiles,
  { loaded, least }: Metadata,
  found: FoundCells | undefined,
  ranks: () => Promise<TileRanks>,
): Promise<number> {
  const { schema } = index.query.opened
  const forReturned = enoughToReturn(tiles, loaded)
  if (schema.cell_order === 'hilbert') {
    const enough = Math.max(budgetForCoordinates(index.fragments.length * largest(tiles.first)), forReturned)
    return leastBudget(tiles, [least, enough], found === undefined, (budget) =>
      fitsHilbert(index, tiles, budget, loaded),
    )
  }
  // The tiles are listed twice: by fragment, and in the order in which they are loaded.
  const forLists = Math.max(least, budgetForCoordinates(2 * RELEASE.bytes.tile_id * tiles.count))
  const first = isAlone(index) ? largest(tiles.first) : sum(tiles.first, (size) => size)
  const enough = Math.max(forReturned, budgetForCoordinates(RELEASE.bytes.tile_id * tiles.count + first))
  if (enough <= forLists) return Math.ceil(forLists)
  if (!isAlone(index) && tiles.count > MAX_RANKED_TILES)
    return Math.ceil(Math.max(forLists, Math.min(enough, forReturned + budgetForCoordinates(pairBytes(tiles)))))
  const known = await ranks()
  if (isAlone(index) || found)
    return leastBudget(tiles, [forLists, enough], found === undefined, (budget) =>
      simulateGlobal(tiles, known, { duplicates: schema.allows_duplicates, budget, held: loaded }),
    )
  const together = budgetForCoordinates(RELEASE.bytes.tile_id * tiles.count + mostBytesTogether(tiles, known))
  return Math.ceil(Math.max(forLists, forReturned, together))
}

/**
 * Upper limit on the bytes of tiles that a merge holds in memory together, wherever in their boxes the cells are. A tile has given all
 * of its cells at the latest when all tiles are loaded whose boxes begin before its box ends. It stays in memory until the next tile
 * of its fragment begins, if that one is loaded.
 */
function mostBytesTogether({ count, fragment, first: sizes }: LoadedTiles, { corner, last, order }: TileRanks): number {
  // By position in the order: the lowest corner of the tiles from there on.
  const begins = Uint32Array.from(order, (tile) => corner[tile])
  for (let i = count - 2; i >= 0; i--) begins[i] = Math.min(begins[i], begins[i + 1])
  const ending = sortedPositions([last], count)
  /** By tile: how many reasons there are to keep it in memory. */
  const reasons = new Uint8Array(count)
  let [held, most, closed] = [0, 0, 0]
  const change = (tile: number, by: 1 | -1): void => {
    const before = reasons[tile]
    reasons[tile] += by
    if (before === 0 || reasons[tile] === 0) held += by * sizes[tile]
  }
  const keep = (tile: number, by: 1 | -1): void => {
    change(tile, by)
    if (fragment[tile - 1] === fragment[tile]) change(tile - 1, by)
  }
  for (const [i, tile] of order.entries()) {
    for (; last[ending[closed]] < begins[i]; closed++) keep(ending[closed], -1)
    most = Math.max(most, held + sizes[tile])
    keep(tile, 1)
  }
  return most
}

/** Bytes of two tiles for each fragment, both as large as its largest: about what a merge holds in memory together. */
function pairBytes({ count, first, fragment }: LoadedTiles): number {
  const each = new Map<number, number>()
  for (let i = 0; i < count; i++) each.set(fragment[i], Math.max(each.get(fragment[i]) ?? 0, first[i]))
  return sum(each.values(), (size) => 2 * size)
}

/** A budget that always has room for the returned fields. */
function enoughToReturn({ returned }: LoadedTiles, held: number): number {
  return (largest(returned) + held) / (1 - RELEASE.settings['sm.mem.reader.*.ratio_coords'])
}

/**
 * Finds the least budget that works, within 1 %. A larger budget may fail: with more memory the reader loads more coordinates, which leaves
 * less for the returned fields.
 *
 * @param between no budget below the first works; the second and all above it do
 * @param allAbove whether to find a budget above which all others work, too
 */
function leastBudget(
  { count }: LoadedTiles,
  between: readonly [least: number, enough: number],
  allAbove: boolean,
  isEnough: (budget: number) => boolean,
): number {
  const step = count > MANY_TILES ? WIDE_STEP : STEP
  const bottom = Math.ceil(between[0])
  const top = Math.max(bottom, Math.ceil(between[1]))
  let [fails, good] = [bottom, top]
  if (allAbove) {
    for (fails = top; fails > bottom && isEnough(fails); fails = Math.max(bottom, Math.floor(fails / step)))
      good = fails
  } else {
    for (good = bottom; good < top && !isEnough(good); good = Math.min(top, Math.ceil(good * step))) fails = good
  }
  if (good === bottom || isEnough(fails)) return Math.min(fails, good)
  while (good - fails > fails / 200) {
    const middle = Math.floor((fails + good) / 2)
    if (isEnough(middle)) good = middle
    else fails = middle
  }
  return good
}

/**
 * Memory for metadata, as TileDB counts it: stored bytes of R-trees and of footers that come from their own files, and the lists of tile
 * offsets by their length.
 *
 * @see ReaderBase::tile_offset_sizes, MemoryTracker::get_memory_available
 */
async function metadataMemory(index: SparseIndex, reads: readonly MetadataRead[]): Promise<Metadata> {
  const { opened } = index.query
  const { footers, lists } = await openedMemory(opened)
  let loaded = footers
  for (const { section, fragment: at } of reads) {
    if (section !== 'rtree') continue
    const { fragment } = opened.fragments[at]
    loaded += await rtreeSize(fragment)
    await fragment.close()
  }
  let offsets = 0
  for (const fragment of index.fragments) {
    if (!fragment.isRelevant) continue
    const { slots, tile_num } = fragment.opened.info
    offsets += slotVectorBytes() * slots.length + RELEASE.bytes.offset * tile_num * index.offsetListNum(fragment)
  }
  // If no fragment is read, no lists are loaded.
  return { loaded, least: budgetForMetadata(loaded + (offsets > 0 ? lists + offsets : 0)) }
}
