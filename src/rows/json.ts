/**
 * The JSON writer. Integers keep all their digits, NaN and infinities are strings, bytes are `{"base64": …}`, and keys keep
 * their order. Iterables are written while they are iterated, so a document may be larger than memory.
 */

import { InspectError } from '../base/errors.ts'
import { isAsyncIterable, isFields, isIterable, type Output, PagedBytes, Pages, type Result } from '../base/result.ts'
import { safeJson } from '../base/unsafe-text.ts'
import { ColumnRows, ValueColumn } from '../cells/column-rows.ts'
import { decodeText, encodeText } from '../format/text.ts'
import type { ColumnLines } from './column-lines.ts'
import { base64, base64Brackets, isScalar, type JsonScalar, type JsonStyle, scalarJson } from './scalar-json.ts'
import { FrequentText, TextBuffer } from './text-buffer.ts'

export type { JsonStyle }

/** Notes for the user about the written text. */
export interface JsonNotes {
  /** Whether an integer beyond 2^53 was written as a number. Readers that use float64 round it. */
  rounded: boolean
  /** The error that ended the document early. The document is complete JSON and contains the error. */
  failed?: InspectError
}

/** Most columns of a line with an array of scalars. Longer arrays have one element per line. */
const COLUMNS = 100
/** Most columns of such an array without indentation. There is no line then, but short arrays are faster to write at once. */
const COMPACT_ROOM = 256
/** Most levels of nested arrays on one line. */
const INLINE_DEPTH = 3
/** Most keys of a level whose encoded text is kept. */
const KEYS_KEPT = 1024
/** Least number of values of a page for which {@link ColumnLines} is loaded. */
const LONG_PAGE = 1024
/** Most elements of a list that {@link isShort} looks at. */
const FEW = 8
/** Number of scalars of a list that are written before {@link JsonText.advance} checks whether the buffer is full. */
const TOGETHER = 32

type Fields = { readonly [key: string]: Result | undefined }

/** An object or array that is being written. */
interface Frame {
  source: Fieldwise | List
  /** The closing bracket. */
  close: string
  level: Level
  /** Whether no child was written yet. */
  empty: boolean
}

/** Keys that are left to write: those from `at` on. */
interface Fieldwise {
  kind: 'object'
  fields: Fields
  keys: readonly string[]
  at: number
}

/** Elements that are left to write: those of `rows` or `values` from `at` on, then of `iterator`, then of `later`. */
interface List {
  kind: 'list'
  values: ArrayLike<Result>
  at: number
  iterator: Iterator<Result> | undefined
  later: AsyncIterator<unknown> | undefined
  rows: ColumnRows<unknown> | undefined
  /** What `later` yields: an element, a page of elements, or bytes of one long base64 text. */
  gives: 'element' | 'page' | 'bytes'
}

/** Texts that all containers of one depth share. */
interface Level {
  /** Line start of a closing bracket. */
  outer: string
  /** Line start of a child. */
  inner: string
  /** Text before an element. */
  element: Before
  /** Text before the value of each key. */
  keys: Map<string, Before>
  /** Text of the key that was written last. */
  last: Before
}

/** Text before a child: a comma, which the first child lacks, the line start, and the key. */
interface Before {
  text: FrequentText
  /** Number of columns without the comma. */
  columns: number
  key: string | undefined
  /** Text of the key that followed the last time. It nearly always follows again. */
  next: Before | undefined
}

/** Optional arguments of {@link writeJson}. */
export interface JsonParts {
  ending?: (error: InspectError) => Result
  columnLines?: OpenColumnLines | undefined
}

type OpenColumnLines = (lines: TextBuffer, int64: JsonStyle['int64']) => Promise<ColumnLines>

/** Reason why {@link JsonText.advance} stopped. */
type Stop = 'done' | 'full' | 'await'

/**
 * Writes one document and a line feed, without recursion. Text is written to `out` whenever the buffer is full, even in the middle
 * of a value. If `out` fails, open iterators are closed. If an asynchronous list returns an object after its last element, its keys
 * are the last keys of the document.
 *
 * @param parts.columnLines opens a faster writer for long lists of stored values
 * @param parts.ending returns the value of the last key, `error`, if an InspectError ends the document early. Without it the error
 * is thrown.
 */
export async function writeJson(
  value: Result,
  out: Output,
  style: JsonStyle,
  { ending, columnLines }: JsonParts = {},
): Promise<JsonNotes> {
  const buffer = new TextBuffer(out)
  const text = new JsonText(buffer, style, columnLines)
  let failed: InspectError | undefined
  try {
    await writeValue(value, buffer, text)
  } catch (error) {
    if (!ending || !(error instanceof InspectError)) throw error
    failed = error
    text.endEarly('error', ending(error))
  }
  buffer.add('\n')
  await buffer.flush()
  return { rounded: text.rounded, ...(failed && { failed }) }
}

/** Adds a value to `buffer`, which is written out whenever it is full. Returns a promise only if there is something to wait for. */
export function writeValue(value: Result, buffer: TextBuffer, text: JsonText): Promise<void> | void {
  let stop: Stop
  try {
    stop = text.start(value)
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

/** Returns a small value as JSON. @throws AsyncValueError as {@link JsonText.whole} */
export function toJson(value: Result, style: JsonStyle): string {
  const start = small.length
  try {
    new JsonText(small, style).whole(value)
    return decodeText(small.takeFrom(start))
  } finally {
    small.cutTo(start)
  }
}

/** Buffer of {@link toJson}, which removes all text that it adds. */
const small = new TextBuffer({ write() {}, columns: undefined, color: false })

/** Thrown if a value that must be written at once contains something to wait for. */
export class AsyncValueError extends TypeError {}

/** Adds the text of values to a buffer, step by step. The caller does the waiting. */
export class JsonText {
  /** See {@link JsonNotes}. */
  rounded = false
  private readonly sink: TextBuffer
  private readonly style: JsonStyle
  /** The containers that are open, outermost first. */
  private readonly stack: Frame[] = []
  /** Whether a key or a comma was written, but not the value after it. */
  private owed = false
  private readonly levels: Level[] = []
  private columns: ColumnLines | undefined
  /** Index of the row of {@link ColumnRows} that is being written; -1 outside of such rows. */
  private row = -1
  private readonly columnLines: OpenColumnLines | undefined
  /** The last keys of the outermost object, which a list has returned. */
  private last: Fields | undefined

  constructor(sink: TextBuffer, style: JsonStyle, columnLines?: OpenColumnLines) {
    this.sink = sink
    this.style = style
    this.columnLines = columnLines
  }

  start(value: Result): Stop {
    this.value(value, 0)
    return this.advance()
  }

  /**
   * Adds a value whether or not the sink is full.
   * @throws AsyncValueError if it contains an asynchronous iterable
   */
  whole(value: Result): void {
    for (let stop = this.start(value); stop !== 'done'; stop = this.advance()) {
      if (stop === 'await') throw new AsyncValueError('an asynchronous iterable cannot be written at once')
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
    if (done) {
      source.later = undefined
      if (isFields(value as Result | undefined)) this.last = value as Fields
    } else if (source.gives === 'element') this.element(frame, value as Result)
    else if (source.gives === 'page') await this.page(frame, source, value as Iterable<Result>)
    else this.sink.add(base64(value as Uint8Array))
  }

  /** Takes the next page of a list. A long page of values in a column is written at once. */
  private async page(frame: Frame, list: List, page: Iterable<Result>): Promise<void> {
    const values = page instanceof Float64Array ? ValueColumn.numbers(page) : page
    if (!this.columnLines || !(values instanceof ValueColumn) || values.length < LONG_PAGE) {
      putPage(list, page)
      return
    }
    const { element } = frame.level
    const from = frame.empty ? 1 : 0
    if (from === 1) this.element(frame, values.at(0))
    this.columns ??= await this.columnLines(this.sink, this.style.int64)
    await this.columns.list(values, from, element.text.text)
    this.rounded ||= this.columns.rounded
  }

  /** Closes the open containers after {@link abandon}, and adds a key to the outermost object. */
  endEarly(key: string, value: Result): void {
    if (this.owed) this.sink.add('null')
    this.owed = false
    this.last = undefined
    while (this.stack.length > 1) this.close(this.stack[this.stack.length - 1])
    const [outermost] = this.stack
    outermost.source = fieldwise({ [key]: value })
    while (this.advance() !== 'done') {
      // The buffer grows as needed.
    }
  }

  /** Closes the open iterators. Errors of closing are ignored, as they would hide the first error. */
  async abandon(): Promise<void> {
    for (const { source } of this.stack.toReversed()) {
      try {
        if (source.kind === 'object') continue
        source.iterator?.return?.()
        await source.later?.return?.()
      } catch {}
    }
  }

  /** Writes the next elements: several scalars, or one other value. @returns false if the caller must wait for more */
  private elements(frame: Frame, source: List): boolean {
    const { rows, values, iterator } = source
    if (rows) {
      this.row = source.at < rows.length ? rows.position(source.at++) : -1
      if (this.row < 0) putPage(source, [])
      else this.element(frame, rows.shape as Result)
      return true
    }
    if (source.at < values.length) {
      const end = Math.min(values.length, source.at + TOGETHER)
      if (values instanceof Float64Array) {
        // A loop of its own, so that V8 does not allocate an object for each number.
        for (; source.at < end; source.at++) {
          this.before(frame, frame.level.element)
          this.scalar(values[source.at])
        }
      }
      while (source.at < end) {
        const value = this.inRow(values[source.at++]) as Result
        if (!isScalar(value)) {
          this.element(frame, value)
          break
        }
        this.before(frame, frame.level.element)
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

  /** Returns the value of the current row for a column in the shape of {@link ColumnRows}; other values as they are. */
  private inRow(value: Result | undefined): Result | undefined {
    return this.row >= 0 && value instanceof ValueColumn ? (value.at(this.row) as Result) : value
  }

  private element(frame: Frame, value: Result): void {
    const { element } = frame.level
    this.before(frame, element)
    this.owed = true
    this.value(value, element.columns)
    this.owed = false
  }

  private before(frame: Frame, { text }: Before): void {
    this.sink.addFrequent(text, frame.empty ? 1 : 0)
    frame.empty = false
  }

  private field(frame: Frame, source: Fieldwise): void {
    if (source.at === source.keys.length) {
      const { last } = this
      if (last && this.stack.length === 1) {
        this.last = undefined
        frame.source = fieldwise(last)
      } else this.close(frame)
      return
    }
    const key = source.keys[source.at++]
    const value = this.inRow(source.fields[key])
    if (value === undefined) return
    const name = this.key(frame.level, key)
    this.before(frame, name)
    this.owed = true
    this.value(value, name.columns)
    this.owed = false
  }

  /** Writes the scalars and short lists before the first other container of an object. If there is none, this is the whole object. */
  private fields(fields: Fields): void {
    const { sink } = this
    const level = this.level()
    sink.add('{')
    let at = 0
    let empty = true
    for (const key in fields) {
      const value = this.inRow(fields[key])
      if (value !== undefined) {
        const start = sink.length
        if (isScalar(value) || isShort(value)) {
          const name = this.key(level, key)
          sink.addFrequent(name.text, empty ? 1 : 0)
          if (isScalar(value)) this.scalar(value)
          else if (!this.inline(value, this.room(name.columns))) sink.cutTo(start)
        }
        if (sink.length === start) {
          this.stack.push({ source: fieldwise(fields, at), close: '}', level, empty })
          return
        }
        empty = false
      }
      at++
    }
    sink.add(empty ? '}' : `${level.outer}}`)
  }

  /** Returns the texts of the current depth. */
  private level(): Level {
    const depth = this.stack.length
    let level = this.levels[depth]
    if (level === undefined) {
      const outer = this.style.indent ? (this.stack.at(-1)?.level.inner ?? '\n') : ''
      const inner = this.style.indent ? `${outer}  ` : ''
      const element = before(inner)
      level = { outer, inner, element, keys: new Map(), last: element }
      this.levels[depth] = level
    }
    return level
  }

  private close(frame: Frame): void {
    this.stack.pop()
    this.sink.add(frame.empty ? frame.close : frame.level.outer + frame.close)
  }

  private key(level: Level, key: string): Before {
    const { last } = level
    let name = last.next?.key === key ? last.next : level.keys.get(key)
    if (name === undefined) {
      name = before(`${level.inner}${jsonKey(key)}${this.style.indent ? ': ' : ':'}`, key)
      if (level.keys.size < KEYS_KEPT) level.keys.set(key, name)
    }
    last.next = name
    level.last = name
    return name
  }

  /** Writes a scalar or short list, or opens a container. @param column column in which the value starts */
  private value(value: Result, column: number): void {
    if (isScalar(value)) {
      this.scalar(value)
    } else if (Array.isArray(value) || isIterable(value)) {
      if (!this.inline(value, this.room(column))) this.open('[', ']', listOf(value))
    } else if (value instanceof PagedBytes) {
      const [bracket, close] = base64Brackets(this.style)
      this.open(bracket, close, listOf([], value.pages(), 'bytes'))
    } else if (value instanceof Pages) {
      this.open('[', ']', listOf([], value.pages(), 'page'))
    } else if (isAsyncIterable(value)) {
      this.open('[', ']', listOf([], value))
    } else this.fields(value as Fields)
  }

  private open(bracket: string, close: string, source: Fieldwise | List): void {
    this.sink.add(bracket)
    this.stack.push({ source, close, level: this.level(), empty: true })
  }

  /** Columns that a list has which begins in a column. */
  private room(column: number): number {
    return this.style.indent ? COLUMNS - column : COMPACT_ROOM
  }

  /** Writes a list on one line. @returns false if nothing was written, as it needs more than `room` columns or contains an object */
  private inline(values: Iterable<Result>, room: number): boolean {
    const start = this.sink.length
    let columns = -1
    try {
      columns = this.line(values, room, INLINE_DEPTH)
    } finally {
      if (columns < 0) this.sink.cutTo(start)
    }
    return columns >= 0
  }

  /** Writes a list. @returns the number of columns; -1 if it does not fit, even if a part of it was written */
  private line(values: Iterable<Result>, room: number, depth: number): number {
    if (depth === 0 || isOneTime(values)) return -1
    let columns = 0
    if (Array.isArray(values)) {
      // An index is faster than an iterator, which matters for millions of pairs.
      for (let i = 0; i < values.length && columns >= 0; i++) {
        columns = this.lineElement(columns, this.inRow(values[i]) as Result, room, depth)
      }
    } else {
      for (const value of values) {
        columns = this.lineElement(columns, value, room, depth)
        if (columns < 0) break
      }
    }
    if (columns < 0) return -1
    this.sink.add(columns === 0 ? '[]' : ']')
    return columns === 0 ? 2 : columns + 1
  }

  /** Writes an element. @param columns number of columns before it. @returns the number with it; -1 if it does not fit */
  private lineElement(columns: number, value: Result, room: number, depth: number): number {
    const comma = this.style.indent ? ', ' : ','
    const start = columns === 0 ? '[' : comma
    const from = columns + start.length
    const left = room - from - 1
    if (left <= 0) return -1
    this.sink.add(start)
    let own = -1
    if (isScalar(value)) own = this.lineScalar(value, left)
    else if (isIterable(value)) own = this.line(value, left, depth - 1)
    return own < 0 || own > left ? -1 : from + own
  }

  /** Writes a scalar. @returns the number of columns; -1 if it is certainly too long, and was not written */
  private lineScalar(value: JsonScalar, left: number): number {
    if (typeof value === 'string' || value instanceof Uint8Array) {
      if (value.length > left) return -1
      const text = this.scalarText(value)
      this.sink.add(text)
      return text.length
    }
    const start = this.sink.length
    this.scalar(value)
    return this.sink.length - start
  }

  private scalar(value: JsonScalar): void {
    const { sink } = this
    if (typeof value === 'number') {
      if (value - value !== 0) sink.add(`"${value}"`)
      else if (value === 0 && Object.is(value, -0)) sink.add('-0.0')
      else sink.number(value)
    } else if (typeof value === 'bigint' && this.style.int64 === 'number' && Number.isSafeInteger(Number(value))) {
      sink.integer(Number(value))
    } else if (typeof value !== 'string' || !sink.quoted(value)) sink.add(this.scalarText(value))
  }

  /** Returns a scalar that {@link scalar} does not write itself. */
  private scalarText(value: Exclude<JsonScalar, number>): string {
    if (typeof value === 'bigint' && this.style.int64 === 'number') this.rounded = true
    return scalarJson(value, this.style)
  }
}

/** Whether a value is a list of a few scalars, or of such lists: nothing can fail when it is written. */
function isShort(value: Result): value is Result[] {
  return Array.isArray(value) && value.length <= FEW && value.every((one) => isScalar(one) || isShort(one))
}

const MARK = 'base64:'

/**
 * Whether a text is written as `base64:…` as a key and in CSV, where bytes cannot be an object: if it is not UTF-8, or if it starts
 * with this mark itself.
 */
export function needsBase64(text: string): boolean {
  return text.startsWith(MARK) || !text.isWellFormed()
}

/** Returns bytes as `base64:…`. No other text is written in this form. */
export function base64Text(bytes: Uint8Array): string {
  return MARK + base64(bytes)
}

/** Returns a name as a key in quotes; see {@link needsBase64}. */
export function jsonKey(name: string): string {
  return safeJson(needsBase64(name) ? base64Text(encodeText(name)) : name)
}

/** @param at number of keys that are written already */
function fieldwise(fields: Fields, at = 0): Fieldwise {
  return { kind: 'object', fields, keys: Object.keys(fields), at }
}

function before(text: string, key?: string): Before {
  return { text: new FrequentText(`,${text}`), columns: text.length, key, next: undefined }
}

function listOf(now: Iterable<Result>, later?: AsyncIterable<unknown>, gives: List['gives'] = 'element'): List {
  const list: List = {
    kind: 'list',
    values: [],
    at: 0,
    iterator: undefined,
    later: later?.[Symbol.asyncIterator](),
    rows: undefined,
    gives,
  }
  putPage(list, now)
  return list
}

/** Sets the next elements of a list. */
function putPage(list: List, page: Iterable<Result>): void {
  list.rows = page instanceof ColumnRows ? page : undefined
  const counted = list.rows !== undefined || page instanceof Float64Array || Array.isArray(page)
  list.values = counted && !list.rows ? (page as ArrayLike<Result>) : []
  list.at = 0
  list.iterator = counted ? undefined : page[Symbol.iterator]()
}

/** Whether a list can be iterated only once, as a generator. Looking ahead would consume it. */
function isOneTime(values: Iterable<Result>): boolean {
  return !Array.isArray(values) && (values[Symbol.iterator]() as unknown) === values
}
