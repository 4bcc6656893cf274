import { datatypeKind } from '../../format/datatype.ts'
import type { Dimension } from '../../format/dimension.ts'
import { cellOfNumber } from '../cell-of-number.ts'
import type { RasterAxis } from '../raster.ts'
import { coordinateText } from '../short-cell.ts'

/**
 * An axis of a drawing. A place on it is the distance from the first written coordinate, as a double: so places of dates, which are large
 * integers, are exact. The cell of an integer is one wide.
 */
export interface PlotAxis {
  dimension: Dimension
  isFloat: boolean
  /** The first written coordinate. */
  origin: number | bigint
  /** The last one. */
  last: number | bigint
  /** The place where the last written coordinate ends. */
  size: number
}

/** The part of the axes that is in sight, in places of {@link PlotAxis}. */
export interface SeenAxes {
  x0: number
  x1: number
  y0: number
  y1: number
}

/** The two axes, and which way they run. */
export interface Frame {
  across: PlotAxis
  up: PlotAxis
  isLastLeft: boolean
  isLastTop: boolean
}

export function plotAxis(dimension: Dimension, low: number | bigint, high: number | bigint): PlotAxis {
  const isFloat = datatypeKind(dimension.type) === 'float'
  if (isFloat) {
    const [origin, last] = [Number(low), Number(high)]
    return { dimension, isFloat, origin, last, size: last - origin || 1 }
  }
  const [origin, last] = [BigInt(low), BigInt(high)]
  return { dimension, isFloat, origin, last, size: Number(last - origin) + 1 }
}

/** The place where a coordinate begins. */
export function placeOfCoordinate({ isFloat, origin }: PlotAxis, value: number | bigint): number {
  return isFloat ? Number(value) - Number(origin) : Number(BigInt(value) - BigInt(origin))
}

/** The coordinate at a place: of integers, that of the cell there. */
export function coordinateAt({ isFloat, origin }: PlotAxis, place: number): number | bigint {
  return isFloat ? Number(origin) + place : BigInt(origin) + BigInt(Math.floor(place))
}

/** {@link coordinateText} for a place on an axis. An integer is at most the last one: a place on a long axis is rounded, and may lie beyond its type. */
export function coordinateWord({ dimension, isFloat, last }: PlotAxis, value: number | bigint): string {
  return coordinateText(cellOfNumber(dimension.type, isFloat ? value : lesser(value, last))) ?? ''
}

/** The greater of two coordinates. */
export function greater(a: number | bigint, b: number | bigint): number | bigint {
  if (a < b) return b
  return a
}

/** The lesser of two coordinates. */
export function lesser(a: number | bigint, b: number | bigint): number | bigint {
  if (a < b) return a
  return b
}

/** The coordinates between two places as `--range` takes them, kept inside what was written. */
export function rangeWord(axis: PlotAxis, from: number, to: number): string {
  const { isFloat, size, dimension } = axis
  const inside = (place: number): number => Math.min(size, Math.max(0, place))
  const first = coordinateAt(axis, Math.min(inside(from), isFloat ? size : size - 1))
  // A sum of floats is rounded, and would leave out the last one.
  const end = isFloat && inside(to) === size ? axis.last : undefined
  const last = end ?? coordinateAt(axis, isFloat ? inside(to) : Math.max(0, Math.ceil(inside(to)) - 1))
  const [low, high] = [first, greater(first, last)].map((one) => coordinateWord(axis, one))
  return `${dimension.name}=${low}..${high}`
}

/** {@link rangeWord} for a link. All of an axis has none: at another time, more may be written. */
export function rangeInLink(axis: PlotAxis, from: number, to: number): readonly string[] {
  return from <= 0 && to >= axis.size ? [] : [rangeWord(axis, from, to)]
}

/** First place of a raster's axis, and the width of a pixel. */
export function rasterPlaces(axis: PlotAxis, raster: RasterAxis): { first: number; step: number; end: number } {
  const first = placeOfCoordinate(axis, raster.low)
  const step = Number(raster.step) || 1
  const end = raster.end === undefined ? first + step * raster.length : placeOfCoordinate(axis, raster.end) + 1
  return { first, step, end }
}

/** A part of an axis that is in sight, moved back to what was written, and of at least a few cells. */
export function keptInside(from: number, to: number, { isFloat, size }: PlotAxis): readonly [from: number, to: number] {
  const least = isFloat ? size * 1e-12 : Math.min(size, 2)
  const length = Math.min(size, Math.max(least, to - from))
  const first = Math.min(size - length, Math.max(0, (from + to) / 2 - length / 2))
  return [first, first + length]
}

/**
 * The coordinates of a step from a place on, as options take them.
 * @param end place after the last coordinate: the last step may be shorter
 */
export function spanWord(axis: PlotAxis, from: number, step: number, end: number): string {
  const low = coordinateAt(axis, from)
  const high = coordinateAt(axis, axis.isFloat ? from + step : Math.min(end, from + step) - 1)
  return low === high ? coordinateWord(axis, low) : `${coordinateWord(axis, low)}..${coordinateWord(axis, high)}`
}

/** The step of an axis that holds a coordinate, or the nearest one. Halves are subtracted, as a difference of floats may be infinite. */
export function stepWith(
  { low, step, length }: Pick<RasterAxis, 'low' | 'step' | 'length'>,
  value: number | bigint,
): number {
  const at =
    typeof low === 'bigint'
      ? Number(BigInt(value) - low) / Number(step)
      : (Number(value) / 2 - low / 2) / (Number(step) / 2 || 1)
  return Math.min(length - 1, Math.max(0, Math.floor(at)))
}
