import { colourAt } from './palette.ts'
import type { SmallImage, SmallPoints } from './thumbnail.ts'

/*
 * What a small picture shows, as pixels and places.
 */

/** The largest value of a colour. Images whose values lie from 0 to here are shown as they are. */
const BRIGHTEST = 255

/** Least and greatest value; undefined if there is none. */
export function leastAndGreatest(planes: readonly Float64Array[]): readonly [low: number, high: number] | undefined {
  let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
  for (const plane of planes)
    for (const value of plane) {
      if (!Number.isFinite(value)) continue
      if (value < low) low = value
      if (value > high) high = value
    }
  return low <= high ? [low, high] : undefined
}

/** How far a value is from the lowest to the highest, from 0 to 1. Halves are subtracted, as the whole difference may be infinite. */
export function shareOf(value: number, low: number, high: number): number {
  return (value / 2 - low / 2) / (high / 2 - low / 2 || 1)
}

/**
 * The pixels of an image: red, green, blue and opacity of each, row after row from the top. Pixels without a value are transparent.
 * @param isGrey whether an image of one plane is shown in greys, and not on the scale of colours
 */
export function pixelsOf({ width, height, planes }: SmallImage, isGrey: boolean): Uint8ClampedArray<ArrayBuffer> {
  const pixels = new Uint8ClampedArray(4 * width * height)
  const [low, high] = leastAndGreatest(planes) ?? [0, 0]
  const share = (value: number): number => shareOf(value, low, high)
  const areColours = low >= 0 && high <= BRIGHTEST
  for (let i = 0; i < width * height; i++) {
    const values = planes.map((plane) => plane[i] ?? Number.NaN)
    const [first = Number.NaN, second, third] = values
    if (values.some(Number.isNaN)) continue
    if (second !== undefined && third !== undefined)
      pixels.set(
        [first, second, third].map((value) => (areColours ? value : BRIGHTEST * share(value))),
        4 * i,
      )
    else if (isGrey) pixels.fill(BRIGHTEST * share(first), 4 * i, 4 * i + 3)
    else {
      const colour = colourAt(share(first))
      pixels.set([colour >> 16, (colour >> 8) & 255, colour & 255], 4 * i)
    }
    pixels[4 * i + 3] = BRIGHTEST
  }
  return pixels
}

/** The place of each point on a sheet, in pixels from the left and from the top. Numbers rise to the right and to the top. */
export function sheetPlaces({ x, y }: SmallPoints, width: number, height: number, margin: number): Float64Array {
  const places = new Float64Array(2 * x.length)
  const [left, right] = leastAndGreatest([x]) ?? [0, 0]
  const [bottom, top] = leastAndGreatest([y]) ?? [0, 0]
  const within = (value: number, low: number, high: number): number => (high > low ? shareOf(value, low, high) : 0.5)
  for (let i = 0; i < x.length; i++) {
    places[2 * i] = margin + within(x[i] ?? 0, left, right) * (width - 2 * margin)
    places[2 * i + 1] = height - margin - within(y[i] ?? 0, bottom, top) * (height - 2 * margin)
  }
  return places
}
