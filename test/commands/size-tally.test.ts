import { describe, expect, test } from '@jest/globals'
import { Distribution } from '../../src/base/distribution.ts'
import { drawHistogram } from '../../src/render/histogram.ts'
import { sink } from '../render/sink.ts'

describe('a distribution', () => {
  test('counts by powers of two, from the first bucket that holds any to the last', () => {
    const sizes = new Distribution()
    for (const size of [0, 1, 2, 3, 8, 15, 16]) sizes.add(size)
    expect(sizes.histogram()).toEqual([
      { from: 0, to: 0, count: 1 },
      { from: 1, to: 1, count: 1 },
      { from: 2, to: 3, count: 2 },
      { from: 4, to: 7, count: 0 },
      { from: 8, to: 15, count: 2 },
      { from: 16, to: 31, count: 1 },
    ])
    expect([sizes.count, sizes.min, sizes.max, sizes.mean]).toEqual([7, 0, 16, 45 / 7])
  })

  test('puts every power of two and its neighbours where they belong', () => {
    for (let exponent = 1; exponent < 53; exponent++) {
      for (const value of [2 ** exponent - 1, 2 ** exponent, 2 ** exponent + 1]) {
        const sizes = new Distribution()
        sizes.add(value, 3)
        const [{ from, to, count }] = sizes.histogram()
        expect([from <= value && value <= to, count]).toEqual([true, 3])
      }
    }
  })

  test('of none has no bucket; two add up', () => {
    const none = new Distribution()
    expect([none.histogram(), none.mean]).toEqual([[], 0])
    const one = new Distribution()
    one.add(10, 2)
    one.addAll(none)
    const other = new Distribution()
    other.add(1)
    one.addAll(other)
    expect([one.count, one.min, one.max, one.mean]).toEqual([3, 1, 10, 7])
  })
})

describe('a histogram', () => {
  const bars = [
    { label: '1..9', count: 1, text: '1 tile' },
    { label: '10..99', count: 1000, text: '1,000 tiles' },
    { label: '100', count: 0, text: '0 tiles' },
  ]

  test('has a mark for everything that is not nothing', async () => {
    const out = sink()
    await drawHistogram(bars, out)
    expect(out.text()).toBe(`\
  1..9       1 tile  #
10..99  1,000 tiles  ########################################
   100      0 tiles
`)
  })

  test.each([30, 60, 80, 120])('fits %s columns', async (columns) => {
    const out = sink(columns)
    await drawHistogram(bars, out)
    const widths = out
      .text()
      .split('\n')
      .map((line) => line.length)
    expect(Math.max(...widths)).toBeLessThanOrEqual(columns)
  })
})
