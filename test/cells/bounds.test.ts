import { describe, expect, test } from '@jest/globals'
import { type Bounds, type RangeEnd, rangeBounds, rowsInside } from '../../src/cells/bounds.ts'
import type { Datatype } from '../../src/format/datatype.ts'
import { failure } from '../helpers/failure.ts'

const EDGES = [0n, 1n, 2n ** 31n, 2n ** 32n, 2n ** 32n - 1n, 2n ** 62n, 2n ** 63n - 1n, 5n * 2n ** 32n + 7n]

test.each(['INT64', 'UINT64'] as const)('cells of %s in a range are those that comparing each value gives', (type) => {
  const signed = type === 'INT64'
  const near = EDGES.flatMap((edge) => [edge - 1n, edge, edge + 1n, -edge])
  const wrap = (value: bigint): bigint => (signed ? BigInt.asIntN(64, value) : BigInt.asUintN(64, value))
  const values = [...new Set(near.map(wrap))]
  const data = new Uint8Array(new BigUint64Array(values.map((value) => BigInt.asUintN(64, value))).buffer)
  const column = { data, starts: undefined, validity: undefined }
  const ends = [undefined, ...values]
  for (const low of ends) {
    for (const high of ends) {
      for (const below of [undefined, values[3], values[values.length - 1]]) {
        const range: Bounds = { low, high, below }
        const inside = (value: bigint): boolean =>
          (low === undefined || value >= low) &&
          (high === undefined || value <= high) &&
          (below === undefined || value < below)
        const expected = values.flatMap((value, i) => (inside(value) ? [i] : []))
        const rows = rowsInside([{ type, cell_val_num: 1 }], [column], values.length, new Map([[0, [range]]]))
        if (String(rows ?? [...values.keys()]) !== String(expected))
          throw new Error(`${low} ${high} ${below}: ${rows}, expected ${expected}`)
      }
    }
  }
  expect(values.length).toBeGreaterThan(20)
})

describe('ends of a range that are dates', () => {
  const at = (text: string) => new Date(`${text}Z`)

  test.each<[Datatype, from: string, to: string, low: string, high: string]>([
    // A range has the units that begin in it.
    ['DATETIME_YEAR', '2023-01-01T00:00:00.001', '2026-12-31', '2024', '2026'],
    ['DATETIME_MONTH', '2024-02-01', '2024-05-31', '2024-02', '2024-05'],
    ['DATETIME_MONTH', '1969-11-15', '1969-12-31', '1969-12', '1969-12'],
    ['DATETIME_WEEK', '1969-12-20', '1970-01-07', '1969-12-25', '1970-01-01'],
    ['DATETIME_DAY', '2024-05-01T10:00', '2024-05-03T09:00', '2024-05-02', '2024-05-03'],
    ['DATETIME_HR', '1969-12-31T22:30', '2024-05-03T09:59', '1969-12-31T23', '2024-05-03T09'],
    [
      'DATETIME_MS',
      '2024-05-01T10:00:00.123',
      '2024-05-01T10:00:00.124',
      '2024-05-01T10:00:00.123',
      '2024-05-01T10:00:00.124',
    ],
    ['DATETIME_NS', '1969-05-01', '2024-05-03', '1969-05-01', '2024-05-03'],
  ])('%s: %s to %s', (type, from, to, low, high) => {
    expect(rangeBounds(type, at(from), at(to))).toEqual(rangeBounds(type, low, high))
  })

  test.each<[Datatype, RangeEnd, RangeEnd, string]>([
    ['INT64', new Date(0), undefined, 'expected a value of INT64, found a date'],
    ['TIME_HR', new Date(0), undefined, 'expected a value of TIME_HR, found a date'],
    ['DATETIME_DAY', new Date('never'), undefined, 'expected a date, found an invalid date'],
    [
      'DATETIME_DAY',
      new Date(5),
      new Date(5),
      'expected a point in time at which a unit of DATETIME_DAY begins, found 1970-01-01T00:00:00.005Z',
    ],
  ])('%s, %s to %s: an error', (type, from, to, message) => {
    expect(failure(() => rangeBounds(type, from, to)).message).toBe(message)
  })

  test('a range without a beginning of a unit is none', () => {
    expect(rangeBounds('DATETIME_DAY', new Date(5), new Date(6))).toBe('swapped')
  })
})
