/**
 * Converts DATETIME_* counts to ISO 8601 text, and back.
 *
 * A count is a signed 64-bit number of units since 1970-01-01T00:00 in the proleptic Gregorian calendar, without a time
 * zone. The smallest count is "NaT". The text is the same as that of numpy's `datetime64` of the same unit. That
 * includes years of four characters ("-030" is year -30). numpy's arithmetic overflows for years, weeks and days near
 * the ends of the range; the text here is the true date.
 */

import { badValue, type InspectError } from '../base/errors.ts'
import type { Datatype } from './datatype.ts'

export type DatetimeType = Extract<Datatype, `DATETIME_${string}`>

/** A unit of time: some months, some days, a part of a day, or a part of a second. */
type TimeUnit =
  | { months: number }
  | { days: number }
  /** `parts`: how many of hour, minute and second are printed. */
  | { perDay: number; parts: 1 | 2 | 3 }
  /** `digits`: decimal digits of the printed fraction of a second. */
  | { digits: number; perSecond: bigint }

const UNITS: Record<DatetimeType, TimeUnit> = {
  DATETIME_YEAR: { months: 12 },
  DATETIME_MONTH: { months: 1 },
  DATETIME_WEEK: { days: 7 },
  DATETIME_DAY: { days: 1 },
  DATETIME_HR: { perDay: 24, parts: 1 },
  DATETIME_MIN: { perDay: 24 * 60, parts: 2 },
  DATETIME_SEC: { perDay: 24 * 60 * 60, parts: 3 },
  DATETIME_MS: { digits: 3, perSecond: 10n ** 3n },
  DATETIME_US: { digits: 6, perSecond: 10n ** 6n },
  DATETIME_NS: { digits: 9, perSecond: 10n ** 9n },
  DATETIME_PS: { digits: 12, perSecond: 10n ** 12n },
  DATETIME_FS: { digits: 15, perSecond: 10n ** 15n },
  DATETIME_AS: { digits: 18, perSecond: 10n ** 18n },
}

const INT64_MIN = -(2n ** 63n)
const INT64_MAX = 2n ** 63n - 1n
/** Upper limit on counts that are computed as numbers. Their sums with the constants below are exact. */
const EXACT = 2 ** 52
const EXACT_BIG = BigInt(EXACT)
const SECONDS_PER_DAY = 86_400
/** The calendar repeats after 400 years. */
const ERA_YEARS = 400
const ERA_DAYS = 146_097
/** Days from 0000-03-01, where an era of 400 years begins, to 1970-01-01. */
const EPOCH_DAYS = 719_468

const TWO_DIGITS = Array.from({ length: 100 }, (_, i) => String(i).padStart(2, '0'))

/** Text of a date without a value. */
const NOT_A_TIME = 'NaT'

/** Attoseconds of a day. */
const DAY_LENGTH = BigInt(SECONDS_PER_DAY) * 10n ** 18n

/**
 * A function from a count of one unit to the count of the coarser unit in which that moment lies. Undefined if the other unit is finer.
 */
export function truncation(from: DatetimeType, to: DatetimeType): ((count: bigint) => bigint) | undefined {
  const [fine, coarse] = [UNITS[from], UNITS[to]]
  if ('months' in fine) {
    if (!('months' in coarse) || fine.months > coarse.months) return undefined
    return (count) => rounded(count * BigInt(fine.months), BigInt(coarse.months))
  }
  const length = lengthOf(fine)
  if ('months' in coarse) return (count) => rounded(monthOf(rounded(count * length, DAY_LENGTH)), BigInt(coarse.months))
  const longer = lengthOf(coarse)
  return length > longer ? undefined : (count) => rounded(count * length, longer)
}

/** Attoseconds of a unit. */
function lengthOf(unit: Exclude<TimeUnit, { months: number }>): bigint {
  if ('days' in unit) return DAY_LENGTH * BigInt(unit.days)
  return 'perDay' in unit ? DAY_LENGTH / BigInt(unit.perDay) : 10n ** 18n / unit.perSecond
}

/** A quotient, rounded down. */
function rounded(value: bigint, by: bigint): bigint {
  return value % by < 0n ? value / by - 1n : value / by
}

/** Months from 1970 to the month of a day since 1970-01-01. */
function monthOf(day: bigint): bigint {
  const text = formatDay(simplify(day))
  return (BigInt(text.slice(0, -6)) - 1970n) * 12n + BigInt(text.slice(-5, -3)) - 1n
}

/** Marks the text of a date as UTC. */
export function utcText(date: string): string {
  return date === NOT_A_TIME ? date : `${date}Z`
}

/** Returns the text of a count of `type`'s units, with the precision of the unit. */
export function formatDatetime(type: DatetimeType, count: bigint): string {
  if (count === INT64_MIN) return NOT_A_TIME
  const unit = UNITS[type]
  if ('digits' in unit) return formatFraction(unit, count)
  if ('perDay' in unit) {
    const [days, rest] = divide(count, unit.perDay)
    return `${formatDay(days)}T${formatClock(rest * (SECONDS_PER_DAY / unit.perDay), unit.parts)}`
  }
  if ('days' in unit) return formatDay(simplify(count * BigInt(unit.days)))
  const [years, month] = divide(count, 12 / unit.months)
  const year = formatYear(simplify(BigInt(years) + 1970n))
  return unit.months === 12 ? year : `${year}-${TWO_DIGITS[month + 1]}`
}

function formatFraction(unit: { digits: number; perSecond: bigint }, count: bigint): string {
  let seconds = count / unit.perSecond
  let fraction = count % unit.perSecond
  if (fraction < 0n) {
    fraction += unit.perSecond
    seconds -= 1n
  }
  const [days, second] = divide(seconds, SECONDS_PER_DAY)
  return `${formatDay(days)}T${formatClock(second, 3)}.${String(fraction).padStart(unit.digits, '0')}`
}

/** Returns the quotient, rounded down, and the remainder. The quotient is a number if that is exact, otherwise a bigint. */
function divide(value: bigint, by: number): [number | bigint, number] {
  if (value <= EXACT_BIG && value >= -EXACT_BIG) return divideNumber(Number(value), by)
  const rest = Number(((value % BigInt(by)) + BigInt(by)) % BigInt(by))
  return [simplify((value - BigInt(rest)) / BigInt(by)), rest]
}

function divideNumber(value: number, by: number): [number, number] {
  const signed = value % by
  const rest = signed < 0 ? signed + by : signed
  return [(value - rest) / by, rest]
}

function simplify(value: bigint): number | bigint {
  return value <= EXACT_BIG && value >= -EXACT_BIG ? Number(value) : value
}

function formatClock(second: number, parts: 1 | 2 | 3): string {
  const hour = TWO_DIGITS[Math.floor(second / 3600)] ?? ''
  if (parts === 1) return hour
  const minute = TWO_DIGITS[Math.floor(second / 60) % 60]
  return parts === 2 ? `${hour}:${minute}` : `${hour}:${minute}:${TWO_DIGITS[second % 60]}`
}

/** @param days since 1970-01-01 */
function formatDay(days: number | bigint): string {
  const [era, day] =
    typeof days === 'number' ? divideNumber(days + EPOCH_DAYS, ERA_DAYS) : divide(days + BigInt(EPOCH_DAYS), ERA_DAYS)
  // The years of an era begin in March, so that the leap day is the last day.
  const yearOfEra = Math.floor(
    (day - Math.floor(day / 1460) + Math.floor(day / 36_524) - Math.floor(day / (ERA_DAYS - 1))) / 365,
  )
  const dayOfYear = day - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100))
  const monthFromMarch = Math.floor((5 * dayOfYear + 2) / 153)
  const dayOfMonth = dayOfYear - Math.floor((153 * monthFromMarch + 2) / 5) + 1
  const month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
  const yearInEra = month <= 2 ? yearOfEra + 1 : yearOfEra
  const year =
    typeof days === 'number' ? Number(era) * ERA_YEARS + yearInEra : BigInt(era) * BigInt(ERA_YEARS) + BigInt(yearInEra)
  return `${formatYear(year)}-${TWO_DIGITS[month]}-${TWO_DIGITS[dayOfMonth]}`
}

/** At least four characters, including the sign. */
function formatYear(year: number | bigint): string {
  if (year >= 1000) return String(year)
  return year < 0 ? `-${String(-year).padStart(3, '0')}` : String(year).padStart(4, '0')
}

const MS_PER_DAY = SECONDS_PER_DAY * 1000

/**
 * The count of `type`'s units at a point in time: the last unit that begins then or before (`down`), or the first that begins then or
 * after (`up`). They differ if no unit begins then.
 * @param ms milliseconds since 1970, whole
 */
export function countAt(type: DatetimeType, ms: number, round: 'down' | 'up'): bigint {
  const unit = UNITS[type]
  if ('digits' in unit) return BigInt(ms) * (unit.perSecond / 1000n)
  const rounded = Math[round === 'down' ? 'floor' : 'ceil']
  if ('perDay' in unit) return BigInt(rounded(ms / (MS_PER_DAY / unit.perDay)))
  if ('days' in unit) return BigInt(rounded(ms / (MS_PER_DAY * unit.days)))
  const date = new Date(ms)
  const months = Math.floor(((date.getUTCFullYear() - 1970) * 12 + date.getUTCMonth()) / unit.months)
  const isBegin = Date.UTC(1970, months * unit.months) === ms
  return BigInt(round === 'down' || isBegin ? months : months + 1)
}

const PATTERN = /^([+-]?\d{3,})(?:-(\d\d)(?:-(\d\d)(?:[T ](\d\d)(?::(\d\d)(?::(\d\d)(?:\.(\d+))?)?)?Z?)?)?)?$/

/**
 * Returns the count that {@link formatDatetime} prints as `text`. Less precise text means the start of its period: a date
 * alone is midnight. More precise text is accepted if it is exactly the start of a unit. "NaT", in any case, is the
 * smallest int64.
 *
 * @throws InspectError BAD_VALUE for other text, dates that do not exist, parts of a unit, and counts beyond 64 bits
 */
export function parseDatetime(type: DatetimeType, text: string): bigint {
  if (/^nat$/i.test(text)) return INT64_MIN
  const match = PATTERN.exec(text)
  if (match === null) throw bad(type, 'a date as in 2024-01-31T12:00:00', text)
  const [, yearText = '', monthText, dayText, hourText, minuteText, secondText, fraction = ''] = match
  if (monthText === undefined && type !== 'DATETIME_YEAR' && yearText.replace(/^[+-]/, '').length > 4) {
    throw bad(type, 'a date as in 2024-01-31', text)
  }
  const part = (name: string, digits: string | undefined, lo: number, hi: number): number => {
    const value = digits === undefined ? lo : Number(digits)
    if (value < lo || value > hi) throw bad(type, `${name} from ${lo} to ${hi}`, text)
    return value
  }
  const year = BigInt(yearText.replace('+', ''))
  const month = part('a month', monthText, 1, 12)
  const day = part('a day', dayText, 1, daysOfMonth(year, month))
  const hour = part('an hour', hourText, 0, 23)
  const minute = part('a minute', minuteText, 0, 59)
  const second = part('a second', secondText, 0, 59)
  const count = countOf(UNITS[type], { year, month, day, second: hour * 3600 + minute * 60 + second, fraction })
  if (count === undefined)
    throw bad(type, `a whole number of units${type === 'DATETIME_WEEK' ? ' (a Thursday)' : ''}`, text)
  if (count <= INT64_MIN || count > INT64_MAX) throw bad(type, 'a date within 64 bits', text)
  return count
}

interface Moment {
  year: bigint
  month: number
  day: number
  /** Second of the day. */
  second: number
  /** Decimal digits of the fraction of a second. */
  fraction: string
}

/** Returns the count of a moment; undefined if the moment is not the start of a unit. */
function countOf(unit: TimeUnit, moment: Moment): bigint | undefined {
  const digits = 'digits' in unit ? unit.digits : 0
  if (/[1-9]/.test(moment.fraction.slice(digits))) return undefined
  if ('months' in unit) {
    if (moment.day !== 1 || moment.second !== 0) return undefined
    return exactQuotient((moment.year - 1970n) * 12n + BigInt(moment.month - 1), BigInt(unit.months))
  }
  const days = daysSinceEpoch(moment.year, moment.month, moment.day)
  if ('days' in unit) return moment.second === 0 ? exactQuotient(days, BigInt(unit.days)) : undefined
  const seconds = days * BigInt(SECONDS_PER_DAY) + BigInt(moment.second)
  if ('perDay' in unit) return exactQuotient(seconds, BigInt(SECONDS_PER_DAY / unit.perDay))
  return seconds * unit.perSecond + BigInt(moment.fraction.slice(0, digits).padEnd(digits, '0'))
}

function exactQuotient(value: bigint, by: bigint): bigint | undefined {
  return value % by === 0n ? value / by : undefined
}

function daysSinceEpoch(year: bigint, month: number, day: number): bigint {
  const [era, yearOfEra] = divide(month <= 2 ? year - 1n : year, ERA_YEARS)
  const dayOfYear = Math.floor((153 * (month <= 2 ? month + 9 : month - 3) + 2) / 5) + day - 1
  const dayOfEra = yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear
  return BigInt(era) * BigInt(ERA_DAYS) + BigInt(dayOfEra - EPOCH_DAYS)
}

function daysOfMonth(year: bigint, month: number): number {
  if (month === 2) return (year % 4n === 0n && year % 100n !== 0n) || year % 400n === 0n ? 29 : 28
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31
}

function bad(type: DatetimeType, expected: string, found: string): InspectError {
  const shown = found.length > 60 ? `${found.slice(0, 60)}…` : found
  return badValue({ expected: `${expected} for ${type}`, found: JSON.stringify(shown) })
}
