import { describe, expect, test } from '@jest/globals'
import { InspectError } from '../../src/base/errors.ts'
import { type DatetimeType, formatDatetime, parseDatetime } from '../../src/format/datetime.ts'

const MAX = 2n ** 63n - 1n

/** Texts that numpy 2.4 prints for `numpy.datetime64(count, unit)`. */
const NUMPY: readonly (readonly [DatetimeType, bigint, string])[] = [
  ['DATETIME_YEAR', 0n, '1970'],
  ['DATETIME_YEAR', 54n, '2024'],
  ['DATETIME_YEAR', 10_000n, '11970'],
  ['DATETIME_YEAR', -1969n, '0001'],
  ['DATETIME_YEAR', -1970n, '0000'],
  ['DATETIME_YEAR', -1971n, '-001'],
  ['DATETIME_YEAR', -2000n, '-030'],
  ['DATETIME_YEAR', -10_000n, '-8030'],
  ['DATETIME_YEAR', -25_000n, '-23030'],
  ['DATETIME_MONTH', -1n, '1969-12'],
  ['DATETIME_MONTH', -25_000n, '-114-09'],
  ['DATETIME_MONTH', MAX, '768614336404566620-08'],
  ['DATETIME_MONTH', -MAX, '-768614336404562681-06'],
  ['DATETIME_WEEK', 0n, '1970-01-01'],
  ['DATETIME_WEEK', -1n, '1969-12-25'],
  ['DATETIME_WEEK', 10n ** 15n, '19165349050889-07-21'],
  ['DATETIME_WEEK', 546_376_124_767_238_900n, '10471489143162123-04-29'],
  ['DATETIME_DAY', 19_753n, '2024-01-31'],
  ['DATETIME_DAY', 19_782n, '2024-02-29'],
  ['DATETIME_DAY', -719_893n, '-001-01-01'],
  ['DATETIME_DAY', 2_932_897n, '10000-01-01'],
  ['DATETIME_DAY', -(10n ** 15n), '-2737907005019-06-29'],
  ['DATETIME_DAY', MAX, '25252734927768524-07-27'],
  ['DATETIME_HR', 474_084n, '2024-01-31T12'],
  ['DATETIME_HR', MAX, '1052197288658909-10-10T07'],
  ['DATETIME_HR', -MAX, '-1052197288654970-03-24T17'],
  ['DATETIME_MIN', -1n, '1969-12-31T23:59'],
  ['DATETIME_MIN', -MAX, '-17536621475646-05-04T05:53'],
  ['DATETIME_SEC', -1969n, '1969-12-31T23:27:11'],
  ['DATETIME_SEC', MAX, '292277026596-12-04T15:30:07'],
  ['DATETIME_MS', -1n, '1969-12-31T23:59:59.999'],
  ['DATETIME_MS', 2n ** 53n, '287396-10-12T08:59:00.992'],
  ['DATETIME_US', 10n ** 15n, '2001-09-09T01:46:40.000000'],
  ['DATETIME_US', -MAX, '-290308-12-21T19:59:05.224193'],
  ['DATETIME_NS', MAX, '2262-04-11T23:47:16.854775807'],
  ['DATETIME_NS', -MAX, '1677-09-21T00:12:43.145224193'],
  ['DATETIME_PS', MAX, '1970-04-17T18:02:52.036854775807'],
  ['DATETIME_FS', -1n, '1969-12-31T23:59:59.999999999999999'],
  ['DATETIME_AS', MAX, '1970-01-01T00:00:09.223372036854775807'],
  ['DATETIME_AS', -25_000n, '1969-12-31T23:59:59.999999999999975000'],
  ['DATETIME_DAY', -(2n ** 63n), 'NaT'],
]

describe('dates', () => {
  test.each(NUMPY)('%s %s prints as numpy prints it: %s', (type, count, text) => {
    expect(formatDatetime(type, count)).toBe(text)
  })

  test.each(NUMPY)('%s %s is read back from its text', (type, count, text) => {
    expect(parseDatetime(type, text)).toBe(count)
  })

  test('the true date is printed where numpy overflows', () => {
    expect(formatDatetime('DATETIME_YEAR', MAX)).toBe('9223372036854777777')
    expect(formatDatetime('DATETIME_WEEK', MAX)).toBe('176769144494367851-12-25')
    expect(formatDatetime('DATETIME_DAY', -MAX)).toBe('-25252734927764585-06-08')
    for (const type of ['DATETIME_YEAR', 'DATETIME_WEEK', 'DATETIME_DAY'] as const) {
      for (const count of [MAX, -MAX]) expect(parseDatetime(type, formatDatetime(type, count))).toBe(count)
    }
  })

  test('every unit round-trips over all magnitudes', () => {
    for (const type of new Set(NUMPY.map(([name]) => name))) {
      for (let bits = 0n; bits < 63n; bits++) {
        for (const count of [2n ** bits, -(2n ** bits) + 1n, (2n ** bits * 7n) / 5n]) {
          expect([type, parseDatetime(type, formatDatetime(type, count))]).toEqual([type, count])
        }
      }
    }
  })

  test('coarser text is the start of what it names', () => {
    expect(formatDatetime('DATETIME_NS', parseDatetime('DATETIME_NS', '2024'))).toBe('2024-01-01T00:00:00.000000000')
    expect(formatDatetime('DATETIME_HR', parseDatetime('DATETIME_HR', '2024-01-31'))).toBe('2024-01-31T00')
    expect(parseDatetime('DATETIME_MS', '2024-01-31T12:00:00.5')).toBe(1_706_702_400_500n)
    expect(parseDatetime('DATETIME_SEC', '2024-01-31 12:00Z')).toBe(1_706_702_400n)
  })

  test('finer text is accepted where nothing is lost', () => {
    expect(parseDatetime('DATETIME_DAY', '2024-01-31T00:00:00.000')).toBe(19_753n)
    expect(parseDatetime('DATETIME_YEAR', '2024-01-01')).toBe(54n)
    expect(parseDatetime('DATETIME_SEC', '2024-01-31T12:00:00.000000000')).toBe(1_706_702_400n)
  })

  test.each([
    ['DATETIME_DAY', '2024-01-31T12', 'a whole number of units'],
    ['DATETIME_WEEK', '2024-01-31', 'a whole number of units (a Thursday)'],
    ['DATETIME_MS', '2024-01-31T12:00:00.0001', 'a whole number of units'],
    ['DATETIME_DAY', '2023-02-29', 'a day from 1 to 28'],
    ['DATETIME_DAY', '2024-13-01', 'a month from 1 to 12'],
    ['DATETIME_SEC', '2024-01-31T24:00', 'an hour from 0 to 23'],
    ['DATETIME_DAY', '20240131', 'a date as in 2024-01-31'],
    ['DATETIME_DAY', 'yesterday', 'a date as in 2024-01-31T12:00:00'],
    ['DATETIME_NS', '2263-01-01', 'a date within 64 bits'],
    ['DATETIME_YEAR', '99999999999999999999', 'a date within 64 bits'],
    ['DATETIME_DAY', '', 'a date as in 2024-01-31T12:00:00'],
  ] as const)('%s does not accept "%s"', (type, text, expected) => {
    let error: unknown
    try {
      parseDatetime(type, text)
    } catch (caught) {
      error = caught
    }
    expect(error).toBeInstanceOf(InspectError)
    expect(error).toMatchObject({ code: 'BAD_VALUE', message: `expected ${expected} for ${type}, found "${text}"` })
  })
})
