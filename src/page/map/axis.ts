import { compareBytes } from '../../filters/bytes.ts'
import { type Datatype, datatypeKind, datatypeSize } from '../../format/datatype.ts'
import type { Dimension } from '../../format/dimension.ts'
import { cellReader, cellValue } from '../../format/value.ts'
import { formatCount, shortValue } from '../../render/units.ts'

/** Ends of boxes that a text axis keeps. Of more, every so many-th is a step of the axis. */
const MOST_STEPS = 100_000
/** Longer ends of ranges would fill the link. */
const LONGEST_WORD = 60

/** Where values stand in a drawing: numbers and times by their value, text by its order among the ends of all boxes. */
export interface Axis {
  name: string
  /** What a box is wider than the difference of its ends: 1 where both are cells, 0 for floats. */
  unit: 0 | 1
  /** Whether {@link steps} must have all values before any is placed. */
  isText: boolean
  /** The place of a value at bytes `from` to `to`. */
  place(bytes: Uint8Array, from: number, to: number): number
  /** Where values begin and end: beyond, there are none. */
  ends(): readonly [low: number, high: number]
  /** The value at a place, as documents have it. @param isEnd whether the place is where a box ends: behind its last cell */
  text(place: number, isEnd?: boolean): string
  /** The values between two places, ends included, as `--range` takes them; undefined if they cannot be written so. */
  range(low: number, high: number): string | undefined
  /** Makes the steps of text. */
  steps(values: Uint8Array[]): void
}

/** The axis of a dimension. */
export function axisOf({ name, type, cell_val_num, domain }: Dimension): Axis {
  if (datatypeKind(type) === 'text') return textAxis(name, type)
  const read = cellReader(type, cell_val_num, { raw: true })
  const isFloat = datatypeKind(type) === 'float'
  const half = domain.length / 2
  const [low, high] = [domain.subarray(0, half), domain.subarray(half)].map((one) => ({
    place: Number(read(one, 0, half)),
    // Numbers of a drawing cannot tell the last integers of 64 bits apart.
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
      return value <= low.place ? low.text : value >= high.place ? high.text : integerText(type, value)
    },
    range(low, high) {
      if (isFloat) return `${low}..${high}`
      return `${integerText(type, Math.ceil(low))}..${integerText(type, Math.floor(high))}`
    },
    steps() {},
  }
}

const cellAt = (place: number, isEnd: boolean | undefined): number => (isEnd ? Math.ceil(place) - 1 : Math.floor(place))

/** Integers, and dates and times as they are shown elsewhere. */
function integerText(type: Datatype, place: number): string {
  const kind = datatypeKind(type)
  if (kind === 'int' || kind === 'uint') return String(BigInt(place))
  const bytes = new Uint8Array(8)
  new DataView(bytes.buffer).setBigInt64(0, BigInt.asIntN(64, BigInt(place)), true)
  return shortValue(cellValue(type, 1, bytes.subarray(0, datatypeSize(type)), { raw: false }))
}

function textAxis(name: string, type: Datatype): Axis {
  let sorted: Uint8Array[] = []
  let isWhole = true
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
      // Of steps that stand for several values, none is the end.
      if (!isWhole || words.some((one) => typeof one !== 'string' || one.length > LONGEST_WORD)) return undefined
      return words.map((one) => JSON.stringify(one)).join('..')
    },
    steps(values) {
      const all = values.sort(compareBytes).filter((one, i) => i === 0 || compareBytes(one, values[i - 1]) !== 0)
      const every = Math.ceil(all.length / MOST_STEPS)
      isWhole = every <= 1
      sorted = isWhole ? all : all.filter((_, i) => i % every === 0)
    },
  }
}

/** One fragment beside the other, oldest first: of arrays of one dimension, and where the user asks for it. */
export function fragmentAxis(count: number): Axis {
  return {
    name: 'fragment',
    unit: 1,
    isText: false,
    place: () => 0,
    ends: () => [0, count],
    text: (place, isEnd) => formatCount(Math.max(0, Math.min(count - 1, cellAt(place, isEnd)))),
    range: () => undefined,
    steps() {},
  }
}
