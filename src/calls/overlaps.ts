import { latin1Text } from '../base/byte-text.ts'
import { rising } from '../base/rising.ts'
import { type Comparable, comparable, comparableReader } from '../cells/bounds.ts'
import { datatypeKind } from '../format/datatype.ts'
import type { NDRange, RangeType } from '../format/range.ts'
import { fixedSize } from '../format/range.ts'
import type { Listed } from './listed-fragment.ts'

/** Which boxes have cells in common. */
interface Overlaps {
  /** Number of other boxes that each box overlaps. */
  counts: Uint32Array
  pair_num: number
  /** Pairs of positions in the list of boxes, the smaller position first. */
  pairs: [number, number][]
}

/**
 * Finds the boxes that overlap. It compares the ranks of their ends, so that strings cost no more than numbers. It sweeps along the
 * dimension in which the fewest boxes meet. With one dimension it computes the numbers, and visits only the pairs that it lists.
 *
 * @param boxes the boxes; an undefined box overlaps nothing, and neither does one with an end that is no number
 * @param most largest number of pairs to list
 */
export function findOverlaps(
  boxes: readonly (NDRange | undefined)[],
  dimensions: readonly RangeType[],
  most: number,
): Overlaps {
  // Nothing is known of an array whose schema cannot be read.
  if (dimensions.length === 0) return { counts: new Uint32Array(boxes.length), pair_num: 0, pairs: [] }
  const known = withoutNaN(boxes, dimensions)
  const ranks = dimensions.map((dimension, d) => rankedEnds(known, dimension, d))
  // A damaged box that ends before it begins has no cells.
  const there = Uint32Array.from(known.keys()).filter(
    (i) => known[i] !== undefined && ranks.every(({ lows, highs }) => lows[i] <= highs[i]),
  )
  const meeting = ranks.map((along) => meetingAlong(there, along, boxes.length))
  const sweep = meeting.reduce((least, { pair_num }, d) => (pair_num < meeting[least].pair_num ? d : least), 0)
  const order = there.sort((a, b) => ranks[sweep].lows[a] - ranks[sweep].lows[b])
  // By position in the order, so that the inner loop goes through memory from end to end.
  const sorted = [ranks[sweep], ...ranks.toSpliced(sweep, 1)].map(({ lows, highs }) => ({
    lows: order.map((i) => lows[i]),
    highs: order.map((i) => highs[i]),
  }))
  const pairs: [number, number][] = []
  const list = (first: number, second: number): void => {
    const [a, b] = [order[first], order[second]]
    pairs.push(a < b ? [a, b] : [b, a])
  }
  const found = dimensions.length === 1 ? meeting[0] : countedPairs(sorted, order, boxes.length)
  visitPairs(sorted, Math.min(most, found.pair_num), list)
  return { ...found, pairs: pairs.sort(([a, b], [c, d]) => a - c || b - d) }
}

type Counted = Pick<Overlaps, 'counts' | 'pair_num'>

/**
 * How many boxes each box meets along one dimension: those that begin before it ends, less those that end before it begins.
 * @param there positions of the boxes
 * @param length length of the list of boxes
 */
function meetingAlong(there: Uint32Array, { lows, highs, rank_num }: Ranks, length: number): Counted {
  const begun = new Uint32Array(rank_num + 1)
  const ended = new Uint32Array(rank_num + 1)
  for (const i of there) {
    begun[lows[i] + 1]++
    ended[highs[i] + 1]++
  }
  for (let rank = 1; rank <= rank_num; rank++) {
    begun[rank] += begun[rank - 1]
    ended[rank] += ended[rank - 1]
  }
  const counts = new Uint32Array(length)
  let sum = 0
  for (const i of there) {
    counts[i] = begun[highs[i] + 1] - ended[lows[i]] - 1
    sum += counts[i]
  }
  return { counts, pair_num: sum / 2 }
}

/** The ends of the boxes along a dimension, by their position in a sweep. */
type Sorted = Pick<Ranks, 'lows' | 'highs'>

/** How many boxes each box overlaps. @param order position of each box in the list of boxes, by its position in the sweep */
function countedPairs([along, ...others]: readonly Sorted[], order: Uint32Array, length: number): Counted {
  const counts = new Uint32Array(length)
  let pair_num = 0
  for (let first = 0; first < order.length; first++) {
    const end = along.highs[first]
    let own = 0
    for (let second = first + 1; second < order.length && along.lows[second] <= end; second++) {
      if (!meet(others, first, second)) continue
      counts[order[second]]++
      own++
    }
    counts[order[first]] += own
    pair_num += own
  }
  return { counts, pair_num }
}

/** Visits the first pairs of a sweep. */
function visitPairs(
  [along, ...others]: readonly Sorted[],
  most: number,
  visit: (first: number, second: number) => void,
): void {
  let left = most
  for (let first = 0; left > 0; first++) {
    for (let second = first + 1; left > 0 && along.lows[second] <= along.highs[first]; second++) {
      if (!meet(others, first, second)) continue
      visit(first, second)
      left--
    }
  }
}

/** Whether two boxes meet along each of some dimensions. */
function meet(dimensions: readonly Sorted[], a: number, b: number): boolean {
  for (let d = 0; d < dimensions.length; d++) {
    const { lows, highs } = dimensions[d]
    if (lows[a] > highs[b] || lows[b] > highs[a]) return false
  }
  return true
}

/** The boxes; undefined for those with an end that is NaN: it has no rank among the others. */
function withoutNaN(
  boxes: readonly (NDRange | undefined)[],
  dimensions: readonly RangeType[],
): readonly (NDRange | undefined)[] {
  const floats = dimensions.flatMap(({ type }, d) => (datatypeKind(type) === 'float' ? [{ d, type }] : []))
  if (floats.length === 0) return boxes
  return boxes.map((box) => {
    const isNaNIn = ({ d, type }: (typeof floats)[number]): boolean =>
      [box?.[d]?.min, box?.[d]?.max].some((end) => end !== undefined && Number.isNaN(comparable(type, end)))
    return floats.some(isNaNIn) ? undefined : box
  })
}

interface Ranks {
  lows: Uint32Array
  highs: Uint32Array
  /** Number of different ranks. */
  rank_num: number
}

/** The ranks of the boxes' ends among all ends along one dimension. Equal values have equal ranks. */
function rankedEnds(boxes: readonly (NDRange | undefined)[], { type }: RangeType, d: number): Ranks {
  const lows = new Uint32Array(boxes.length)
  const highs = new Uint32Array(boxes.length)
  const read = comparableReader(type)
  // Both ends of each box, one after the other.
  const ends: (number | bigint | string)[] = []
  for (const box of boxes) if (box) ends.push(keyOf(read(box[d].min)), keyOf(read(box[d].max)))
  const ranks = new Map<number | bigint | string, number>()
  for (const value of inRisingOrder(ends)) if (!ranks.has(value)) ranks.set(value, ranks.size)
  let at = 0
  for (let i = 0; i < boxes.length; i++) {
    if (!boxes[i]) continue
    lows[i] = ranks.get(ends[at++]) ?? 0
    highs[i] = ranks.get(ends[at++]) ?? 0
  }
  return { lows, highs, rank_num: ranks.size }
}

/** A value that is the same for equal values. Of bytes it is a text. */
function keyOf(value: Comparable): number | bigint | string {
  return value instanceof Uint8Array ? latin1Text(value) : value
}

/** A list of numbers is sorted by the engine, without a call for each two of them. */
function inRisingOrder<T extends number | bigint | string>(values: readonly T[]): Iterable<number | T> {
  return values.every((value) => typeof value === 'number') ? Float64Array.from(values).sort() : values.toSorted(rising)
}

/**
 * A fragment's non-empty domain, if it fits the dimensions of the newest schema. Undefined if it does not, as after damage, or if
 * there is no such schema.
 */
export function comparableDomain({ domain }: Listed, dimensions: readonly RangeType[]): NDRange | undefined {
  if (!domain || domain.length === 0 || domain.length !== dimensions.length) return undefined
  const fits = domain.every(({ min, max }, d) => {
    const size = fixedSize(dimensions[d])
    return size === undefined || (min.length === size && max.length === size)
  })
  return fits ? domain : undefined
}
