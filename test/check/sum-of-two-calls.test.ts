import { describe, expect, test } from '@jest/globals'
import { isSumOfTwoCalls } from '../../src/check/written-statistics.ts'

const MOST = 2n ** 63n - 1n
const LEAST = -(2n ** 63n)

const sum = (values: readonly bigint[], stored: bigint, validity?: Uint8Array): boolean =>
  isSumOfTwoCalls(
    'INT64',
    { data: new Uint8Array(BigInt64Array.from(values).buffer), starts: undefined, validity },
    values.length,
    new Uint8Array(BigInt64Array.of(stored).buffer),
  )

describe('a sum that reached its limit may have been computed in two calls', () => {
  test.each<[string, bigint[], bigint, boolean]>([
    ['one call stays at the limit', [LEAST, -1n, MOST, MOST, 5n], LEAST, true],
    ['the second call goes on from it', [LEAST, -1n, MOST, 5n], 4n, true],
    ['the second call begins later', [LEAST, -1n, MOST, 5n], LEAST + 5n, true],
    ['the second call reaches the other limit', [LEAST, -1n, 7n, MOST, MOST, MOST], MOST, true],
    ['the other limit is too far away', [LEAST, -1n, MOST, MOST], MOST, false],
    ['no end of the first call gives this sum', [LEAST, -1n, MOST, 5n], 3n, false],
    ['before the limit was reached', [LEAST, -1n, 5n], LEAST - 1n + 2n ** 63n, false],
    ['a sum that never reached it', [1n, 2n, 3n], 5n, false],
  ])('%s', (_, values, stored, expected) => {
    expect(sum(values, stored)).toBe(expected)
  })

  test('cells that are null are not added', () => {
    expect(sum([LEAST, -1n, MOST, 5n], 4n, Uint8Array.of(1, 0, 1, 1))).toBe(false)
    expect(sum([LEAST, -1n, 9n, 5n], LEAST + 5n, Uint8Array.of(1, 1, 0, 1))).toBe(true)
  })

  test('integers of 4 bytes never reach it', () => {
    const data = new Uint8Array(Int32Array.of(1, 2).buffer)
    expect(isSumOfTwoCalls('INT32', { data, starts: undefined, validity: undefined }, 2, new Uint8Array(8))).toBe(false)
  })
})
