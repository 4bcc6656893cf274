import type { ColumnData } from '../cells/column.ts'
import type { Slabs } from '../cells/dense-slabs.ts'
import { varTextExtremes } from '../cells/text-extremes.ts'
import {
  fixedExtremes,
  hasMinMax,
  hasSum,
  isPlainText,
  type StatisticsField,
  slabSum,
} from '../cells/tile-statistics.ts'
import { type Datatype, datatypeKind, datatypeSize } from '../format/datatype.ts'

/** Statistics of one tile. */
export interface WrittenStatistics {
  min: Uint8Array
  max: Uint8Array
  sum: Uint8Array
  null_count: number
}

/** Before this version TileDB looked for a nullable string of a slab as many cells behind the tile's first cell as it is behind the slab's first. */
const TEXT_AT_SLAB_SINCE = 21

/**
 * What a release of TileDB works out for a tile, faults included. Cells are visited slab by slab; a tile of a sparse fragment or
 * of a write in global order is one slab.
 *
 * - Types that have no minima: nulls of text and of var-sized cells are not counted; those of others are counted in the whole
 *   tile, padding too, once a slab.
 * - Var-sized text: whether a cell is null is looked up as far from the tile's first cell as the cell is from its slab's first.
 * - A sum that reaches its type's limit stays there for the rest of its slab.
 * - Of cells that are all null: the limits that minimum and maximum start from; no bytes or zeros of text.
 *
 * @see tiledb/sm/tile/tile_metadata_generator.cc
 */
export function writtenStatistics(
  field: StatisticsField,
  column: ColumnData,
  slabs: Slabs,
  formatVersion: number,
): WrittenStatistics {
  const values = valuesOf(field, column, slabs, formatVersion)
  const sum = hasSum(field) ? slabSum(field.type, column, slabs) : NO_BYTES
  return { ...extremesOf(field, column, values), sum, null_count: nullsOf(field, column, slabs, values.length) }
}

const NO_BYTES = new Uint8Array(0)

/** Positions of the values that minimum and maximum are taken of, in the order of the writer. */
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

function extremesOf(
  field: StatisticsField,
  { data, starts }: ColumnData,
  at: Uint32Array,
): Record<'min' | 'max', Uint8Array> {
  if (!hasMinMax(field)) return { min: NO_BYTES, max: NO_BYTES }
  const cells = { length: at.length, at }
  if (starts) {
    const found = varTextExtremes(data, starts, cells)
    if (!found) return { min: NO_BYTES, max: NO_BYTES }
    return { min: data.subarray(found.min.from, found.min.to), max: data.subarray(found.max.from, found.max.to) }
  }
  const size = datatypeSize(field.type) * (field.cell_val_num as number)
  const { min, max } = fixedExtremes(field, data, size, cells)
  return {
    min: min.bytes.subarray(min.range.from, min.range.to),
    max: max.bytes.subarray(max.range.from, max.range.to),
  }
}

function nullsOf(field: StatisticsField, { validity }: ColumnData, { starts, length }: Slabs, valid: number): number {
  if (!validity) return 0
  if (hasMinMax(field)) return starts.length * length - valid
  if (!countsNulls(field)) return 0
  let nulls = 0
  for (const byte of validity) if (byte === 0) nulls++
  return nulls * starts.length
}

/** Whether TileDB counts the nulls of a field at all. */
export function countsNulls(field: StatisticsField): boolean {
  return hasMinMax(field) || (field.cell_val_num !== 'var' && !isEncodedText(field.type))
}

/** Text in other encodings than ASCII. */
function isEncodedText(type: Datatype): boolean {
  return datatypeKind(type) === 'text' && !isPlainText({ type })
}

/**
 * Whether minima or maxima of var-sized text lie in their list as after an ordered write of fewer tiles than attributes: every
 * tile's value went to the place of the first, as many bytes as that has, so that the last one's is left. Bytes behind a shorter
 * value are those that lay there in memory; the places of the others are zeros.
 *
 * @param values of the tiles
 * @see tiledb/sm/query/writers/ordered_writer.cc, where batches of one tile each begin with index 0
 */
export function isLastAtFirst(list: Uint8Array, values: readonly Uint8Array[]): boolean {
  const place = values[0].length
  const left = values[values.length - 1].subarray(0, place)
  return (
    list.length === values.reduce((sum, { length }) => sum + length, 0) &&
    left.every((byte, i) => list[i] === byte) &&
    list.subarray(place).every((byte) => byte === 0)
  )
}
