import { expect, test } from '@jest/globals'
import { SumOf } from '../../src/cells/sum-of.ts'

const LIMITS = { INT64: [-(2n ** 63n), 2n ** 63n - 1n], UINT64: [0n, 2n ** 64n - 1n] } as const

/** The rule: values are added one by one; at a limit the rest of the call is ignored. */
function expected(type: keyof typeof LIMITS, calls: readonly (readonly bigint[])[]): bigint {
  const [least, most] = LIMITS[type]
  let sum = 0n
  for (const values of calls) {
    for (const value of values) {
      sum += value
      if (sum >= least && sum <= most) continue
      sum = sum > most ? most : least
      break
    }
  }
  return BigInt.asUintN(64, sum)
}

function found(type: keyof typeof LIMITS, calls: readonly (readonly bigint[])[]): bigint {
  const sum = new SumOf(type)
  for (const values of calls) {
    const lanes = new Uint32Array(BigUint64Array.from(values, (value) => BigInt.asUintN(64, value)).buffer)
    sum.addWide(lanes, { length: values.length, at: undefined })
  }
  const bytes = sum.bytes()
  return new DataView(bytes.buffer, bytes.byteOffset).getBigUint64(0, true)
}

const NEAR = 2n ** 62n

test.each([
  ['INT64', [[2n ** 40n + 1n, -3n, 7n]]],
  ['INT64', [new Array<bigint>(5000).fill(2n ** 49n + 1n)]],
  ['INT64', [new Array<bigint>(5000).fill(-(2n ** 49n) - 1n)]],
  ['INT64', [[NEAR, NEAR - 1n]]],
  ['INT64', [[NEAR, NEAR, -1n]]],
  ['INT64', [[-NEAR, -NEAR, -1n, 5n]]],
  // The next call adds to the limit.
  [
    'INT64',
    [
      [NEAR, NEAR, -1n],
      [-5n, 2n],
    ],
  ],
  ['INT64', [[NEAR, -NEAR, NEAR, -NEAR, 1n]]],
  ['UINT64', [[2n ** 63n, 2n ** 63n - 1n]]],
  ['UINT64', [[2n ** 63n, 2n ** 63n, 1n], [3n]]],
  ['UINT64', [new Array<bigint>(2 ** 20 + 5).fill(2n ** 41n + 1n)]],
] as const)('a sum of %s is that of value by value', (type, calls) => {
  expect(found(type, calls)).toBe(expected(type, calls))
})
