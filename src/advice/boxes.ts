import type { Box } from './facts.ts'

/** Part of the domain that the box of a typical read covers. */
export const TYPICAL_SHARE = 0.01
/** Number of boxes that are tried. */
const BOXES = 64

/** Numbers from 0 to 1 without a pattern, the same in each run: multiples of the golden ratio. */
function spread(i: number): number {
  return (i * 0.618_033_988_749_895) % 1
}

/** The smallest box around boxes. */
export function unionOfBoxes(boxes: readonly Box[]): Box {
  return boxes.reduce((all, box) => all.map(([low, high], d) => [Math.min(low, box[d][0]), Math.max(high, box[d][1])]))
}

/**
 * Boxes that each cover {@link TYPICAL_SHARE} of the domain, equally far along each dimension; of text dimensions single values. They
 * lie where cells are: inside of the given boxes.
 *
 * @param text whether a dimension has no extent
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
      // The whole box lies inside of the domain.
      const start = Math.max(low, Math.min(high - 2 * half, middle - half))
      return [start, start + 2 * half]
    })
  })
}

export function overlaps(a: Box, b: Box): boolean {
  return a.every(([low, high], d) => low <= b[d][1] && high >= b[d][0])
}

/** Part of a box that lies in another, 0 to 1. */
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
