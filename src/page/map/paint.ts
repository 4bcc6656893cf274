import type { BoxLevel, BoxLevels } from './boxes.ts'

/** The part of the map that is in sight. */
export interface SeenMap {
  x0: number
  x1: number
  y0: number
  y1: number
}

/** A fragment to draw. */
export interface Drawn {
  /** The non-empty domain: `x0, x1, y0, y1`. */
  domain: Float64Array
  /** The boxes of the tiles, as soon as they are loaded. */
  boxes: BoxLevels | undefined
  /** The colour of a box as a value of a pixel. */
  colour(level: number, index: number): number
}

/** A box that is smaller, in pixels, is drawn in place of the boxes inside it. Most of these would be smaller than a pixel. */
const FINE = 3
/** Upper limit on the pixels that are tinted in a picture. After that, boxes have only outlines. */
const MAX_TINTED = 12_000_000

/**
 * Calls back for each box of a fragment that is in sight and has to be drawn.
 * @param most upper limit on the boxes; if there are more, boxes of a higher level stand for them
 * @returns the number of boxes
 */
function eachBox(
  { levels, fanout }: BoxLevels,
  seen: SeenMap,
  [width, height]: readonly [number, number],
  most: number,
  call: (level: number, index: number, places: Float64Array) => void,
): number {
  const [perX, perY] = [width / (seen.x1 - seen.x0), height / (seen.y1 - seen.y0)]
  let found = 0
  let ids: number[] = levels.length === 0 ? [] : Array.from({ length: levels[0].count }, (_, i) => i)
  for (let level = 0; level < levels.length; level++) {
    const { places } = levels[level]
    const inSight = ids.filter((id) => isSeen(places, id, seen))
    const below = levels[level + 1] as BoxLevel | undefined
    const isFine = (id: number): boolean =>
      (places[4 * id + 1] - places[4 * id]) * perX < FINE && (places[4 * id + 3] - places[4 * id + 2]) * perY < FINE
    const large = below ? inSight.filter((id) => !isFine(id)) : []
    const isLast = !below || found + inSight.length - large.length + large.length * fanout > most
    for (const id of inSight) {
      if (!isLast && !isFine(id)) continue
      call(level, id, places)
      found++
    }
    if (isLast) break
    ids = []
    for (const id of large)
      for (let child = id * fanout; child < Math.min(below.count, (id + 1) * fanout); child++) ids.push(child)
  }
  return found
}

export function isSeen(places: Float64Array, id: number, { x0, x1, y0, y1 }: SeenMap): boolean {
  const at = 4 * id
  return places[at] <= x1 && places[at + 1] >= x0 && places[at + 2] <= y1 && places[at + 3] >= y0
}

/**
 * Paints fragments into the pixels of a picture. The second axis goes up. Plain memory is many times faster than calls of a canvas.
 * @param most upper limit on the boxes
 */
export function paint(
  pixels: Uint32Array,
  size: readonly [width: number, height: number],
  drawn: readonly Drawn[],
  seen: SeenMap,
  most: number,
): void {
  const [width, height] = size
  const [perX, perY] = [width / (seen.x1 - seen.x0), height / (seen.y1 - seen.y0)]
  let tinted = 0
  const paintBox = (places: Float64Array, id: number, colour: number): void => {
    const at = 4 * id
    const left = Math.floor((places[at] - seen.x0) * perX)
    const right = Math.max(left + 2, Math.floor((places[at + 1] - seen.x0) * perX))
    const top = Math.floor((seen.y1 - places[at + 3]) * perY)
    const bottom = Math.max(top + 2, Math.floor((seen.y1 - places[at + 2]) * perY))
    const [fromX, toX] = [Math.max(0, left), Math.min(width, right)]
    const [fromY, toY] = [Math.max(0, top), Math.min(height, bottom)]
    if (!(fromX < toX && fromY < toY)) return
    if (right - left < FINE || bottom - top < FINE) {
      // `fill` is slow for one or two pixels, and row-major tiles are a pixel wide and as high as the picture.
      if (toX - fromX > 8) for (let y = fromY; y < toY; y++) pixels.fill(colour, y * width + fromX, y * width + toX)
      else
        for (let y = fromY; y < toY; y++) for (let i = y * width + fromX; i < y * width + toX; i++) pixels[i] = colour
      return
    }
    tinted += (toX - fromX) * (toY - fromY)
    if (tinted < MAX_TINTED) {
      const quarter = (colour >>> 2) & 0x3f3f3f
      for (let y = fromY; y < toY; y++)
        for (let i = y * width + fromX; i < y * width + toX; i++)
          pixels[i] = (0xff000000 | (((pixels[i] >>> 2) & 0x3f3f3f) * 3 + quarter)) >>> 0
    }
    if (top >= 0) pixels.fill(colour, top * width + fromX, top * width + toX)
    if (bottom <= height) pixels.fill(colour, (bottom - 1) * width + fromX, (bottom - 1) * width + toX)
    for (let y = fromY; y < toY; y++) {
      if (left >= 0) pixels[y * width + left] = colour
      if (right <= width) pixels[y * width + right - 1] = colour
    }
  }
  let boxesLeft = most
  for (const one of drawn) {
    if (!isSeen(one.domain, 0, seen)) continue
    if (!one.boxes) paintBox(one.domain, 0, one.colour(0, 0))
    else
      boxesLeft -= eachBox(one.boxes, seen, size, Math.max(100, boxesLeft), (level, id, places) =>
        paintBox(places, id, one.colour(level, id)),
      )
  }
}

/** The tiles of a fragment whose boxes hold a place, the smallest first. */
export function tilesAt({ levels, fanout }: BoxLevels, x: number, y: number): number[] {
  const point = { x0: x, x1: x, y0: y, y1: y }
  let ids = levels.length === 0 ? [] : Array.from({ length: levels[0].count }, (_, i) => i)
  for (const [level, { places }] of levels.entries()) {
    const hits = ids.filter((id) => isSeen(places, id, point))
    const below = levels[level + 1]
    if (below) {
      ids = hits.flatMap((id) => {
        const end = Math.min(below.count, (id + 1) * fanout)
        return Array.from({ length: Math.max(0, end - id * fanout) }, (_, i) => id * fanout + i)
      })
      continue
    }
    const area = (id: number): number =>
      (places[4 * id + 1] - places[4 * id]) * (places[4 * id + 3] - places[4 * id + 2])
    return hits.sort((a, b) => area(a) - area(b))
  }
  return []
}
