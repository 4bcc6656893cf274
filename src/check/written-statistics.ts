import { NO_BYTES } from '../base/bytes.ts'
import { limits64 } from '../base/limits64.ts'
import { sum } from '../base/sum.ts'
import type { ColumnData } from '../cells/column.ts'
import type { Slabs } from '../cells/dense-coordinates.ts'
import { PIECE_CELLS, type VisitedCells } from '../cells/elements.ts'
import { type Extremes, extremesOf, isPlainText } from '../cells/extremes.ts'
import { cellSizeOf, countsNulls, hasMinMax, hasSum, type StatisticsField, slabSum } from '../cells/tile-statistics.ts'
import { viewOf } from '../filters/bytes.ts'
import { type Datatype, datatypeSize } from '../format/datatype.ts'
import type { SlotStatistics } from '../format/fragment-min-max-sum-null-count.ts'
import { sumType } from '../format/value.ts'

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
  const sum = hasSum(field) ? slabSum(field.type, column, slabs) : NO_BYTES
  let valid = 0
  function* counted(): Generator<VisitedCells> {
    for (const at of valuesOf(field, column, slabs, formatVersion)) {
      valid += at.length
      yield { length: at.length, at }
    }
  }
  return { ...writtenExtremes(field, column, counted()), sum, null_count: nullsOf(field, column, slabs, valid) }
}

/**
 * Whether a writer that got the cells of a tile in two calls computes this sum. A sum that reaches the limit of its type stays there
 * for the rest of its call, and the next call goes on from it. So the sum depends on where the first call ended. TileDB 2.18 stored
 * such a sum when it consolidated three fragments. Integers of fewer than 8 bytes never reach the limit.
 *
 * @param cells number of cells of the tile
 * @param stored the sum in the metadata: 8 bytes
 */
export function isSumOfTwoCalls(
  type: Datatype,
  { data, validity }: ColumnData,
  cells: number,
  stored: Uint8Array,
): boolean {
  const typeOfSum = sumType(type)
  if (typeOfSum === 'FLOAT64' || datatypeSize(type) !== 8 || stored.length !== 8) return false
  const signed = typeOfSum === 'INT64'
  const view = viewOf(data)
  const at = (from: DataView, offset: number): bigint =>
    signed ? from.getBigInt64(offset, true) : from.getBigUint64(offset, true)
  // Nulls add nothing.
  const values: Values = { length: cells, at: (i) => (validity?.[i] === 0 ? 0n : at(view, 8 * i)) }
  const [smallest, largest] = limits64(signed)
  let next = 0
  let reached = 0n
  while (next < cells && reached <= largest && reached >= smallest) reached += values.at(next++)
  if (reached <= largest && reached >= smallest) return false
  const limit = reached > largest ? largest : smallest
  const found = at(viewOf(stored), 0)
  return found === largest || found === smallest
    ? found === limit || reachesOther(values, next, limit, largest - smallest)
    : leadsTo(values, next, limit, found, { smallest, largest })
}

/** The values of a tile. A list of them would take four times the memory. */
interface Values {
  length: number
  at(cell: number): bigint
}

/** Whether a sum that starts at one limit, at any of the values from `next` on, reaches the other one. */
function reachesOther(values: Values, next: number, limit: bigint, range: bigint): boolean {
  const away = limit > 0n ? -1n : 1n
  let distance = 0n
  for (let i = next; i < values.length; i++) {
    distance += away * values.at(i)
    if (distance < 0n) distance = 0n
    if (distance > range) return true
  }
  return false
}

/** Whether a sum that starts at the limit, at any of the values from `next` on, ends with `found`. It is followed from its end. */
function leadsTo(
  values: Values,
  next: number,
  limit: bigint,
  found: bigint,
  { smallest, largest }: { smallest: bigint; largest: bigint },
): boolean {
  let before = found
  for (let i = values.length - 1; i >= next; i--) {
    before -= values.at(i)
    if (before === limit) return true
    if (before < smallest || before > largest) return false
  }
  return false
}

/** Positions of the values from which TileDB computes minimum and maximum, in the order of the writer, in pieces. */
function* valuesOf(
  field: StatisticsField,
  { starts: varSized, validity }: ColumnData,
  slabs: Slabs,
  formatVersion: number,
): Generator<Uint32Array> {
  const textAtTile = isPlainText(field) && !varSized && formatVersion < TEXT_AT_SLAB_SINCE
  const { length } = slabs
  const values = new Uint32Array(Math.min(slabs.num * length, PIECE_CELLS))
  let count = 0
  for (const starts of slabs.starts())
    for (const start of starts)
      for (let i = 0; i < length; i++) {
        if (!validity) values[count++] = start + i
        else if (validity[varSized ? i : start + i] !== 0) values[count++] = textAtTile ? i : start + i
        if (count < values.length) continue
        yield values
        count = 0
      }
  if (count > 0) yield values.subarray(0, count)
}

function writtenExtremes(
  field: StatisticsField,
  { data, starts }: ColumnData,
  values: Iterable<VisitedCells>,
): Extremes {
  if (!hasMinMax(field)) return { min: NO_BYTES, max: NO_BYTES }
  const none = new Uint8Array(cellSizeOf(field))
  return extremesOf(field.type, data, starts, none.length, values) ?? { min: none, max: none }
}

function nullsOf(field: StatisticsField, { validity }: ColumnData, { num, length }: Slabs, valid: number): number {
  if (!validity) return 0
  // Only then the values were visited.
  if (hasMinMax(field)) return num * length - valid
  if (!countsNulls(field)) return 0
  let nulls = 0
  for (const byte of validity) if (byte === 0) nulls++
  return nulls * num
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
