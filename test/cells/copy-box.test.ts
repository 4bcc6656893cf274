import { describe, expect, test } from '@jest/globals'
import { type BoxPlace, copyBox } from '../../src/cells/copy-box.ts'
import { Random } from '../helpers/random.ts'

/** A box of cells that is somewhere in a larger window, whose axes may have any order. */
function anyPlace(random: Random, lengths: readonly number[]): { place: BoxPlace; cells: number } {
  const strides = lengths.map(() => 0)
  let cells = 1
  for (const axis of shuffled(random, lengths)) {
    strides[axis] = cells
    cells *= lengths[axis] + random.below(3)
  }
  const at = random.below(4)
  return { place: { at, strides }, cells: at + cells }
}

function shuffled(random: Random, list: readonly unknown[]): number[] {
  const order = list.map((_, i) => ({ i, key: random.bits() }))
  return order.sort((a, b) => a.key - b.key).map(({ i }) => i)
}

/** Each cell by itself, a byte at a time. */
const plainCopy: typeof copyBox = (source, target, { lengths, from, to, size }) => {
  const walk = (axis: number, first: number, at: number): void => {
    if (axis === lengths.length) for (let i = 0; i < size; i++) target[at * size + i] = source[first * size + i]
    else
      for (let i = 0; i < lengths[axis]; i++) walk(axis + 1, first + i * from.strides[axis], at + i * to.strides[axis])
  }
  walk(0, from.at, to.at)
}

/** Bytes at an address that is no multiple of 8 each time. */
function room(random: Random, bytes: number): Uint8Array {
  const start = random.pick([0, 0, 8, 4, 2, 1])
  return new Uint8Array(start + bytes).subarray(start)
}

describe('a box of cells', () => {
  test.each([
    ['short runs', 4, 30],
    ['runs of some hundred bytes', 2, 300],
    ['long runs', 2, 3000],
  ])('of %s is copied as cell by cell', (_, axes, most) => {
    const random = new Random(most)
    for (let turn = 0; turn < 200; turn++) {
      const size = random.pick([1, 2, 3, 4, 8, 16, 24])
      const longest = Math.ceil(most / size)
      const lengths = Array.from({ length: 1 + random.below(axes) }, (_, d) => 1 + random.below(d === 0 ? longest : 6))
      const from = anyPlace(random, lengths)
      const to = anyPlace(random, lengths)
      const isConstant = random.below(5) === 0
      const place = isConstant ? { at: from.place.at, strides: lengths.map(() => 0) } : from.place
      const source = room(random, from.cells * size)
      source.set(random.bytes(source.length))
      const target = room(random, to.cells * size)
      const expected = target.slice()
      const box = { lengths, from: place, to: to.place, size }
      plainCopy(source, expected, box)
      copyBox(source, target, box)
      expect(Buffer.compare(target, expected)).toBe(0)
    }
  })
})
