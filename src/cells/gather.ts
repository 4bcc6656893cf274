import { copyBytes } from '../filters/bytes.ts'
import type { ColumnData } from './column.ts'
import { aligned, type Units, unitOf, unitsOf } from './elements.ts'

/** Position that stands for a cell that was not written: padding of a dense tile. */
export const PADDING = -1

/** Cells of a tile, by their positions in whole columns. */
export type CellPositions =
  /** Consecutive cells. */
  | { from: number; to: number }
  /** One position per cell; {@link PADDING} for cells outside the written range. */
  | Int32Array

/**
 * Copies the cells of one tile from a whole column.
 *
 * @param size bytes of a fixed-sized cell, or of one element of a var-sized cell
 * @param padding a column of one cell, which stands for padding
 */
export function gather(
  column: ColumnData,
  size: number,
  positions: CellPositions,
  padding = zeroCell(column, size),
): ColumnData {
  if (!(positions instanceof Int32Array)) return consecutive(column, size, positions.from, positions.to)
  const from = new Uint32Array(positions.length)
  const rows = new Uint32Array(positions.length)
  for (let i = 0; i < positions.length; i++) {
    if (positions[i] < 0) from[i] = 1
    else rows[i] = positions[i]
  }
  return gatherFrom([column, padding], from, rows, column.starts ? undefined : size, padding)
}

/**
 * The padding of TileDB's dense writer: null, with zero bytes if fixed-sized, and one zero element if var-sized.
 * @see tiledb/sm/query/writers/dense_tiler.cc (get_tile)
 */
function zeroCell({ starts, validity }: ColumnData, size: number): ColumnData {
  return {
    data: new Uint8Array(size),
    starts: starts && Float64Array.of(0, size),
    validity: validity && new Uint8Array(1),
  }
}

/** Cells `[from, to)` of a column, without a copy of their values. */
function consecutive({ data, starts, validity }: ColumnData, size: number, from: number, to: number): ColumnData {
  const valid = validity?.subarray(from, to)
  if (!starts) return { data: data.subarray(from * size, to * size), starts, validity: valid }
  const base = starts[from]
  const rebased = starts.slice(from, to + 1)
  if (base !== 0) for (let i = 0; i < rebased.length; i++) rebased[i] -= base
  return { data: data.subarray(base, starts[to]), starts: rebased, validity: valid }
}

/**
 * Copies cells of one field from several columns.
 *
 * @param sources columns of the same type; undefined for a source without the field, whose cells get the fill value
 * @param from number of the source for each cell
 * @param rows position in the source for each cell
 * @param size bytes of a fixed-sized cell; undefined for var-sized cells
 * @param fill a column of one cell with the fill value; without validity, the field is not nullable
 */
export function gatherFrom(
  sources: readonly (ColumnData | undefined)[],
  from: Uint32Array,
  rows: Uint32Array,
  size: number | undefined,
  fill: ColumnData,
): ColumnData {
  const validity = fill.validity && gatherValidity(sources, from, rows, fill.validity[0])
  const missing = sources.some((source) => source === undefined)
  // The fill column replaces a missing source. It has only the cell 0.
  const at = missing ? rows.map((row, i) => (sources[from[i]] ? row : 0)) : rows
  const columns = missing ? sources.map((source) => source ?? fill) : (sources as readonly ColumnData[])
  if (size === undefined) return { ...gatherVarFrom(columns, from, at), validity }
  return { data: gatherFixedFrom(columns, from, at, size), starts: undefined, validity }
}

function gatherValidity(
  sources: readonly (ColumnData | undefined)[],
  from: Uint32Array,
  rows: Uint32Array,
  valid: number,
): Uint8Array {
  const lists = sources.map((source) => source?.validity)
  const out = new Uint8Array(rows.length)
  for (let i = 0; i < out.length; i++) {
    const list = lists[from[i]]
    if (list) out[i] = list[rows[i]]
    else out[i] = sources[from[i]] ? 1 : valid
  }
  return out
}

function gatherFixedFrom(
  sources: readonly ColumnData[],
  from: Uint32Array,
  rows: Uint32Array,
  size: number,
): Uint8Array {
  const out = new Uint8Array(rows.length * size)
  const unit = unitOf(size)
  const lists = sources.map(({ data }) => unitsOf(aligned(data, unit), unit))
  const to = unitsOf(out, unit)
  const width = size / unit
  if (lists.length === 1) pickUnits(lists[0], rows, width, to)
  else if (width === 1) for (let i = 0; i < rows.length; i++) to[i] = lists[from[i]][rows[i]]
  else if (width === 2)
    for (let i = 0; i < rows.length; i++) {
      const list = lists[from[i]]
      const at = 2 * rows[i]
      to[2 * i] = list[at]
      to[2 * i + 1] = list[at + 1]
    }
  else
    for (let i = 0; i < rows.length; i++) {
      const list = lists[from[i]]
      for (let u = 0; u < width; u++) to[i * width + u] = list[rows[i] * width + u]
    }
  return out
}

/** Copies cells of one source, of `width` units each. */
function pickUnits(list: Units, rows: Uint32Array, width: number, to: Units): void {
  if (width === 1) for (let i = 0; i < rows.length; i++) to[i] = list[rows[i]]
  else if (width === 2)
    for (let i = 0; i < rows.length; i++) {
      const at = 2 * rows[i]
      to[2 * i] = list[at]
      to[2 * i + 1] = list[at + 1]
    }
  else
    for (let i = 0; i < rows.length; i++) for (let u = 0; u < width; u++) to[i * width + u] = list[rows[i] * width + u]
}

/** The number of cells, from a position on, that follow each other in one source. */
function runLength(from: Uint32Array, rows: Uint32Array, i: number): number {
  const source = from[i]
  const ahead = rows[i] - i
  let end = i + 1
  while (end < rows.length && from[end] === source && rows[end] - end === ahead) end++
  return end - i
}

function gatherVarFrom(
  sources: readonly ColumnData[],
  from: Uint32Array,
  rows: Uint32Array,
): { data: Uint8Array; starts: Float64Array } {
  const ends = new Float64Array(rows.length + 1)
  let length = 0
  for (let i = 0; i < rows.length; i++) {
    const starts = sources[from[i]].starts ?? ends
    length += starts[rows[i] + 1] - starts[rows[i]]
    ends[i + 1] = length
  }
  const out = new Uint8Array(length)
  for (let i = 0; i < rows.length; ) {
    const { data, starts } = sources[from[i]]
    const count = runLength(from, rows, i)
    if (starts) copyBytes(data, starts[rows[i]], starts[rows[i] + count], out, ends[i])
    i += count
  }
  return { data: out, starts: ends }
}
