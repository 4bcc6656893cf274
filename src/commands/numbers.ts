import { usage } from '../base/errors.ts'

/** `--jobs`: number of threads; 1 by default. @throws InspectError USAGE */
export function parseJobs(text = '1'): number {
  if (!/^[1-9]\d*$/.test(text)) throw usage(`--jobs expects a number from 1 on, found ${JSON.stringify(text)}`)
  return Number(text)
}

/** A whole number from 0 on; undefined if the option is not given. @throws InspectError USAGE */
export function parseWhole(option: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  if (!WHOLE.test(text)) throw usage(`${option} expects a whole number from 0 on, found ${JSON.stringify(text)}`)
  return Number(text)
}

const WHOLE = /^\d+$/
/** A byte's offset; `0x` in front is hexadecimal. */
export const OFFSET = /^(?:\d+|0x[\da-f]+)$/i

/**
 * `A..B`, `A..`, `..B` or `A`, ends included. An open end is undefined.
 * @param number what a number looks like
 * @returns undefined if the text is none of these
 */
export function parseSpan(text: string, number = WHOLE): { from: number; to: number | undefined } | undefined {
  const [first, last, ...more] = text.split('..')
  const ends = last === undefined ? [first] : [first, last].filter((end) => end !== '')
  if (more.length > 0 || ends.length === 0 || !ends.every((end) => number.test(end))) return undefined
  const from = first === '' ? 0 : Number(first)
  if (last === undefined) return { from, to: from }
  return { from, to: last === '' ? undefined : Number(last) }
}
