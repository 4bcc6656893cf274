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
