import { colourAt, placeOnScale, type Scale } from '../palette.ts'
import { LACKS, pixelValue, type Raster } from '../raster.ts'

/** The colours of a raster's pixels. */

/** Colours of pixels without a number, each as red, green and blue. */
export interface SpecialColours {
  fill: number
  null: number
}

/** Steps of a scale: more than a screen shows. */
const STEPS = 4096
const BRIGHTEST = 255

/** Least and greatest number of some rasters; undefined if there is none. */
export function endsOf(planes: readonly Raster[]): readonly [low: number, high: number] | undefined {
  let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
  for (const plane of planes)
    for (let i = 0; i < plane.counts.length; i++) {
      if (plane.counts[i] === 0) continue
      const value = plane.column ? plane.sums[i] / plane.counts[i] : plane.counts[i]
      if (!Number.isFinite(value)) continue
      if (value < low) low = value
      if (value > high) high = value
    }
  return low <= high ? [low, high] : undefined
}

/** The pixels with the least and the greatest number; undefined if there is none. */
export function extremePixels({ counts, sums }: Raster): readonly [least: number, greatest: number] | undefined {
  let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
  let [least, greatest] = [-1, -1]
  for (let i = 0; i < counts.length; i++) {
    const value = sums[i] / counts[i]
    if (value < low) {
      low = value
      least = i
    }
    if (value > high) {
      high = value
      greatest = i
    }
  }
  return least >= 0 && greatest >= 0 ? [least, greatest] : undefined
}

/** The numbers below which 2 % and 98 % of a raster's are. */
export function middleOf(planes: readonly Raster[]): readonly [low: number, high: number] | undefined {
  const values: number[] = []
  for (const plane of planes)
    for (let i = 0; i < plane.counts.length; i++) {
      const value = pixelValue(plane, i)
      if (typeof value === 'number' && Number.isFinite(value)) values.push(value)
    }
  if (values.length === 0) return undefined
  const sorted = Float64Array.from(values).sort()
  const at = (share: number): number => sorted[Math.round(share * (sorted.length - 1))] ?? 0
  return [at(0.02), at(0.98)]
}

/**
 * The pixels of a raster, row after row, as red, green, blue and opacity. Three rasters are red, green and blue. Pixels without a cell
 * are transparent.
 */
export function colouredPixels(
  planes: readonly Raster[],
  scale: Scale,
  special: SpecialColours,
): Uint8ClampedArray<ArrayBuffer> {
  const [first] = planes
  const count = first?.counts.length ?? 0
  const pixels = new Uint8ClampedArray(4 * count)
  if (!first) return pixels
  if (planes.length === 1) {
    putColours(new Uint32Array(pixels.buffer), first, scale, special)
    return pixels
  }
  for (let i = 0; i < count; i++) {
    const values = planes.map((plane) => pixelValue(plane, i))
    if (values.some((value) => typeof value !== 'number')) {
      const value = values.find((one) => typeof one === 'string')
      if (value === 'fill' || value === 'null') pixels.set(bytesOf(special[value]), 4 * i)
      continue
    }
    for (const [p, value] of values.entries()) pixels[4 * i + p] = BRIGHTEST * placeOnScale(scale, value as number)
    pixels[4 * i + 3] = BRIGHTEST
  }
  return pixels
}

/** Red, green, blue and opacity. */
const bytesOf = (colour: number): readonly number[] => [colour >> 16, (colour >> 8) & 255, colour & 255, BRIGHTEST]

/** Puts a colour for each pixel, four bytes at once: there are millions. */
function putColours(pixels: Uint32Array, raster: Raster, scale: Scale, special: SpecialColours): void {
  const wordOf = (colour: number): number => new Uint32Array(Uint8Array.from(bytesOf(colour)).buffer)[0]
  const colours = Uint32Array.from({ length: STEPS }, (_, i) => wordOf(colourAt(i / (STEPS - 1), scale.palette)))
  const [fill, none] = [wordOf(special.fill), wordOf(special.null)]
  const { counts, sums, lacks, column } = raster
  for (let i = 0; i < pixels.length; i++) {
    const count = counts[i]
    if (count === 0) {
      if (lacks[i] !== 0) pixels[i] = lacks[i] & LACKS.fill ? fill : none
      continue
    }
    const part = placeOnScale(scale, column ? sums[i] / count : count)
    pixels[i] = Number.isNaN(part) ? none : colours[Math.round(Math.min(1, Math.max(0, part)) * (STEPS - 1))]
  }
}

/** What some pixels of a raster lack. */
export interface Lack {
  /** {@link LACKS} of all. */
  flags: number
  /** Whether a pixel has no cell. */
  hasUnread: boolean
}

export function rasterLack({ counts, lacks }: Raster): Lack {
  let flags = 0
  let hasUnread = false
  for (let i = 0; i < counts.length; i++) {
    flags |= lacks[i]
    if (counts[i] === 0 && lacks[i] === 0) hasUnread = true
  }
  return { flags, hasUnread }
}
