import { describe, expect, test } from '@jest/globals'
import { boxDifference, uncovered } from '../../src/read/uncovered.ts'

/** A list of random numbers below a limit, always the same. */
function numbers(seed: number): (limit: number) => number {
  let state = seed
  return (limit) => {
    state = (state * 1103515245 + 12345) % 2 ** 31
    return Math.floor((state / 2 ** 31) * limit)
  }
}

const SIDE = 6

function cellsOf(at: readonly number[], lengths: readonly number[]): string[] {
  let cells: string[] = ['']
  for (let d = 0; d < at.length; d++)
    cells = cells.flatMap((cell) => Array.from({ length: lengths[d] }, (_, i) => `${cell} ${at[d] + i}`))
  return cells
}

describe('the cells of a box that no other box has', () => {
  test.each([1, 2, 3])('%i dimensions: each of them once', (dimensionNum) => {
    const next = numbers(dimensionNum)
    const box = () => {
      const at = Array.from({ length: dimensionNum }, () => next(SIDE))
      return { at, lengths: at.map((from) => 1 + next(SIDE - from)) }
    }
    for (let round = 0; round < 200; round++) {
      const [whole, ...covers] = Array.from({ length: 1 + next(5) }, box)
      const hidden = new Set(covers.flatMap(({ at, lengths }) => cellsOf(at, lengths)))
      const expected = cellsOf(whole.at, whole.lengths).filter((cell) => !hidden.has(cell))
      const found = uncovered(whole, covers).flatMap(({ at, lengths }) => cellsOf(at, lengths))
      expect(found.sort()).toEqual(expected.sort())
    }
  })

  test('many small boxes leave the whole box to be filled', () => {
    const whole = { at: [0], lengths: [1000] }
    const covers = Array.from({ length: 200 }, (_, i) => ({ at: [5 * i + 1], lengths: [1] }))
    expect(uncovered(whole, covers)).toEqual([whole])
  })
})

describe('the difference of two boxes', () => {
  const box = [
    { from: 0n, end: 4n },
    { from: -2n, end: 2n },
  ]

  test('in row-major order of their first cells', () => {
    const hole = [
      { from: 1n, end: 3n },
      { from: -1n, end: 1n },
    ]
    const firsts = boxDifference(box, hole)?.map((sides) => sides.map(({ from }) => from))
    expect(firsts).toEqual([
      [0n, -2n],
      [1n, -2n],
      [1n, 1n],
      [3n, -2n],
    ])
  })

  test('is not the box, but nothing, if they only touch', () => {
    expect(boxDifference(box, [{ from: 4n, end: 5n }, box[1]])).toBeUndefined()
    expect(boxDifference(box, box)).toEqual([])
  })
})
