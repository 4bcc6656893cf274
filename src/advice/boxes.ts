import type { RangeType } from '../format/range.ts'
import type { Box } from './facts.ts'

/** The part of the domain that the box of a typical read covers. */
export const TYPICAL_SHARE = 0.01
/** Number of typical boxes that are tried. */
const BOXES = 64

/** Numbers from 0 to 1 that look random but are the same in each run: multiples of the golden ratio. */
function spread(i: number): number {
  return (i * 0.618_033_988_749_895) % 1
}

/** By dimension: the part that the box of a typical read covers. Text dimensions have single values. */
export function typicalSides(dimensions: readonly RangeType[]): number[] {
  const text = dimensions.map(({ cell_val_num }) => cell_val_num === 'var')
  const share = TYPICAL_SHARE ** (1 / Math.max(1, text.filter((one) => !one).length))
  return text.map((isText) => (isText ? 1 : share))
}

/** The smallest box around boxes. */
export function unionOfBoxes(boxes: readonly Box[]): Box {
  return boxes.reduce((all, box) => all.map(([low, high], d) => [Math.min(low, box[d][0]), Math.max(high, box[d][1])]))
}

/**
 * Makes boxes of typical reads, with sides as {@link typicalSides} has them. Their middles lie inside the given boxes, where the cells
 * are.
 *
 * @param text by dimension: whether it is a string dimension
 */
export function typicalBoxes(domain: Box, boxes: readonly Box[], text: readonly boolean[]): Box[] {
  const share = TYPICAL_SHARE ** (1 / Math.max(1, text.filter((one) => !one).length))
  return Array.from({ length: BOXES }, (_, i) => {
    const around = boxes[Math.floor(spread(i + 1) * boxes.length)]
    return domain.map(([low, high], d): [number, number] => {
      const [from, to] = around[d]
      if (text[d]) return [from, from]
      const half = ((high - low) * share) / 2
      const middle = from + (to - from) * spread((i + 1) * (d + 2))
      // The whole box lies inside the domain.
      const start = Math.max(low, Math.min(high - 2 * half, middle - half))
      return [start, start + 2 * half]
    })
  })
}

/** Words for the units of dates and times. */
const UNITS: Readonly<Record<string, string>> = {
  YEAR: 'years',
  MONTH: 'months',
  WEEK: 'weeks',
  DAY: 'days',
  HR: 'h',
  MIN: 'min',
  SEC: 's',
}

/**
 * Describes the box of a typical read in units of the dimensions: `a box of 300 by 300 cells (1 % of the non-empty domain)`, or
 * `a box of lat 18 by lon 36`.
 *
 * @param domain the box around the cells
 * @param dense whether the sides are numbers of cells
 */
export function typicalBoxText(
  dimensions: readonly (RangeType & { name: string })[],
  domain: Box,
  dense: boolean,
): string {
  const text = dimensions.map(({ cell_val_num }) => cell_val_num === 'var')
  const share = TYPICAL_SHARE ** (1 / Math.max(1, text.filter((one) => !one).length))
  const sides = dimensions.map(({ name, type }, d) => {
    const [low, high] = domain[d]
    if (text[d]) return `one ${name}`
    const isReal = type === 'FLOAT32' || type === 'FLOAT64'
    // Computed so that it does not overflow, even if the length exceeds the largest number.
    const side = high * share - low * share + (dense ? share : 0)
    const shown = Number((isReal ? side : Math.max(1, Math.round(side))).toPrecision(3))
    const unit = /^(?:DATETIME|TIME)_(\w+)$/.exec(type)?.[1]
    const count = unit ? `${shown} ${UNITS[unit] ?? unit.toLowerCase()}` : `${shown}`
    return dense && !unit ? count : `${name} ${count}`
  })
  const cells = dense && sides.every((side) => /^\d/.test(side)) ? ' cells' : ''
  const of = dimensions.length > 1 ? 'box' : 'range'
  return `a ${of} of ${sides.join(' by ')}${cells} (1 % of the non-empty domain)`
}

export function overlaps(a: Box, b: Box): boolean {
  return a.every(([low, high], d) => low <= b[d][1] && high >= b[d][0])
}

/** The part of a box that lies in another box, 0 to 1. */
export function shareInside(box: Box, of: Box): number {
  return box.reduce((share, [low, high], d) => {
    const [from, to] = of[d]
    const length = Math.min(high, to) - Math.max(low, from)
    if (length < 0) return 0
    return high > low ? share * (length / (high - low)) : share
  }, 1)
}

export function mean(values: readonly number[]): number {
  return values.length === 0 ? 0 : values.reduce((a, b) => a + b, 0) / values.length
}
