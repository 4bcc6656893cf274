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

/**
 * A number of bytes: `1000000`, `64M`, `1.5 GiB`. K, M, G and T are powers of 1024, as KiB to TiB are; kB to TB are powers of 1000.
 * @throws InspectError USAGE
 */
export function parseSize(option: string, text: string): number {
  const [, number = '', unit = '', kind = ''] = /^(\d+(?:\.\d+)?) *(?:([KMGT])(iB|B)?|B)?$/i.exec(text) ?? []
  const base = kind.toLowerCase() === 'b' ? 1000 : 1024
  const size = Number(number) * base ** ' KMGT'.indexOf(unit === '' ? ' ' : unit.toUpperCase())
  const isWhole = unit !== '' || WHOLE.test(number)
  if (isWhole && size <= Number.MAX_SAFE_INTEGER) return Math.round(size)
  throw usage(`${option} expects bytes, as 1000000 or 64M, found ${JSON.stringify(text)}`)
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
