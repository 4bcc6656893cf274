import { sum } from '../base/sum.ts'
import { type Comparable, compare } from '../cells/bounds.ts'

/** The range of a tile along one dimension. */
export interface TileRange {
  low: Comparable
  high: Comparable
  /** Bytes of the tile's wanted columns. */
  bytes: number
}

/** Upper limit on the tiles that are examined to find the cuts. */
const MAX_EXAMINED = 4096
/** Number of halvings of a dimension's range to find a cut. */
const HALVINGS = 60

/**
 * Finds the values at which to cut a dimension, so that the cells between two cuts take about `bytes`. Numbers are assumed to be spread
 * evenly over a tile. Texts are cut where tiles begin.
 * @returns rising values
 */
export function cuts(ranges: readonly TileRange[], bytes: number): Comparable[] {
  const total = sum(ranges, (range) => range.bytes)
  const count = Math.ceil(total / bytes)
  // A box with NaN does not tell in which slice its cells are.
  if (count < 2 || ranges.some(({ low, high }) => Number.isNaN(low) || Number.isNaN(high))) return []
  const step = Math.ceil(ranges.length / MAX_EXAMINED)
  const some = ranges.filter((_, i) => i % step === 0)
  const found = typeof some[0].low === 'object' ? textCuts(some, count) : numberCuts(some, count)
  return found.filter((cut, i) => i === 0 || compare(found[i - 1], cut) < 0)
}

function textCuts(ranges: readonly TileRange[], count: number): Comparable[] {
  const sorted = ranges.toSorted((a, b) => compare(a.low, b.low))
  return Array.from({ length: count - 1 }, (_, i) => sorted[Math.floor(((i + 1) * sorted.length) / count)].low)
}

function numberCuts(ranges: readonly TileRange[], count: number): Comparable[] {
  const isBig = typeof ranges[0].low === 'bigint'
  const [lows, highs] = [ranges.map(({ low }) => Number(low)), ranges.map(({ high }) => Number(high))]
  /** The share of a range's cells that lie below a value. */
  const part = (i: number, value: number): number => {
    if (value <= lows[i]) return 0
    return value >= highs[i] ? 1 : (value - lows[i]) / (highs[i] - lows[i])
  }
  const bytesBelow = (value: number): number =>
    ranges.reduce((below, { bytes }, i) => below + bytes * part(i, value), 0)
  const first = lows.reduce((a, b) => Math.min(a, b))
  const last = highs.reduce((a, b) => Math.max(a, b))
  const total = bytesBelow(last)
  return Array.from({ length: count - 1 }, (_, i) => {
    let [low, high] = [first, last]
    for (let halving = 0; halving < HALVINGS && low < high; halving++) {
      const middle = low / 2 + high / 2
      if (bytesBelow(middle) * count < total * (i + 1)) low = middle
      else high = middle
    }
    return isBig ? BigInt(Math.ceil(high)) : high
  })
}
