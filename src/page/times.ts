import { unlessFault } from '../base/errors.ts'
import { parseTime } from '../calls/times.ts'
import type { Link } from './link.ts'

/** The options that open a target at the time of the link, for `overview`, `ls`, `read`, `schema` and `stats`. */
export function timeOptions({ t }: Link): { asOf?: string } {
  return t === undefined ? {} : { asOf: t }
}

/** The same options as words of a call. */
export function timeWords({ t }: Link): readonly string[] {
  return t === undefined ? [] : ['--as-of', t]
}

/** The time of the link in milliseconds. Undefined for now, and for a text that is no time: opening the target reports that. */
export function linkTime({ t }: Link): bigint | undefined {
  try {
    return t === undefined ? undefined : parseTypedTime(t)
  } catch (error) {
    return unlessFault(error)
  }
}

/**
 * Parses a time as `--as-of` takes it, to milliseconds.
 * @throws InspectError USAGE
 */
export function parseTypedTime(text: string): bigint {
  return parseTime({ note() {} }, '--as-of', text)
}
