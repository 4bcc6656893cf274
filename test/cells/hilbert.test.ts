import { expect, test } from '@jest/globals'
import { hilbertBits, tabledLanes, transposedLanes } from '../../src/cells/hilbert.ts'

/** Pseudo-random numbers below `most`, the same in each run. */
function* numbers(most: number): Generator<number> {
  for (let x = 1; ; x = (x * 48271) % 0x7fffffff) yield Math.floor((x / 0x7fffffff) * most)
}

test.each([2, 3])('the table of %d dimensions gives the values of the bit-by-bit rules', (dimensionNum) => {
  const bits = hilbertBits(dimensionNum)
  const largest = 2 ** bits - 1
  const random = numbers(2 ** bits)
  const columns = Array.from({ length: dimensionNum }, () => {
    const column = Int32Array.from({ length: 5000 }, () => random.next().value)
    // All corners and their neighbours.
    for (let i = 0; i < 64; i++) column[i] = [0, largest, 1, largest - 1][random.next().value % 4]
    return column
  })
  const expected = transposedLanes(columns, bits, 5000)
  expect(tabledLanes(columns, bits, 5000)).toEqual(expected)
  expect(new Set(expected[0]).size).toBeGreaterThan(4000)
})
