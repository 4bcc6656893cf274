/** Texts of single values of documents: times, domains, filters, versions. */

import { shortSize } from '../../base/sizes.ts'
import type { ArrayFragment } from '../../documents/array.ts'
import type {
  CellValue,
  DimensionDescription,
  FilterDescription,
  ListedFragment,
  PipelineDescription,
  Time,
  TimestampRange,
  ValueRange,
} from '../../documents/common.ts'
import type { HistoryVersion } from '../../documents/history.ts'
import { parseDatetime } from '../../format/datetime.ts'
import { NEWEST_FORMAT_VERSION } from '../../format/format-version.ts'
import { readBy, writtenBy } from '../../format/releases.ts'
import { parseTimestampedName, timeText } from '../../format/timestamped-name.ts'
import { formatCount, formatSize, shortValue } from '../units.ts'

/** A size or count; null or undefined if it is unknown. */
type Amount = number | bigint | null | undefined

/** Text for a missing value. */
export const NOTHING = '-'
/** Most characters of one end of a range. */
const END_ROOM = 24
/** TileDB's default for the chunk size of a pipeline, in bytes. */
const DEFAULT_CHUNK = 65_536

/** `22 (TileDB 2.25 to 2.30)` */
export function versionText(version: number | null): string {
  return versionWords(version, (releases) => `TileDB ${releases}`)
}

/** `22 (written by TileDB 2.25 to 2.30, read by 2.25 and later)` */
export function releasesText(version: number | null): string {
  return versionWords(version, (releases, readers) => `written by TileDB ${releases}, read by ${readers}`)
}

function versionWords(version: number | null, words: (releases: string, readers: string) => string): string {
  if (version === null) return NOTHING
  const [releases, readers] = [writtenBy(version), readBy(version)]
  if (releases && readers) return `${version} (${words(releases, readers)})`
  return `${version} (${version > 0 && version <= NEWEST_FORMAT_VERSION ? 'no TileDB release yet' : 'unknown'})`
}

export function countText(count: Amount): string {
  return isKnown(count) ? formatCount(count) : NOTHING
}

function isKnown(amount: Amount): amount is number | bigint {
  return amount !== null && amount !== undefined
}

/** `1 tile`, `12,345 tiles` */
export function counted(count: Amount, one: string, many = `${one}s`): string {
  return `${countText(count)} ${Number(count) === 1 ? one : many}`
}

/** Names of fields that contain offsets. */
const OFFSET = /(?:^|_)offsets?$/

/**
 * Returns the value of a field with its unit: `65,536 bytes`. An offset is also shown in hex: `1116 (0x45c)`. A format version
 * is shown with its releases.
 *
 * @param name name of the field, or of the list that contains it
 * @param plain text of the value without a unit
 */
export function measuredText(value: unknown, unit: string | undefined, name: string, plain: string): string {
  if (unit === undefined) return plain
  if (unit === 'format version') return typeof value === 'number' ? versionText(value) : plain
  if (unit === 'bytes' && OFFSET.test(name) && typeof value === 'number') return `${plain} (0x${value.toString(16)})`
  const amount = typeof value === 'number' || typeof value === 'bigint' ? formatCount(value) : plain
  return `${amount} ${Number(value) === 1 ? unit.replace(/s$/, '').replace(/entrie$/, 'entry') : unit}`
}

export function fullSizeText(size: Amount): string {
  return isKnown(size) ? formatSize(Number(size)) : NOTHING
}

export function shortSizeText(size: Amount): string {
  return isKnown(size) ? shortSize(Number(size)) : NOTHING
}

/** Returns unfiltered bytes divided by stored bytes, as `2.31`. */
export function ratioText(unfiltered: Amount, stored: Amount): string {
  return isKnown(unfiltered) && stored ? (Number(unfiltered) / Number(stored)).toFixed(2) : NOTHING
}

/** Returns a share of 0 to 1 as `12.3 %`. */
export function percentText(share: number | null): string {
  return share === null ? NOTHING : `${(share * 100).toFixed(1)} %`
}

/** Returns `t1..t2`, or one time if both are equal. */
export function timeRangeText(range: TimestampRange | null, withNumbers = true): string {
  if (range === null) return NOTHING
  const [from, to] = range
  if (from === to) return timeText(from, withNumbers)
  return `${timeText(from, withNumbers)}..${timeText(to, withNumbers)}`
}

/** Returns a time of a document in milliseconds since 1970. */
export function timeOf(time: Time): bigint {
  return typeof time === 'string' ? BigInt.asUintN(64, parseDatetime('DATETIME_MS', time)) : BigInt(time)
}

/** Returns a time of a document as {@link timeText} does, without its number. */
export function momentText(time: Time): string {
  return timeText(timeOf(time), false)
}

/** Returns a text about delete conditions that have no effect yet. @param times when they take effect; one or more */
export function laterDeletesText(times: readonly Time[]): string {
  const from = times.map(momentText)
  return from.length === 1
    ? `1 delete condition, which takes effect at ${from[0]}`
    : `${counted(times.length, 'delete condition')}, which take effect from ${from[0]} to ${from[from.length - 1]}`
}

/** Texts for `never_written` in the documents of `history`. */
export const NEVER_WRITTEN = {
  yes: 'consolidation put the fill value there',
  maybe: 'fill value: written, or put there by consolidation',
}

/** Returns the time at which a version was written, or the two times between which it was written. */
export function writtenText({ written, never_written, timestamp_range }: HistoryVersion): string {
  if (written !== null) return momentText(written)
  if (never_written === 'yes') return 'never'
  return timestamp_range ? `between ${timestamp_range.map((time) => timeText(time, false)).join(' and ')}` : NOTHING
}

/** Returns facts about a target, and the times at which it was opened if there are any. */
export function withTimes(facts: string, as_of: TimestampRange | undefined): string {
  if (as_of === undefined) return facts
  const [from, to] = as_of
  return `${facts}, as opened ${BigInt(from) === 0n ? `at ${timeText(to)}` : `between ${timeText(from)} and ${timeText(to)}`}`
}

/** Returns the time of writing in the name of a file; undefined if the name has none. */
export function nameTimeText(name: string): string | undefined {
  const stamps = parseTimestampedName(name)?.timestamp_range
  return stamps && timeRangeText(stamps)
}

/** Returns a range as `1..366`, or as one value if both ends are equal. Text is quoted; long text is cut. */
export function rangeText(range: ValueRange): string {
  const [from, to] = rangeEnds(range, END_ROOM)
  if (from !== to) return `${from}..${to}`
  // Different ends may have the same first characters.
  const [first, last] = rangeEnds(range, Number.POSITIVE_INFINITY)
  return first === last ? from : `${from}..${to}`
}

function rangeEnds(range: ValueRange, room: number): string[] {
  return range.map((end) => shortValue(end, room))
}

/** Returns a box as `row 1..40, col 1..366`, without names if they are unknown. */
export function domainText(names: readonly string[], ranges: readonly ValueRange[] | null): string {
  if (ranges === null) return NOTHING
  const parts = ranges.map((range, d) => (d < names.length ? `${fieldName(names[d])} ` : '') + rangeText(range))
  return parts.length === 0 ? NOTHING : parts.join(', ')
}

/** Returns values by name, as `row=1, name="x"`. @param room most characters of a value */
export function valuesText(values: Readonly<Record<string, CellValue>>, room?: number): string {
  return Object.entries(values)
    .map(([name, value]) => `${fieldName(name)}=${shortValue(value, room)}`)
    .join(', ')
}

/** Returns the start of the verdict of a shard; empty if the whole target was examined. */
export function shardPrefix(shard: string | undefined): string {
  return shard === undefined ? '' : `shard ${shard}: `
}

/** Returns the verdict of a check in capital letters. */
export function verdictWord({ ok, not_examined }: { ok: boolean; not_examined: readonly unknown[] }): string {
  if (!ok) return 'NOT OK'
  return not_examined.length > 0 ? 'NOT FULLY EXAMINED' : 'OK'
}

/** Returns the name of a field; an empty name is shown as `""`. */
export function fieldName(name: string): string {
  return name === '' ? '""' : name
}

/** Returns the name of a slot of the footer. A phantom slot belongs to no field of the schema. */
export function slotText({ name, phantom }: { name: string; phantom?: boolean | undefined }): string {
  return phantom ? `${fieldName(name)} (phantom)` : fieldName(name)
}

export const UNREADABLE = 'unreadable'
/** State of a fragment with a data file that is missing or too short. */
export const INCOMPLETE = 'incomplete'
/** State of a live fragment that contains the cells of others. */
export const LIVE_CONSOLIDATED = 'live, consolidated'

/** State of a live fragment whose cells newer fragments overwrite. */
export const LIVE_OVERWRITTEN = 'live, overwritten'

/** Returns the state of a fragment, and whether it is incomplete or unreadable. */
export function stateText(fragment: ListedFragment & Pick<ArrayFragment, 'overwritten'>): string {
  const { error, damaged_files } = fragment
  const word = stateWord(fragment)
  if (damaged_files !== undefined) return `${word}, ${INCOMPLETE}`
  return error === undefined ? word : `${word}, ${UNREADABLE}`
}

function stateWord({ state, consolidated, overwritten }: ListedFragment & Pick<ArrayFragment, 'overwritten'>): string {
  if (state === 'live' && overwritten) return LIVE_OVERWRITTEN
  return state === 'live' && consolidated ? LIVE_CONSOLIDATED : (state ?? NOTHING)
}

export function stateRole(state: string): 'good' | 'bad' | 'dim' {
  if (state.endsWith(UNREADABLE) || state.endsWith(INCOMPLETE) || BAD_STATES.has(state)) return 'bad'
  return state === 'live' || state === LIVE_CONSOLIDATED ? 'good' : 'dim'
}

const BAD_STATES: ReadonlySet<string> = new Set(['uncommitted', 'no-metadata', 'hidden', 'future'])

/** Returns the name of a part, and its label if that differs. The name of an element is its index. */
export function partName({ name, label }: { name: string; label?: string | undefined }): string {
  const shown = isIndex(name) ? `[${name}]` : fieldName(name)
  return label === undefined || label === name ? shown : `${shown} ${fieldName(label)}`
}

export function isIndex(name: string): boolean {
  return /^\d+$/.test(name)
}

/** `INT32`, `FLOAT32[3]`, `STRING_UTF8[var]` */
export function typeText({ type, cell_val_num }: Pick<DimensionDescription, 'type' | 'cell_val_num'>): string {
  return cell_val_num === 1 ? type : `${type}[${cell_val_num}]`
}

/** Returns a list of filters as `BYTESHUFFLE, ZSTD(level=9)`. */
export function filtersText(filters: readonly FilterDescription[] | undefined): string {
  return filters?.map(filterText).join(', ') || NOTHING
}

/** Returns the filters of a pipeline, and its chunk size if that is not the default. */
export function pipelineText({ filters, max_chunk_size }: PipelineDescription): string {
  const texts = filtersText(filters)
  return max_chunk_size === DEFAULT_CHUNK ? texts : `${texts} (chunks of ${shortSize(max_chunk_size)})`
}

/** Whether an option has its default. */
function isDefault(option: string, value: unknown): boolean {
  return (option === 'level' && value === -1) || (option === 'reinterpret_datatype' && value === 'ANY')
}

function filterText({ name, ...rest }: FilterDescription): string {
  const options: string[] = []
  for (const [option, value] of Object.entries(rest)) {
    if (value === undefined || isDefault(option, value)) continue
    options.push(`${option}=${typeof value === 'string' ? value : shortValue(value)}`)
  }
  return options.length === 0 ? name : `${name}(${options.join(', ')})`
}

/**
 * Returns a relative change such as `-29 %`. It is `-100 %` only if nothing is left.
 * @param digits number of digits after the point
 */
export function relativeChangeText(now: number, before: number, digits: number): string {
  const change = (100 * now) / before - 100
  const text = change.toFixed(now > 0 && change < -99 ? Math.max(1, digits) : digits).replace(/^-(?=0(\.0)?$)/, '')
  return `${change < 0 ? '' : '+'}${now > 0 && text === '-100.0' ? '-99.9' : text} %`
}

/** Which values SCALE_FLOAT has room for: those of its integers. Undefined without the filter, and where another one changes the values first. */
export function scaledText({ filters: [first] }: Pick<PipelineDescription, 'filters'>): string | undefined {
  if (first?.name !== 'SCALE_FLOAT') return undefined
  const { scale = 1, offset = 0, byte_width = 8 } = first
  const half = 2 ** (8 * byte_width - 1)
  // Computed with one rounding more than the values: the last digits tell nothing.
  const ends = [-half, half - 1].map((integer) => Number((offset + scale * integer).toPrecision(15)))
  const [least, greatest] = ends.sort((a, b) => a - b)
  return `SCALE_FLOAT has room for ${least} to ${greatest}, in steps of ${Math.abs(scale)}`
}
