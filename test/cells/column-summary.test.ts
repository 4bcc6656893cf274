import { describe, expect, test } from '@jest/globals'
import type { ColumnData, ColumnType } from '../../src/cells/column.ts'
import { ColumnSummary } from '../../src/cells/column-summary.ts'
import type { CellValNum } from '../../src/format/cell-val-num.ts'
import type { Datatype } from '../../src/format/datatype.ts'

function column(type: Datatype, cell_val_num: CellValNum = 1): ColumnType {
  return { name: 'a', kind: 'attribute', type, cell_val_num, nullable: false }
}

function dataOf(values: { buffer: ArrayBuffer }, validity?: number[]): ColumnData {
  return { data: new Uint8Array(values.buffer), starts: undefined, validity: validity && Uint8Array.from(validity) }
}

function textsOf(texts: readonly string[]): ColumnData {
  const starts = new Float64Array(texts.length + 1)
  for (const [i, text] of texts.entries()) starts[i + 1] = starts[i] + text.length
  return { data: new TextEncoder().encode(texts.join('')), starts, validity: undefined }
}

/** Summarizes all cells at once, and in two batches by their positions. Both must be the same. */
function summaryOf(type: ColumnType, data: ColumnData, count: number) {
  const whole = new ColumnSummary(type)
  whole.add(data, { length: count, at: undefined })
  const parts = new ColumnSummary(type)
  const positions = Uint32Array.from({ length: count }, (_, i) => i)
  for (const at of [positions.subarray(0, 1), positions.subarray(1)]) parts.add(data, { length: at.length, at })
  const shown = ({ min, max, sum, nulls, nans, values, lengths }: ColumnSummary) => ({
    min: min && Array.from(min),
    max: max && Array.from(max),
    sum,
    nulls,
    nans,
    values,
    lengths: { ...lengths },
  })
  expect(shown(parts)).toEqual(shown(whole))
  return shown(whole)
}

const bytesOf = (values: { buffer: ArrayBuffer }): number[] => Array.from(new Uint8Array(values.buffer))

describe('summary of a column', () => {
  test.each([
    ['INT16', Int16Array.of(3, -7, 32767, 3), Int16Array.of(-7), Int16Array.of(32767), 32766n],
    ['UINT8', Uint8Array.of(255, 255, 1), Uint8Array.of(1), Uint8Array.of(255), 511n],
    [
      'INT64',
      BigInt64Array.of(2n ** 62n, 2n ** 62n, 1n),
      BigInt64Array.of(1n),
      BigInt64Array.of(2n ** 62n),
      2n ** 63n + 1n,
    ],
    ['UINT64', BigUint64Array.of(2n ** 63n, 5n), BigUint64Array.of(5n), BigUint64Array.of(2n ** 63n), 2n ** 63n + 5n],
    ['FLOAT32', Float32Array.of(1.5, -2, 0), Float32Array.of(-2), Float32Array.of(1.5), -0.5],
  ] as const)('%s: extremes and the exact sum', (type, values, min, max, sum) => {
    expect(summaryOf(column(type), dataOf(values), values.length)).toMatchObject({
      min: bytesOf(min),
      max: bytesOf(max),
      sum,
      values: values.length,
    })
  })

  test('NaN is only counted, and infinities are ordinary values', () => {
    const { POSITIVE_INFINITY: most, NaN: nan } = Number
    const found = summaryOf(column('FLOAT64'), dataOf(Float64Array.of(nan, most, 4, nan)), 4)
    expect(found).toMatchObject({
      min: bytesOf(Float64Array.of(4)),
      max: bytesOf(Float64Array.of(most)),
      sum: most,
      nans: 2,
      values: 2,
    })
    expect(summaryOf(column('FLOAT64'), dataOf(Float64Array.of(nan, nan)), 2)).toMatchObject({
      min: undefined,
      max: undefined,
      sum: 0,
      nans: 2,
      values: 0,
    })
  })

  test('NaT is only counted, and dates have no sum', () => {
    const dates = BigInt64Array.of(-5n, -(2n ** 63n), 12n)
    expect(summaryOf(column('DATETIME_MS'), dataOf(dates), 3)).toMatchObject({
      min: bytesOf(BigInt64Array.of(-5n)),
      max: bytesOf(BigInt64Array.of(12n)),
      sum: undefined,
      nans: 1,
      values: 2,
    })
  })

  test('nulls are only counted', () => {
    const found = summaryOf(column('INT32'), dataOf(Int32Array.of(-9, 4, 99, 5), [0, 1, 0, 1]), 4)
    expect(found).toMatchObject({ min: bytesOf(Int32Array.of(4)), sum: 9n, nulls: 2, values: 2 })
  })

  test('texts compare by all of their bytes, also behind a zero byte', () => {
    const texts = ['b\0b', 'b\0a', 'b\0c', 'b']
    const found = summaryOf(column('STRING_ASCII', 'var'), textsOf(texts), 4)
    const codes = (text: string): number[] => Array.from(text, (one) => one.charCodeAt(0))
    expect(found).toMatchObject({ min: codes('b'), max: codes('b\0c'), lengths: { min: 1, max: 3, sum: 10 } })
  })
})
