import { type Datatype, datatypeSize, isSignedInteger } from '../format/datatype.ts'
import { isWide, type Numbers, numbersOf, uint32LanesOf, type VisitedCells } from './elements.ts'
import { visitNumbers } from './number-blocks.ts'

/** The smallest and the largest value, as views of their bytes. */
export interface Extremes {
  min: Uint8Array
  max: Uint8Array
}

/** Whether a type is text that TileDB compares. Such text has minima and maxima of any length. */
export function isPlainText({ type }: { type: Datatype }): boolean {
  return type === 'CHAR' || type === 'STRING_ASCII'
}

/**
 * Minimum and maximum of cells, by TileDB's rules for their type. Without cells the result is undefined for text, and for
 * numbers the limits that TileDB starts from.
 *
 * @param starts start of each var-sized cell, and the end of the last; undefined for cells of `size` bytes
 * @param cells pieces of cells, in order
 */
export function extremesOf(
  type: Datatype,
  data: Uint8Array,
  starts: Float64Array | undefined,
  size: number,
  cells: Iterable<VisitedCells>,
): Extremes | undefined {
  if (isPlainText({ type })) return textExtremes(data, starts, size, cells)
  return isWide(type) ? wideExtremes(data, isSignedInteger(type), cells) : numberExtremes(data, type, cells)
}

const LARGEST_FLOAT32 = (2 - 2 ** -23) * 2 ** 127

/** Lowest and highest finite value of a type of up to 4 bytes, or of a float. */
function limitsOf(type: Datatype): [low: number, high: number] {
  if (type === 'FLOAT64') return [-Number.MAX_VALUE, Number.MAX_VALUE]
  if (type === 'FLOAT32') return [-LARGEST_FLOAT32, LARGEST_FLOAT32]
  const count = 2 ** (8 * datatypeSize(type))
  return isSignedInteger(type) ? [-count / 2, count / 2 - 1] : [0, count - 1]
}

/**
 * {@link extremesOf} for numbers. TileDB starts from the type's limits and takes every value that is not strictly inside. So it
 * takes the last of equal values, and a NaN lasts until the next value. An infinity does not replace the largest finite number,
 * from which the minimum starts.
 */
function numberExtremes(data: Uint8Array, type: Datatype, pieces: Iterable<VisitedCells>): Extremes {
  const values = numbersOf(type, data)
  const limits = limitsOf(type)
  let places: Places = [-1, -1]
  for (const piece of pieces) {
    const known = piece.at ? undefined : extremePlaces(values.subarray(0, piece.length), limits)
    places = known ?? extremePlacesByRule(values, piece, limits, places)
  }
  return extremesAt(data, type, places)
}

/** The smallest and the largest number by their places. Where there is none, the limits that TileDB starts from. */
export function extremesAt(data: Uint8Array, type: Datatype, [minAt, maxAt]: Places): Extremes {
  const size = datatypeSize(type)
  if (minAt >= 0 && maxAt >= 0) return { min: cellOf(data, minAt, size), max: cellOf(data, maxAt, size) }
  const none = new Uint8Array(2 * size)
  numbersOf(type, none).set(limitsOf(type))
  return {
    min: minAt < 0 ? none.subarray(size) : cellOf(data, minAt, size),
    max: maxAt < 0 ? none.subarray(0, size) : cellOf(data, maxAt, size),
  }
}

/** The places of the smallest and the largest number; -1 for none. */
type Places = readonly [min: number, max: number]

/** {@link Places}; undefined if there is a NaN. */
function extremePlaces(values: Numbers, [low, high]: readonly [number, number]): Places | undefined {
  let [max, min] = [low, high]
  visitNumbers(values, { length: values.length, at: undefined }, (numbers) => {
    let [least, most] = [min, max]
    // Takes a third of the time of comparisons.
    for (let i = 0; i < numbers.length; i++) {
      const value = numbers[i]
      least = Math.min(least, value)
      most = Math.max(most, value)
    }
    min = least
    max = most
  })
  return Number.isNaN(min) ? undefined : [values.lastIndexOf(min), values.lastIndexOf(max)]
}

/** {@link extremePlaces} by TileDB's rule, also with NaN. @param before those of the cells before */
function extremePlacesByRule(
  values: Numbers,
  cells: VisitedCells,
  [low, high]: readonly [number, number],
  before: Places,
): Places {
  const { at } = cells
  let [minAt, maxAt] = before
  let max = maxAt < 0 ? low : values[maxAt]
  let min = minAt < 0 ? high : values[minAt]
  visitNumbers(values, cells, (numbers, from) => {
    let [least, most, leastAt, mostAt] = [min, max, -1, -1]
    for (let i = 0; i < numbers.length; i++) {
      const value = numbers[i]
      if (!(least < value)) {
        least = value
        leastAt = from + i
      }
      if (!(most > value)) {
        most = value
        mostAt = from + i
      }
    }
    min = least
    max = most
    if (leastAt >= 0) minAt = at ? at[leastAt] : leastAt
    if (mostAt >= 0) maxAt = at ? at[mostAt] : mostAt
  })
  return [minAt, maxAt]
}

function cellOf(data: Uint8Array, cell: number, size: number): Uint8Array {
  return data.subarray(cell * size, (cell + 1) * size)
}

/** {@link numberExtremes} for 8-byte integers. */
export function wideExtremes(data: Uint8Array, signed: boolean, pieces: Iterable<VisitedCells>): Extremes {
  const lanes = uint32LanesOf(data)
  let places: Places | undefined
  for (const piece of pieces) if (piece.length > 0) places = wideExtremePlaces(lanes, signed, piece, places)
  if (places) return { min: cellOf(data, places[0], 8), max: cellOf(data, places[1], 8) }
  const turn = signed ? 0x80000000 : 0
  const [low, high] = [new Uint32Array([0, turn]), new Uint32Array([0xffffffff, ~turn])]
  return { min: new Uint8Array(high.buffer), max: new Uint8Array(low.buffer) }
}

/** @param before as for {@link extremePlacesByRule} */
function wideExtremePlaces(lanes: Uint32Array, signed: boolean, { length, at }: VisitedCells, before?: Places): Places {
  const turn = signed ? 0x80000000 : 0
  const first = at ? at[0] : 0
  let [min, max] = before ?? [first, first]
  let minHigh = (lanes[2 * min + 1] ^ turn) >>> 0
  let minLow = lanes[2 * min]
  let maxHigh = (lanes[2 * max + 1] ^ turn) >>> 0
  let maxLow = lanes[2 * max]
  for (let i = before ? 0 : 1; i < length; i++) {
    const cell = at ? at[i] : i
    const low = lanes[2 * cell]
    const high = (lanes[2 * cell + 1] ^ turn) >>> 0
    if (high < minHigh || (high === minHigh && low < minLow)) {
      min = cell
      minHigh = high
      minLow = low
    } else if (high > maxHigh || (high === maxHigh && low > maxLow)) {
      max = cell
      maxHigh = high
      maxLow = low
    }
  }
  return [min, max]
}

/**
 * {@link extremesOf} for text. Texts compare like `strncmp`: by unsigned bytes, up to a zero byte. A prefix of another text is
 * smaller. Of equal texts the first is taken.
 * @param end the byte that ends a text: -1 to compare all bytes
 */
export function textExtremes(
  data: Uint8Array,
  starts: Float64Array | undefined,
  size: number,
  pieces: Iterable<VisitedCells>,
  end = 0,
): Extremes | undefined {
  let minFrom = -1
  let minTo = -1
  let maxFrom = -1
  let maxTo = -1
  for (const { length, at } of pieces) {
    for (let i = 0; i < length; i++) {
      const cell = at ? at[i] : i
      const from = starts ? starts[cell] : cell * size
      const to = starts ? starts[cell + 1] : from + size
      if (minFrom < 0 || compareText(data, minFrom, minTo, from, to, end) > 0) {
        minFrom = from
        minTo = to
      }
      if (maxFrom < 0 || compareText(data, maxFrom, maxTo, from, to, end) < 0) {
        maxFrom = from
        maxTo = to
      }
    }
  }
  if (minFrom < 0) return undefined
  return { min: data.subarray(minFrom, minTo), max: data.subarray(maxFrom, maxTo) }
}

// biome-ignore lint/complexity/useMaxParams: called twice for each cell, so no object is made
function compareText(data: Uint8Array, a: number, aEnd: number, b: number, bEnd: number, end: number): number {
  const longer = aEnd - a - (bEnd - b)
  const length = longer < 0 ? aEnd - a : bEnd - b
  for (let i = 0; i < length; i++) {
    const difference = data[a + i] - data[b + i]
    if (difference !== 0) return difference
    if (data[a + i] === end) break
  }
  return longer
}
