import { expect, test } from '@jest/globals'
import type { Datatype } from '../../src/format/datatype.ts'
import type { Dimension } from '../../src/format/dimension.ts'
import { type PlotAxis, plotAxis, rangeWord } from '../../src/page/picture/plot-axis.ts'
import { ticksOf, valueTicks } from '../../src/page/picture/ticks.ts'

/** An axis from the first to the last written coordinate. */
function axisOf(type: Datatype, low: number | bigint, high: number | bigint): PlotAxis {
  const dimension = { name: 'd', type, cell_val_num: 1 } as Dimension
  return plotAxis(dimension, low, high)
}

const texts = (axis: PlotAxis, from: number, to: number, most: number) =>
  ticksOf(axis, from, to, most).map(({ text }) => text)

test('marks of integers are round, and stand in the middle of their cells', () => {
  const axis = axisOf('INT32', -7n, 92n)
  expect(ticksOf(axis, 0, 100, 5)).toEqual(
    [0, 20, 40, 60, 80].map((value) => ({ place: value + 7.5, text: String(value) })),
  )
  expect(texts(axis, 0, 4, 10)).toEqual(['-7', '-6', '-5', '-4'])
  expect(texts(axis, 0, 20, 3)).toEqual(['0', '10'])
})

test('marks of floats are round', () => {
  expect(texts(axisOf('FLOAT64', -0.35, 0.65), 0, 1, 5)).toEqual(['-0.2', '0', '0.2', '0.4', '0.6'])
})

test('marks of dates are whole years, months, days and hours; a day is said once', () => {
  const ms = (text: string): bigint => BigInt(Date.parse(text))
  const [first, last] = [ms('2019-11-20T00:00Z'), ms('2024-02-10T00:00Z')]
  const axis = axisOf('DATETIME_NS', first * 1_000_000n, last * 1_000_000n)
  expect(texts(axis, 0, axis.size, 6)).toEqual(['2020', '2021', '2022', '2023', '2024'])
  const at = (text: string): number => Number((ms(text) - first) * 1_000_000n)
  expect(texts(axis, at('2020-01-30T00:00Z'), at('2020-05-02T00:00Z'), 4)).toEqual([
    '2020-02',
    '2020-03',
    '2020-04',
    '2020-05',
  ])
  expect(texts(axis, at('2020-02-28T00:00Z'), at('2020-03-02T00:00Z'), 4)).toEqual([
    '2020-02-28',
    '2020-02-29',
    '2020-03-01',
    '2020-03-02',
  ])
  expect(texts(axis, at('2020-02-28T18:00Z'), at('2020-02-29T12:00Z'), 4)).toEqual([
    '2020-02-28 18:00',
    '2020-02-29 00:00',
    '06:00',
    '12:00',
  ])
})

test('marks of a scale of values are round, or powers of ten', () => {
  expect(valueTicks(-3, 9, 4, false)).toEqual([0, 5])
  expect(valueTicks(0.5, 20_000, 4, true)).toEqual([1, 10, 100, 1000, 10_000])
  expect(valueTicks(5, 5, 4, false)).toEqual([5])
})

test('a scale whose steps do not change its numbers has marks at its ends only', () => {
  expect(valueTicks(1, 1 + Number.EPSILON, 4, false)).toEqual([1, 1 + Number.EPSILON])
  expect(valueTicks(1e17, 1e17 + 32, 4, false)).toEqual([1e17, 1e17 + 32])
  expect(valueTicks(-1e17 - 32, -1e17, 4, false)).toEqual([-1e17 - 32, -1e17])
  expect(valueTicks(-Number.MAX_VALUE, Number.MAX_VALUE, 4, false)).toEqual([])
  expect(valueTicks(1, Number.POSITIVE_INFINITY, 4, true)).toEqual([])
})

test('the range of two places keeps inside what was written', () => {
  expect(rangeWord(axisOf('INT32', 10n, 19n), -3, 4.2)).toBe('d=10..14')
  expect(rangeWord(axisOf('INT32', 10n, 19n), 9.5, 40)).toBe('d=19..19')
  expect(rangeWord(axisOf('DATETIME_DAY', 0n, 30n), 1, 3)).toBe('d=1970-01-02..1970-01-03')
  expect(rangeWord(axisOf('FLOAT64', -1, 1), 0.5, 9)).toBe('d=-0.5..1')
})

test('the range of all of an axis has its last coordinate, and nothing behind its type', () => {
  const all = (axis: PlotAxis) => rangeWord(axis, 0, axis.size)
  const [least, most] = [-(2n ** 63n), 2n ** 63n - 1n]
  expect(all(axisOf('INT64', least, most))).toBe(`d=${least}..${most}`)
  expect(all(axisOf('UINT64', 0n, 2n ** 64n - 2n))).toBe(`d=0..${2n ** 64n - 2n}`)
  expect(rangeWord(axisOf('UINT64', 0n, 2n ** 64n - 2n), 2 ** 64, 2 ** 64)).toBe(
    `d=${2n ** 64n - 2n}..${2n ** 64n - 2n}`,
  )
  expect(all(axisOf('FLOAT64', 0.3, 10.1))).toBe('d=0.3..10.1')
  expect(all(axisOf('FLOAT64', -1e16, 3.5))).toBe('d=-10000000000000000..3.5')
})
