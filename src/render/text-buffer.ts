import { type Output, Pages } from '../base/result.ts'

/** Bytes to gather before they are written. */
const PIECE = 65_536
/** Initial size in bytes; many documents are small. */
const FIRST_ROOM = 8192
/** Longest integer with its sign. */
const INTEGER_ROOM = 20
/** Up to these lengths, bytes and text are copied in a loop; a call takes longer. */
const SHORT = 24
const SHORT_TEXT = 40
const ZERO = 0x30
const MINUS = 0x2d

const encoder = new TextEncoder()
const PAIRS = encoder.encode(Array.from({ length: 100 }, (_, i) => String(i).padStart(2, '0')).join(''))

/**
 * Gathers text as bytes, in larger pieces for writing. Only the caller waits: see {@link full}. Digits go straight into the
 * buffer; joining and encoding strings takes three times as long.
 */
export class TextBuffer {
  private bytes = new Uint8Array(FIRST_ROOM)
  private at = 0
  private readonly out: Output

  constructor(out: Output) {
    this.out = out
  }

  /** Whether {@link flush} should be awaited before more is added. */
  get full(): boolean {
    return this.at >= PIECE
  }

  /** Number of bytes gathered. */
  get length(): number {
    return this.at
  }

  flush(): Promise<void> | void {
    const piece = this.takeFrom(0)
    if (piece.length === 0) return
    const wait = this.out.write(piece)
    // The output still needs these bytes unchanged.
    if (wait) this.bytes = new Uint8Array(this.bytes.length)
    return wait
  }

  /** Removes and returns the bytes from `start` on. They must be used before more is added. */
  takeFrom(start: number): Uint8Array {
    const taken = this.bytes.subarray(start, this.at)
    this.at = start
    return taken
  }

  private reserve(room: number): void {
    const least = this.at + room
    if (least <= this.bytes.length) return
    const grown = new Uint8Array(Math.max(least, this.bytes.length * 2))
    grown.set(this.bytes.subarray(0, this.at))
    this.bytes = grown
  }

  addBytes(from: Uint8Array): void {
    const { length } = from
    this.reserve(length)
    const { bytes, at } = this
    if (length > SHORT) bytes.set(from, at)
    else for (let i = 0; i < length; i++) bytes[at + i] = from[i]
    this.at = at + length
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

  /** A whole number between -2^53 and 2^53, without making a string of it. */
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

  /** A number below 2^32, with leading zeros to `count` digits. */
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
  if (value < 1e5) return value < 1e2 ? (value < 10 ? 1 : 2) : value < 1e3 ? 3 : value < 1e4 ? 4 : 5
  return value < 1e7 ? (value < 1e6 ? 6 : 7) : value < 1e8 ? 8 : value < 1e9 ? 9 : 10
}

export type Rows<T> = Iterable<T> | AsyncIterable<T>

/**
 * Calls `work` for each row in turn, and waits only if it returns a promise. An asynchronous source is closed at the end or
 * on error.
 */
export async function eachRow<T>(rows: Rows<T>, work: (row: T) => Promise<void> | void): Promise<void> {
  if (rows instanceof Pages) {
    for await (const page of rows.pages()) await eachRow(page as Iterable<T>, work)
  } else if (Symbol.iterator in rows) {
    for (const row of rows) {
      const wait = work(row)
      if (wait) await wait
    }
  } else {
    for await (const row of rows) {
      const wait = work(row)
      if (wait) await wait
    }
  }
}
