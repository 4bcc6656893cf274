import type { Link } from './link.ts'

/** The options that open a target at the time that the link names, for `overview`, `ls`, `read`, `schema` and `stats`. */
export function timesOf({ t }: Link): { asOf?: string } {
  return t === undefined ? {} : { asOf: t }
}

/** The same as words of a call. */
export function timeWords({ t }: Link): readonly string[] {
  return t === undefined ? [] : ['--as-of', t]
}
