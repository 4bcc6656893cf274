import { element } from '../base/element.ts'
import { compareBytes } from '../filters/bytes.ts'
import { datatypeKind, isSignedInteger } from '../format/datatype.ts'
import type { Dimension } from '../format/dimension.ts'
import type { NDRange, Range, RangeType } from '../format/range.ts'
import { levelOf, RTREE_FANOUT, type RTree } from '../format/rtree.ts'
import { u32 } from '../format/u32.ts'
import type { ColumnData } from './column.ts'
import { allCells, isWide, numberOf, numbersOf } from './elements.ts'
import { wideExtremes } from './extremes.ts'

/**
 * Builds the R-tree over the bounding boxes of a fragment's tiles. Each level has one box for ten boxes of the level below, up
 * to a single root.
 *
 * @param version format version of the fragment; before version 5 the tree repeats the domain's dimension number and type
 * @see tiledb/sm/rtree/rtree.cc (build_tree)
 */
export function buildRTree(version: number, leaves: readonly NDRange[], dimensions: readonly RangeType[]): RTree {
  const levels: NDRange[][] = []
  let level = [...leaves]
  if (level.length > 0) levels.push(level)
  while (level.length > 1) {
    const below = level
    level = []
    for (let from = 0; from < below.length; from += RTREE_FANOUT) {
      level.push(unionOf(below.slice(from, from + RTREE_FANOUT), dimensions))
    }
    levels.unshift(level)
  }
  return {
    fanout: RTREE_FANOUT,
    dim_num: version < 5 ? dimensions.length : undefined,
    type: version < 5 ? element(dimensions, 0).type : undefined,
    levels: levels.map((mbrs) => levelOf(mbrs, dimensions)),
  }
}

/** The smallest box around all boxes. NaN along a dimension is ignored, because it would hide the cells of other boxes. */
export function unionOf(boxes: readonly NDRange[], dimensions: readonly RangeType[]): NDRange {
  return dimensions.map((dimension, d): Range => {
    const ranges = boxes.map((box) => element(box, d))
    let { min, max } = element(ranges, 0)
    for (const range of ranges) {
      if (compareValues(dimension, range.min, min) < 0 || isNaNBytes(dimension, min)) min = range.min
      if (compareValues(dimension, range.max, max) > 0 || isNaNBytes(dimension, max)) max = range.max
    }
    return { min, max }
  })
}

/** Whether two boxes have a point in common. */
export function boxesMeet(a: NDRange, b: NDRange, dimensions: readonly RangeType[]): boolean {
  return dimensions.every((dimension, d) => {
    const [one, other] = [element(a, d), element(b, d)]
    return compareValues(dimension, one.min, other.max) <= 0 && compareValues(dimension, other.min, one.max) <= 0
  })
}

function isNaNBytes({ type }: RangeType, value: Uint8Array): boolean {
  return datatypeKind(type) === 'float' && Number.isNaN(numberOf(type, value))
}

/** The range of a tile's coordinates along one dimension. NaN is ignored unless all are NaN. */
export function coordinateRange(dimension: RangeType, cells: ColumnData, cellNum: number): Range {
  const { data, starts } = cells
  if (starts) return textRange(data, starts)
  if (isWide(dimension.type)) {
    const { min, max } = wideExtremes(data, isSignedInteger(dimension.type), allCells(cellNum))
    return { min: min.slice(), max: max.slice() }
  }
  const values = numbersOf(dimension.type, data)
  const size = values.BYTES_PER_ELEMENT
  let min = 0
  let max = 0
  let least = Number.NaN
  let most = Number.NaN
  let i = 0
  for (const value of values) {
    // After NaN, the next value is always taken, even another NaN.
    if (value < least || Number.isNaN(least)) {
      least = value
      min = i
    }
    if (value > most || Number.isNaN(most)) {
      most = value
      max = i
    }
    i++
  }
  return { min: data.slice(min * size, (min + 1) * size), max: data.slice(max * size, (max + 1) * size) }
}

function textRange(data: Uint8Array, starts: Float64Array): Range {
  let min = data.subarray(starts[0], starts[1])
  let max = min
  for (let cell = 1; cell < starts.length - 1; cell++) {
    const value = data.subarray(starts[cell], starts[cell + 1])
    if (compareBytes(value, min) < 0) min = value
    else if (compareBytes(value, max) > 0) max = value
  }
  return { min: min.slice(), max: max.slice() }
}

/** Compares two raw values of a dimension. */
export function compareValues({ type, cell_val_num }: RangeType, a: Uint8Array, b: Uint8Array): number {
  if (cell_val_num === 'var') return compareBytes(a, b)
  if (isWide(type)) {
    const turn = isSignedInteger(type) ? 0x80000000 : 0
    return ((u32(a, 4) ^ turn) >>> 0) - ((u32(b, 4) ^ turn) >>> 0) || u32(a, 0) - u32(b, 0)
  }
  const x = numberOf(type, a)
  const y = numberOf(type, b)
  if (x < y) return -1
  return x > y ? 1 : 0
}

/** Whether a range of a fixed-sized dimension lies inside its domain. */
export function isInDomain(dimension: Dimension, { min, max }: Range): boolean {
  const size = dimension.domain.length / 2
  return (
    compareValues(dimension, min, dimension.domain.subarray(0, size)) >= 0 &&
    compareValues(dimension, max, dimension.domain.subarray(size)) <= 0
  )
}
