import type { Output } from '../base/result.ts'

/** Bytes to gather before they are written. */
const PIECE = 128 * 1024
/** Room that each single call below may use without a check. */
const SPARE = 64

const encoder = new TextEncoder()

/**
 * Lines of text as bytes. Digits go straight into one buffer; joining and encoding strings takes three times as long. The
 * output is ASCII unless {@link text} gets other characters.
 */
export class LineBytes {
  private bytes: Uint8Array<ArrayBuffer>
  private at = 0
  private readonly out: Output
  private readonly piece: number

  /**
   * @param piece bytes to gather before they are written
   * @param room initial size of the buffer in bytes; small if there may be little to write
   */
  constructor(out: Output, piece = PIECE, room = piece + piece / 2) {
    this.out = out
    this.piece = piece
    this.bytes = new Uint8Array(room)
  }

  /** Whether {@link flush} should be awaited before the next line. */
  get full(): boolean {
    return this.at >= this.piece
  }

  /** Number of bytes gathered. */
  get length(): number {
    return this.at
  }

  flush(): Promise<void> | void {
    const piece = this.bytes.subarray(0, this.at)
    this.at = 0
    if (piece.length === 0) return
    const wait = this.out.write(piece)
    // The output still needs these bytes unchanged.
    if (wait) this.bytes = new Uint8Array(this.bytes.length)
    return wait
  }

  private reserve(room: number): void {
    const least = this.at + room + SPARE
    if (least <= this.bytes.length) return
    const grown = new Uint8Array(Math.max(least, this.bytes.length * 2))
    grown.set(this.bytes.subarray(0, this.at))
    this.bytes = grown
  }

  byte(code: number): void {
    this.reserve(1)
    this.bytes[this.at++] = code
  }

  ascii(from: Uint8Array): void {
    const { length } = from
    this.reserve(length)
    const { bytes, at } = this
    if (length > SHORT) bytes.set(from, at)
    else for (let i = 0; i < length; i++) bytes[at + i] = from[i]
    this.at = at + length
  }

  text(text: string): void {
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

  /** A whole number of at most 32 bits, signed or unsigned. */
  int32(value: number): void {
    this.reserve(11)
    let left = value
    if (left < 0) {
      this.bytes[this.at++] = MINUS
      left = -left
    }
    this.digits(left, left < 10 ? 1 : digitsOf(left))
  }

  /** A whole number between -2^53 and 2^53. */
  integer(value: number): void {
    this.reserve(20)
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

  /** Writes `value / 10^places` with that many decimal places, at least 1. `value` is a whole number below 2^53. */
  decimal(value: number, places: number): void {
    this.reserve(32)
    const whole = Math.floor(value / POWERS[places])
    this.integer(whole)
    this.bytes[this.at++] = POINT
    const rest = value - whole * POWERS[places]
    if (places <= 9) {
      this.digits(rest, places)
      return
    }
    const high = Math.floor(rest / 1e9)
    this.digits(high, places - 9)
    this.digits(rest - high * 1e9, 9)
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

  /**
   * Writes text in quotes as JSON does, if it is ASCII and needs no escapes.
   * @returns false, with nothing written, if it is not
   */
  plainString(from: Uint8Array, start: number, end: number): boolean {
    this.reserve(end - start + 2)
    const { bytes } = this
    let at = this.at
    bytes[at++] = QUOTE
    for (let i = start; i < end; i++) {
      const code = from[i]
      if (code < 0x20 || code > 0x7e || code === QUOTE || code === BACKSLASH) return false
      bytes[at++] = code
    }
    bytes[at++] = QUOTE
    this.at = at
    return true
  }

  /** {@link plainString} for CSV and TSV: without quotes if none are needed. */
  plainField(from: Uint8Array, start: number, end: number): boolean {
    if (start === end) return false
    // The text may be a formula, or look like the mark of bytes.
    const first = from[start]
    if (first === EQUALS || first === PLUS || first === MINUS || first === AT) return false
    if (first === SMALL_B && from[start + MARK_LENGTH] === COLON) return false
    this.reserve(end - start)
    const { bytes } = this
    let at = this.at
    for (let i = start; i < end; i++) {
      const code = from[i]
      if (code < 0x20 || code > 0x7e || code === QUOTE || code === COMMA) return false
      bytes[at++] = code
    }
    this.at = at
    return true
  }
}

/** Powers of ten that a float64 holds exactly. Division by them is correctly rounded. */
export const POWERS = Array.from({ length: 23 }, (_, i) => 10 ** i)

const SHORT = 24
/** Text up to this length is copied in a loop; a call of the encoder takes longer. */
const SHORT_TEXT = 40
const ZERO = 0x30
const MINUS = 0x2d
const POINT = 0x2e
const QUOTE = 0x22
const PLUS = 0x2b
const EQUALS = 0x3d
const AT = 0x40
/** `base64:` starts and ends with these. */
const SMALL_B = 0x62
const MARK_LENGTH = 6
const COLON = 0x3a
const COMMA = 0x2c
const BACKSLASH = 0x5c
const PAIRS = encoder.encode(Array.from({ length: 100 }, (_, i) => String(i).padStart(2, '0')).join(''))

function digitsOf(value: number): number {
  if (value < 1e5) return value < 1e2 ? (value < 10 ? 1 : 2) : value < 1e3 ? 3 : value < 1e4 ? 4 : 5
  return value < 1e7 ? (value < 1e6 ? 6 : 7) : value < 1e8 ? 8 : value < 1e9 ? 9 : 10
}
