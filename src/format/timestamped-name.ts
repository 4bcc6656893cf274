/**
 * Names with time stamps: `__<t1>_<t2>_<uuid>[_<version>][.<suffix>]`, milliseconds since the epoch. Schemas, metadata
 * and group files have no version; fragments since format version 5 and all files about commits have one.
 *
 * @see format_spec/timestamped_name.md
 */
export interface TimestampedName {
  /** Milliseconds; both the same unless consolidated. */
  timestamp_range: [bigint, bigint]
  uuid: string
  format_version: number | undefined
  /** What follows the first dot, without it. */
  suffix: string | undefined
}

const STAMPED = /^__(\d+)_(\d+)_([0-9a-zA-Z]{32})(?:_(\d+))?(?:\.(.*))?$/

export function parseTimestampedName(name: string): TimestampedName | undefined {
  const match = STAMPED.exec(name)
  if (!match) return undefined
  const [, t1, t2, uuid, version, suffix] = match
  return {
    timestamp_range: [BigInt(t1), BigInt(t2)],
    uuid,
    format_version: version === undefined ? undefined : Number(version),
    suffix,
  }
}

/** Whether TileDB gives schemas, metadata and group files such a name: a stamped one without a suffix. */
export function isTimedName(name: string): boolean {
  const parsed = parseTimestampedName(name)
  return parsed !== undefined && parsed.suffix === undefined
}

/**
 * What a fragment folder's name says. The name's form tells the versions apart only roughly: 3 and 4 look alike, 1 and 2
 * too; the metadata inside says which.
 */
export interface FragmentName {
  timestamp_range: [bigint, bigint]
  uuid: string
  /** 5 and up: the version itself. 3: 3 or 4. 1: 1 or 2. */
  least_version: number
}

const OLD = /^__([0-9a-zA-Z]{32})_(\d+)(?:_(\d+))?$/

/**
 * Names of versions 1 and 2 are `__<uuid>_<t>` or, consolidated, `__<uuid>_<last>_<first>`; TileDB takes the last stamp
 * for both ends. Versions 3 and 4: `__<t1>_<t2>_<uuid>`.
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

/** What TileDB takes from the name of a fragment, list, schema or other file with times, whatever its form. */
export interface NameFacts {
  timestamp_range: [bigint, bigint]
  /** Of the fragment, as far as the name tells: 2 for 1 and 2, 4 for 3 and 4. */
  format_version: number
}

/** Times as C's `%ld` takes them. */
const TIMES = /^__[ \t-\r]*([+-]?\d+)(?:_[ \t-\r]*([+-]?\d+))?/
const NUMBER = /^[ \t-\r]*([+-]?\d+)/
const LONG_MAX = 2n ** 63n - 1n
const UINT32_MAX = 0xffffffff
/** Names of the usual form, of which arrays have many. */
const USUAL = /^__(\d{1,18})_(\d{1,18})_[0-9a-zA-Z]{32}(?:_(\d{1,9}))?(?:\.[^.]*)?$/

/** What is no number counts as 0, one beyond a long as the largest; a negative time lies ahead of all others. */
function stamp(text = '0'): bigint {
  const value = BigInt(text.replace('+', ''))
  return BigInt.asUintN(64, value > LONG_MAX ? LONG_MAX : value < -LONG_MAX ? -LONG_MAX : value)
}

/**
 * TileDB asks a name for an underscore, no more. It counts those ahead of the last dot. Five: `__<t1>_<t2>_<uuid>_<version>`. Other
 * names that end in a part of 32 bytes: `__<t1>_<t2>_<uuid>`. Of all others the last part is the time.
 *
 * @returns undefined where TileDB refuses the name, for which it fails. It does so too where the times fall, which are given.
 * @see tiledb/sm/fragment/fragment_identifier.cc
 */
export function nameFacts(name: string): NameFacts | undefined {
  const usual = USUAL.exec(name)
  if (usual) {
    const [, first, last, version] = usual
    return { timestamp_range: [BigInt(first), BigInt(last)], format_version: Number(version ?? 4) }
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
    format_version: hasVersion ? (version < 0 ? UINT32_MAX : Math.min(version, UINT32_MAX)) : 4,
  }
}

/** Order of names with time stamps: first stamp, then last, then the name itself. */
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

/** Whether a fragment's name says that consolidation wrote it: it spans two time stamps. */
export function isConsolidatedName(name: string): boolean {
  const stamped = parseTimestampedName(name)
  if (stamped) return stamped.timestamp_range[0] !== stamped.timestamp_range[1]
  return OLD.exec(name)?.[3] !== undefined
}
