import { describe, expect, test } from '@jest/globals'
import { compareByTimestamps, parseFragmentName, parseTimestampedName } from '../../src/format/timestamped-name.ts'

const UUID = '0123456789abcdefABCDEF0123456789'

describe('names with timestamps', () => {
  test('of schemas have no version', () => {
    expect(parseTimestampedName(`__10_20_${UUID}`)).toEqual({
      timestamp_range: [10n, 20n],
      uuid: UUID,
      format_version: undefined,
      suffix: undefined,
    })
  })

  test('of commit files have a version and a suffix', () => {
    expect(parseTimestampedName(`__10_20_${UUID}_22.wrt`)).toMatchObject({ format_version: 22, suffix: 'wrt' })
    expect(parseTimestampedName(`__10_20_${UUID}.vac`)).toMatchObject({ format_version: undefined, suffix: 'vac' })
  })

  test('keep all digits of 64-bit stamps', () => {
    expect(parseTimestampedName(`__0_18446744073709551615_${UUID}`)?.timestamp_range).toEqual([0n, 2n ** 64n - 1n])
  })

  test.each([
    '',
    '__schema',
    '__enumerations',
    `__10_20_${UUID.slice(1)}`,
    `__10_20_${UUID}0`,
    `_10_20_${UUID}`,
    `__-1_20_${UUID}`,
    `__10_${UUID}`,
    `__10_20_${UUID}_x`,
    ` __10_20_${UUID}`,
    `__10_20_${UUID}\n`,
  ])('are nothing else: %j', (name) => {
    expect(parseTimestampedName(name)).toBeUndefined()
  })
})

describe('names of fragments', () => {
  test.each([
    [`__${UUID}_7`, 1, [7n, 7n]],
    // In a consolidated name the last timestamp counts for both ends.
    [`__${UUID}_9_7`, 1, [7n, 7n]],
    [`__7_9_${UUID}`, 3, [7n, 9n]],
    ...Array.from({ length: 19 }, (_, i) => [`__7_9_${UUID}_${i + 5}`, i + 5, [7n, 9n]] as const),
  ])('%s: version %i or the one after it', (name, least_version, timestamp_range) => {
    expect(parseFragmentName(name)).toEqual({ least_version, timestamp_range, uuid: UUID })
  })

  test.each([`__7_9_${UUID}_22.wrt`, `__7_9_${UUID}.ok`, '__fragments', 'rows', `__${UUID}`])('are not: %s', (name) => {
    expect(parseFragmentName(name)).toBeUndefined()
  })

  test('order by first stamp, last stamp, name; those without a stamp count as the oldest', () => {
    const named = (name: string) => ({ name, timestamp_range: parseFragmentName(name)?.timestamp_range })
    const sorted = [
      '__schema',
      `__1_3_${UUID}`,
      `__1_20_${UUID}`,
      `__2_2_0${UUID.slice(1)}`,
      `__2_2_1${UUID.slice(1)}`,
      `__10_10_${UUID}`,
    ]
    expect(
      sorted
        .toReversed()
        .map(named)
        .sort(compareByTimestamps)
        .map(({ name }) => name),
    ).toEqual(sorted)
    expect(compareByTimestamps(named(sorted[1]), named(sorted[1]))).toBe(0)
  })
})
