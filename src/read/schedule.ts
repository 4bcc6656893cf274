import { orderLanes } from '../cells/cell-order.ts'
import { type ColumnData, cellBytes } from '../cells/column.ts'
import { sortedPositions } from '../cells/sorted-positions.ts'
import type { ArraySchema } from '../format/array-schema.ts'
import { fixedSize } from '../format/range.ts'
import type { MergePool } from './pool.ts'
import type { SourceBatch, SparseSource, WantedTile } from './source.ts'

/** A tile to read. */
export interface SourceTile extends WantedTile {
  source: SparseSource
}

/** Decides in which order a merge reads tiles, and which of the cells that were read it can return before it reads more. */
interface Schedule {
  /** Chooses the next tiles: about `bytes` bytes together, but at least one tile if any is left. */
  next(bytes: number): SourceTile[]
  /**
   * The limiting cells. Every cell of the tiles to come sorts after at least one of them, or beside it. So the merge can return the
   * cells that sort before all limiting cells.
   * @param batches those that were just read
   * @returns coordinates of the limiting cells, a column for each dimension; undefined if no tile is left; null if nothing is known before
   * more tiles are read
   */
  limits(batches: readonly SourceBatch[]): ColumnData[] | undefined | null
  /** Called after each merge. @param firstLimit position of the limiting cell that sorts first, among the limiting cells */
  merged(firstLimit: number): void
}

/**
 * Reads tiles in the order of the lowest corners of their boxes. In row-major and column-major order no cell of a box sorts before that
 * corner.
 */
export function cornerSchedule(schema: ArraySchema, tiles: readonly SourceTile[]): Schedule {
  const { dimensions } = schema.domain
  const corners = dimensions.map((dimension, d) =>
    columnOfCells(
      tiles.map(({ source, tile }) => source.mbr(tile)[d].min),
      fixedSize(dimension),
    ),
  )
  const order = sortedPositions(orderLanes(schema, corners, tiles.length), tiles.length)
  /** How many tiles were chosen so far. */
  let done = 0
  return {
    next(bytes) {
      const from = done
      for (let room = bytes; done < order.length && (done === from || room > 0); done++)
        room -= sizeOf(tiles[order[done]])
      return Array.from(order.subarray(from, done), (i) => tiles[i])
    },
    limits() {
      if (done === order.length) return undefined
      const { source, tile } = tiles[order[done]]
      return source.mbr(tile).map(({ min }, d) => columnOfCells([min], fixedSize(dimensions[d])))
    },
    merged() {},
  }
}

/**
 * Reads the tiles of each fragment in stored order. So no later cell of a fragment sorts before the last one that was read. This is for
 * Hilbert order, in which the corners of boxes tell nothing.
 */
export function storedSchedule(schema: ArraySchema, tiles: readonly SourceTile[], pool: MergePool): Schedule {
  const { dimensions } = schema.domain
  const queues = [...new Set(tiles.map(({ source }) => source))].map((source) => ({
    source,
    tiles: tiles.filter((one) => one.source === source),
    done: 0,
    /** Number of cells in the last batch. */
    count: 0,
    /** Coordinates of the last cell that was read; empty if none was. */
    last: [] as Uint8Array[],
  }))
  const unfinished = (): typeof queues => queues.filter(({ done, tiles }) => done < tiles.length)
  /** The fragment whose limiting cell sorts first: it holds up the merge. */
  let holding: SparseSource | undefined
  return {
    next(bytes) {
      const left = unfinished()
      return left.flatMap((queue) => {
        const { source } = queue
        // As long as more than half of its last batch waits, a fragment that does not hold up the merge needs no more.
        if (source !== holding && pool.waiting(source.index) > queue.count / 2) return []
        const from = queue.done
        for (
          let room = bytes / left.length;
          queue.done < queue.tiles.length && (queue.done === from || room > 0);
          queue.done++
        )
          room -= sizeOf(queue.tiles[queue.done])
        return queue.tiles.slice(from, queue.done)
      })
    },
    limits(batches) {
      for (const { source, columns, cell_num } of batches) {
        const queue = queues.find((one) => one.source === source)
        if (!queue || cell_num === 0) continue
        queue.count = cell_num
        queue.last = dimensions.map((dimension, d) => {
          const column = columns[d] as ColumnData
          return cellBytes(column, cell_num - 1, fixedSize(dimension) ?? 0)
        })
      }
      const left = unfinished()
      if (left.length === 0) return undefined
      // As long as no tile of a fragment gave a cell, nobody knows where its next cells are.
      if (left.some(({ last }) => last.length === 0)) return null
      return dimensions.map((dimension, d) =>
        columnOfCells(
          left.map(({ last }) => last[d]),
          fixedSize(dimension),
        ),
      )
    },
    merged(firstLimit) {
      holding = unfinished()[firstLimit]?.source
    },
  }
}

function sizeOf({ source, tile }: SourceTile): number {
  return source.tileBytes(tile)
}

/** Makes a column. @param cells bytes of each cell @param size bytes of every cell; undefined if sizes vary */
export function columnOfCells(cells: readonly Uint8Array[], size: number | undefined): ColumnData {
  const starts = new Float64Array(cells.length + 1)
  for (const [i, { length }] of cells.entries()) starts[i + 1] = starts[i] + length
  const data = new Uint8Array(starts[cells.length])
  for (const [i, cell] of cells.entries()) data.set(cell, starts[i])
  return { data, starts: size === undefined ? starts : undefined, validity: undefined }
}
