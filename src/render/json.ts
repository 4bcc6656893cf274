/**
 * The JSON writer. Integers keep all their digits, NaN and infinities are strings, bytes are `{"base64": …}`, and keys keep
 * their order. Iterables are written while they are walked, so a document may be larger than memory.
 */

import { InspectError } from '../base/errors.ts'
import { isFields, isIterable, type Output, PagedBytes, Pages, type Result } from '../base/result.ts'
import { jsonString } from '../base/unsafe-text.ts'
import { encodeText } from '../format/text.ts'
import { TextBuffer } from './text-buffer.ts'

export interface JsonStyle {
  /** How 64-bit integers are printed: with all digits, or as strings for readers that round. */
  int64: 'number' | 'string'
  /** One key per line, with short arrays on one line; otherwise everything on one line without spaces. */
  indent: boolean
}

/** Notes for the user about the written text. */
export interface JsonNotes {
  /** An integer beyond 2^53 was printed as a number; readers that use float64 round it. */
  rounded: boolean
  /** The error that ended the document early. The document is closed and contains it. */
  failed?: InspectError
}

/** Arrays of scalars that would pass this column are written with one element per line. */
const COLUMNS = 100
/** Without indentation there is no line width, but short arrays are still faster to write at once. */
const COMPACT_ROOM = 256
/** Largest depth of nested arrays on one line. */
const INLINE_DEPTH = 3
const MAX_SAFE = BigInt(Number.MAX_SAFE_INTEGER)
const MIN_SAFE = -MAX_SAFE
/** Integers with fewer digits need no comparison of bigints. */
const MAX_SAFE_DIGITS = String(MAX_SAFE).length
/** Number of keys whose written form is remembered. Documents have few different keys. */
const KEYS_KEPT = 1024
/** Number of scalars in a list that are written together. */
const TOGETHER = 32

type Scalar = null | boolean | number | bigint | string | Uint8Array
type Fields = { readonly [key: string]: Result | undefined }

/** A container that is being written. */
interface Frame {
  source: Fieldwise | List
  close: string
  level: Level
  empty: boolean
}

interface Fieldwise {
  kind: 'object'
  fields: Fields
  keys: readonly string[]
  at: number
  tail: (() => object) | undefined
}

/** Elements: first `values` from `at` on, then those of `iterator`, then those of `later`, which must be waited for. */
interface List {
  kind: 'list'
  values: ArrayLike<Result>
  at: number
  iterator: Iterator<Result> | undefined
  later: AsyncIterator<unknown> | undefined
  /** What `later` gives: an element, some of them, or bytes whose base64 follows that of the bytes before. */
  gives: 'element' | 'page' | 'bytes'
}

/** What all containers opened at one depth share. */
interface Level {
  /** Starts the line of a closing bracket. */
  outer: string
  /** Starts the line of a child. */
  inner: string
  /** Keys in their written form, `inner` included. */
  keys: Map<string, string>
}

/** Why {@link JsonText.advance} stopped. */
type Stop = 'done' | 'full' | 'await'

/**
 * Writes one document and a line feed. Containers are walked without recursion. Text goes to `out` whenever a piece is full,
 * even in the middle of a value. If `out` fails, open iterators are closed.
 *
 * @param parts.tail makes the last keys of an object, after its own are written
 * @param parts.ending writes the last key, `error`, of a document that an InspectError ends early; without it the error is
 * thrown
 */
export async function writeJson(
  value: Result,
  out: Output,
  style: JsonStyle,
  { tail, ending }: { tail?: (() => object) | undefined; ending?: (error: InspectError) => Result } = {},
): Promise<JsonNotes> {
  const buffer = new TextBuffer(out)
  const text = new JsonText(buffer, style)
  let failed: InspectError | undefined
  try {
    await writeValue(value, buffer, text, tail)
  } catch (error) {
    if (!ending || !(error instanceof InspectError)) throw error
    failed = error
    text.endEarly('error', ending(error))
  }
  buffer.add('\n')
  await buffer.flush()
  return { rounded: text.rounded, ...(failed && { failed }) }
}

/** Adds one value to `buffer`, which is written out whenever it is full. Returns a promise only if it has to wait. */
export function writeValue(
  value: Result,
  buffer: TextBuffer,
  text: JsonText,
  tail?: () => object,
): Promise<void> | void {
  let stop: Stop
  try {
    stop = text.start(value, tail)
  } catch (error) {
    return giveUp(text, error)
  }
  if (stop !== 'done') return writeRest(stop, buffer, text)
}

async function writeRest(first: Stop, buffer: TextBuffer, text: JsonText): Promise<void> {
  try {
    for (let stop = first; stop !== 'done'; stop = text.advance()) {
      if (buffer.full) await buffer.flush()
      if (stop === 'await') await text.pull()
    }
  } catch (error) {
    await giveUp(text, error)
  }
}

async function giveUp(text: JsonText, error: unknown): Promise<never> {
  await text.abandon()
  throw error
}

/**
 * The text of a small value. `int64` of the style is as in {@link writeJson}.
 *
 * @throws NotAtOnce if it contains an asynchronous iterable
 */
export function toJson(value: Result, style: JsonStyle): string {
  const parts: string[] = []
  const sink = {
    add: (part: string) => parts.push(part),
    integer: (value: number) => parts.push(String(value)),
    full: false,
  }
  new JsonText(sink, style).whole(value)
  return parts.join('')
}

/** A value that should become text at once contains something to wait for. */
export class NotAtOnce extends TypeError {}

interface Sink {
  add(text: string): unknown
  /** A whole number between -2^53 and 2^53. */
  integer(value: number): unknown
  readonly full: boolean
}

/** Walks values and adds their text to a sink, step by step. The caller waits when it has to. */
export class JsonText {
  rounded = false
  private readonly sink: Sink
  private readonly style: JsonStyle
  private readonly stack: Frame[] = []
  /** A key or a comma was written, but not the value after it. */
  private owed = false
  private readonly levels: Level[] = []

  constructor(sink: Sink, style: JsonStyle) {
    this.sink = sink
    this.style = style
  }

  /** @param tail as in {@link writeJson} */
  start(value: Result, tail?: () => object): Stop {
    if (tail && isFields(value)) this.open('{', '}', fieldwise(value, tail))
    else this.value(value, 0)
    return this.advance()
  }

  /**
   * Adds a value whether or not the sink is full.
   *
   * @throws NotAtOnce if it contains an asynchronous iterable
   */
  whole(value: Result): void {
    for (let stop = this.start(value); stop !== 'done'; stop = this.advance()) {
      if (stop === 'await') throw new NotAtOnce('an asynchronous iterable cannot be written at once')
    }
  }

  /** Continues until everything is written (`done`), the sink is full, or {@link pull} must be awaited. */
  advance(): Stop {
    const { stack, sink } = this
    for (let frame = stack.at(-1); frame !== undefined; frame = stack.at(-1)) {
      const { source } = frame
      if (source.kind === 'object') this.field(frame, source)
      else if (!this.elements(frame, source)) return 'await'
      if (sink.full) return 'full'
    }
    return 'done'
  }

  /** Waits for more of the list at which {@link advance} stopped. */
  async pull(): Promise<void> {
    const frame = this.stack[this.stack.length - 1]
    const { source } = frame
    if (source.kind !== 'list' || !source.later) return
    const { done, value } = await source.later.next()
    if (done) source.later = undefined
    else if (source.gives === 'element') this.element(frame, value as Result)
    else if (source.gives === 'page') putPage(source, value as Iterable<Result>)
    else this.sink.add(base64(value as Uint8Array))
  }

  /** After {@link abandon}: closes what is open, and adds a key to the outermost object. */
  endEarly(key: string, value: Result): void {
    if (this.owed) this.sink.add('null')
    this.owed = false
    while (this.stack.length > 1) this.close(this.stack[this.stack.length - 1])
    const [outermost] = this.stack
    outermost.source = fieldwise({ [key]: value })
    while (this.advance() !== 'done') {
      // The sink takes all of it.
    }
  }

  /** Closes the open iterators. Their own errors are ignored, as they would hide the first error. */
  async abandon(): Promise<void> {
    for (const { source } of this.stack.toReversed()) {
      try {
        if (source.kind === 'object') continue
        source.iterator?.return?.()
        await source.later?.return?.()
      } catch {}
    }
  }

  /** Writes the next elements: scalars together, other values one at a time. @returns false if they must be waited for */
  private elements(frame: Frame, source: List): boolean {
    const { values, iterator } = source
    if (source.at < values.length) {
      const end = Math.min(values.length, source.at + TOGETHER)
      while (source.at < end) {
        const value = values[source.at++]
        if (!isScalar(value)) {
          this.element(frame, value)
          break
        }
        this.separate(frame, frame.level.inner)
        this.scalar(value)
      }
      return true
    }
    const next = iterator?.next()
    if (next && !next.done) {
      this.element(frame, next.value)
      return true
    }
    source.iterator = undefined
    if (source.later) return false
    this.close(frame)
    return true
  }

  private element(frame: Frame, value: Result): void {
    const { inner } = frame.level
    this.separate(frame, inner)
    this.owed = true
    this.value(value, inner.length)
    this.owed = false
  }

  /** @param next begins the next child */
  private separate(frame: { empty: boolean }, next: string): void {
    if (!frame.empty) this.sink.add(',')
    frame.empty = false
    if (next !== '') this.sink.add(next)
  }

  private field(frame: Frame, source: Fieldwise): void {
    if (source.at === source.keys.length) {
      if (source.tail) frame.source = fieldwise(source.tail() as Fields)
      else this.close(frame)
      return
    }
    const key = source.keys[source.at++]
    const value = source.fields[key]
    if (value === undefined) return
    const name = this.key(frame.level, key)
    this.separate(frame, name)
    this.owed = true
    this.value(value, name.length)
    this.owed = false
  }

  /**
   * Writes an object that holds only scalars, of which there may be millions.
   * @returns false, with nothing written, for other objects
   */
  private scalars(fields: Fields): boolean {
    for (const key in fields) {
      const value = fields[key]
      if (value !== undefined && !isScalar(value)) return false
    }
    const frame = { empty: true }
    const level = this.level()
    this.sink.add('{')
    for (const key in fields) {
      const value = fields[key]
      if (value === undefined) continue
      this.separate(frame, this.key(level, key))
      this.scalar(value as Scalar)
    }
    if (!frame.empty && level.outer !== '') this.sink.add(level.outer)
    this.sink.add('}')
    return true
  }

  /** The level that all containers opened at this depth share. */
  private level(): Level {
    const depth = this.stack.length
    let level = this.levels[depth]
    if (level === undefined) {
      const outer = this.style.indent ? (this.stack.at(-1)?.level.inner ?? '\n') : ''
      level = { outer, inner: this.style.indent ? `${outer}  ` : '', keys: new Map() }
      this.levels[depth] = level
    }
    return level
  }

  private close(frame: Frame): void {
    this.stack.pop()
    this.sink.add(frame.empty ? frame.close : frame.level.outer + frame.close)
  }

  private key(level: Level, key: string): string {
    let text = level.keys.get(key)
    if (text === undefined) {
      text = `${level.inner}${jsonKey(key)}${this.style.indent ? ': ' : ':'}`
      if (level.keys.size < KEYS_KEPT) level.keys.set(key, text)
    }
    return text
  }

  /** @param column where the value starts */
  private value(value: Result, column: number): void {
    if (isScalar(value)) {
      this.scalar(value)
    } else if (value instanceof Float64Array || isIterable(value)) {
      const line = this.inline(value, this.style.indent ? COLUMNS - column : COMPACT_ROOM, INLINE_DEPTH)
      if (line === undefined) this.open('[', ']', listOf(value))
      else this.sink.add(line)
    } else if (value instanceof PagedBytes) {
      const [bracket, close] = this.base64Brackets()
      this.open(bracket, close, listOf([], value.pages(), 'bytes'))
    } else if (value instanceof Pages) {
      this.open('[', ']', listOf([], value.pages(), 'page'))
    } else if (isAsyncIterable(value)) {
      this.open('[', ']', listOf([], value))
    } else if (isFields(value)) {
      if (!this.scalars(value)) this.open('{', '}', fieldwise(value))
    }
  }

  private open(bracket: string, close: string, source: Fieldwise | List): void {
    this.sink.add(bracket)
    this.stack.push({ source, close, level: this.level(), empty: true })
  }

  /** The list on one line; undefined if it needs more than `room` columns or holds an object. */
  private inline(values: Iterable<Result>, room: number, depth: number): string | undefined {
    if (depth === 0 || walksOnce(values)) return undefined
    let line: string | undefined = ''
    if (Array.isArray(values)) {
      // Without an iterator, because millions of pairs pass here.
      for (let i = 0; i < values.length && line !== undefined; i++) {
        line = this.inlineElement(line, values[i], room, depth)
      }
    } else {
      for (const value of values) {
        line = this.inlineElement(line, value, room, depth)
        if (line === undefined) break
      }
    }
    return line === '' ? '[]' : line && `${line}]`
  }

  /** The line with one more element; undefined if it does not fit. */
  private inlineElement(line: string, value: Result, room: number, depth: number): string | undefined {
    const start = line === '' ? '[' : line + (this.style.indent ? ', ' : ',')
    const left = room - start.length - 1
    if (left <= 0) return undefined
    let text: string | undefined
    if (isScalar(value)) {
      if ((typeof value === 'string' || value instanceof Uint8Array) && value.length > left) return undefined
      text = this.scalarText(value)
    } else if (value instanceof Float64Array || isIterable(value)) {
      text = this.inline(value, left, depth - 1)
    }
    return text === undefined || text.length > left ? undefined : start + text
  }

  private scalar(value: Scalar): void {
    if (typeof value === 'number' && Number.isSafeInteger(value) && (value !== 0 || !Object.is(value, -0))) {
      this.sink.integer(value)
    } else if (typeof value === 'bigint' && value <= MAX_SAFE && value >= MIN_SAFE && this.style.int64 === 'number') {
      this.sink.integer(Number(value))
    } else this.sink.add(this.scalarText(value))
  }

  private scalarText(value: Scalar): string {
    switch (typeof value) {
      case 'string':
        // No reader accepts half a character.
        return value.isWellFormed() ? jsonString(value) : this.scalarText(encodeText(value))
      case 'number':
        if (value - value !== 0) return `"${value}"`
        return value === 0 && Object.is(value, -0) ? '-0.0' : String(value)
      case 'bigint': {
        const digits = String(value)
        if (this.style.int64 === 'string') return `"${digits}"`
        if (digits.length >= MAX_SAFE_DIGITS && (value > MAX_SAFE || value < MIN_SAFE)) this.rounded = true
        return digits
      }
      case 'boolean':
        return value ? 'true' : 'false'
    }
    if (value === null) return 'null'
    const [bracket, close] = this.base64Brackets()
    return bracket + base64(value) + close
  }

  private base64Brackets(): [string, string] {
    return [this.style.indent ? '{"base64": "' : '{"base64":"', '"}']
  }
}

const MARK = 'base64:'

/** Whether text is written in base64 where no object can stand for bytes: as a key, and in CSV. */
export function isMarked(text: string): boolean {
  return text.startsWith(MARK) || !text.isWellFormed()
}

/** Bytes as text; no other text is written in this form. */
export function base64Text(bytes: Uint8Array): string {
  return MARK + base64(bytes)
}

/** A name as a key. A name that is not UTF-8, or that starts with the mark itself, is written as `base64:…`. */
export function jsonKey(name: string): string {
  return jsonString(isMarked(name) ? base64Text(encodeText(name)) : name)
}

function fieldwise(fields: Fields, tail?: () => object): Fieldwise {
  return { kind: 'object', fields, keys: Object.keys(fields), at: 0, tail }
}

function listOf(now: Iterable<Result>, later?: AsyncIterable<unknown>, gives: List['gives'] = 'element'): List {
  const list: List = {
    kind: 'list',
    values: [],
    at: 0,
    iterator: undefined,
    later: later?.[Symbol.asyncIterator](),
    gives,
  }
  putPage(list, now)
  return list
}

/** Sets the elements that are there. */
function putPage(list: List, page: Iterable<Result>): void {
  const counted = page instanceof Float64Array || Array.isArray(page)
  list.values = counted ? page : []
  list.at = 0
  list.iterator = counted ? undefined : page[Symbol.iterator]()
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('base64')
}

function isScalar(value: Result): value is Scalar {
  return typeof value !== 'object' || value === null || value instanceof Uint8Array
}

/** True for generators, as looking ahead would use them up. */
function walksOnce(values: Iterable<Result>): boolean {
  if (Array.isArray(values)) return false
  const iterator: unknown = values[Symbol.iterator]()
  return iterator === values
}

function isAsyncIterable(value: object): value is AsyncIterable<Result> {
  return Symbol.asyncIterator in value
}
