import { lastPathPart } from '../base/paths.ts'
import { nameFacts, parseTimestampedName } from '../format/timestamped-name.ts'
import type { Draft } from './drafts.ts'

/** Earliest likely time of a file: the year 2000, in milliseconds. */
const EARLIEST_LIKELY_TIME = 946_684_800_000n

/** The name with its times in milliseconds, if they are in microseconds or nanoseconds; undefined otherwise. */
export function inMilliseconds(name: string, now: bigint): string | undefined {
  const [first, last] = parseTimestampedName(name)?.timestamp_range ?? [0n, 0n]
  for (const unit of [1000n, 1_000_000n])
    if (first / unit >= EARLIEST_LIKELY_TIME && last / unit <= now)
      return nameWithTimes(name, first / unit, last / unit)
  return undefined
}

/** {@link inMilliseconds} of the last part of a path. */
export function pathInMilliseconds(path: string, now: bigint): string | undefined {
  const name = lastPathPart(path)
  const to = inMilliseconds(name, now)
  return to === undefined ? undefined : path.slice(0, -name.length) + to
}

/** The name with other times. */
export function nameWithTimes(name: string, first: bigint, last: bigint): string {
  return name.replace(/^__\d+_\d+/, `__${first}_${last}`)
}

/** Leaves a name with a future time, which may be right. @param opening how something is opened at a time, in words */
export function leaveUntilThen(draft: Draft, name: string, opening: (last: bigint) => string): void {
  draft.outcome = 'leave'
  const [, last] = nameFacts(name)?.timestamp_range ?? []
  if (last === undefined) return
  draft.say({ text: `open ${opening(last)}, or wait` })
  draft.instead.push({
    text: 'if the time is wrong, as from a clock that was ahead: write the same again at the right time',
  })
}
