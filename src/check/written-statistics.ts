import { NO_BYTES } from '../base/bytes.ts'
import { sum } from '../base/sum.ts'
import type { ColumnData } from '../cells/column.ts'
import type { Slabs } from '../cells/dense-coordinates.ts'
import { type Extremes, extremesOf, isPlainText } from '../cells/extremes.ts'
import { cellSizeOf, countsNulls, hasMinMax, hasSum, type StatisticsField, slabSum } from '../cells/tile-statistics.ts'
import type { SlotStatistics } from '../format/fragment-min-max-sum-null-count.ts'

/**
 * Since this version TileDB finds the text of a cell correctly in all slabs. Before, it added the cell's distance from the start of
 * its slab to the start of the tile.
 */
const TEXT_AT_SLAB_SINCE = 21

/**
 * The statistics that a TileDB release computes for a tile, with its faults. TileDB visits the cells slab by slab. A tile of a
 * sparse fragment, or of a write in global order, is one slab.
 *
 * - Types without minima: TileDB does not count the nulls of text and of var-sized cells. It counts nulls of other types over
 *   the whole tile, padding included, once per slab.
 * - Var-sized text: TileDB adds the cell's distance from the start of its slab to the start of the tile, and looks up the
 *   validity there.
 * - A sum that reaches the limit of its type stays there for the rest of its slab.
 * - If all cells are null, minimum and maximum are their initial limits; for text no bytes, or zeros.
 *
 * @see tiledb/sm/tile/tile_metadata_generator.cc
 */
export function writtenStatistics(
  field: StatisticsField,
  column: ColumnData,
  slabs: Slabs,
  formatVersion: number,
): SlotStatistics {
  const values = valuesOf(field, column, slabs, formatVersion)
  const sum = hasSum(field) ? slabSum(field.type, column, slabs) : NO_BYTES
  return { ...writtenExtremes(field, column, values), sum, null_count: nullsOf(field, column, slabs, values.length) }
}

/** Positions of the values from which TileDB computes minimum and maximum, in the order of the writer. */
function valuesOf(
  field: StatisticsField,
  { starts: varSized, validity }: ColumnData,
  { starts, length }: Slabs,
  formatVersion: number,
): Uint32Array {
  const textAtTile = isPlainText(field) && !varSized && formatVersion < TEXT_AT_SLAB_SINCE
  const values = new Uint32Array(starts.length * length)
  let count = 0
  for (const start of starts) {
    for (let i = 0; i < length; i++) {
      if (!validity) values[count++] = start + i
      else if (validity[varSized ? i : start + i] !== 0) values[count++] = textAtTile ? i : start + i
    }
  }
  return values.subarray(0, count)
}

function writtenExtremes(field: StatisticsField, { data, starts }: ColumnData, at: Uint32Array): Extremes {
  if (!hasMinMax(field)) return { min: NO_BYTES, max: NO_BYTES }
  const none = new Uint8Array(cellSizeOf(field))
  return extremesOf(field.type, data, starts, none.length, { length: at.length, at }) ?? { min: none, max: none }
}

function nullsOf(field: StatisticsField, { validity }: ColumnData, { starts, length }: Slabs, valid: number): number {
  if (!validity) return 0
  if (hasMinMax(field)) return starts.length * length - valid
  if (!countsNulls(field)) return 0
  let nulls = 0
  for (const byte of validity) if (byte === 0) nulls++
  return nulls * starts.length
}

/**
 * Whether the minima or maxima of var-sized text look like those of an ordered write with fewer tiles than attributes. Such a
 * write stores each tile's value at the place of the first, cut to the length of the first value. So the last value stays
 * there. If it is shorter, bytes that were in memory before follow it. The places of the other tiles are zeros.
 *
 * @param values correct values of the tiles
 * @see tiledb/sm/query/writers/ordered_writer.cc, where batches of one tile each begin with index 0
 */
export function isLastAtFirst(list: Uint8Array, values: readonly Uint8Array[]): boolean {
  const place = values[0].length
  const left = values[values.length - 1].subarray(0, place)
  return (
    list.length === sum(values, ({ length }) => length) &&
    left.every((byte, i) => list[i] === byte) &&
    list.subarray(place).every((byte) => byte === 0)
  )
}
