import { type Comparable, comparableReader, compare } from '../cells/bounds.ts'
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
 * Finds the boxes that overlap. It compares the ranks of their ends, so that strings cost no more than numbers.
 *
 * @param boxes the boxes; an undefined box overlaps nothing
 * @param most largest number of pairs to list
 */
export function findOverlaps(
  boxes: readonly (NDRange | undefined)[],
  dimensions: readonly RangeType[],
  most: number,
): Overlaps {
  const counts = new Uint32Array(boxes.length)
  const pairs: [number, number][] = []
  let pair_num = 0
  const ranks = dimensions.map((dimension, d) => rankedEnds(boxes, dimension, d))
  const order = Array.from(boxes.keys())
    .filter((i) => boxes[i] !== undefined)
    .sort((a, b) => ranks[0].lows[a] - ranks[0].lows[b])
  for (let first = 0; first < order.length; first++) {
    const a = order[first]
    for (let second = first + 1; second < order.length; second++) {
      const b = order[second]
      if (ranks[0].lows[b] > ranks[0].highs[a]) break
      if (!meet(ranks, a, b)) continue
      counts[a]++
      counts[b]++
      pair_num++
      if (pairs.length < most) pairs.push(a < b ? [a, b] : [b, a])
    }
  }
  return { counts, pair_num, pairs: pairs.sort(([a, b], [c, d]) => a - c || b - d) }
}

/** Whether two boxes have cells in common. */
function meet(ranks: readonly Ranks[], a: number, b: number): boolean {
  for (let d = 0; d < ranks.length; d++) {
    const { lows, highs } = ranks[d]
    if (lows[a] > highs[b] || lows[b] > highs[a]) return false
  }
  return true
}

interface Ranks {
  lows: Uint32Array
  highs: Uint32Array
}

/** The ranks of the boxes' ends among all ends along one dimension. Equal values have equal ranks. */
function rankedEnds(boxes: readonly (NDRange | undefined)[], { type }: RangeType, d: number): Ranks {
  const lows = new Uint32Array(boxes.length)
  const highs = new Uint32Array(boxes.length)
  const read = comparableReader(type)
  const ends: { value: Comparable; to: Uint32Array; box: number }[] = []
  boxes.forEach((box, i) => {
    if (!box) return
    ends.push({ value: read(box[d].min), to: lows, box: i })
    ends.push({ value: read(box[d].max), to: highs, box: i })
  })
  ends.sort((a, b) => compare(a.value, b.value))
  let rank = 0
  ends.forEach((end, i) => {
    if (i > 0 && compare(ends[i - 1].value, end.value) !== 0) rank++
    end.to[end.box] = rank
  })
  return { lows, highs }
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
