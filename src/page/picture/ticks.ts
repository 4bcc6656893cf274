import { datatypeKind } from '../../format/datatype.ts'
import { shortValue } from '../../render/units.ts'
import { cellOfNumber } from '../cell-of-number.ts'
import { coordinateAt, type PlotAxis, placeOfCoordinate } from './plot-axis.ts'

/** A mark of an axis. */
export interface Tick {
  /** Its place on the axis: the middle of an integer's cell. */
  place: number
  text: string
}

/** Milliseconds of a unit of dates; of those below, how many units a millisecond has. */
const UNIT_MS: { readonly [type: string]: number } = {
  DATETIME_WEEK: 7 * 86_400_000,
  DATETIME_DAY: 86_400_000,
  DATETIME_HR: 3_600_000,
  DATETIME_MIN: 60_000,
  DATETIME_SEC: 1000,
  DATETIME_MS: 1,
}
const PER_MS: { readonly [type: string]: bigint } = {
  DATETIME_US: 1000n,
  DATETIME_NS: 1_000_000n,
  DATETIME_PS: 10n ** 9n,
  DATETIME_FS: 10n ** 12n,
  DATETIME_AS: 10n ** 15n,
}
const [SECOND, MINUTE, HOUR, DAY] = [1000, 60_000, 3_600_000, 86_400_000]
/** Steps of clocks and calendars in milliseconds. Longer ones are months. */
const STEPS = [
  ...[1, 2, 5, 10, 20, 50, 100, 200, 500],
  ...[1, 2, 5, 10, 15, 30].map((n) => n * SECOND),
  ...[1, 2, 5, 10, 15, 30].map((n) => n * MINUTE),
  ...[1, 2, 3, 6, 12].map((n) => n * HOUR),
  ...[1, 2, 7, 14].map((n) => n * DAY),
]
const MONTHS = [1, 2, 3, 6, 12, 24, 60, 120, 240, 600, 1200, 2400, 6000, 12_000]
const MONTH = 30.4 * DAY
/** Times that the browser's calendar knows. */
const MAX_MS = 8.64e15

/** The marks of an axis between two places. @param most number of marks that have room */
export function ticksOf(axis: PlotAxis, from: number, to: number, most: number): readonly Tick[] {
  if (!(to > from) || most < 1) return []
  const [low, high] = [Math.max(from, 0), Math.min(to, axis.size)]
  if (!(high > low)) return []
  return dateTicks(axis, low, high, most) ?? plainTicks(axis, low, high, most)
}

/** The least of 1, 2 and 5 times a power of ten that is not below a number. */
export function roundStep(least: number): number {
  const power = 10 ** Math.floor(Math.log10(least))
  const step = [1, 2, 5, 10].find((one) => one * power >= least * (1 - 1e-9)) ?? 10
  return step * power
}

function plainTicks(axis: PlotAxis, from: number, to: number, most: number): Tick[] {
  const { dimension, isFloat } = axis
  const step = roundStep((to - from) / most)
  const ticks: Tick[] = []
  if (isFloat) {
    const origin = Number(axis.origin)
    for (let i = Math.ceil((origin + from) / step); ticks.length <= most; i++) {
      const value = i * step
      if (value > origin + to) break
      ticks.push({ place: value - origin, text: String(Number(value.toPrecision(10))) })
    }
    return ticks
  }
  const whole = BigInt(Math.max(1, Math.round(step)))
  const first = BigInt(coordinateAt(axis, from))
  // Divides downwards for negative numbers, too.
  let value = first - (((first % whole) + whole) % whole)
  for (; ticks.length <= most + 1; value += whole) {
    const place = placeOfCoordinate(axis, value) + 0.5
    if (place > to) break
    if (place >= from) ticks.push({ place, text: shortValue(cellOfNumber(dimension.type, value), 24) })
  }
  return ticks
}

/** Marks at whole days, hours and so on. Undefined if the axis has no dates, or finer ones than milliseconds are in sight. */
function dateTicks(axis: PlotAxis, from: number, to: number, most: number): Tick[] | undefined {
  const { type } = axis.dimension
  const msOf = millisecondsOf(type)
  if (datatypeKind(type) !== 'datetime' || !msOf) return undefined
  const [low, high] = [from, to].map((place) => msOf.of(BigInt(coordinateAt(axis, place))))
  if (low === undefined || high === undefined || Math.max(-low, high) > MAX_MS) return undefined
  const least = (high - low) / most
  if (least < 1 && msOf.isFine) return undefined
  const step = STEPS.find((one) => one >= Math.max(least, msOf.unit))
  const times = step === undefined ? monthsFrom(low, high, least) : stepsFrom(low, high, step)
  return labelled(
    times.map((ms) => ({ ms, place: placeOfCoordinate(axis, msOf.back(ms)) })).filter(({ place }) => place >= from),
    step,
  )
}

/**
 * Dates at whole days, months and so on that divide what lies between two dates: from the last that is not after `low` to the first after
 * `high`. Undefined if the type has no days, or they lie too close together or too far away.
 * @param most number of parts, at most two more
 */
export function dateEdges(type: string, low: bigint, high: bigint, most: number): readonly bigint[] | undefined {
  const msOf = millisecondsOf(type)
  if (!msOf) return undefined
  const [from, to] = [msOf.of(low), msOf.of(high)]
  const least = (to - from) / most
  if (least < 1 && msOf.isFine) return undefined
  const step = STEPS.find((one) => one >= Math.max(least, msOf.unit))
  const reach = step ?? monthStep(least) * 31 * DAY
  if (Math.max(-from, to) + reach > MAX_MS) return undefined
  const times =
    step === undefined ? monthsFrom(from - reach, to + reach, least) : stepsFrom(from - reach, to + reach, step)
  const edges = times.map(msOf.back)
  const first = edges.findLastIndex((edge) => edge <= low)
  return edges.slice(first, edges.findIndex((edge) => edge > high) + 1)
}

interface Milliseconds {
  of(value: bigint): number
  back(ms: number): bigint
  /** Milliseconds of one unit; 0 for finer ones. */
  unit: number
  isFine: boolean
}

function millisecondsOf(type: string): Milliseconds | undefined {
  const unit = UNIT_MS[type]
  if (unit !== undefined)
    return { of: (value) => Number(value) * unit, back: (ms) => BigInt(Math.round(ms / unit)), unit, isFine: false }
  const per = PER_MS[type]
  if (per === undefined) return undefined
  return { of: (value) => Number(value / per), back: (ms) => BigInt(ms) * per, unit: 0, isFine: true }
}

function stepsFrom(low: number, high: number, step: number): number[] {
  const times: number[] = []
  // Weeks begin on a Monday; the first day of the calendar was a Thursday.
  const shift = step % (7 * DAY) === 0 ? 4 * DAY : 0
  for (let ms = Math.ceil((low - shift) / step) * step + shift; ms <= high; ms += step) times.push(ms)
  return times
}

/** The step in months that is not below so many milliseconds. */
function monthStep(least: number): number {
  return MONTHS.find((one) => one * MONTH >= least) ?? MONTHS[MONTHS.length - 1] ?? 1
}

function monthsFrom(low: number, high: number, least: number): number[] {
  const step = monthStep(least)
  const start = new Date(low)
  const months = start.getUTCFullYear() * 12 + start.getUTCMonth()
  const times: number[] = []
  for (let at = Math.floor(months / step) * step; ; at += step) {
    const date = new Date(0)
    date.setUTCFullYear(Math.floor(at / 12), at - 12 * Math.floor(at / 12), 1)
    const ms = date.getTime()
    if (!(ms <= high)) return times
    if (ms >= low) times.push(ms)
  }
}

/** The words of dates: no more of them than tells them apart. The first time of a day has the date in front. */
function labelled(found: readonly { ms: number; place: number }[], step: number | undefined): Tick[] {
  let day = ''
  const isYears = step === undefined && found.every(({ ms }) => new Date(ms).getUTCMonth() === 0)
  return found.map(({ ms, place }) => {
    const text = new Date(ms).toISOString()
    const at = text.indexOf('T')
    const date = text.slice(0, at)
    if (step === undefined) return { place, text: date.slice(0, isYears ? -6 : -3) }
    if (step >= DAY) return { place, text: date }
    const clock = text.slice(at + 1, at + 1 + clockLength(step))
    const isNew = date !== day
    day = date
    return { place, text: isNew ? `${date} ${clock}` : clock }
  })
}

/** Characters of a clock that are enough for steps of so many milliseconds: hh:mm, hh:mm:ss or hh:mm:ss.sss. */
function clockLength(step: number): number {
  if (step >= MINUTE) return 5
  return step >= SECOND ? 8 : 12
}

/** The smallest step of a scale, as a part of its numbers: they are rounded to 12 digits. */
const MIN_STEP = 1e-11

/** Marks of a scale of values. */
export function valueTicks(low: number, high: number, most: number, isLog: boolean): readonly number[] {
  if (!(high > low)) return [low]
  if (!Number.isFinite(high - low)) return []
  if (isLog) {
    const powers: number[] = []
    for (let power = Math.ceil(Math.log10(low) - 1e-9); power <= Math.log10(high) + 1e-9; power++)
      powers.push(10 ** power)
    return powers.length >= 2 ? powers : [low, high]
  }
  const step = roundStep((high - low) / most)
  // Beside numbers this large, steps have no round numbers, and the smallest would not count on.
  if (step < Math.max(-low, high) * MIN_STEP) return [low, high]
  const ticks: number[] = []
  for (let i = Math.ceil(low / step - 1e-9); i * step <= high + step * 1e-9; i++)
    ticks.push(Number((i * step).toPrecision(12)))
  return ticks
}
