import type { Command as CommanderCommand } from 'commander'
import { InspectError, orError, usage, wrongOption } from '../base/errors.ts'
import type { AsOf } from '../documents/common.ts'
import { parseDatetime } from '../format/datetime.ts'
import { LAST_TIME, timeText } from '../format/timestamped-name.ts'
import type { Target } from '../objects/target.ts'
import type { CommandContext } from './command.ts'

/** The options for the times between which a target is opened. */
export interface TimesOptions {
  asOf?: string
  between?: string
}

const TIME_FORMS = 'milliseconds since 1970 or a date in UTC, as in 2024-05-01T10:00:00Z'

export function addTimesOptions(command: CommanderCommand): void {
  command
    .option('--as-of <time>', `what TileDB reads when it opens the array at that time: ${TIME_FORMS}`)
    .option('--between <T1..T2>', 'the same for a span of time, both ends included; T1.. and ..T2 are open at one end')
}

/** Sets the times between which {@link CommandContext.open} opens targets. @throws InspectError USAGE */
export function useTimes(cx: CommandContext, { asOf, between }: TimesOptions): void {
  if (asOf !== undefined && between !== undefined) throw usage({ expected: '--as-of or --between', found: 'both' })
  if (asOf !== undefined) cx.times = timesTo(parseEnd(cx, '--as-of', asOf))
  if (between !== undefined) cx.times = parseBetween(cx, between)
}

function parseBetween(cx: CommandContext, text: string): NonNullable<CommandContext['times']> {
  const [first, last, ...more] = text.split('..')
  if (last === undefined || more.length > 0 || text === '..')
    throw wrongOption('--between', 'T1..T2', `${JSON.stringify(text)}; T1.. and ..T2 have one end`)
  const from = first === '' ? undefined : parseTime(cx, '--between', first, LAST_TIME)
  const now = last === '' ? undefined : parseEnd(cx, '--between', last)
  if (from !== undefined && now !== undefined && from > now)
    throw wrongOption('--between', 'T1..T2 with T1 up to T2', JSON.stringify(text))
  return { ...(from !== undefined && { from }), ...timesTo(now) }
}

function timesTo(now: bigint | undefined): NonNullable<CommandContext['times']> {
  return now === undefined ? {} : { now }
}

/**
 * Parses the end of a span of times as TileDB's open takes it, any number of 64 bits. The largest of them is no time: TileDB then
 * opens the array as it is now.
 * @returns undefined for now
 */
export function parseEnd(cx: Pick<CommandContext, 'note'>, option: string, text: string): bigint | undefined {
  const time = parseTime(cx, option, text, LAST_TIME)
  return time === LAST_TIME ? undefined : time
}

/** Latest time, in milliseconds, that a name can have: TileDB takes later ones in names for this one. */
const LAST_NAMED = 2n ** 63n - 1n

/**
 * Parses a time of an option.
 * @param latest the latest time that the option takes
 * @returns milliseconds since 1970; of a date without a time of day, its first millisecond
 * @throws InspectError USAGE
 */
export function parseTime(cx: Pick<CommandContext, 'note'>, option: string, text: string, latest = LAST_NAMED): bigint {
  if (/^(19|20)\d\d$/.test(text))
    cx.note(`${option}: ${text} are milliseconds since 1970; the year begins at ${text}-01-01`)
  const time = /^\d{1,20}$/.test(text) ? BigInt(text) : parseDate(text)
  if (time === undefined || time < 0n || time > latest) throw wrongOption(option, TIME_FORMS, JSON.stringify(text))
  return time
}

/** Least time, in milliseconds, that can be the time of a write (in 2001). Smaller times are numbers that somebody chose. */
const MIN_WRITTEN = 1_000_000_000_000n
/** Smaller numbers may be years: {@link parseTime} has a note for them. */
const YEARS_END = 2_100n
/** The year 2000 in milliseconds. The present time in seconds is a smaller number. */
const YEAR_2000 = 946_684_800_000n

/** Prints a note if the time of the options may be in seconds: it lies before 2000, and no fragment of the array is as old. */
export async function noteSeconds(cx: CommandContext, target: Target): Promise<void> {
  const { now } = cx.reading
  if (!cx.times || target.type !== 'array' || now < YEARS_END || now >= YEAR_2000) return
  const fragments = await orError(() => target.array.fragments())
  if (fragments instanceof InspectError || fragments.length === 0) return
  if (fragments.some(({ timestamp_range }) => (timestamp_range?.[0] ?? 0n) < MIN_WRITTEN)) return
  const date = new Date(Number(now)).toISOString().slice(0, 10)
  const first = timeText(fragments[0].timestamp_range?.[0] ?? 0n)
  cx.note(`times are milliseconds; ${now} is ${date}, and the first fragment is from ${first}`)
}

function parseDate(text: string): bigint | undefined {
  try {
    return /^\d{4}-/.test(text) ? parseDatetime('DATETIME_MS', text) : undefined
  } catch (error) {
    if (error instanceof InspectError) return undefined
    throw error
  }
}

/** The times of the options as part of a document. Call it when the target is open. */
export function asOf({ times, reading }: CommandContext): AsOf {
  return times ? { as_of: [reading.from ?? 0n, reading.now] } : {}
}

/** Refuses the times of the options. @param what in words: what does not depend on times @throws InspectError USAGE */
export function refuseTimes({ times }: CommandContext, what: string): void {
  if (times) throw usage(`--as-of and --between have no effect here: ${what} is the same at all times`)
}
