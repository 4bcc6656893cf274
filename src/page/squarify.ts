import { sum } from '../base/sum.ts'

export interface Rect {
  x: number
  y: number
  width: number
  height: number
}

/**
 * Rectangles that fill a drawing, with areas in proportion to the sizes and shapes close to squares. The method is from Bruls,
 * Huizing, van Wijk: "Squarified treemaps" (2000).
 * @param sizes in falling order, all above 0
 */
export function squarify(sizes: readonly number[], width: number, height: number): Rect[] {
  const total = sum(sizes, (size) => size)
  const scale = (width * height) / total
  const rects: Rect[] = []
  let left: Rect = { x: 0, y: 0, width, height }
  for (let from = 0; from < sizes.length; ) {
    const side = Math.min(left.width, left.height)
    let [to, sum] = [from, 0]
    let worst = Number.POSITIVE_INFINITY
    // A row takes the next size as long as its least square rectangle does not get longer.
    while (to < sizes.length) {
      const next = sum + sizes[to] * scale
      const thick = next / side
      const ratio = Math.max(thick ** 2 / (sizes[to] * scale), (sizes[from] * scale) / thick ** 2)
      if (ratio > worst) break
      worst = ratio
      sum = next
      to++
    }
    const thick = sum / side
    const isColumn = left.width >= left.height
    let along = 0
    for (let i = from; i < to; i++) {
      const long = (sizes[i] * scale) / thick
      rects.push(
        isColumn
          ? { x: left.x, y: left.y + along, width: thick, height: long }
          : { x: left.x + along, y: left.y, width: long, height: thick },
      )
      along += long
    }
    left = isColumn
      ? { ...left, x: left.x + thick, width: left.width - thick }
      : { ...left, y: left.y + thick, height: left.height - thick }
    from = to
  }
  return rects
}
