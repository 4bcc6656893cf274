import { lastNotAfter } from '../base/last-not-after.ts'
import type { Prose } from '../base/prose.ts'
import { sum } from '../base/sum.ts'
import type { CellValue } from '../documents/common.ts'
import { type Datatype, datatypeKind } from '../format/datatype.ts'
import { integerOf } from '../format/dense-tiles.ts'
import { bytesOf } from '../format/value.ts'
import { formatCount } from '../render/units.ts'
import { cellOfNumber } from './cell-of-number.ts'
import { dateEdges } from './picture/ticks.ts'
import { shortCell } from './short-cell.ts'

/** Upper limit on the bins of numbers. */
const BINS = 20
/** Width of the narrowest bin of floats. Powers of ten far below it would be 0. */
const MIN_STEP = 1e-300
/** Upper limits on the different values that are shown and counted. */
const MOST = { shown: 20, counted: 10_000 }

/** A value or bin, and the number of cells that have it. */
export interface Bar {
  label: string
  count: number
}

/** The distribution of the cells of a column. */
export interface Summary {
  bars: readonly Bar[]
  cells: number
  nulls: number
  /** Number of cells with NaN, NaT or infinity, which have no bin. */
  nonFinite: number
  /** In words: which values the bars show; for numbers the fill values, which have no bin, and minimum, maximum and mean. */
  note: Prose
}

/** Counts the cells of a column. */
export interface Tally {
  add(value: CellValue | undefined): void
  summary(): Summary
}

/**
 * A tally of no cells yet.
 * @param isNumeric whether cells are single numbers or dates, which are counted in bins
 * @param fill fill value of a numeric column, which is counted in no bin
 */
export function newTally(type: Datatype, isNumeric: boolean, fill?: CellValue): Tally {
  return isNumeric ? new Numbers(type, fill) : new Values()
}

class Numbers implements Tally {
  private readonly values: (number | bigint)[] = []
  private readonly type: Datatype
  private readonly fill: CellValue | undefined
  private nulls = 0
  private nonFinite = 0
  private fills = 0

  constructor(type: Datatype, fill: CellValue | undefined) {
    this.type = type
    this.fill = fill
  }

  add(value: CellValue | undefined): void {
    if (value === null || value === undefined) this.nulls++
    // `Object.is`, as the fill value may be NaN.
    else if (this.fill !== undefined && Object.is(value, this.fill)) this.fills++
    else {
      const number = this.numberOf(value)
      if (typeof number === 'bigint' || Number.isFinite(number)) this.values.push(number)
      else this.nonFinite++
    }
  }

  /** The number of a cell. Dates come as text, and large whole numbers as bigints. */
  private numberOf(value: CellValue): number | bigint {
    if (typeof value === 'bigint') return value
    if (typeof value !== 'string') return Number(value)
    if (value === 'NaT' || datatypeKind(this.type) === 'float') return Number.NaN
    return integerOf(this.type, bytesOf(this.type, 1, value))
  }

  summary(): Summary {
    const { values, nulls, nonFinite, fills, type } = this
    const shown = (value: number | bigint): string => String(cellOfNumber(type, value))
    const isWhole = datatypeKind(type) !== 'float'
    const cells = values.length + nulls + nonFinite + fills
    const notes = fills > 0 ? [`${formatCount(fills)} ${shortCell(this.fill).text}, the fill value`] : []
    if (values.length === 0) return { bars: [], cells, nulls, nonFinite, note: notes.join() }
    const whole = isWhole ? values.map(BigInt) : undefined
    const floats = values as number[]
    const { low, high } = ends<number | bigint>(whole ?? floats)
    notes.push(
      `min ${shown(low)}, max ${shown(high)}, mean ${whole ? wholeMean(whole, shown) : floatMean(floats, shown)}`,
    )
    const dates = whole && dateBars(type, whole, shown)
    const bars = dates ?? (whole ? wholeBars(whole, shown) : floatBars(floats, shown))
    return { bars, cells, nulls, nonFinite, note: notes.join('; ') }
  }
}

function floatMean(values: readonly number[], shown: (value: number) => string): string {
  // Divided first, as the sum of large numbers may be infinite.
  const mean = sum(values, (value) => value / values.length)
  return shown(Number(mean.toPrecision(12)))
}

function wholeMean(values: readonly bigint[], shown: (value: bigint) => string): string {
  const sum = values.reduce((sum, value) => sum + value, 0n)
  const whole = shown(sum / BigInt(values.length))
  // A mean of dates has no fraction.
  return /^-?\d{1,15}$/.test(whole) ? String(Number((Number(sum) / values.length).toPrecision(12))) : whole
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

/** Bins of whole numbers. Each ends one below the start of the next. */
function wholeBars(values: readonly bigint[], shown: (value: bigint) => string): Bar[] {
  const { low, high } = ends(values)
  const bins = BigInt(BINS - 1)
  const rough = (high - low + bins - 1n) / bins || 1n
  const power = 10n ** BigInt(String(rough).length - 1)
  const step = [1n, 2n, 5n, 10n].map((one) => one * power).find((one) => one >= rough) ?? rough
  // A division of bigints rounds towards 0.
  const first = (low / step - (low % step < 0n ? 1n : 0n)) * step
  const counts = new Array<number>(Number((high - first) / step) + 1).fill(0)
  for (const value of values) counts[Number((value - first) / step)]++
  return counts.map((count, i) => {
    const from = first + BigInt(i) * step
    return { count, label: step === 1n ? shown(from) : `${shown(from)} to ${shown(from + step - 1n)}` }
  })
}

/** Bins of dates, at whole days, months and so on. Undefined if the dates have none. */
function dateBars(type: Datatype, values: readonly bigint[], shown: (value: bigint) => string): Bar[] | undefined {
  const { low, high } = ends(values)
  const edges = dateEdges(type, low, high, BINS - 1)
  if (!edges) return undefined
  const counts = new Array<number>(edges.length - 1).fill(0)
  for (const value of values) counts[lastNotAfter(counts.length, (i) => edges[i], value)]++
  const isDays = edges.every((edge) => /^[^T]+(?:T00[:.0]*)?$/.test(shown(edge)))
  const words = (value: bigint): string => (isDays ? shown(value).replace(/T.*/, '') : shown(value))
  return counts.map((count, i) => {
    const [from, to] = [words(edges[i]), words(edges[i + 1] - 1n)]
    return { count, label: from === to ? from : `${from} to ${to}` }
  })
}

function floatBars(values: readonly number[], shown: (value: number) => string): Bar[] {
  const { low, high } = ends(values)
  if (low === high) return [{ label: shown(low), count: values.length }]
  // Numbers that differ only in their last digits share a bin.
  const least = Math.max(MIN_STEP, Math.abs(high) * 1e-11, Math.abs(low) * 1e-11)
  // Divided first, as the difference of large numbers may be infinite.
  const rough = Math.max(high / (BINS - 1) - low / (BINS - 1), least)
  const power = 10 ** Math.floor(Math.log10(rough))
  const factor = [1, 2, 5, 10].find((one) => one * power >= rough * (1 - 1e-12)) ?? 10
  const step = factor * power
  const first = Math.floor(low / step)
  // The edges are round numbers, from below the smallest value to above the largest.
  const rounded = (index: number): number => Number((index * step).toPrecision(12))
  const edges = [rounded(first), rounded(first + 1)]
  while (edges[edges.length - 1] <= high && edges.length <= BINS + 2) edges.push(rounded(first + edges.length))
  const last = edges.length - 2
  const counts = new Array<number>(last + 1).fill(0)
  for (const value of values) {
    let bin = Math.min(last, Math.max(0, Math.floor(value / step) - first))
    // The edges are rounded, so the quotient may be off by one.
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
    let note = ''
    if (uncounted > 0) note = `the most frequent of the first ${MOST.counted} different values`
    else if (all.length > MOST.shown) note = `the most frequent of ${all.length} different values`
    return { bars: all.slice(0, MOST.shown), cells, nulls, nonFinite: 0, note }
  }
}
