import { expect, test } from '@jest/globals'
import { squarify } from '../../src/page/squarify.ts'

test('areas are in proportion to sizes, fill the whole, and do not cover each other', () => {
  const sizes = [600, 600, 400, 300, 200, 200, 100, 1]
  const rects = squarify(sizes, 600, 400)
  const total = sizes.reduce((sum, size) => sum + size, 0)
  expect(rects).toHaveLength(sizes.length)
  for (const [i, { x, y, width, height }] of rects.entries()) {
    expect(width * height).toBeCloseTo((sizes[i] / total) * 600 * 400, 6)
    expect(Math.min(x, y)).toBeGreaterThanOrEqual(0)
    expect(x + width).toBeLessThanOrEqual(600 + 1e-9)
    expect(y + height).toBeLessThanOrEqual(400 + 1e-9)
    for (const other of rects.slice(0, i)) {
      const across = Math.min(x + width, other.x + other.width) - Math.max(x, other.x)
      const down = Math.min(y + height, other.y + other.height) - Math.max(y, other.y)
      expect(Math.min(across, down)).toBeLessThan(1e-9)
    }
  }
  // Rows with one rectangle each would be 600 wide and as low as 1.
  const shapes = rects.slice(0, 7).map(({ width, height }) => Math.max(width / height, height / width))
  expect(Math.max(...shapes)).toBeLessThan(3)
})

test('nothing has no areas', () => {
  expect(squarify([], 600, 400)).toEqual([])
})
