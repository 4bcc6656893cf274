import { badValue } from './errors.ts'

/** Parsed JSON. Integers that a float64 would round are bigint. */
export type Json = null | boolean | number | bigint | string | Json[] | JsonObject

export interface JsonObject {
  [key: string]: Json
}

export function isJsonObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Bytes of a line of NDJSON that is read. A line of ours is far shorter: a file with a longer one is another file, and may be huge. */
export const LONGEST_LINE = 2 ** 25

/** Numbers with fewer digits than this are exact in a float64. */
const LONG_NUMBER = /\d{16}/

/**
 * Parses one JSON text. Node 20's `JSON.parse` silently rounds integers beyond 2^53. So texts with that many digits in a row
 * are parsed here, all others by `JSON.parse`.
 *
 * @throws InspectError BAD_VALUE with the offset in the text
 */
export function parseJson(text: string): Json {
  if (!LONG_NUMBER.test(text) && !mayBeDeep(text)) {
    try {
      return JSON.parse(text)
    } catch {
      // Parsed again below, for the offset of the error.
    }
  }
  return new JsonReader(text).whole()
}

/**
 * Whether a text has so many opening brackets that it could exceed {@link DEEPEST}. `JSON.parse` takes any depth, but code that
 * walks through the value would exhaust the stack.
 */
function mayBeDeep(text: string): boolean {
  if (text.length <= DEEPEST) return false
  let opened = 0
  for (const bracket of ['[', '{'])
    for (let at = text.indexOf(bracket); at >= 0; at = text.indexOf(bracket, at + 1))
      if (++opened > DEEPEST) return true
  return false
}

const NUMBER = /-?(?:0|[1-9]\d*)(\.\d+)?([eE][-+]?\d+)?/y
const BLANKS = /[ \t\n\r]*/y
const PLAIN = /[^"\\\u0000-\u001f]*/y
const WORDS = { null: null, true: true, false: false }
/** Limit on the depth of a document. None of ours is deeper, and a deeper one could exhaust the stack. */
const DEEPEST = 500
/** Limit on the digits of an integer. The largest float64 has 309. Time to make a bigint grows with their square. */
const MAX_DIGITS = 400

class JsonReader {
  private at = 0
  private depth = 0
  private readonly text: string

  constructor(text: string) {
    this.text = text
  }

  whole(): Json {
    const value = this.value()
    this.skipBlanks()
    if (this.at < this.text.length) this.fail('the end')
    return value
  }

  private value(): Json {
    this.skipBlanks()
    const first = this.text[this.at]
    if (first === '"') return this.string()
    if (first === '{' || first === '[') {
      if (++this.depth > DEEPEST) this.fail(`at most ${DEEPEST} levels`)
      const value = first === '{' ? this.object() : this.array()
      this.depth--
      return value
    }
    for (const [word, value] of Object.entries(WORDS)) {
      if (!this.text.startsWith(word, this.at)) continue
      this.at += word.length
      return value
    }
    return this.number()
  }

  private number(): Json {
    NUMBER.lastIndex = this.at
    const match = NUMBER.exec(this.text)
    if (!match) this.fail('a JSON value')
    const [token, fraction, exponent] = match
    const isInteger = fraction === undefined && exponent === undefined
    if (isInteger && token.length > MAX_DIGITS) this.fail(`an integer of at most ${MAX_DIGITS} digits`)
    this.at += token.length
    const value = Number(token)
    return isInteger && !Number.isSafeInteger(value) ? BigInt(token) : value
  }

  private array(): Json[] {
    const values: Json[] = []
    this.at++
    if (this.takes(']')) return values
    do values.push(this.value())
    while (this.takes(','))
    if (!this.takes(']')) this.fail('"," or "]"')
    return values
  }

  private object(): JsonObject {
    const entries: [string, Json][] = []
    this.at++
    if (this.takes('}')) return {}
    do {
      this.skipBlanks()
      if (this.text[this.at] !== '"') this.fail('a key')
      const key = this.string()
      if (!this.takes(':')) this.fail('":"')
      entries.push([key, this.value()])
    } while (this.takes(','))
    if (!this.takes('}')) this.fail('"," or "}"')
    return Object.fromEntries(entries)
  }

  private string(): string {
    const start = this.at
    let end = start + 1
    for (;;) {
      PLAIN.lastIndex = end
      PLAIN.test(this.text)
      end = PLAIN.lastIndex
      if (this.text[end] === '"') break
      if (this.text[end] !== '\\') {
        this.at = end
        this.fail('the end of a string')
      }
      end += 2
    }
    this.at = end + 1
    try {
      return String(JSON.parse(this.text.slice(start, this.at)))
    } catch {
      this.at = start
      return this.fail('a string')
    }
  }

  private takes(character: string): boolean {
    this.skipBlanks()
    if (this.text[this.at] !== character) return false
    this.at++
    return true
  }

  private skipBlanks(): void {
    BLANKS.lastIndex = this.at
    BLANKS.test(this.text)
    this.at = BLANKS.lastIndex
  }

  private fail(expected: string): never {
    const rest = this.text.slice(this.at, this.at + 20)
    const found = rest === '' ? 'the end of the text' : JSON.stringify(rest)
    throw badValue({ expected: `${expected} in JSON at character ${this.at}`, found })
  }
}
