import { atOnce, inOrder } from '../../base/in-order.ts'
import { rowsInside } from '../../cells/bounds.ts'
import { orderLanes } from '../../cells/cell-order.ts'
import { allRows, type ColumnData, cellBytes } from '../../cells/column.ts'
import { type KeyLanes, sortedPositions } from '../../cells/sorted-positions.ts'
import { fixedSize } from '../../format/range.ts'
import { leafLevel, mbrAt, type RTreeLevel } from '../../format/rtree.ts'
import { readColumns } from '../../read/query.ts'
import { columnOfCells } from '../../read/schedule.ts'
import { SparseSource } from '../../read/source.ts'
import type { IndexedFragment, SparseIndex } from '../sparse-index.ts'
import type { LoadedTiles } from './loaded-tiles.ts'

/** Where tiles lie in global order, as ranks. Equal coordinates have equal ranks. */
export interface TileRanks {
  /** Rank of the lowest corner of each tile's box. */
  corner: Uint32Array
  /** Ranks of each tile's first and last cell inside the ranges. */
  first: Uint32Array
  last: Uint32Array
  /** The tiles in the order in which the reader loads them: by the corners of their boxes. */
  order: Int32Array
}

/** The first and the last cell of each tile inside the ranges, by dimension; undefined for a tile without such cells. */
type TileEnds = ([first: Uint8Array[], last: Uint8Array[]] | undefined)[]

/** Reads the coordinates of all touched tiles. */
export async function tileEnds(index: SparseIndex): Promise<TileEnds> {
  const { opened, query } = index.query
  const { dimensions } = opened.schema.domain
  const columns = readColumns(opened.schema, { ...query, fields: [], provenance: false })
  const ends: TileEnds = []
  for (const { opened: one, index: at, tiles } of index.fragments) {
    const own = new Map<number, [Uint8Array[], Uint8Array[]]>()
    const source = await SparseSource.open(one, at, columns)
    try {
      for await (const batch of source.batches([...tiles])) {
        const coordinates = batch.columns as ColumnData[]
        const rows = rowsInside(dimensions, coordinates, batch.cell_num, query.ranges)
        const count = rows?.length ?? batch.cell_num
        if (count === 0) continue
        const cell = (i: number): Uint8Array[] =>
          dimensions.map((d, c) => cellBytes(coordinates[c], rows?.[i] ?? i, fixedSize(d) ?? 0).slice())
        // A tile may come in several batches.
        own.set(batch.tile, [own.get(batch.tile)?.[0] ?? cell(0), cell(count - 1)])
      }
    } finally {
      await source.close()
    }
    for (const tile of tiles) ends.push(own.get(tile))
  }
  return ends
}

/** The ranks of the tiles of a single fragment: tiles are stored in global order. */
export function storedRanks(count: number): TileRanks {
  const ranks = allRows(count)
  return { corner: ranks, first: ranks, last: ranks, order: Int32Array.from(ranks) }
}

/**
 * Ranks the tiles of several fragments. Sets `gives` of the tiles without cells to 0.
 * @param ends undefined if only the boxes of the tiles are known; cells may then be anywhere in them
 */
export async function rankTiles(
  index: SparseIndex,
  tiles: LoadedTiles,
  ends: TileEnds | undefined,
): Promise<TileRanks> {
  const { array, schema } = index.query.opened
  const { dimensions } = schema.domain
  const { count } = tiles
  const points: Uint8Array[][] = dimensions.map(() => new Array(3 * count))
  const leavesOf = async ({ opened: { fragment }, tiles }: IndexedFragment) => {
    const leaves = leafLevel(await fragment.rtree()) as RTreeLevel
    fragment.forget()
    await fragment.close()
    return { leaves, own: tiles }
  }
  let at = 0
  for await (const { leaves, own } of inOrder(index.touched, atOnce(array.folder), leavesOf)) {
    for (const tile of own) {
      const mbr = mbrAt(leaves, tile, dimensions)
      const known = ends?.[at]
      if (ends && !known) tiles.gives[at] = 0
      for (const d of dimensions.keys()) {
        points[d][at] = mbr[d].min
        // An unknown first cell is assumed to come as late as possible: cells that are merged late hold memory longest.
        points[d][count + at] = known?.[0][d] ?? mbr[d].max
        points[d][2 * count + at] = known?.[1][d] ?? mbr[d].max
      }
      at++
    }
  }
  const columns = dimensions.map((dimension, d) => columnOfCells(points[d], fixedSize(dimension)))
  const rank = (orders: typeof schema): Uint32Array => ranksOf(orderLanes(orders, columns, 3 * count), 3 * count)
  const ranks = rank(schema)
  const { tile_order, cell_order } = schema
  // If the two orders differ, TileDB 2.30 mixes them up when it sorts the tiles to load.
  const loaded = tile_order === cell_order ? ranks : rank({ ...schema, tile_order: cell_order, cell_order: tile_order })
  return {
    corner: ranks.slice(0, count),
    first: ranks.slice(count, 2 * count),
    last: ranks.slice(2 * count),
    order: mergedOrder(tiles.fragment, loaded),
  }
}

/**
 * Merges the tiles of all fragments into one order. The tiles of a fragment keep their order; the next tile is always the one with
 * the lowest rank among the fragments' next tiles. Among equal ranks TileDB takes the one that a heap of the GNU C++ library has on
 * top, so this is an exact copy of that heap.
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
    // The gap at the top moves down to a leaf. The last tile of the heap fills it there, and then rises.
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

/** The position of each key in sorted order; equal keys have equal ranks. */
function ranksOf(lanes: KeyLanes, count: number): Uint32Array {
  const sorted = sortedPositions(lanes, count)
  const ranks = new Uint32Array(count)
  for (let i = 1; i < count; i++) {
    const [a, b] = [sorted[i - 1], sorted[i]]
    ranks[b] = ranks[a] + (lanes.some((lane) => lane[a] !== lane[b]) ? 1 : 0)
  }
  return ranks
}
