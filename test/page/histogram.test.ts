import { expect, test } from '@jest/globals'
import type { CellValue } from '../../src/documents/common.ts'
import type { Datatype } from '../../src/format/datatype.ts'
import { newTally } from '../../src/page/histogram.ts'

function summaryOf(type: Datatype, isNumeric: boolean, values: readonly CellValue[], fill?: CellValue) {
  const tally = newTally(type, isNumeric, fill)
  for (const value of values) tally.add(value)
  return tally.summary()
}

const upTo = (count: number) => Array.from({ length: count }, (_, i) => i)

test('whole numbers that are few have a bin each', () => {
  const { bars, cells } = summaryOf('INT32', true, [3, 5, 3, 4])
  expect(bars).toEqual([
    { label: '3', count: 2 },
    { label: '4', count: 1 },
    { label: '5', count: 1 },
  ])
  expect(cells).toBe(4)
})

test('bins have round ends, and every number is in the bin whose label says so', () => {
  const values = upTo(1001).map((i) => i / 1000)
  const { bars } = summaryOf('FLOAT64', true, values)
  expect(bars.length).toBeLessThanOrEqual(22)
  for (const { label, count } of bars) {
    const [from, to] = label.split(' to below ').map(Number)
    expect([label, count]).toEqual([label, values.filter((value) => value >= from && value < to).length])
  }
  expect(bars.reduce((sum, { count }) => sum + count, 0)).toBe(values.length)
})

test.each([
  ['INT64', [-(2n ** 63n), 2n ** 63n - 1n, 0n]],
  ['UINT64', [2n ** 64n - 1n, 2n ** 64n - 2n]],
  ['UINT8', [0, 255, 128]],
  ['FLOAT64', [1e300, -1e300, 5e-324]],
  ['FLOAT64', [-Number.MAX_VALUE, Number.MAX_VALUE, 0]],
  ['FLOAT64', [5e-324, 1e-323]],
  ['FLOAT64', [0, -0, 0]],
  ['FLOAT64', [1e15, 1e15 + 0.125]],
  ['FLOAT32', [7]],
  ['DATETIME_NS', ['2024-05-01T00:00:00.000000001', '1970-01-01']],
] as const)('%s: extremes are counted, and have labels', (type, values) => {
  const { bars, nonFinite } = summaryOf(type, true, values)
  expect(bars.reduce((sum, { count }) => sum + count, 0)).toBe(values.length)
  expect(bars.length).toBeLessThanOrEqual(22)
  expect(nonFinite).toBe(0)
})

test('equal floating-point numbers have one bar with their value', () => {
  expect(summaryOf('FLOAT32', true, [0, 0]).bars).toEqual([{ label: '0', count: 2 }])
})

test('bins of large whole numbers do not overlap, and have the numbers between their ends', () => {
  const values = upTo(1000).map((i) => BigInt(i - 500) * 10_000_000_000_000_007n)
  const { bars } = summaryOf('INT64', true, values)
  const ranges = bars.map(({ label }) => label.split(' to ').map(BigInt))
  for (const [i, [from, to]] of ranges.entries()) {
    if (i > 0) expect(from).toBe(ranges[i - 1][1] + 1n)
    expect(bars[i].count).toBe(values.filter((value) => value >= from && value <= to).length)
  }
  expect(bars.reduce((sum, { count }) => sum + count, 0)).toBe(values.length)
})

test.each([
  ['INT32', [3, 4, 8, -2147483648], '1 -2147483648, the fill value; min 3, max 8, mean 5', -2147483648],
  ['FLOAT64', [1, 2.5, Number.NaN], '1 NaN, the fill value; min 1, max 2.5, mean 1.75', Number.NaN],
  ['INT64', [2n ** 62n, 2n ** 62n + 2n], `min ${2n ** 62n}, max ${2n ** 62n + 2n}, mean ${2n ** 62n + 1n}`, undefined],
  ['DATETIME_DAY', ['2024-05-01', '2024-05-03'], 'min 2024-05-01, max 2024-05-03, mean 2024-05-02', undefined],
  ['INT8', [-3, 2], 'min -3, max 2, mean -0.5', undefined],
] as const)(
  '%s: the note has minimum, maximum and mean; fill values are counted apart',
  (type, values, words, fill) => {
    const { bars, note, cells } = summaryOf(type, true, values, fill)
    expect(note).toBe(words)
    expect(cells).toBe(values.length)
    const fills = fill === undefined ? 0 : 1
    expect(bars.reduce((sum, { count }) => sum + count, 0)).toBe(values.length - fills)
  },
)

test('dates are dates', () => {
  const { bars } = summaryOf('DATETIME_DAY', true, ['2024-05-01', '2024-05-03', '2024-05-01'])
  expect(bars[0]).toEqual({ label: '2024-05-01', count: 2 })
  expect(bars.at(-1)).toEqual({ label: '2024-05-03', count: 1 })
})

test('bins of dates begin at whole years, months, days and hours, and hold the dates that their labels say', () => {
  const hour = 3_600_000
  const from = (start: string, count: number, step: number) =>
    upTo(count).map((i) => new Date(Date.parse(start) + i * step).toISOString().slice(0, 19))
  const labels = (type: Datatype, values: readonly string[]) => {
    const { bars } = summaryOf(type, true, values)
    const dayOf = (text: string) => text.slice(0, 10)
    for (const { label, count } of bars) {
      const [first = '', last = first] = label.split(' to ')
      const isIn = (one: string) =>
        label.includes('T') ? one >= first && one <= last : dayOf(one) >= first && dayOf(one) <= last
      expect([label, count]).toEqual([label, values.filter(isIn).length])
    }
    expect(bars.reduce((sum, { count }) => sum + count, 0)).toBe(values.length)
    return bars.map(({ label }) => label)
  }
  const years = labels('DATETIME_HR', from('2019-04-08T17:00Z', 900, 97 * hour))
  expect([years[0], years[1]]).toEqual(['2019-01-01 to 2019-12-31', '2020-01-01 to 2020-12-31'])
  const months = labels('DATETIME_NS', from('2021-01-17T05:00Z', 700, 25 * hour))
  expect([months[0], months.at(-1)]).toEqual(['2021-01-01 to 2021-02-28', '2023-01-01 to 2023-02-28'])
  expect(labels('DATETIME_DAY', ['1969-12-30', '1970-01-02', '1970-01-19'])).toHaveLength(11)
  const hours = labels('DATETIME_SEC', from('2024-02-28T21:00Z', 20, hour))
  expect(hours[0]).toBe('2024-02-28T21:00:00 to 2024-02-28T21:59:59')
  expect(summaryOf('DATETIME_NS', true, ['2024-05-01T00:00:00.000000007']).bars).toEqual([
    { label: '2024-05-01T00:00:00.000000007', count: 1 },
  ])
  expect(summaryOf('DATETIME_MS', true, ['2024-05-01']).bars).toEqual([{ label: '2024-05-01T00:00:00.000', count: 1 }])
})

test('nulls, NaN, NaT and infinities are counted apart', () => {
  const found = summaryOf('FLOAT64', true, [1, null, Number.NaN, Number.POSITIVE_INFINITY, 'NaN:0x7ff8000000000001'])
  expect([found.cells, found.nulls, found.nonFinite]).toEqual([5, 1, 3])
  expect(summaryOf('DATETIME_DAY', true, ['NaT']).nonFinite).toBe(1)
})

test('of texts the most frequent come first', () => {
  const { bars, note } = summaryOf('STRING_UTF8', false, ['b', 'a', 'b', null, 'x'.repeat(1000), 'b'])
  expect(bars.map(({ count }) => count)).toEqual([3, 1, 1])
  expect(bars[0].label).toBe('b')
  expect(bars[2].label).toMatch(/^x{300} … 700 more characters$/)
  expect(note).toBe('')
  const many = summaryOf('STRING_UTF8', false, upTo(30).map(String))
  expect([many.bars.length, many.note]).toEqual([20, 'the most frequent of 30 different values'])
})

test('of very many different values only some are counted, and it says so', () => {
  const { bars, note } = summaryOf('STRING_UTF8', false, upTo(10_001).map(String))
  expect(bars).toHaveLength(20)
  expect(note).toBe('the most frequent of the first 10000 different values')
})
