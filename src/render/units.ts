/** Numbers, times and values for people. Programs should read JSON, as this text may change. */

import { numberText } from '../base/number-text.ts'
import type { Result } from '../base/result.ts'
import { isIterable } from '../base/result.ts'
import { SIZE_STEP, shortSize } from '../base/sizes.ts'
import { escapedCharacter, UNSAFE } from '../base/unsafe-text.ts'
import { hex } from '../filters/bytes.ts'

/** Returns a number with its digits in groups of three: `12,595`. */
export function formatCount(count: number | bigint): string {
  if (count > -1000 && count < 1000) return String(count)
  const exact = typeof count === 'number' && Number.isInteger(count) ? BigInt(count) : count
  const text = String(exact)
  const digits = /^-?\d+/.exec(text)?.[0] ?? ''
  const signLength = count < 0 ? 1 : 0
  let [from, grouped] = [digits.length - 3, text.slice(digits.length)]
  for (; from > signLength; from -= 3) grouped = `,${digits.slice(from, from + 3)}${grouped}`
  return digits.slice(0, from + 3) + grouped
}

/** Text without unsafe characters. Most text is such text, and this test is faster than a search for unsafe characters. */
const ASCII = /^[ -~]*$/

/** Returns `12.3 KiB (12,595 bytes)`; below 1 KiB only the bytes. */
export function formatSize(bytes: number): string {
  const exact = `${formatCount(bytes)} ${bytes === 1 ? 'byte' : 'bytes'}`
  return Math.abs(bytes) < SIZE_STEP ? exact : `${shortSize(bytes)} (${exact})`
}

/** Returns text that is safe on a terminal. Characters that control the terminal or mislead the reader are escaped (`\x1b`). */
export function escapeText(text: string): string {
  return ASCII.test(text) ? text : text.replace(UNSAFE, escapedCharacter)
}

/** Default length of {@link shortValue} in characters. */
const SHORT = 80
const DATE = /^(?:NaT|-?\d{3,}-\d\d(?:-\d\d(?:T\d\d(?::\d\d(?::\d\d(?:\.\d+)?Z?)?)?)?)?)$/

/**
 * Returns a value for a cell of a table, of about `room` characters. Text is quoted, dates are not, and bytes are `0x…`. Lists and
 * objects show as many elements as fit. The text is safe on a terminal.
 */
export function shortValue(value: Result | undefined, room: number = SHORT): string {
  if (value === null || value === undefined) return 'null'
  switch (typeof value) {
    case 'string':
      return shortText(value, room)
    case 'number':
      return numberText(value)
    case 'bigint':
    case 'boolean':
      return String(value)
  }
  if (value instanceof Uint8Array) return shortBytes(value, room)
  if (value instanceof Float64Array || isIterable(value)) return shortList(value, room)
  if (Symbol.asyncIterator in value) return '[…]'
  const fields = Object.entries(value).filter(([, child]) => child !== undefined)
  const { parts, isCut } = partsWithin(
    fields,
    room,
    ([key, child], left) => `${escapeText(key)}: ${shortValue(child, left)}`,
  )
  return `{${[...parts, ...(isCut ? ['…'] : [])].join(', ')}}`
}

/** Returns the texts of the first items that fit `room` characters, and whether there are more items. */
function partsWithin<T>(items: Iterable<T>, room: number, textOf: (item: T, left: number) => string) {
  const parts: string[] = []
  let left = room
  for (const item of items) {
    if (left <= 0) return { parts, isCut: true }
    const part = textOf(item, left)
    parts.push(part)
    left -= part.length + 2
  }
  return { parts, isCut: false }
}

/** Whether text is a date in the program's own format. */
export function isDate(text: string): boolean {
  return DATE.test(text)
}

function shortText(text: string, room: number): string {
  if (isDate(text)) return text
  // A cut between two surrogates would show an escape that is not in the text.
  const cut = text.length > room ? `${text.slice(0, room).replace(/[\ud800-\udbff]$/, '')}…` : text
  return `"${escapeText(cut.replace(/["\\]/g, '\\$&'))}"`
}

function shortBytes(bytes: Uint8Array, room: number): string {
  const shown = Math.max(1, Math.floor(room / 2))
  const digits = hex(bytes.subarray(0, shown))
  return bytes.length > shown ? `0x${digits}… (${formatCount(bytes.length)} bytes)` : `0x${digits}`
}

function shortList(values: Iterable<Result>, room: number): string {
  const { parts, isCut } = partsWithin(values, room, shortValue)
  const count = values instanceof Float64Array || Array.isArray(values) ? values.length : undefined
  if (isCut) parts.push(count === undefined ? '…' : `… ${formatCount(count - parts.length)} more`)
  return `[${parts.join(', ')}]`
}
