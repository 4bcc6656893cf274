import { groupBy } from '../../base/group-by.ts'
import { allRows } from '../../cells/column.ts'
import type { SparseIndex } from '../sparse-index.ts'
import { type LoadedTiles, largest } from './loaded-tiles.ts'
import { RELEASE } from './release.ts'
import type { TileRanks } from './tile-ranks.ts'

/**
 * Simulations of TileDB's index readers of sparse arrays with a given memory budget. If not all tiles fit into memory, a reader
 * works in rounds: each loads the coordinates of some tiles, and returns cells of tiles that are loaded.
 *
 * A share of the budget is for coordinates and what is loaded with them. The returned fields have all that is left.
 */

/** Bytes of a budget for coordinates and what is loaded with them. */
export function forCoordinates(budget: number): number {
  return budget * RELEASE.settings['sm.mem.reader.*.ratio_coords']
}

export function mostTileBytes(): number {
  return RELEASE.settings['sm.mem.tile_upper_memory_limit']
}

/** What one round reads, by fragment. */
export interface TileRound {
  /** Tiles whose coordinates are read. */
  loaded: Uint32Array[]
  /** Tiles whose returned fields are read. */
  given: Uint32Array[]
}

/** Called once per round with the positions (in {@link LoadedTiles}) of the tiles that it loads, and of those that give cells. */
type VisitRound = (loaded: ArrayLike<number>, given: readonly number[]) => void

/**
 * Collects the rounds of a simulation.
 * @param simulate calls the visitor, and returns whether the reader makes progress to the end
 * @returns undefined if the reader does not, or if it needs one round only
 */
export function roundsOf(
  { fragments }: SparseIndex,
  tiles: LoadedTiles,
  simulate: (visit: VisitRound) => boolean,
): TileRound[] | undefined {
  const rounds: TileRound[] = []
  const byFragment = (positions: ArrayLike<number>): Uint32Array[] => {
    const all: number[][] = fragments.map(() => [])
    for (const at of Array.from(positions)) all[tiles.fragment[at]].push(tiles.tile[at])
    return all.map((some) => Uint32Array.from(some).sort())
  }
  const isComplete = simulate((loaded, given) => {
    rounds.push({ loaded: byFragment(loaded), given: byFragment(given.filter((at) => tiles.gives[at] === 1)) })
  })
  return isComplete && rounds.length > 1 ? rounds : undefined
}

/** Whether all tiles fit into memory together. @param most bytes for coordinates @param room bytes for all tiles */
export function fitsAtOnce({ first, fields }: LoadedTiles, most: number, room: number): boolean {
  const sum = (sizes: Float64Array): number => sizes.reduce((all, size) => all + size, 0)
  const coordinates = sum(first)
  return coordinates <= most && fields.every((sizes) => sum(sizes) <= Math.min(mostTileBytes(), room - coordinates))
}

/**
 * Simulates SparseUnorderedWithDupsReader.
 * @param held bytes of metadata and of lists of tiles
 * @returns whether it makes progress to the end
 */
export function simulateUnordered(
  { count, first, fields, gives }: LoadedTiles,
  budget: number,
  held: number,
  visit?: VisitRound,
): boolean {
  const most = Math.min(mostTileBytes(), forCoordinates(budget))
  let next = 0
  while (next < count) {
    let used = 0
    const group: number[] = []
    // A single tile may take the whole budget.
    while (next < count && (used + first[next] <= most || (group.length === 0 && first[next] <= budget - held))) {
      used += first[next]
      group.push(next++)
    }
    if (group.length === 0) return false
    const giving = group.filter((tile) => gives[tile] === 1)
    for (const tile of group) if (gives[tile] === 0) used -= first[tile]
    if (giving.length === 0) visit?.(group, [])
    for (let from = 0; from < giving.length; ) {
      const room = budget - used - held
      let to = giving.length
      for (const field of fields) {
        let sum = 0
        for (let i = from; i < to; i++) {
          const size = field[giving[i]]
          if (sum + size > Math.min(mostTileBytes(), room) && (i > from || size > room)) to = i
          sum += size
        }
      }
      if (to === from) return false
      visit?.(from === 0 ? group : [], giving.slice(from, to))
      for (; from < to; from++) used -= first[giving[from]]
    }
  }
  return true
}

/**
 * Whether SparseGlobalOrderReader makes progress in Hilbert order. Each fragment that has tiles left to load gets an equal share of the
 * memory for coordinates.
 */
export function fitsHilbert(index: SparseIndex, tiles: LoadedTiles, budget: number, held: number): boolean {
  const counts = index.fragments.flatMap((one) => (index.isRanged && one.tiles.length === 0 ? [] : one.tiles.length))
  const share = forCoordinates(budget) / counts.length
  const laterShare = forCoordinates(budget) / Math.max(1, counts.filter((count) => count > 1).length)
  let [used, own] = [0, 0]
  for (const [i, size] of tiles.first.entries()) {
    const isFirst = i === 0 || tiles.fragment[i] !== tiles.fragment[i - 1]
    if (isFirst) own = 0
    if (size > (isFirst ? share : laterShare)) return false
    if (own + size > share) continue
    own += size
    used += size
  }
  return tiles.returned.every((size) => size <= budget - used - held)
}

/**
 * Simulates SparseGlobalOrderReader in Hilbert order, with the shares of memory of {@link fitsHilbert}. A merge ends at the last loaded cell of any fragment that has more tiles.
 * @returns whether the reader makes progress to the end
 */
export function simulateHilbert(
  tiles: LoadedTiles,
  ranks: TileRanks,
  budget: number,
  held: number,
  visit: VisitRound,
): boolean {
  const { count, fragment, first: sizes, gives } = tiles
  const { last } = ranks
  const waiting = groupBy(allRows(count), (tile) => fragment[tile])
  const open = new Map([...waiting.keys()].map((f) => [f, [] as number[]]))
  const bytesOf = (some: readonly number[]): number => some.reduce((sum, tile) => sum + sizes[tile], 0)
  for (let done = -1; waiting.size > 0 || [...open.values()].some(({ length }) => length > 0); ) {
    const share = forCoordinates(budget) / waiting.size
    const loaded: number[] = []
    let end = Number.POSITIVE_INFINITY
    for (const [f, own] of waiting) {
      const kept = open.get(f) as number[]
      let bytes = bytesOf(kept)
      let next = 0
      for (; next < own.length && bytes + sizes[own[next]] <= share; next++) {
        loaded.push(own[next])
        if (gives[own[next]] === 0) continue
        bytes += sizes[own[next]]
        kept.push(own[next])
      }
      if (next === own.length) {
        waiting.delete(f)
        continue
      }
      waiting.set(f, own.slice(next))
      if (kept.length === 0) return false
      end = Math.min(end, last[kept[kept.length - 1]])
    }
    const kept = [...open.values()].flat()
    const merged = mergedTiles(tiles, ranks, kept, [done, end], budget - bytesOf(kept) - held)
    visit(loaded, merged.tiles)
    if (merged.end <= done && loaded.length === 0) return false
    done = Math.max(done, merged.end)
    for (const [f, own] of open)
      open.set(
        f,
        own.filter((tile) => last[tile] > done),
      )
  }
  return true
}

/**
 * Simulates SparseGlobalOrderReader in other orders than Hilbert order. Tiles are loaded in the order of their boxes' corners while there
 * is room. A merge ends before the corner of the next tile of any fragment that has no tile in memory, and at the last loaded cell of
 * any other fragment that has more tiles.
 *
 * @returns whether the reader makes progress to the end
 * @see SparseGlobalOrderReader::create_result_tiles_using_preprocess, merge_result_cell_slabs
 */
export function simulateGlobal(
  tiles: LoadedTiles,
  ranks: TileRanks,
  { duplicates, budget, held }: { duplicates: boolean; budget: number; held: number },
  visit?: VisitRound,
): boolean {
  const { count, fragment, first: sizes, returned, gives } = tiles
  const { corner, first, last, order } = ranks
  const most = forCoordinates(budget)
  let used = RELEASE.bytes.tile_id * count
  /** By fragment: loaded tiles whose cells are not all merged, and the number of tiles to load. */
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
    // Cells of ranks up to `end` are merged.
    let end = Number.POSITIVE_INFINITY
    const isPending = [...unloaded].some(([f, left]) => left > 0 && !open.has(f))
    for (let i = next; isPending && i < count; i++) {
      if (open.has(fragment[order[i]])) continue
      end = corner[order[i]] - (duplicates ? 0 : 1)
      break
    }
    for (const [f, loaded] of open) if ((unloaded.get(f) ?? 0) > 0) end = Math.min(end, last[loaded[loaded.length - 1]])
    const room = budget - used - held
    if (visit) {
      const merged = mergedTiles(tiles, ranks, [...open.values()].flat(), [done, end], room)
      visit(order.subarray(before, next), merged.tiles)
      end = merged.end
    }
    let hasMoved = next > before
    for (const [f, loaded] of open) {
      for (const tile of loaded) {
        if (first[tile] > end) break
        if (returned[tile] > room) return false
        if (last[tile] > done && end > done) hasMoved = true
      }
      while (loaded.length > 0 && last[loaded[0]] <= end && (loaded.length === 1 || first[loaded[1]] <= end)) {
        used -= sizes[loaded.shift() as number]
        hasMoved = true
      }
      if (loaded.length === 0) open.delete(f)
    }
    if (!hasMoved) return false
    done = Math.max(done, end)
  }
  return true
}

/**
 * Finds the tiles that give cells of ranks above `done` and up to `until`. If the returned fields of all of them do not fit into memory, the
 * merge ends before the first tile that does not fit.
 */
function mergedTiles(
  tiles: LoadedTiles,
  { first, last }: TileRanks,
  open: readonly number[],
  [done, until]: readonly [number, number],
  room: number,
): { tiles: number[]; end: number } {
  const startOf = (tile: number): number => Math.max(first[tile], done + 1)
  const given = open.filter((tile) => first[tile] <= until && last[tile] > done).sort((a, b) => startOf(a) - startOf(b))
  const fits = howManyFit(tiles, given, room)
  const end = fits < given.length && startOf(given[fits]) - 1 > done ? startOf(given[fits]) - 1 : until
  return { tiles: given.filter((tile) => first[tile] <= end), end }
}

/** How many of the tiles, but at least one, fit into memory with each of the returned fields. */
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

/**
 * Estimates the rounds if it is not known how far each merge goes: each is assumed to use up the share of one fragment.
 * @returns by round and fragment: the tiles that are loaded
 */
export function evenRounds(
  { fragments }: SparseIndex,
  { first, fragment }: LoadedTiles,
  budget: number,
): Uint32Array[][] {
  const bytes = fragments.map(() => 0)
  for (const [i, size] of first.entries()) bytes[fragment[i]] += size
  const tile = largest(first)
  const share = Math.max(tile, forCoordinates(budget) / bytes.filter((own) => own > 0).length - tile)
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

/**
 * The rounds with the largest number of tiles that may give cells: in addition to the loaded tiles, the last tile of each fragment that
 * an earlier round loaded. It may give cells to two rounds.
 * @param loaded by round and fragment
 */
export function roundsAtMost(loaded: readonly Uint32Array[][]): TileRound[] {
  const last: number[][] = []
  return loaded.map((tiles) => ({
    loaded: tiles,
    given: tiles.map((own, f) => {
      const given = Uint32Array.from([...(last[f] ?? []), ...own])
      if (own.length > 0) last[f] = [own[own.length - 1]]
      return given
    }),
  }))
}
