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

/** The last time that there can be. As the time of a read it leaves nothing out. */
export const LAST_TIME = 2n ** 64n - 1n

const STAMPED = /^__(\d+)_(\d+)_([0-9a-zA-Z]{32})(?:_(\d+))?(?:\.(.*))?$/

export function parseTimestampedName(name: string): TimestampedName | undefined {
  const match = STAMPED.exec(name)
  if (!match) return undefined
  const [, t1, t2, uuid, version, suffix] = match
  return {
    timestamp_range: timesOf(t1, t2),
    uuid,
    format_version: version === undefined ? undefined : Number(version),
    suffix,
  }
}

/** Most names have the same time twice: one number then serves as both. */
function timesOf(first: string, last: string): [bigint, bigint] {
  const from = BigInt(first)
  return [from, last === first ? from : BigInt(last)]
}

/**
 * Whether a name has the form that TileDB gives to schemas, metadata and group files: with timestamps, without a
 * suffix.
 */
export function isTimedName(name: string): boolean {
  const parsed = parseTimestampedName(name)
  return parsed !== undefined && parsed.suffix === undefined
}

/**
 * What a fragment folder's name says. Versions 1 and 2 have names of the same form, and so have 3 and 4. Only the
 * metadata says which of the two it is.
 */
export interface FragmentName {
  timestamp_range: [bigint, bigint]
  uuid: string
  /** 5 and up: the version itself. 3: 3 or 4. 1: 1 or 2. */
  least_version: number
}

const OLD = /^__([0-9a-zA-Z]{32})_(\d+)(?:_(\d+))?$/

/**
 * Names of versions 1 and 2 are `__<uuid>_<t>` or, if consolidated, `__<uuid>_<last>_<first>`. TileDB uses the second
 * of them for both ends of the range. Names of versions 3 and 4 are `__<t1>_<t2>_<uuid>`.
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
  const [, uuid, first, second] = match
  const stamp = BigInt(second ?? first)
  return { timestamp_range: [stamp, stamp], uuid, least_version: 1 }
}

const NEW = /^__\d+_\d+_[0-9a-zA-Z]{32}(?:_\d+)?$/

/** Whether {@link parseFragmentName} knows a name. */
export function isFragmentName(name: string): boolean {
  return NEW.test(name) || OLD.test(name)
}

/** Timestamps, with what C's `%ld` accepts: white space and a sign. */
const TIMES = /^__[ \t-\r]*([+-]?\d+)(?:_[ \t-\r]*([+-]?\d+))?/
const NUMBER = /^[ \t-\r]*([+-]?\d+)/
const LONG_MAX = 2n ** 63n - 1n
const LONG_MIN = -(2n ** 63n)
const UINT32_MAX = 0xffffffff
/** Names of the usual form, which a single match can parse. */
const USUAL = /^__(\d{1,18})_(\d{1,18})_[0-9a-zA-Z]{32}(?:_(\d{1,9}))?(?:\.[^.]*)?$/

/**
 * A timestamp as TileDB reads it. A missing number is 0. A number outside the range of a long becomes the nearest long. A
 * negative one becomes a very large uint64.
 */
function stamp(text = '0'): bigint {
  const value = BigInt(text.replace('+', ''))
  return BigInt.asUintN(64, value > LONG_MAX ? LONG_MAX : value < LONG_MIN ? LONG_MIN : value)
}

/**
 * What TileDB reads from the name of a fragment, a schema, a list or another file with timestamps, in any form. The
 * format version is that of the fragment, as far as the name says it: 2 for 1 and 2, 4 for 3 and 4.
 *
 * TileDB only requires an underscore in a name. It counts the underscores before the last dot. With five of them the
 * name is `__<t1>_<t2>_<uuid>_<version>`. Of the other names, those with a last part of 32 bytes are
 * `__<t1>_<t2>_<uuid>`. In all others the last part is the time.
 *
 * @returns undefined for a name that makes TileDB fail. It also fails if the second time is before the first; these times
 *   are returned.
 * @see tiledb/sm/fragment/fragment_identifier.cc
 */
export function nameFacts(name: string): { timestamp_range: [bigint, bigint]; format_version: number } | undefined {
  const usual = USUAL.exec(name)
  if (usual) {
    const [, first, last, version] = usual
    return { timestamp_range: timesOf(first, last), format_version: Number(version ?? 4) }
  }
  const dot = name.lastIndexOf('.')
  const base = dot < 0 ? name : name.slice(0, dot)
  const parts = base.split('_')
  if (parts.length < 2) return undefined
  const last = parts[parts.length - 1]
  const hasVersion = parts.length === 6
  if (!hasVersion && new TextEncoder().encode(last).length !== 32) {
    const time = stamp(NUMBER.exec(last)?.[1])
    return { timestamp_range: [time, time], format_version: 2 }
  }
  const [, t1, t2] = TIMES.exec(base) ?? []
  const version = Number(NUMBER.exec(last)?.[1] ?? 0)
  return {
    timestamp_range: [stamp(t1), stamp(t2)],
    format_version: hasVersion ? (Math.abs(version) > UINT32_MAX ? UINT32_MAX : version >>> 0) : 4,
  }
}

/** Sorts names with timestamps by the first timestamp, then by the second, then by name. */
export function compareByTimestamps(
  a: { name: string; timestamp_range: readonly [bigint, bigint] | undefined },
  b: { name: string; timestamp_range: readonly [bigint, bigint] | undefined },
): number {
  const [a1, a2] = a.timestamp_range ?? [0n, 0n]
  const [b1, b2] = b.timestamp_range ?? [0n, 0n]
  if (a1 !== b1) return a1 < b1 ? -1 : 1
  if (a2 !== b2) return a2 < b2 ? -1 : 1
  return a.name < b.name ? -1 : a.name > b.name ? 1 : 0
}

/** Whether a fragment's name shows that consolidation wrote it: it has two different timestamps. */
export function isConsolidatedName(name: string): boolean {
  const stamped = STAMPED.exec(name)
  if (stamped) return stamped[1] !== stamped[2] && BigInt(stamped[1]) !== BigInt(stamped[2])
  return OLD.exec(name)?.[3] !== undefined
}

/** Timestamps in this range are shown as dates (1973 to 2286). Tests and time travel use smaller numbers. */
const FIRST_DATE = 1e11
const LAST_DATE = 1e13

/**
 * A timestamp for a person: `2024-05-01T10:00:00Z (1714557600000)`. A number that is not a date stays a number.
 * @param stamp milliseconds since the epoch
 */
export function timeText(stamp: number | bigint, withNumber = true): string {
  const milliseconds = Number(stamp)
  if (milliseconds < FIRST_DATE || milliseconds > LAST_DATE) return String(stamp)
  const date = new Date(milliseconds).toISOString().replace('.000Z', 'Z')
  return withNumber ? `${date} (${stamp})` : date
}
