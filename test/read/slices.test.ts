import { describe, expect, test } from '@jest/globals'
import { cuts, type TileRange } from '../../src/read/slices.ts'

const text = (word: string): Uint8Array => new TextEncoder().encode(word)

describe('a dimension is cut into slices of about equal bytes', () => {
  const numbers = Array.from({ length: 10 }, (_, i): TileRange => ({ low: 10 * i, high: 10 * i + 9, bytes: 100 }))

  test('between numbers', () => {
    expect(cuts(numbers, 1000)).toEqual([])
    const [first, second, ...more] = cuts(numbers, 334).map(Number)
    expect([Math.round(first), Math.round(second), more]).toEqual([33, 66, []])
  })

  test('between integers of 64 bits', () => {
    const wide = numbers.map(({ bytes }, i): TileRange => {
      const low = 2n ** 63n - 100n + 10n * BigInt(i)
      return { low, high: low + 9n, bytes }
    })
    for (const cut of cuts(wide, 334)) expect(typeof cut).toBe('bigint')
  })

  test('where tiles begin, if they hold text', () => {
    const words = ['f', 'b', 'e', 'a', 'd', 'c'].map((word) => ({ low: text(word), high: text(`${word}z`), bytes: 10 }))
    expect(cuts(words, 20)).toEqual([text('c'), text('e')])
    expect(cuts([...words, ...words], 20)).toEqual(['b', 'c', 'd', 'e', 'f'].map(text))
    expect(cuts([words[0], words[0]], 10)).toEqual([text('f')])
  })

  test('but not if the box of a tile has NaN, which does not tell in which slice its cells are', () => {
    expect(cuts([...numbers, { low: Number.NaN, high: Number.NaN, bytes: 100 }], 334)).toEqual([])
  })
})
