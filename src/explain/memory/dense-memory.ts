import { fastestFirst } from '../../cells/dense-coordinates.ts'
import { datatypeSize } from '../../format/datatype.ts'
import type { Slot } from '../../format/fragment-slots.ts'
import type { OffsetsList } from '../../format/metadata-sections.ts'
import { BLOCK_TILES, TileLists } from '../../objects/tile-lists.ts'
import { type OpenedArray, type OpenedFragment, readColumns } from '../../read/query.ts'
import { cutsInOrder } from '../dense-grid.ts'
import { type Fields, readsByFragment, slotOf, type Visited } from '../dense-visits.ts'
import type { ExplainQuery, MetadataRead } from '../plan.ts'
import { openedMemory, slotVectorBytes } from './metadata-memory.ts'
import { RELEASE } from './release.ts'

/** TileDB's settings that limit the tiles in memory, in bytes. */
interface DenseMemory {
  /** `sm.mem.total_budget` */
  total_budget: number
  /** `sm.mem.tile_upper_memory_limit` */
  tile_upper_memory_limit: number
}

export const DEFAULT_BUDGETS: DenseMemory = {
  total_budget: RELEASE.settings['sm.mem.total_budget'],
  tile_upper_memory_limit: RELEASE.settings['sm.mem.tile_upper_memory_limit'],
}

/** A run of visited tiles that are in memory together. */
export interface Lot {
  /** Bounds of the lot, as indexes in {@link Visited.ranks}. */
  from: number
  to: number
  /** Position of the first tile after the lot, among all visited tiles. */
  end: number
  /** Bytes that a lot would need to take the next tile, too; Infinity if no memory is enough. */
  next: number
}

/** Upper limit on the numbers that are kept for the search of {@link leastFollowing}. */
const MAX_KEPT = 2 ** 22
/** Upper limit on the steps of that search. */
const MAX_STEPS = 2 ** 22

/**
 * Divides the visited tiles into lots, and finds the least memory budget.
 *
 * Memory is counted as TileDB counts it: the stored bytes of footers and R-trees; the lists of offsets and sizes; and for each lot
 * the tiles of one call, unfiltered, plus the stored bytes of their var-sized values and validity. Two lots are in memory together.
 * A tile that does not fit in half of the free memory is a lot by itself; it must fit in all of the free memory.
 *
 * TileDB 2.30 copies the var-sized cells of a lot as if they followed each other in the result, up to the last cell of the last tile.
 * If they do not, it writes outside of its memory, and nearly always crashes (TileDB-Inc/TileDB-Py#2305 is the same). So for such a
 * read the least budget is one from which on all budgets give lots that follow each other. Often that means all tiles in one lot.
 * It is Infinity if `tile_upper_memory_limit` makes that impossible.
 *
 * @see DenseReader::compute_result_space_tiles, fix_offsets_buffer; ReaderBase::tile_offset_sizes, get_attribute_tile_size;
 *   MemoryTracker; measured
 */
export async function divideIntoLots(
  { opened, query }: ExplainQuery,
  fields: Fields,
  visited: Visited,
  metadata_reads: readonly MetadataRead[],
  { total_budget, tile_upper_memory_limit }: DenseMemory,
): Promise<{ lots: Lot[]; least_memory_budget: number }> {
  const { fragments, schema } = opened
  const { ranks, tile_num, axes } = visited
  const { dimensions } = schema.domain
  const { taken, lists, foreseen } = await metadataMemory(opened, fields, metadata_reads)
  const { vector, visited_tile } = RELEASE.bytes
  const ofVisit =
    visited_tile + 2 * vector * (1 + dimensions.length) + dimensions.length * (2 * datatypeSize(dimensions[0].type) + 8)
  const limits: LotLimits = {
    ofVisit,
    unfiltered: tile_upper_memory_limit / 2,
    all: Math.floor(Math.max(0, total_budget - taken - lists) / 2),
  }
  const groups = [fields.condition, ...fields.others.map((field) => [field])]
  const isVar = readColumns(schema, query).some(
    ({ kind, cell_val_num }) => kind === 'attribute' && cell_val_num === 'var',
  )
  const across = fastestFirst(query.order === 'col-major' ? 'col-major' : 'row-major', axes.length).reverse()
  const tileOrder = fastestFirst(schema.tile_order, axes.length).reverse()
  const mustFollow = isVar && query.order !== 'global' && tile_num > 1
  const keepsAll = mustFollow && tile_num + ranks.length * 2 * groups.length <= MAX_KEPT
  const reads = readsByFragment(visited, 0, ranks.length)
  const kept: TileBytes[] = []
  /** Bytes of the largest tile, and of all tiles of the largest call. */
  let [largestTile, allTiles] = [0, 0]
  for (const group of groups) {
    const bytes = { unfiltered: new Float64Array(ranks.length), stored: new Float64Array(ranks.length) }
    for (const { fragment, tiles, visits } of reads)
      for (const field of group) await addTileBytes(fragments[fragment], field, tiles, visits, bytes)
    let [unfiltered, together] = [0, tile_num * ofVisit]
    for (const [visit, one] of bytes.unfiltered.entries()) {
      unfiltered += one
      together += one + bytes.stored[visit]
      largestTile = Math.max(largestTile, one + bytes.stored[visit])
    }
    allTiles = Math.max(allTiles, unfiltered > limits.unfiltered ? Number.POSITIVE_INFINITY : together)
    if (keepsAll || unfiltered > limits.unfiltered || together > limits.all) kept.push(bytes)
  }
  let least = largestTile + ofVisit
  const cuts = mustFollow && tile_num <= MAX_KEPT ? cutsInOrder(axes, tileOrder, across) : undefined
  if (mustFollow && !cuts?.every((follows) => follows === 1)) {
    const found = keepsAll && cuts ? leastFollowing(visited, kept, limits, cuts, least) : undefined
    least = found ?? 2 * allTiles
  }
  return {
    lots: lotsOf(visited, kept, limits),
    least_memory_budget: taken + Math.max(foreseen, lists + least),
  }
}

/**
 * The least memory from which on all lots follow each other in the result. Each try takes as much as lets a lot of the try before take one
 * more tile.
 * @param cuts for each position, 1 if a lot that ends there does so
 * @param from memory for a single tile
 * @returns undefined if that takes too many tries
 */
function leastFollowing(
  visited: Visited,
  kept: readonly TileBytes[],
  limits: LotLimits,
  cuts: ArrayLike<number>,
  from: number,
): number | undefined {
  const stepsEach = visited.tile_num + visited.ranks.length * kept.length
  let free = from
  let safe = Number.POSITIVE_INFINITY
  for (let steps = 0; steps < MAX_STEPS; steps += stepsEach) {
    const lots = lotsOf(visited, kept, { ...limits, all: Math.floor(free / 2) })
    const follow = lots.every(({ end }) => cuts[end] === 1)
    safe = follow ? Math.min(safe, free) : Number.POSITIVE_INFINITY
    const next = lots.reduce((least, { next }) => Math.min(least, next), Number.POSITIVE_INFINITY)
    if (next === Number.POSITIVE_INFINITY) return safe
    free = 2 * next
  }
  return undefined
}

/** Bytes of the tiles of a call, by index in {@link Visited.ranks}. */
interface TileBytes {
  unfiltered: Float64Array
  stored: Float64Array
}

/** Limits on a lot, in bytes. */
interface LotLimits {
  /** Memory of a visited tile itself, without the tiles that are read for it. */
  ofVisit: number
  /** Upper limit on the unfiltered tiles of a lot. */
  unfiltered: number
  /** Upper limit on the whole memory of a lot. */
  all: number
}

/** @param groups the tiles of each call; calls that cannot fill a lot may be left out */
function lotsOf({ ranks, tile_num }: Visited, groups: readonly TileBytes[], limits: LotLimits): Lot[] {
  const lots: Lot[] = []
  const sums = groups.map(() => ({ unfiltered: 0, stored: 0 }))
  /** Memory of the lot with a number of tiles. @param visit the last of them; undefined if that one has no reads */
  const needed = (tiles: number, visit = -1): number => {
    let most = 0
    for (const [g, { unfiltered, stored }] of groups.entries()) {
      const sum = sums[g].unfiltered + (unfiltered[visit] ?? 0)
      if (sum > limits.unfiltered) return Number.POSITIVE_INFINITY
      most = Math.max(most, sum + sums[g].stored + (stored[visit] ?? 0))
    }
    return most + tiles * limits.ofVisit
  }
  let visit = 0
  for (let start = 0; start < tile_num || visit < ranks.length; ) {
    for (const sum of sums) Object.assign(sum, { unfiltered: 0, stored: 0 })
    const from = visit
    let end = start
    let next = 0
    while (end < tile_num || visit < ranks.length) {
      // The tiles before the next one with reads take only the memory of a visit.
      const until = ranks[visit] ?? tile_num
      const room = Math.floor((limits.all - needed(0)) / limits.ofVisit)
      end = Math.min(until, Math.max(end, start + room, start + 1))
      if (end < until) {
        next = needed(end - start + 1)
        break
      }
      if (visit === ranks.length) break
      next = needed(end - start + 1, visit)
      if (end > start && next > limits.all) break
      for (const [g, { unfiltered, stored }] of groups.entries()) {
        sums[g].unfiltered += unfiltered[visit]
        sums[g].stored += stored[visit]
      }
      visit++
      end++
    }
    lots.push({ from, to: visit, end, next: end === tile_num ? Number.POSITIVE_INFINITY : next })
    start = end
    // Lots without reads may be billions: they are skipped.
    if (tile_num > MAX_KEPT && from === visit) start = Math.max(end, ranks[visit] ?? tile_num)
  }
  return lots
}

/**
 * Memory for metadata. `taken`: stored bytes of footers and R-trees. `lists`: bytes of the lists of offsets and sizes that are loaded.
 * `foreseen`: bytes that the reader reserves for such lists in advance.
 */
async function metadataMemory(
  opened: OpenedArray,
  { condition, others }: Fields,
  metadata_reads: readonly MetadataRead[],
): Promise<{ taken: number; lists: number; foreseen: number }> {
  const { fragments } = opened
  let { footers: taken, lists } = await openedMemory(opened)
  for (const { fragment, section } of metadata_reads) {
    const { format_version, tile_num } = fragments[fragment].info
    // The R-tree of a dense fragment is empty.
    if (section === 'rtree') taken += format_version < 5 ? 13 : 8
    else lists += tile_num * RELEASE.bytes.offset
  }
  let foreseen = 0
  // TileDB reserves memory for the lists of fragments that it skips, too.
  for (const { info } of fragments) {
    const { slots, tile_num } = info
    foreseen += slots.length * slotVectorBytes()
    for (const { name } of [...condition, ...others]) {
      const own = slots.find((slot) => slot.kind === 'attribute' && slot.name === name)
      if (own) foreseen += tile_num * RELEASE.bytes.offset * (1 + (own.varSized ? 2 : 0) + (own.nullable ? 1 : 0))
    }
  }
  return { taken, lists, foreseen }
}

/** Adds the bytes of the tiles of a field in a fragment. @param visits for each tile: the index of its visited tile */
async function addTileBytes(
  opened: OpenedFragment,
  field: Slot,
  tiles: Uint32Array,
  visits: Uint32Array,
  { unfiltered, stored }: TileBytes,
): Promise<void> {
  const { fragment, info } = opened
  const slot = slotOf(opened, field)
  if (slot === undefined) return
  const { cells_per_tile: cells, slots } = info
  const { varSized, nullable, cellSize } = slots[slot]
  const fixed = (varSized ? (cells + 1) * RELEASE.bytes.offset : cells * cellSize) + (field.nullable ? cells : 0)
  for (const visit of visits) unfiltered[visit] += fixed
  const lists = new TileLists(fragment)
  const forEntries = async (
    list: OffsetsList,
    add: (visit: number, entry: number, next: number) => void,
  ): Promise<void> => {
    const read = await lists.offsets(list, slot)
    if (!read) return
    const file = list === 'tile_var_offsets' ? info.file_var_sizes : info.file_validity_sizes
    for (let i = 0; i < tiles.length; ) {
      const { first, entries } = await read.block(tiles[i], tiles[i] + BLOCK_TILES + 1)
      const end = tiles[i] + BLOCK_TILES
      for (; i < tiles.length && tiles[i] < end; i++)
        add(visits[i], entries[tiles[i] - first] ?? 0, entries[tiles[i] + 1 - first] ?? file?.[slot] ?? 0)
    }
    read.release()
  }
  if (varSized) {
    await forEntries('tile_var_sizes', (visit, size) => (unfiltered[visit] += size))
    await forEntries('tile_var_offsets', (visit, from, to) => (stored[visit] += to - from))
  }
  if (nullable) await forEntries('tile_validity_offsets', (visit, from, to) => (stored[visit] += to - from))
}
