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
 * Copies the cells of one tile from a whole column. Padding is null. It has zero bytes if fixed-sized, and one zero element if
 * var-sized, as in TileDB's dense writer.
 *
 * @param size bytes of a fixed-sized cell, or of one element of a var-sized cell
 * @see tiledb/sm/query/writers/dense_tiler.cc (get_tile)
 */
export function gather(column: ColumnData, size: number, positions: CellPositions): ColumnData {
  const validity = column.validity && gatherFixed(column.validity, 1, positions)
  if (column.starts) return { ...gatherVar(column.data, column.starts, size, positions), validity }
  return { data: gatherFixed(column.data, size, positions), starts: undefined, validity }
}

function gatherFixed(data: Uint8Array, size: number, positions: CellPositions): Uint8Array {
  if (!(positions instanceof Int32Array)) return data.subarray(positions.from * size, positions.to * size)
  const out = new Uint8Array(positions.length * size)
  const unit = unitOf(size)
  pick(unitsOf(aligned(data, unit), unit), unitsOf(out, unit), positions, size / unit)
  return out
}

/** Copies cells of `width` units each. */
function pick(from: Units, to: Units, positions: Int32Array, width: number): void {
  for (let i = 0; i < positions.length; i++) {
    const position = positions[i]
    if (position < 0) continue
    if (width === 1) to[i] = from[position]
    else for (let u = 0; u < width; u++) to[i * width + u] = from[position * width + u]
  }
}

function gatherVar(
  data: Uint8Array,
  starts: Float64Array,
  elementSize: number,
  positions: CellPositions,
): { data: Uint8Array; starts: Float64Array } {
  if (!(positions instanceof Int32Array)) {
    const { from, to } = positions
    const base = starts[from]
    const own = starts.slice(from, to + 1)
    if (base !== 0) for (let i = 0; i < own.length; i++) own[i] -= base
    return { data: data.subarray(base, starts[to]), starts: own }
  }
  const own = new Float64Array(positions.length + 1)
  let length = 0
  for (let i = 0; i < positions.length; i++) {
    const position = positions[i]
    length += position < 0 ? elementSize : starts[position + 1] - starts[position]
    own[i + 1] = length
  }
  const out = new Uint8Array(length)
  for (let i = 0; i < positions.length; i++) {
    const position = positions[i]
    if (position >= 0) copyBytes(data, starts[position], starts[position + 1], out, own[i])
  }
  return { data: out, starts: own }
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
    out[i] = list ? list[rows[i]] : sources[from[i]] ? 1 : valid
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
  if (width === 1) for (let i = 0; i < rows.length; i++) to[i] = lists[from[i]][rows[i]]
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
  for (let i = 0; i < rows.length; i++) {
    const { data, starts } = sources[from[i]]
    if (starts) copyBytes(data, starts[rows[i]], starts[rows[i] + 1], out, ends[i])
  }
  return { data: out, starts: ends }
}
