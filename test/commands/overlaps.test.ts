import { expect, test } from '@jest/globals'
import { findOverlaps } from '../../src/calls/overlaps.ts'
import type { NDRange } from '../../src/format/range.ts'
import { temporaryFolder } from '../helpers/folders.ts'
import { Random } from '../helpers/random.ts'
import { run } from '../helpers/run.ts'

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

test('a box with NaN overlaps nothing, and hides no other pair', () => {
  const f64 = (value: number): Uint8Array => new Uint8Array(new Float64Array([value]).buffer)
  const one = (a: number, b: number): NDRange => [{ min: f64(a), max: f64(b) }]
  const ends = [
    [5, 6],
    [Number.NaN, 3],
    [0, 1],
    [2, Number.NaN],
    [0.5, 5.5],
    [Number.NaN, Number.NaN],
    [5.5, 9],
  ] as const
  const { pairs, counts } = findOverlaps(
    ends.map(([a, b]) => one(a, b)),
    [{ type: 'FLOAT64', cell_val_num: 1 }],
    10,
  )
  expect(pairs).toEqual([
    [0, 4],
    [0, 6],
    [2, 4],
    [4, 6],
  ])
  expect([...counts]).toEqual([2, 0, 1, 0, 3, 0, 2])
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

const folder = temporaryFolder()

test('ls names the first pairs, and all with --full', async () => {
  const array = `${folder}/many`
  await run(['write-sample', array, '--fragments', '4'])
  const { text } = await run(['ls', array])
  const names = Array.from(text.matchAll(/^(__\S+)/gm), ([, name]) => name)
  const shown = (list: string): string[] =>
    Array.from(list.matchAll(/^ {2}(__\S+ and __\S+|….*)$/gm), ([, pair]) => pair)
  const pairs = shown((await run(['ls', array, '--full'])).text)
  expect(pairs).toHaveLength(6)
  for (const pair of pairs)
    for (const end of pair.split(' and ')) expect(names.filter((name) => name.startsWith(end))).toHaveLength(1)
  expect(shown(text)).toEqual([...pairs.slice(0, 5), '… 1 more: --full names them'])
})

test.each([1, 2, 3])('agrees with comparing all with all in %d dimensions', (count) => {
  const random = new Random(11)
  for (let round = 0; round < 30; round++) {
    const ends = (): readonly [number, number] => {
      const low = random.below(40)
      return [low - 20, low - 20 + random.below(12)]
    }
    const plain = Array.from({ length: 25 }, () => Array.from({ length: count }, ends))
    const wanted: [number, number][] = []
    plain.forEach((a, i) => {
      plain.forEach((b, j) => {
        if (j > i && a.every(([low, high], d) => low <= b[d][1] && b[d][0] <= high)) wanted.push([i, j])
      })
    })
    const boxes = plain.map((pairs) => box(...pairs))
    const { counts, pair_num, pairs } = findOverlaps(boxes, Array(count).fill(INT32), 1000)
    expect(pairs).toEqual(wanted)
    expect(pair_num).toBe(wanted.length)
    expect([...counts]).toEqual(plain.map((_, i) => wanted.filter((pair) => pair.includes(i)).length))
  }
})

test('a box that ends before it begins overlaps nothing', () => {
  const boxes = [box([0, 9]), box([5, 2]), box([3, 4])]
  const { counts, pairs } = findOverlaps(boxes, [INT32], 10)
  expect(pairs).toEqual([[0, 2]])
  expect([...counts]).toEqual([1, 0, 1])
})

test('nothing overlaps where no dimension is known', () => {
  expect(findOverlaps([undefined, undefined], [], 10)).toEqual({ counts: new Uint32Array(2), pair_num: 0, pairs: [] })
})
