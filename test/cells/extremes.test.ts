import { expect, test } from '@jest/globals'
import { extremesOf } from '../../src/cells/extremes.ts'
import { SumOf } from '../../src/cells/sum-of.ts'

const { NaN: nan, POSITIVE_INFINITY: most, NEGATIVE_INFINITY: least, MAX_VALUE } = Number

test.each([
  ['FLOAT64', [1, -3, 2, -3, 7, 7]],
  ['FLOAT64', [0, -0]],
  ['FLOAT64', [-0, 0]],
  ['FLOAT64', [5, nan, 1, 2]],
  ['FLOAT64', [nan]],
  ['FLOAT64', [most, most]],
  ['FLOAT64', [least, 4, most]],
  ['FLOAT64', [MAX_VALUE, -MAX_VALUE]],
  ['FLOAT32', [2 ** 120, -1, most]],
  ['FLOAT64', []],
  ['INT32', [3, -(2 ** 31), 2 ** 31 - 1, 3]],
  ['UINT8', [0, 255, 255, 0]],
  ['INT8', []],
] as const)('%s %p: all cells in order have the extremes of the same cells by their positions', (type, values) => {
  const arrays = { FLOAT64: Float64Array, FLOAT32: Float32Array, INT32: Int32Array, UINT8: Uint8Array, INT8: Int8Array }
  const data = new Uint8Array(arrays[type].from(values).buffer)
  const { length } = values
  const inOrder = extremesOf(type, data, undefined, 0, [{ length, at: undefined }])
  const byPosition = extremesOf(type, data, undefined, 0, [{ length, at: Uint32Array.from(values.keys()) }])
  expect(inOrder).toEqual(byPosition)
  const inPieces = Array.from(values, (_, i) => ({ length: 1, at: Uint32Array.of(i) }))
  expect(extremesOf(type, data, undefined, 0, inPieces)).toEqual(byPosition)
})

test.each([
  [[1.5, -2, 0.25], -0.25],
  [[MAX_VALUE, MAX_VALUE, -1], MAX_VALUE],
  [[MAX_VALUE, -MAX_VALUE, 3], 3],
  [[1, nan, 2], nan],
] as const)('the sum of %p', (values, sum) => {
  const of = new SumOf('FLOAT64')
  of.addNumbers(Float64Array.from(values), { length: values.length, at: undefined })
  expect(new Float64Array(of.bytes().slice().buffer)[0]).toBe(sum)
})
