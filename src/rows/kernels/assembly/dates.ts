import { writePadded } from './digits'

/*
 * DATETIME_* values as ISO 8601 text, for years from 1000 to 9999. Other years have another width and are declined.
 */

/** Units from DATETIME_YEAR to DATETIME_AS. From MS on, each unit is a thousandth of the previous one. */
const YEAR: u32 = 0
const MONTH: u32 = 1
const WEEK: u32 = 2
const DAY: u32 = 3
const HR: u32 = 4
const MIN: u32 = 5
const SEC: u32 = 6

/** Limit of years, months, weeks or days: larger values have no four-digit year, and smaller ones do not overflow in sums. */
const MOST: i64 = 100000000
const DAY_SECONDS: i64 = 86400
/** The calendar repeats after 400 years. */
const ERA_DAYS: i32 = 146097
/** Days from 0000-03-01, the start of an era, to 1970-01-01. */
const EPOCH_DAYS: i32 = 719468

/** Text of the day that was written last, as neighbouring cells often have the same day. */
const dayText = memory.data(16)
let lastDay: i64 = i64.MIN_VALUE

/** Writes a date. @returns the end of the text; 0 if the date is declined */
export function writeDate(out: usize, unit: u32, count: i64): usize {
  if (count === i64.MIN_VALUE) {
    store<u32>(out, 0x54614e)
    return out + 3
  }
  if (unit <= MONTH) return writeMonth(out, unit, count)
  if (unit <= DAY) return tooFar(count) ? 0 : writeDay(out, unit === WEEK ? count * 7 : count)
  let perSecond: i64 = 1
  for (let i = SEC; i < unit; i++) perSecond *= 1000
  let unitSeconds: i64 = unit === MIN ? 60 : 1
  if (unit === HR) unitSeconds = 3600
  const whole = unit > SEC ? floored(count, perSecond) : count
  const days = floored(whole, DAY_SECONDS / unitSeconds)
  if (tooFar(days)) return 0
  out = writeDay(out, days)
  if (out === 0) return 0
  out = writeClock(out, unit, ((whole - days * (DAY_SECONDS / unitSeconds)) * unitSeconds) as u32)
  if (unit <= SEC) return out
  store<u8>(out, 0x2e)
  return writePadded(out + 1, (count - whole * perSecond) as u64, 3 * (unit - SEC))
}

function tooFar(count: i64): bool {
  return count < -MOST || count > MOST
}

/** Returns the quotient, rounded down. */
function floored(value: i64, by: i64): i64 {
  const quotient = value / by
  return quotient * by > value ? quotient - 1 : quotient
}

function writeMonth(out: usize, unit: u32, count: i64): usize {
  if (tooFar(count)) return 0
  const months = unit === YEAR ? count * 12 : count
  const years = floored(months, 12)
  const end = writeYear(out, (years + 1970) as i32)
  if (end === 0 || unit === YEAR) return end
  return part(end, 0x2d, (months - years * 12 + 1) as u32)
}

function writeYear(out: usize, year: i32): usize {
  return year < 1000 || year > 9999 ? 0 : writePadded(out, year as u64, 4)
}

/** Writes a separator and two digits. */
function part(out: usize, mark: u32, value: u32): usize {
  store<u8>(out, mark as u8)
  const tens = (value * 103) >> 10
  store<u16>(out, (0x3030 + tens + ((value - tens * 10) << 8)) as u16, 1)
  return out + 3
}

function writeClock(out: usize, unit: u32, second: u32): usize {
  const hour = second / 3600
  out = part(out, 0x54, hour)
  if (unit === HR) return out
  const minute = second / 60
  out = part(out, 0x3a, minute - hour * 60)
  return unit === MIN ? out : part(out, 0x3a, second - minute * 60)
}

/** @param days since 1970-01-01 */
function writeDay(out: usize, days: i64): usize {
  if (days !== lastDay) {
    if (!dayInto(dayText, days as i32)) return 0
    lastDay = days
  }
  v128.store(out, v128.load(dayText))
  return out + 10
}

function dayInto(out: usize, days: i32): bool {
  const fromEra = days + EPOCH_DAYS
  const era = (fromEra >= 0 ? fromEra : fromEra - (ERA_DAYS - 1)) / ERA_DAYS
  const day = fromEra - era * ERA_DAYS
  // The years of an era start in March, so that the leap day comes last.
  const yearOfEra = (day - day / 1460 + day / 36524 - day / (ERA_DAYS - 1)) / 365
  const dayOfYear = day - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
  const monthFromMarch = (5 * dayOfYear + 2) / 153
  const month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
  const end = writeYear(out, era * 400 + yearOfEra + (month <= 2 ? 1 : 0))
  if (end === 0) return false
  part(part(end, 0x2d, month as u32), 0x2d, (dayOfYear - (153 * monthFromMarch + 2) / 5 + 1) as u32)
  return true
}
