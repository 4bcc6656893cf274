import { expect, test } from '@jest/globals'
import { findOverlaps } from '../../src/commands/overlaps.ts'
import type { NDRange } from '../../src/format/range.ts'
import { Random } from '../helpers/random.ts'

const INT32 = { type: 'INT32', cell_val_num: 1 } as const
const TEXT = { type: 'STRING_ASCII', cell_val_num: 'var' } as const

const i32 = (value: number): Uint8Array => new Uint8Array(new Int32Array([value]).buffer)
const ascii = (text: string): Uint8Array => new TextEncoder().encode(text)
const box = (...pairs: (readonly [number, number])[]): NDRange => pairs.map(([a, b]) => ({ min: i32(a), max: i32(b) }))

test('boxes overlap where they share a value in every dimension, ends included', () => {
  const boxes = [box([0, 4], [0, 4]), box([4, 8], [4, 8]), box([5, 8], [0, 3]), undefined, box([-9, -1], [0, 9])]
  const { counts, pair_num, pairs } = findOverlaps(boxes, [INT32, INT32], 10)
  expect(pairs).toEqual([[0, 1]])
  expect(pair_num).toBe(1)
  expect([...counts]).toEqual([1, 1, 0, 0, 0])
})

test('strings are ordered byte by byte, a shorter one first', () => {
  const text = (a: string, b: string): NDRange => [{ min: ascii(a), max: ascii(b) }]
  const { pairs } = findOverlaps([text('a', 'b'), text('b', 'c'), text('ba', 'bb'), text('', 'a')], [TEXT], 10)
  expect(pairs).toEqual([
    [0, 1],
    [0, 3],
    [1, 2],
  ])
})

test('no more pairs are named than asked for, but all are counted', () => {
  const { pair_num, pairs, counts } = findOverlaps(
    Array.from({ length: 50 }, () => box([1, 2])),
    [INT32],
    7,
  )
  expect(pair_num).toBe((50 * 49) / 2)
  expect(pairs).toHaveLength(7)
  expect(new Set(counts)).toEqual(new Set([49]))
})

test('agrees with comparing all with all', () => {
  const random = new Random(11)
  for (let round = 0; round < 30; round++) {
    const ends = (): readonly [number, number] => {
      const low = random.below(40)
      return [low - 20, low - 20 + random.below(12)]
    }
    const plain = Array.from({ length: 25 }, () => [ends(), ends()] as const)
    const wanted: [number, number][] = []
    plain.forEach((a, i) => {
      plain.forEach((b, j) => {
        if (j > i && a.every(([low, high], d) => low <= b[d][1] && b[d][0] <= high)) wanted.push([i, j])
      })
    })
    expect(
      findOverlaps(
        plain.map((pairs) => box(...pairs)),
        [INT32, INT32],
        1000,
      ).pairs,
    ).toEqual(wanted)
  }
})
