import { compareBytes } from '../../filters/bytes.ts'
import { type Datatype, datatypeKind } from '../../format/datatype.ts'
import type { Dimension } from '../../format/dimension.ts'
import { cellReader, cellValue } from '../../format/value.ts'
import { formatCount, shortValue } from '../../render/units.ts'
import { cellOfNumber } from '../cell-of-number.ts'

/** Upper limit on the steps of a text axis. If the boxes have more different ends, only every n-th is a step. */
const MAX_STEPS = 100_000
/** Upper limit on the characters of a text in a range. Longer ones would fill the link. */
const LONGEST_WORD = 60

/** Gives values their places in a drawing. The place of a number or time is its value; that of a text is its rank among the ends of all boxes. */
export interface MapAxis {
  name: string
  /** Width of a single cell: 1, or 0 for floats. */
  unit: 0 | 1
  /** Whether {@link setSteps} must be called before {@link place}. */
  isText: boolean
  /** The place of a value. @param from offset of its first byte @param to offset after its last byte */
  place(bytes: Uint8Array, from: number, to: number): number
  /** The places where the domain begins and ends. */
  ends(): readonly [low: number, high: number]
  /** The value at a place, as documents show it. @param isEnd whether the place is the end of a box, after its last cell */
  text(place: number, isEnd?: boolean): string
  /** The values between two places, ends included, as `--range` takes them. Undefined if they cannot be written so. */
  range(low: number, high: number): string | undefined
  /** Sets the steps of a text axis: the ends of all boxes. */
  setSteps(values: Uint8Array[]): void
}

/** The axis of a dimension. */
export function axisOf({ name, type, cell_val_num, domain }: Dimension): MapAxis {
  if (datatypeKind(type) === 'text') return textAxis(name, type)
  const read = cellReader(type, cell_val_num, { raw: true })
  const isFloat = datatypeKind(type) === 'float'
  const half = domain.length / 2
  const [low, high] = [domain.subarray(0, half), domain.subarray(half)].map((one) => ({
    place: Number(read(one, 0, half)),
    // Places are doubles, which cannot tell the last 64-bit integers apart.
    text: shortValue(cellValue(type, 1, one, { raw: false })),
  }))
  return {
    name,
    unit: isFloat ? 0 : 1,
    isText: false,
    ends: () => [low.place, high.place + (isFloat ? 0 : 1)],
    place: (bytes, from, to) => Number(read(bytes, from, to)),
    text(place, isEnd) {
      if (isFloat) return String(Number(place.toPrecision(6)))
      const value = cellAt(place, isEnd)
      if (value <= low.place) return low.text
      return value >= high.place ? high.text : wholeText(type, value)
    },
    range(low, high) {
      if (isFloat) return `${low}..${high}`
      return `${wholeText(type, Math.ceil(low))}..${wholeText(type, Math.floor(high))}`
    },
    setSteps() {},
  }
}

/** The whole number of the cell at a place. @param isEnd whether the place is the end of the cell's box */
const cellAt = (place: number, isEnd: boolean | undefined): number => (isEnd ? Math.ceil(place) - 1 : Math.floor(place))

const wholeText = (type: Datatype, place: number): string => shortValue(cellOfNumber(type, BigInt(place)))

function textAxis(name: string, type: Datatype): MapAxis {
  let sorted: Uint8Array[] = []
  let hasAllSteps = true
  return {
    name,
    unit: 1,
    isText: true,
    place(bytes, start, end) {
      const value = bytes.subarray(start, end)
      let [from, to] = [0, sorted.length]
      while (from < to) {
        const middle = (from + to) >> 1
        if (compareBytes(sorted[middle], value) < 0) from = middle + 1
        else to = middle
      }
      return from
    },
    ends: () => [0, sorted.length],
    text(place, isEnd) {
      const value = sorted[Math.max(0, Math.min(sorted.length - 1, cellAt(place, isEnd)))]
      return value === undefined ? '' : shortValue(cellValue(type, 'var', value, { raw: false }), 16)
    },
    range(low, high) {
      const ends = [sorted[Math.ceil(low)], sorted[Math.floor(high)]]
      const words = ends.map((one) => one && cellValue(type, 'var', one, { raw: false }))
      // If a step stands for several values, the exact end is not known.
      if (!hasAllSteps || words.some((one) => typeof one !== 'string' || one.length > LONGEST_WORD)) return undefined
      return words.map((one) => JSON.stringify(one)).join('..')
    },
    setSteps(values) {
      const all = values.sort(compareBytes).filter((one, i) => i === 0 || compareBytes(one, values[i - 1]) !== 0)
      const stride = Math.ceil(all.length / MAX_STEPS)
      hasAllSteps = stride <= 1
      sorted = hasAllSteps ? all : all.filter((_, i) => i % stride === 0)
    },
  }
}

/** The axis on which each fragment has its own row, oldest first. For arrays of one dimension, and on the user's wish. */
export function fragmentAxis(count: number): MapAxis {
  return {
    name: 'fragment',
    unit: 1,
    isText: false,
    place: () => 0,
    ends: () => [0, count],
    text: (place, isEnd) => formatCount(Math.max(0, Math.min(count - 1, cellAt(place, isEnd)))),
    range: () => undefined,
    setSteps() {},
  }
}
