import type { CellValue } from '../documents/common.ts'
import { type Datatype, datatypeKind } from '../format/datatype.ts'
import { integerOf } from '../format/dense-tiles.ts'
import { bytesOf } from '../format/value.ts'
import { shortCell } from './short-cell.ts'
import { shownNumber } from './shown-number.ts'

/** Bins of numbers, at most. */
const BINS = 20
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
  /** In words: how the bars were chosen. */
  told: string
}

/** Counts the cells of a column. */
export interface Tally {
  add(value: CellValue | undefined): void
  summary(): Summary
}

/** @param isNumeric whether cells are single numbers or dates, which are shown as bins rather than one by one */
export function newTally(type: Datatype, isNumeric: boolean): Tally {
  return isNumeric ? new Numbers(type) : new Values()
}

class Numbers implements Tally {
  private readonly values: number[] = []
  private readonly type: Datatype
  private nulls = 0
  private others = 0

  constructor(type: Datatype) {
    this.type = type
  }

  add(value: CellValue | undefined): void {
    if (value === null || value === undefined) this.nulls++
    else {
      const number = this.numberOf(value)
      if (Number.isFinite(number)) this.values.push(number)
      else this.others++
    }
  }

  /** Dates come as text. */
  private numberOf(value: CellValue): number {
    if (typeof value !== 'string') return Number(value)
    if (value === 'NaT' || datatypeKind(this.type) === 'float') return Number.NaN
    return Number(integerOf(this.type, bytesOf(this.type, 1, value)))
  }

  summary(): Summary {
    const { values, nulls, others, type } = this
    const edges = edgesOf(values, datatypeKind(type) !== 'float')
    const counts = new Array<number>(Math.max(0, edges.length - 1)).fill(0)
    const step = edges[1] - edges[0]
    for (const value of values) {
      let bin = Math.min(counts.length - 1, Math.max(0, Math.floor((value - edges[0]) / step)))
      // Edges are rounded to be read, so the quotient may be off by one.
      if (value < edges[bin]) bin--
      else if (value >= edges[bin + 1]) bin++
      counts[Math.min(counts.length - 1, Math.max(0, bin))]++
    }
    const isWhole = datatypeKind(type) !== 'float'
    const shown = (value: number): string => String(shownNumber(type, value))
    const bars = counts.map((count, i) => {
      const [from, to] = [edges[i], isWhole ? edges[i + 1] - 1 : edges[i + 1]]
      return {
        count,
        label: isWhole && from >= to ? shown(from) : `${shown(from)} to ${isWhole ? '' : 'below '}${shown(to)}`,
      }
    })
    return { bars, cells: values.length + nulls + others, nulls, others, told: '' }
  }
}

/** Round numbers from below the smallest to above the largest value. */
function edgesOf(values: readonly number[], isWhole: boolean): readonly number[] {
  if (values.length === 0) return []
  let [low, high] = [values[0], values[0]]
  for (const value of values) {
    if (value < low) low = value
    if (value > high) high = value
  }
  // Numbers that differ by less than their last digits have one bin.
  const least = Math.max(isWhole ? 1 : Number.MIN_VALUE, Math.abs(high) * 1e-11, Math.abs(low) * 1e-11)
  const rough = Math.max((high - low) / (BINS - 1), least)
  const power = 10 ** Math.floor(Math.log10(rough))
  const factor = [1, 2, 5, 10].find((one) => one * power >= rough * (1 - 1e-12)) ?? 10
  const step = factor * power
  const first = Math.floor(low / step)
  const rounded = (index: number): number =>
    isWhole ? Math.round(index * step) : Number((index * step).toPrecision(12))
  const edges = [rounded(first)]
  for (let i = first + 1; edges[edges.length - 1] <= high && edges.length <= BINS + 2; i++) edges.push(rounded(i))
  return edges.length > 1 ? edges : [low, low + step]
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
