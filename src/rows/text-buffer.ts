import { type Output, Pages } from '../base/result.ts'
import { walk } from '../base/walk.ts'

/** Number of bytes after which the buffer is full. */
const PIECE = 65_536
/** Initial size in bytes. It is small, as many documents are. */
const FIRST_ROOM = 8192
/** Most bytes of an integer with its sign. */
const INTEGER_ROOM = 20
/** Most bytes, and most characters of a text, that are copied in a loop, as a call takes longer for so few. */
const SHORT = 24
const SHORT_TEXT = 40
const ZERO = 0x30
const MINUS = 0x2d
const POINT = 0x2e
const QUOTE = 0x22
const BACKSLASH = 0x5c
/** Most decimal places, and limit of the digits as a whole number, of numbers that are written without creating a string. */
const MAX_PLACES = 4
const MAX_SHORT = 1e15
const TENS = [1, 10, 100, 1000, 10_000]

const encoder = new TextEncoder()
const PAIRS = encoder.encode(Array.from({ length: 100 }, (_, i) => String(i).padStart(2, '0')).join(''))

/** Number of bytes of a {@link FrequentText} that are copied together. One by one, copying takes four times as long. */
const TOGETHER = 4

/** A text that is written often. */
export class FrequentText {
  readonly text: string
  readonly length: number
  /** The bytes, and {@link TOGETHER} more, as a copy may read past the end. */
  readonly view: DataView

  constructor(text: string) {
    const bytes = encoder.encode(text)
    this.text = text
    this.length = bytes.length
    this.view = new DataView(new ArrayBuffer(bytes.length + TOGETHER))
    new Uint8Array(this.view.buffer).set(bytes)
  }
}

/**
 * Collects text as bytes, so that it can be written in larger pieces. It never waits: the caller checks {@link full}. Digits are
 * written directly as bytes, as joining and encoding strings takes three times as long.
 */
export class TextBuffer {
  private bytes = new Uint8Array(FIRST_ROOM)
  private view = new DataView(this.bytes.buffer)
  private at = 0
  private readonly out: Output
  /** Number of bytes written out. */
  written = 0

  constructor(out: Output) {
    this.out = out
  }

  /** Whether {@link flush} should be awaited before more is added. */
  get full(): boolean {
    return this.at >= PIECE
  }

  /** Number of bytes in the buffer. */
  get length(): number {
    return this.at
  }

  flush(): Promise<void> | void {
    const piece = this.takeFrom(0)
    if (piece.length === 0) return
    this.written += piece.length
    const wait = this.out.write(piece)
    // The output still reads these bytes.
    if (wait) this.use(new Uint8Array(this.bytes.length))
    return wait
  }

  /** Removes the bytes from `start` on and returns them. They must be used before more is added. */
  takeFrom(start: number): Uint8Array {
    const taken = this.bytes.subarray(start, this.at)
    this.at = start
    return taken
  }

  /** Removes the bytes after this length. */
  cutTo(length: number): void {
    this.at = length
  }

  private reserve(room: number): void {
    const least = this.at + room
    if (least <= this.bytes.length) return
    const grown = new Uint8Array(Math.max(least, this.bytes.length * 2))
    grown.set(this.bytes.subarray(0, this.at))
    this.use(grown)
  }

  private use(bytes: Uint8Array<ArrayBuffer>): void {
    this.bytes = bytes
    this.view = new DataView(bytes.buffer)
  }

  addBytes(from: Uint8Array): void {
    const { length } = from
    this.reserve(length)
    const { bytes, at } = this
    if (length > SHORT) bytes.set(from, at)
    else for (let i = 0; i < length; i++) bytes[at + i] = from[i]
    this.at = at + length
  }

  /** Adds a text from the byte `start` on. */
  addFrequent({ length, view: from }: FrequentText, start: number): void {
    this.reserve(length + TOGETHER)
    const { view } = this
    const to = this.at - start
    for (let i = start; i < length; i += TOGETHER) view.setInt32(to + i, from.getInt32(i))
    this.at = to + length
  }

  add(text: string): void {
    const { length } = text
    this.reserve(length * 3)
    if (length <= SHORT_TEXT) {
      const { bytes, at } = this
      let i = 0
      for (; i < length; i++) {
        const code = text.charCodeAt(i)
        if (code > 0x7f) break
        bytes[at + i] = code
      }
      if (i === length) {
        this.at = at + length
        return
      }
    }
    this.at += encoder.encodeInto(text, this.bytes.subarray(this.at)).written
  }

  /** Adds a text in quotes if it is short printable ASCII without escapes. @returns whether it was added */
  quoted(text: string): boolean {
    const { length } = text
    if (length > SHORT_TEXT) return false
    this.reserve(length + 2)
    const { bytes } = this
    let { at } = this
    bytes[at++] = QUOTE
    for (let i = 0; i < length; i++) {
      const code = text.charCodeAt(i)
      if (code < 0x20 || code > 0x7e || code === QUOTE || code === BACKSLASH) return false
      bytes[at++] = code
    }
    bytes[at++] = QUOTE
    this.at = at
    return true
  }

  /**
   * Adds a number as `String` prints it, but 0 for -0. It creates no string for whole numbers and numbers with few decimal places.
   * Such a number equals a whole number divided by a power of ten, and no other number has the same few digits.
   */
  number(value: number): void {
    if (Number.isSafeInteger(value)) {
      this.integer(value)
      return
    }
    const size = Math.abs(value)
    for (let places = 1; places <= MAX_PLACES; places++) {
      const power = TENS[places]
      const whole = Math.floor(size * power + 0.5)
      if (!(whole < MAX_SHORT)) break
      if (whole / power !== size) continue
      this.reserve(INTEGER_ROOM)
      if (value < 0) this.bytes[this.at++] = MINUS
      const before = Math.floor(whole / power)
      this.integer(before)
      this.bytes[this.at++] = POINT
      this.digits(whole - before * power, places)
      return
    }
    this.add(String(value))
  }

  /** Adds a whole number between -2^53 and 2^53 without creating a string. */
  integer(value: number): void {
    this.reserve(INTEGER_ROOM)
    let left = value
    if (left < 0) {
      this.bytes[this.at++] = MINUS
      left = -left
    }
    if (left < 1e9) {
      this.digits(left, digitsOf(left))
      return
    }
    const high = Math.floor(left / 1e9)
    this.digits(high, digitsOf(high))
    this.digits(left - high * 1e9, 9)
  }

  /** Adds a number below 2^32 with `count` digits, including leading zeros. */
  private digits(value: number, count: number): void {
    const { bytes } = this
    let left = value >>> 0
    const end = this.at + count
    let i = end - 1
    for (; i > this.at; i -= 2) {
      const pair = (left % 100) << 1
      left = (left / 100) >>> 0
      bytes[i] = PAIRS[pair + 1]
      bytes[i - 1] = PAIRS[pair]
    }
    if (i === this.at) bytes[i] = ZERO + (left % 10)
    this.at = end
  }
}

function digitsOf(value: number): number {
  if (value < 1e5) {
    if (value < 1e2) return value < 10 ? 1 : 2
    if (value < 1e3) return 3
    return value < 1e4 ? 4 : 5
  }
  if (value < 1e7) return value < 1e6 ? 6 : 7
  if (value < 1e8) return 8
  return value < 1e9 ? 9 : 10
}

export type Rows<T, End = unknown> = Iterable<T> | AsyncIterable<T, End>

/**
 * Calls `work` for each row, one after another. It waits only if `work` returns a promise. An asynchronous source is closed at the
 * end and after an error.
 * @returns what an asynchronous source returns
 */
export async function eachRow<T, End>(
  rows: Rows<T, End>,
  work: (row: T) => Promise<void> | void,
): Promise<End | undefined> {
  if (rows instanceof Pages) {
    for await (const page of rows.pages()) await eachRow(page as Iterable<T>, work)
  } else if (Symbol.iterator in rows) {
    for (const row of rows) {
      const wait = work(row)
      if (wait) await wait
    }
  } else {
    return walk(rows[Symbol.asyncIterator](), work)
  }
  return undefined
}
