import { unlessFault } from '../base/errors.ts'
import { parseTime } from '../commands/times.ts'
import type { Link } from './link.ts'

/** The options that open a target at the time that the link names, for `overview`, `ls`, `read`, `schema` and `stats`. */
export function timesOf({ t }: Link): { asOf?: string } {
  return t === undefined ? {} : { asOf: t }
}

/** The same as words of a call. */
export function timeWords({ t }: Link): readonly string[] {
  return t === undefined ? [] : ['--as-of', t]
}

/** That time in milliseconds. Undefined for now, and for a text that is no time: what reads the target says so. */
export function atOf({ t }: Link): bigint | undefined {
  try {
    return t === undefined ? undefined : typedTime(t)
  } catch (error) {
    return unlessFault(error)
  }
}

/**
 * A time as `--as-of` takes it, in milliseconds.
 * @throws InspectError USAGE
 */
export function typedTime(text: string): bigint {
  return parseTime({ note() {} }, '--as-of', text)
}
