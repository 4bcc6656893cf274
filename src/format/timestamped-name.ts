import { rising } from '../base/rising.ts'

/**
 * Names with timestamps: `__<t1>_<t2>_<uuid>[_<version>][.<suffix>]`. Timestamps are milliseconds since the epoch.
 * Schemas, metadata and group files have no version. Commit files have one, and fragments since format version 5.
 *
 * @see format_spec/timestamped_name.md
 */
export interface TimestampedName {
  /** Milliseconds. Both are the same unless the file is consolidated. */
  timestamp_range: [bigint, bigint]
  uuid: string
  format_version: number | undefined
  /** The text after the first dot. */
  suffix: string | undefined
}

/** Latest possible timestamp: a read as of this time leaves nothing out. */
export const LAST_TIME = 2n ** 64n - 1n

const STAMPED = /^__(\d+)_(\d+)_([0-9a-zA-Z]{32})(?:_(\d+))?(?:\.(.*))?$/

/** The name that was parsed last: several facts of a fragment are asked for one after another. */
let last: { name: string; parsed: TimestampedName | undefined } = { name: '', parsed: undefined }

export function parseTimestampedName(name: string): TimestampedName | undefined {
  if (last.name !== name) last = { name, parsed: parsedName(name) }
  return last.parsed
}

function parsedName(name: string): TimestampedName | undefined {
  const match = STAMPED.exec(name)
  if (!match) return undefined
  const [, t1 = '', t2 = '', uuid = '', version, suffix] = match
  return {
    timestamp_range: timesOf(t1, t2),
    uuid,
    format_version: version === undefined ? undefined : Number(version),
    suffix,
  }
}

/** Parses both timestamps. Most names have the same one twice, which is then parsed once. */
function timesOf(first: string, last: string): [bigint, bigint] {
  const from = BigInt(first)
  return [from, last === first ? from : BigInt(last)]
}

/**
 * Whether a name has the form of schemas, metadata and group files: timestamps, but no suffix.
 */
export function isTimedName(name: string): boolean {
  const parsed = parseTimestampedName(name)
  return parsed !== undefined && parsed.suffix === undefined
}

/**
 * What a fragment folder's name says. Versions 1 and 2 share one form of name, versions 3 and 4 another. Only the metadata
 * says which of the two a fragment has.
 */
export interface FragmentName {
  timestamp_range: [bigint, bigint]
  uuid: string
  /** 5 and up: the version itself. 3: 3 or 4. 1: 1 or 2. */
  least_version: number
}

const OLD = /^__([0-9a-zA-Z]{32})_(\d+)(?:_(\d+))?$/

/**
 * Parses the name of a fragment folder. Names of versions 1 and 2 are `__<uuid>_<t>` or, if consolidated,
 * `__<uuid>_<last>_<first>`: TileDB then takes the second timestamp for both ends of the range. Names of versions 3 and 4
 * are `__<t1>_<t2>_<uuid>`.
 *
 * @see tiledb/sm/fragment/fragment_identifier.cc
 */
export function parseFragmentName(name: string): FragmentName | undefined {
  const stamped = parseTimestampedName(name)
  if (stamped && stamped.suffix === undefined) {
    return { timestamp_range: stamped.timestamp_range, uuid: stamped.uuid, least_version: stamped.format_version ?? 3 }
  }
  const match = OLD.exec(name)
  if (!match) return undefined
  const [, uuid = '', first = '', second] = match
  const stamp = BigInt(second ?? first)
  return { timestamp_range: [stamp, stamp], uuid, least_version: 1 }
}

const NEW = /^__\d+_\d+_[0-9a-zA-Z]{32}(?:_\d+)?$/

/** Whether {@link parseFragmentName} accepts a name. */
export function isFragmentName(name: string): boolean {
  return NEW.test(name) || OLD.test(name)
}

/** The timestamps of a name as C's `%ld` reads them: white space and a sign may come first. */
const TIMES = /^__[ \t-\r]*([+-]?\d+)(?:_[ \t-\r]*([+-]?\d+))?/
const NUMBER = /^[ \t-\r]*([+-]?\d+)/
const LONG_MAX = 2n ** 63n - 1n
const LONG_MIN = -(2n ** 63n)
const UINT32_MAX = 0xffffffff
/** Names of the usual form, which one match can parse. */
const USUAL = /^__(\d{1,18})_(\d{1,18})_[0-9a-zA-Z]{32}(?:_(\d{1,9}))?(?:\.[^.]*)?$/

/**
 * Converts a timestamp as TileDB does. A missing number is 0. A number outside the range of a long becomes the nearest
 * long. A negative number becomes a very large uint64.
 */
function stamp(text = '0'): bigint {
  const value = BigInt(text.replace('+', ''))
  if (value > LONG_MAX) return LONG_MAX
  return BigInt.asUintN(64, value < LONG_MIN ? LONG_MIN : value)
}

/**
 * Returns what TileDB reads from the name of any file or folder with timestamps: a fragment, a schema, a list of
 * consolidated commits… The format version is that of the fragment, as far as the name tells: 2 for 1 and 2, 4 for 3 and 4.
 *
 * TileDB only requires an underscore in a name. It counts the underscores before the last dot. With five of them the
 * name is `__<t1>_<t2>_<uuid>_<version>`. Of the other names, those with a last part of 32 bytes are
 * `__<t1>_<t2>_<uuid>`. In all others the last part is the time.
 *
 * @returns undefined for a name on which TileDB fails. TileDB also fails if the second time is before the first, but such
 *   times are returned here.
 * @see tiledb/sm/fragment/fragment_identifier.cc
 */
export function nameFacts(name: string): { timestamp_range: [bigint, bigint]; format_version: number } | undefined {
  const usual = USUAL.exec(name)
  if (usual) {
    const [, first = '', last = '', version] = usual
    return { timestamp_range: timesOf(first, last), format_version: Number(version ?? 4) }
  }
  const dot = name.lastIndexOf('.')
  const base = dot < 0 ? name : name.slice(0, dot)
  const parts = base.split('_')
  const last = parts.at(-1)
  if (parts.length < 2 || last === undefined) return undefined
  const hasVersion = parts.length === 6
  if (!hasVersion && new TextEncoder().encode(last).length !== 32) {
    const time = stamp(NUMBER.exec(last)?.[1])
    return { timestamp_range: [time, time], format_version: 2 }
  }
  const [, t1, t2] = TIMES.exec(base) ?? []
  const timestamp_range: [bigint, bigint] = [stamp(t1), stamp(t2)]
  if (!hasVersion) return { timestamp_range, format_version: 4 }
  const version = Number(NUMBER.exec(last)?.[1] ?? 0)
  return { timestamp_range, format_version: Math.abs(version) > UINT32_MAX ? UINT32_MAX : version >>> 0 }
}

/** Names of the usual form with the same time twice, as nearly all have it. */
const USUAL_TWICE = /^__(\d{1,18})_\1_[0-9a-zA-Z]{32}(?:_\d{1,9})?(?:\.[^.]*)?$/

/** Whether TileDB can read timestamps from the name of a file or folder. If not, it fails. @param name with its suffix */
export function hasTimes(name: string): boolean {
  if (USUAL_TWICE.test(name)) return true
  const [first, last] = nameFacts(name)?.timestamp_range ?? [1n, 0n]
  return first <= last
}

/** Compares names with timestamps: by the first timestamp, then by the second, then by name. */
export function compareByTimestamps(
  a: { name: string; timestamp_range: readonly [bigint, bigint] | undefined },
  b: { name: string; timestamp_range: readonly [bigint, bigint] | undefined },
): number {
  const [a1, a2] = a.timestamp_range ?? [0n, 0n]
  const [b1, b2] = b.timestamp_range ?? [0n, 0n]
  return rising(a1, b1) || rising(a2, b2) || rising(a.name, b.name)
}

/**
 * Sorts fragments by the numbers in their names, for lists that people read. That is TileDB's order, but for times beyond 2^63 - 1:
 * TileDB takes all of them for 2^63 - 1, so it sorts them by name.
 * @param fragments sorted as TileDB does, with the times that it reads
 */
export function sortedAsWritten<
  T extends { readonly name: string; readonly timestamp_range: readonly [bigint, bigint] | undefined },
>(fragments: readonly T[]): readonly T[] {
  if (!fragments.some(({ timestamp_range }) => timestamp_range?.[1] === LONG_MAX)) return fragments
  const written = fragments.map((fragment) => {
    const timestamp_range = parseFragmentName(fragment.name)?.timestamp_range ?? fragment.timestamp_range
    return { fragment, name: fragment.name, timestamp_range }
  })
  return written.sort(compareByTimestamps).map(({ fragment }) => fragment)
}

/** Whether a fragment's name has two different timestamps, which shows that consolidation wrote it. */
export function isConsolidatedName(name: string): boolean {
  const parsed = parseTimestampedName(name)
  if (!parsed) return OLD.exec(name)?.[3] !== undefined
  const [first, last] = parsed.timestamp_range
  return first !== last
}

/** Range of timestamps that are shown as dates (1973 to 2286). Tests and time travel use smaller numbers. */
const FIRST_DATE = 1e11
const LAST_DATE = 1e13

/**
 * Returns a timestamp as a person reads it: `2024-05-01T10:00:00Z (1714557600000)`. Numbers outside
 * {@link FIRST_DATE} to {@link LAST_DATE} stay numbers.
 * @param stamp milliseconds since the epoch
 */
export function timeText(stamp: number | bigint, withNumber = true): string {
  const milliseconds = Number(stamp)
  if (milliseconds < FIRST_DATE || milliseconds > LAST_DATE) return String(stamp)
  const date = new Date(milliseconds).toISOString().replace('.000Z', 'Z')
  return withNumber ? `${date} (${stamp})` : date
}

/** The times as of which an array is opened, in words. @param last null if there is no last one */
export function asOfText(first: number | bigint, last: number | bigint | null): string {
  if (last === null) return `from ${timeText(first, false)} on`
  const since = `as of ${timeText(first, false)}`
  return BigInt(first) === BigInt(last) ? since : `${since} to ${timeText(last, false)}`
}
