import { orderLanes } from '../cells/cell-order.ts'
import { type ColumnData, cellBytes } from '../cells/column.ts'
import { sortedPositions } from '../cells/sorted-positions.ts'
import type { ArraySchema } from '../format/array-schema.ts'
import { fixedSize } from '../format/range.ts'
import type { MergePool } from './pool.ts'
import type { Source, SourceBatch, WantedTile } from './source.ts'

/** A tile to read. */
export interface SourceTile extends WantedTile {
  source: Source
}

/** Decides in which order a merge reads tiles, and which cells it can return before it reads the next ones. */
interface Schedule {
  /** Chooses the next tiles: about `bytes` of them, at least one. */
  next(bytes: number): SourceTile[]
  /**
   * The limiting cells, by dimension: no cell of the tiles to come sorts before all of them. Undefined if no tile is left; null if more
   * tiles must be read first.
   * @param batches the batches that were just read
   */
  before(batches: readonly SourceBatch[]): ColumnData[] | undefined | null
  /** Called after the merge with the position, among the limiting cells, of the one that sorts first. */
  firstLimit(cell: number): void
}

/**
 * Reads tiles in the order of the lowest corners of their boxes. In row-major and column-major order no cell of a box sorts before that
 * corner.
 */
export function byCorner(schema: ArraySchema, places: readonly SourceTile[]): Schedule {
  const { dimensions } = schema.domain
  const corners = dimensions.map((dimension, d) =>
    columnOf(
      places.map(({ source, tile }) => source.mbr(tile)[d].min),
      fixedSize(dimension),
    ),
  )
  const order = sortedPositions(orderLanes(schema, corners, places.length), places.length)
  let done = 0
  return {
    next(bytes) {
      const from = done
      for (let left = bytes; done < order.length && (done === from || left > 0); done++)
        left -= sizeOf(places[order[done]])
      return Array.from(order.subarray(from, done), (place) => places[place])
    },
    before() {
      if (done === order.length) return undefined
      const { source, tile } = places[order[done]]
      return source.mbr(tile).map(({ min }, d) => columnOf([min], fixedSize(dimensions[d])))
    },
    firstLimit() {},
  }
}

/**
 * Reads the tiles of every fragment in stored order: later cells of a fragment never sort before the last one that was read. This is for
 * Hilbert order, in which the corners of boxes tell nothing.
 */
export function byFragment(schema: ArraySchema, places: readonly SourceTile[], pool: MergePool): Schedule {
  const { dimensions } = schema.domain
  const queues = [...new Set(places.map(({ source }) => source))].map((source) => ({
    source,
    places: places.filter((place) => place.source === source),
    done: 0,
    /** Number of cells in the last batch, and the coordinates of its last cell. */
    count: 0,
    last: [] as Uint8Array[],
  }))
  const open = (): typeof queues => queues.filter(({ done, places }) => done < places.length)
  let holding: Source | undefined
  return {
    next(bytes) {
      const waiting = open()
      return waiting.flatMap((queue) => {
        const { source } = queue
        if (source !== holding && pool.waiting(source.index) > queue.count / 2) return []
        const from = queue.done
        for (
          let left = bytes / waiting.length;
          queue.done < queue.places.length && (queue.done === from || left > 0);
          queue.done++
        )
          left -= sizeOf(queue.places[queue.done])
        return queue.places.slice(from, queue.done)
      })
    },
    before(batches) {
      for (const { source, columns, cell_num } of batches) {
        const queue = queues.find((one) => one.source === source)
        if (!queue || cell_num === 0) continue
        queue.count = cell_num
        queue.last = dimensions.map((dimension, d) => {
          const column = columns[d] as ColumnData
          return cellBytes(column, cell_num - 1, fixedSize(dimension) ?? 0)
        })
      }
      const ends = open()
      if (ends.length === 0) return undefined
      // If no tile of a fragment gave a cell so far, its position is unknown.
      if (ends.some(({ last }) => last.length === 0)) return null
      return dimensions.map((dimension, d) =>
        columnOf(
          ends.map(({ last }) => last[d]),
          fixedSize(dimension),
        ),
      )
    },
    firstLimit(cell) {
      holding = open()[cell]?.source
    },
  }
}

function sizeOf({ source, tile }: SourceTile): number {
  return source.tileBytes(tile)
}

/** Makes a column from the bytes of its cells. */
export function columnOf(cells: readonly Uint8Array[], size: number | undefined): ColumnData {
  const starts = new Float64Array(cells.length + 1)
  for (const [i, { length }] of cells.entries()) starts[i + 1] = starts[i] + length
  const data = new Uint8Array(starts[cells.length])
  for (const [i, cell] of cells.entries()) data.set(cell, starts[i])
  return { data, starts: size === undefined ? starts : undefined, validity: undefined }
}
