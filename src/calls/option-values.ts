import { type InspectError, usage, wrongOption } from '../base/errors.ts'
import { didYouMean } from '../base/nearest.ts'

/** Parses an option that takes one of some words; undefined if the option is not given. @throws InspectError USAGE */
export function parseChoice<T extends string>(option: string, choices: readonly T[], text: string): T
export function parseChoice<T extends string>(
  option: string,
  choices: readonly T[],
  text: string | undefined,
): T | undefined
export function parseChoice<T extends string>(
  option: string,
  choices: readonly T[],
  text: string | undefined,
): T | undefined {
  const found = choices.find((one) => one === text)
  if (text === undefined || found !== undefined) return found
  throw wrongOption(option, choices.join(', '), JSON.stringify(text))
}

/** The error for an option that names no known field. @param option the option, such as `--field` */
export function unknownField(option: string, name: string, fields: readonly string[]): InspectError {
  const all = fields.map((field) => JSON.stringify(field)).join(', ')
  return wrongOption(option, `a field (${all})`, JSON.stringify(name) + didYouMean(name, fields))
}

/** Parses `--jobs`: the number of threads, 1 by default. @throws InspectError USAGE */
export function parseJobs(text = '1'): number {
  if (!/^[1-9]\d*$/.test(text)) throw usage(`--jobs expects a number from 1 on, found ${JSON.stringify(text)}`)
  return Number(text)
}

/** The option `--shard`. */
export const SHARD_OPTION = [
  '--shard <i/n>',
  'only part i of the fragments, cut into n parts of about the same bytes',
] as const

/** Parses a whole number from 0 on; undefined if the option is not given. @throws InspectError USAGE */
export function parseWhole(option: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  if (!WHOLE.test(text)) throw wrongOption(option, 'a whole number from 0 on', JSON.stringify(text))
  return Number(text)
}

/**
 * Parses a number of bytes: `1000000`, `64M`, `1.5 GiB`. K, M, G, T and KiB to TiB are powers of 1024. kB to TB are powers of
 * 1000.
 * @throws InspectError USAGE
 */
export function parseSize(option: string, text: string): number {
  const [, number = '', unit = '', kind = ''] = /^(\d+(?:\.\d+)?) *(?:([KMGT])(iB|B)?|B)?$/i.exec(text) ?? []
  const base = kind.toLowerCase() === 'b' ? 1000 : 1024
  const size = Number(number) * base ** ' KMGT'.indexOf(unit === '' ? ' ' : unit.toUpperCase())
  const isWhole = unit !== '' || WHOLE.test(number)
  if (isWhole && size <= Number.MAX_SAFE_INTEGER) return Math.round(size)
  throw wrongOption(option, 'bytes, as 1000000 or 64M', JSON.stringify(text))
}

const WHOLE = /^\d+$/
/** The offset of a byte; it is hexadecimal after `0x`. */
export const OFFSET = /^(?:\d+|0x[\da-f]+)$/i

/**
 * Parses a range of numbers: `A..B`, `A..`, `..B` or `A`, ends included. Without its first end a range begins at 0; a missing
 * last end is undefined.
 * @param number the form of a number
 * @returns undefined if the text is not a range
 */
export function parseSpan(text: string, number = WHOLE): { from: number; to: number | undefined } | undefined {
  const [first, last, ...more] = text.split('..')
  const ends = last === undefined ? [first] : [first, last].filter((end) => end !== '')
  if (more.length > 0 || ends.length === 0 || !ends.every((end) => number.test(end))) return undefined
  const from = first === '' ? 0 : Number(first)
  if (last === undefined) return { from, to: from }
  return { from, to: last === '' ? undefined : Number(last) }
}

/** Parses `--tiles`, ends included. Of a fragment without tiles, any range is accepted. @throws InspectError USAGE */
export function parseTiles(text: string, tileNum: number): { from: number; to: number } {
  const span = parseSpan(text)
  const all = tileNum === 0 ? 'I..J' : `I..J, tiles from 0 to ${tileNum - 1}`
  if (!span) throw usage(`--tiles expects ${all}, found ${JSON.stringify(text)}`)
  const { from, to = Math.max(from, tileNum - 1) } = span
  if (from > to || (tileNum > 0 && from >= tileNum)) throw usage(`--tiles expects ${all}, found ${text}`)
  return { from, to }
}

/** Parses the index of a tile. @throws InspectError USAGE */
export function parseTileIndex(text: string, tileNum: number): number {
  if (tileNum === 0) throw usage({ expected: 'a fragment with tiles', found: 'one without tiles' })
  const index = WHOLE.test(text) ? Number(text) : Number.NaN
  if (!(index < tileNum)) throw usage(`tile expects an index from 0 to ${tileNum - 1}, found ${JSON.stringify(text)}`)
  return index
}
