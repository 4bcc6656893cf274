/** How single values of the documents read: times, domains, filters, versions. */

import type { Result } from '../../base/result.ts'
import type { DimensionDescription, PipelineDescription } from '../../documents/common.ts'
import { readBy, UNRELEASED_VERSION, writtenBy } from '../../format/releases.ts'
import { parseTimestampedName } from '../../format/timestamped-name.ts'
import { formatCount, formatSize, formatTimestamp, shortSize, shortValue } from '../units.ts'
import { type Fields, fieldList, integer, list, text } from './narrow.ts'

type Value = Result | undefined

/** For what a document does not say. */
export const NOTHING = '-'
/** Stamps in between are taken for milliseconds since 1970 (1973 to 2286); tests and time travel use small numbers. */
const FIRST_DATE = 1e11
const LAST_DATE = 1e13
/** Characters of one end of a range. */
const END_ROOM = 24
const USUAL_CHUNK = 65_536

/** `22 (TileDB 2.25 to 2.30)` */
export function versionText(version: Value): string {
  return versionWords(version, (releases) => `TileDB ${releases}`)
}

/** `22 (written by TileDB 2.25 to 2.30, read by 2.25 and later)` */
export function releasesText(version: Value): string {
  return versionWords(version, (releases, readers) => `written by TileDB ${releases}, read by ${readers}`)
}

function versionWords(version: Value, words: (releases: string, readers: string) => string): string {
  const number = integer(version)
  if (number === undefined) return NOTHING
  if (Number(number) === UNRELEASED_VERSION) return `${number} (no TileDB release yet)`
  const [releases, readers] = [writtenBy(Number(number)), readBy(Number(number))]
  return releases === undefined || readers === undefined
    ? `${number} (unknown)`
    : `${number} (${words(releases, readers)})`
}

export function countText(value: Value): string {
  const number = integer(value)
  return number === undefined ? NOTHING : formatCount(number)
}

/** `1 tile`, `12,345 tiles` */
export function counted(count: number | bigint, one: string, many = `${one}s`): string {
  return `${formatCount(count)} ${Number(count) === 1 ? one : many}`
}

/** Names of fields that hold offsets. */
const PLACE = /(?:^|_)offsets?$/

/**
 * A field's value with its unit: `65,536 bytes`; an offset is a place, not an amount: `1116 (0x45c)`; a format version with
 * its releases.
 *
 * @param name of the field, or of the list that holds it
 * @param plain the value without a unit
 */
export function measuredText(value: unknown, unit: string | undefined, name: string, plain: string): string {
  if (unit === undefined) return plain
  if (unit === 'format version') return typeof value === 'number' ? versionText(value) : plain
  if (unit === 'bytes' && PLACE.test(name) && typeof value === 'number') return `${plain} (0x${value.toString(16)})`
  const amount = typeof value === 'number' || typeof value === 'bigint' ? formatCount(value) : plain
  return `${amount} ${Number(value) === 1 ? unit.replace(/s$/, '').replace(/entrie$/, 'entry') : unit}`
}

export function sizeText(value: Value): string {
  const number = integer(value)
  return number === undefined ? NOTHING : formatSize(Number(number))
}

export function shortSizeText(value: Value): string {
  const number = integer(value)
  return number === undefined ? NOTHING : shortSize(Number(number))
}

/** Unfiltered over stored: `2.31`. */
export function ratioText(unfiltered: Value, stored: Value): string {
  const [from, to] = [integer(unfiltered), integer(stored)]
  return from === undefined || !to ? NOTHING : (Number(from) / Number(to)).toFixed(2)
}

/** `2024-05-01T10:00:00Z`, with the number behind it if that is wanted; a number that is no date, as it is. */
export function timeText(stamp: number | bigint, withNumber: boolean): string {
  const milliseconds = Number(stamp)
  if (milliseconds < FIRST_DATE || milliseconds > LAST_DATE) return String(stamp)
  const date = formatTimestamp(stamp).replace('.000Z', 'Z')
  return withNumber ? `${date} (${stamp})` : date
}

/** `[t1, t2]`: one time where both are the same. */
export function timeRangeText(range: Value, withNumbers = true): string {
  const [from, to] = Array.from(list(range), integer)
  if (from === undefined || to === undefined) return NOTHING
  if (from === to) return timeText(from, withNumbers)
  return `${timeText(from, withNumbers)}..${timeText(to, withNumbers)}`
}

/** When a file was written, by its name; undefined where the name does not say. */
export function nameTimeText(name: Value): string | undefined {
  const stamps = parseTimestampedName(text(name))?.timestamp_range
  return stamps && timeRangeText(stamps)
}

/** `1..366`; a point is one value. Text is quoted and cut where it is long. */
export function rangeText(range: Value, room = END_ROOM): string {
  const [low, high] = list(range)
  if (low === undefined || high === undefined) return NOTHING
  const [from, to] = [shortValue(low, room), shortValue(high, room)]
  return from === to ? from : `${from}..${to}`
}

/** `row 1..40, col 1..366`; without names where they are not known. */
export function domainText(names: readonly string[], ranges: Value): string {
  const parts = Array.from(list(ranges), (range, d) => {
    const name = names[d]
    return name === undefined ? rangeText(range) : `${fieldName(name)} ${rangeText(range)}`
  })
  return parts.length === 0 ? NOTHING : parts.join(', ')
}

/** A field's name; one that is empty can be seen. */
export function fieldName(name: Value): string {
  return name === '' ? '""' : text(name)
}

/** A path below the target, as seen from there; empty for the target's own. */
export function inside(path: string, root: string): string {
  const start = root.endsWith('/') ? root : `${root}/`
  return path === root ? '' : path.startsWith(start) ? path.slice(start.length) : path
}

/** `INT32`, `FLOAT32[3]`, `STRING_UTF8[var]` */
export function typeText({ type, cell_val_num }: Pick<DimensionDescription, 'type' | 'cell_val_num'>): string {
  return cell_val_num === 1 ? type : `${type}[${cell_val_num}]`
}

/** `BYTESHUFFLE, ZSTD(level=9)`, from a list of filters. */
export function filtersText(filters: Value): string {
  const texts = fieldList(filters).map(filterText)
  return texts.length === 0 ? NOTHING : texts.join(', ')
}

/** A pipeline's filters, and the chunk size where it is not the usual one. */
export function pipelineText({ filters, max_chunk_size }: PipelineDescription): string {
  const texts = filtersText(filters)
  return max_chunk_size === USUAL_CHUNK ? texts : `${texts} (chunks of ${shortSize(max_chunk_size)})`
}

/** Options that say no more than "as usual". */
function isUsual(option: string, value: Result): boolean {
  return (option === 'level' && value === -1) || (option === 'reinterpret_datatype' && value === 'ANY')
}

function filterText(filter: Fields): string {
  const options: string[] = []
  for (const [option, value] of Object.entries(filter)) {
    if (option === 'name' || value === undefined || isUsual(option, value)) continue
    options.push(`${option}=${typeof value === 'string' ? value : shortValue(value)}`)
  }
  return options.length === 0 ? text(filter.name) : `${text(filter.name)}(${options.join(', ')})`
}
