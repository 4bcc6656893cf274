import { InspectError, usage, wrongOption } from '../base/errors.ts'
import { didYouMean } from '../base/nearest.ts'
import type { Prose } from '../base/prose.ts'
import { type Bounds, type RangeEnd, type RangeSets, rangeBounds } from '../cells/bounds.ts'
import { type Datatype, datatypeKind } from '../format/datatype.ts'
import { countAt, formatDatetime } from '../format/datetime.ts'
import type { NDRange, RangeType } from '../format/range.ts'
import { bytesOf, isDatetime } from '../format/value.ts'

/** The forms of a range, for the help of `--range`. */
export const RANGE_SET_FORMS = 'x=3, x=3..5, x=..5, name="a".."b"'
/** The same, if a dimension can have only one range. */
export const RANGE_FORMS = `${RANGE_SET_FORMS}; one for each dimension`

/** An option with ranges, in the words of its errors. */
export interface RangeOption {
  name: string
  form: string
  /** What the option takes, where its name and form say nothing. */
  takes: string
  /** What there is for each dimension. */
  one: string
}

const RANGE: RangeOption = {
  name: '--range',
  form: 'NAME=LO..HI',
  takes: 'a range LO..HI of a dimension',
  one: 'one range',
}

type NamedDimension = RangeType & { name: string }

/**
 * Parses `NAME=LO..HI` options, at most one for each dimension. `NAME=V` is a point, and `LO..` and `..HI` have one end. A value with
 * `..` in it is quoted as in JSON. Dates are written as they are printed.
 *
 * @returns the bounds by the index of the dimension
 * @throws InspectError USAGE
 */
export function parseRanges(
  dimensions: readonly NamedDimension[],
  options: readonly string[],
  kind: RangeOption = RANGE,
): Map<number, Bounds> {
  const bounds = new Map<number, Bounds>()
  for (const option of options) {
    const { dimension, ends } = parseRange(dimensions, option, kind)
    if (bounds.has(dimension))
      throw wrongOption(kind.name, `${kind.one} for each dimension`, `another: ${JSON.stringify(option)}`)
    bounds.set(dimension, ends)
  }
  return bounds
}

/** Parses options like {@link parseRanges}, but with any number of ranges for each dimension: their union counts. */
export function parseRangeSets(dimensions: readonly NamedDimension[], options: readonly string[]): RangeSets {
  const sets = new Map<number, Bounds[]>()
  for (const option of options) {
    const { dimension, ends } = parseRange(dimensions, option, RANGE)
    sets.set(dimension, [...(sets.get(dimension) ?? []), ends])
  }
  return sets
}

const DATE = /^(\d{4}-\d\d-\d\d)$|^"(\d{4}-\d\d-\d\d)"$/
const DAY_MS = 86_400_000

/**
 * The ranges of whole days that their user may have meant with a date without a time. Where a dimension counts shorter units, such a range
 * is one instant: the first of the day.
 */
export function wholeDays(dimensions: readonly NamedDimension[], options: readonly string[]): string[] {
  return options.flatMap((option) => {
    const [name, text] = namedPart(dimensions, option) ?? []
    const { type } = dimensions.find((one) => one.name === name) ?? {}
    const [, plain, quoted] = DATE.exec(text ?? '') ?? []
    const day = plain ?? quoted
    if (day === undefined || type === undefined || !isDatetime(type)) return []
    const [first, next] = [0, DAY_MS].map((ms) => countAt(type, Date.parse(day) + ms, 'down'))
    return next - first > 1n ? [`${name}=${day}..${formatDatetime(type, next - 1n)}`] : []
  })
}

/** Parses a box of whole numbers or dates: a range with both ends for each dimension. @throws InspectError USAGE */
export function parseBox(dimensions: readonly NamedDimension[], options: readonly string[]): NDRange {
  const bounds = parseRanges(dimensions, options)
  return dimensions.map(({ name, type }, d) => {
    const { low, high } = bounds.get(d) ?? {}
    if (low === undefined || high === undefined)
      throw usage({ expected: `a range of ${name} with both ends`, found: 'none' })
    return { min: bytesOf(type, 1, low, { raw: true }), max: bytesOf(type, 1, high, { raw: true }) }
  })
}

function parseRange(
  dimensions: readonly NamedDimension[],
  option: string,
  kind: RangeOption,
): { dimension: number; ends: Bounds } {
  const { dimension, rest } = namedDimension(dimensions, option, kind)
  // `NAME=` comes from an unset variable of a shell. It does not mean everything.
  if (rest === '') throw wrongOption(kind.name, kind.form, JSON.stringify(option))
  const [low, high] = splitRange(rest, kind)
  const { type } = dimensions[dimension]
  const ends = ofValues(option, kind, () => rangeBounds(type, endOf(type, low), endOf(type, high)))
  if (ends === 'swapped') throw wrongOption(kind.name, 'LO..HI with LO up to HI', JSON.stringify(option))
  return { dimension, ends }
}

function namedDimension(
  dimensions: readonly NamedDimension[],
  option: string,
  { name, form, takes }: RangeOption,
): { dimension: number; rest: string } {
  const names = dimensions.map(({ name }) => name)
  const [longest, rest] = namedPart(dimensions, option) ?? []
  if (longest !== undefined && rest !== undefined) return { dimension: names.indexOf(longest), rest }
  const near = option.includes('=') ? didYouMean(option.split('=')[0], names) : ''
  const all = `(${names.join(', ')})`
  throw wrongOption(name, `${takes} ${all}`, JSON.stringify(option) + near, `${form} with a dimension ${all}`)
}

/** The name of the dimension with which an option begins, and what follows after `=`. */
function namedPart(dimensions: readonly NamedDimension[], option: string): [name: string, rest: string] | undefined {
  const fitting = dimensions.map(({ name }) => name).filter((name) => option.startsWith(`${name}=`))
  if (fitting.length === 0) return undefined
  // Names may have `=` in them. Then the option can begin with two names, and the longer one counts.
  const longest = fitting.reduce((a, b) => (b.length > a.length ? b : a))
  return [longest, option.slice(longest.length + 1)]
}

/** The texts of both ends; empty for an open end. Dots inside quotes do not separate them. */
function splitRange(text: string, { name }: RangeOption): [string, string] {
  const quoted = /^"(?:[^"\\]|\\.)*"/s.exec(text)?.[0].length
  if (quoted === undefined && text.startsWith('"'))
    throw ofOption(`${name}: `, `the quoted value has no end in ${text}`)
  if (quoted === text.length) return [text, text]
  const dots = text.indexOf('..', quoted !== undefined && text.startsWith('..', quoted) ? quoted : 0)
  return dots < 0 ? [text, text] : [text.slice(0, dots), text.slice(dots + 2)]
}

/** Says of which option a value is wrong. */
function ofValues<T>(option: string, { name }: RangeOption, make: () => T): T {
  try {
    return make()
  } catch (error) {
    if (!(error instanceof InspectError)) throw error
    throw ofOption(`${name} `, `${option}: ${error.message}`, error)
  }
}

/** The error for a value that says what is wrong in a sentence. Only the command line names the option. */
function ofOption(name: string, says: Prose, cause?: InspectError): InspectError {
  return usage({ says, commandLine: name + says }, {}, { cause })
}

const FLOAT = /^[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$|^[-+]?inf(inity)?$/i

/** An end of a range as it was typed; an empty text is an open end. */
function endOf(type: Datatype, text: string): RangeEnd {
  return text === '' ? undefined : jsonOrText(type, text)
}

function jsonOrText(type: Datatype, text: string): string | number | bigint {
  if (text.startsWith('"')) return quotedText(text)
  const kind = datatypeKind(type)
  if (kind === 'float') {
    if (!FLOAT.test(text)) throw usage({ expected: 'a number', found: JSON.stringify(text) })
    if (!/inf/i.test(text)) return Number(text)
    return text.startsWith('-') ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY
  }
  // A number alone counts units. Only for years it is a date, if it is as long as a printed year of the calendar: `2024`, `-044`, `-10000`.
  const isYear = type === 'DATETIME_YEAR' && /^(?=.{4})-?\d{3,6}$/.test(text)
  if (kind !== 'text' && !isYear && /^-?\d+$/.test(text)) return BigInt(text)
  return text
}

function quotedText(text: string): string {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw usage({ expected: 'a string as JSON writes it', found: text }, {}, { cause: error })
  }
}
