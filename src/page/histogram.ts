import type { CellValue } from '../documents/common.ts'
import { type Datatype, datatypeKind } from '../format/datatype.ts'
import { integerOf } from '../format/dense-tiles.ts'
import { bytesOf } from '../format/value.ts'
import { formatCount } from '../render/units.ts'
import { shortCell } from './short-cell.ts'
import { shownNumber } from './shown-number.ts'

/** Bins of numbers, at most. */
const BINS = 20
/** Of floats, the narrowest bin: a power of ten far below it would be 0. */
const LEAST_STEP = 1e-300
/** Most frequent values that are shown, and different ones that are counted. */
const MOST = { shown: 20, counted: 10_000 }

/** How often something comes. */
export interface Bar {
  label: string
  count: number
}

/** What is known of the cells of a column. */
export interface Summary {
  bars: readonly Bar[]
  cells: number
  nulls: number
  /** NaN, NaT and infinities, which have no bin. */
  others: number
  /** In words: how the bars were chosen; of numbers the fill values, which have no bin, and least, largest and mean. */
  told: string
}

/** Counts the cells of a column. */
export interface Tally {
  add(value: CellValue | undefined): void
  summary(): Summary
}

/**
 * @param isNumeric whether cells are single numbers or dates, which are shown as bins rather than one by one
 * @param fill of numbers: is counted apart, in no bin
 */
export function newTally(type: Datatype, isNumeric: boolean, fill?: CellValue): Tally {
  return isNumeric ? new Numbers(type, fill) : new Values()
}

class Numbers implements Tally {
  private readonly values: (number | bigint)[] = []
  private readonly type: Datatype
  private readonly fill: CellValue | undefined
  private nulls = 0
  private others = 0
  private fills = 0

  constructor(type: Datatype, fill: CellValue | undefined) {
    this.type = type
    this.fill = fill
  }

  add(value: CellValue | undefined): void {
    if (value === null || value === undefined) this.nulls++
    // Object.is: NaN is the fill value of floats.
    else if (this.fill !== undefined && Object.is(value, this.fill)) this.fills++
    else {
      const number = this.numberOf(value)
      if (typeof number === 'bigint' || Number.isFinite(number)) this.values.push(number)
      else this.others++
    }
  }

  /** Dates come as text, and large whole numbers as bigints. */
  private numberOf(value: CellValue): number | bigint {
    if (typeof value === 'bigint') return value
    if (typeof value !== 'string') return Number(value)
    if (value === 'NaT' || datatypeKind(this.type) === 'float') return Number.NaN
    return integerOf(this.type, bytesOf(this.type, 1, value))
  }

  summary(): Summary {
    const { values, nulls, others, fills, type } = this
    const shown = (value: number | bigint): string => String(shownNumber(type, value))
    const isWhole = datatypeKind(type) !== 'float'
    const told = [
      ...(fills > 0 ? [`${formatCount(fills)} ${shownFill(this.fill)}, the fill value`] : []),
      ...(values.length > 0 ? [spread(isWhole ? values.map(BigInt) : (values as number[]), shown)] : []),
    ].join('; ')
    const bars = isWhole ? wholeBars(values.map(BigInt), shown) : floatBars(values as number[], shown)
    return { bars, cells: values.length + nulls + others + fills, nulls, others, told }
  }
}

const shownFill = (fill: CellValue | undefined): string => shortCell(fill).text

/** The least, the largest and the mean, in words. */
function spread(values: readonly number[] | readonly bigint[], shown: (value: number | bigint) => string): string {
  const { low, high } = ends<number | bigint>(values)
  return `min ${shown(low)}, max ${shown(high)}, mean ${meanText(values, shown)}`
}

function meanText(values: readonly number[] | readonly bigint[], shown: (value: number | bigint) => string): string {
  const count = values.length
  if (typeof values[0] === 'number') {
    // Divided first: the sum of large numbers may be none.
    const mean = (values as readonly number[]).reduce((sum, value) => sum + value / count, 0)
    return shown(Number(mean.toPrecision(12)))
  }
  const sum = (values as readonly bigint[]).reduce((sum, value) => sum + value, 0n)
  const whole = shown(sum / BigInt(count))
  // Dates have no fractions.
  return /^-?\d{1,15}$/.test(whole) ? String(Number((Number(sum) / count).toPrecision(12))) : whole
}

function ends<T extends number | bigint>(values: readonly T[]): { low: T; high: T } {
  let low: T = values[0]
  let high: T = values[0]
  for (const value of values) {
    if (value < low) low = value
    if (value > high) high = value
  }
  return { low, high }
}

/** Bins of whole numbers: each ends one before the next begins. */
function wholeBars(values: readonly bigint[], shown: (value: bigint) => string): Bar[] {
  if (values.length === 0) return []
  const { low, high } = ends(values)
  const bins = BigInt(BINS - 1)
  const rough = (high - low + bins - 1n) / bins || 1n
  const power = 10n ** BigInt(String(rough).length - 1)
  const step = [1n, 2n, 5n, 10n].map((one) => one * power).find((one) => one >= rough) ?? rough
  // Divisions of bigints round to 0.
  const first = (low / step - (low % step < 0n ? 1n : 0n)) * step
  const counts = new Array<number>(Number((high - first) / step) + 1).fill(0)
  for (const value of values) counts[Number((value - first) / step)]++
  return counts.map((count, i) => {
    const from = first + BigInt(i) * step
    return { count, label: step === 1n ? shown(from) : `${shown(from)} to ${shown(from + step - 1n)}` }
  })
}

function floatBars(values: readonly number[], shown: (value: number) => string): Bar[] {
  if (values.length === 0) return []
  const { low, high } = ends(values)
  if (low === high) return [{ label: shown(low), count: values.length }]
  // Numbers that differ by less than their last digits have one bin.
  const least = Math.max(LEAST_STEP, Math.abs(high) * 1e-11, Math.abs(low) * 1e-11)
  // Divided first: the difference of large numbers may be infinite.
  const rough = Math.max(high / (BINS - 1) - low / (BINS - 1), least)
  const power = 10 ** Math.floor(Math.log10(rough))
  const factor = [1, 2, 5, 10].find((one) => one * power >= rough * (1 - 1e-12)) ?? 10
  const step = factor * power
  const first = Math.floor(low / step)
  // Round numbers from below the smallest to above the largest value.
  const rounded = (index: number): number => Number((index * step).toPrecision(12))
  const edges = [rounded(first), rounded(first + 1)]
  while (edges[edges.length - 1] <= high && edges.length <= BINS + 2) edges.push(rounded(first + edges.length))
  const last = edges.length - 2
  const counts = new Array<number>(last + 1).fill(0)
  for (const value of values) {
    let bin = Math.min(last, Math.max(0, Math.floor(value / step) - first))
    // Edges are rounded to be read, so the quotient may be off by one.
    if (value < edges[bin]) bin--
    else if (value >= edges[bin + 1]) bin++
    counts[Math.min(last, Math.max(0, bin))]++
  }
  return counts.map((count, i) => ({ count, label: `${shown(edges[i])} to below ${shown(edges[i + 1])}` }))
}

class Values implements Tally {
  private readonly counts = new Map<string, number>()
  private cells = 0
  private nulls = 0
  private uncounted = 0

  add(value: CellValue | undefined): void {
    this.cells++
    if (value === null || value === undefined) {
      this.nulls++
      return
    }
    const { text, more } = shortCell(value)
    const label = more === undefined ? text : `${text} ${more}`
    const before = this.counts.get(label)
    if (before !== undefined) this.counts.set(label, before + 1)
    else if (this.counts.size < MOST.counted) this.counts.set(label, 1)
    else this.uncounted++
  }

  summary(): Summary {
    const { counts, cells, nulls, uncounted } = this
    const all = [...counts].map(([label, count]) => ({ label, count })).sort((a, b) => b.count - a.count)
    const told =
      uncounted > 0
        ? `the most frequent of the first ${MOST.counted} different values`
        : all.length > MOST.shown
          ? `the most frequent of ${all.length} different values`
          : ''
    return { bars: all.slice(0, MOST.shown), cells, nulls, others: 0, told }
  }
}
