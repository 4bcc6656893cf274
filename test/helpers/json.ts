/**
 * JSON with exact integers: what `JSON.parse` would round is a bigint. Integers that a double holds are numbers, as are
 * all tokens with a fraction or an exponent.
 */
export type Json = null | boolean | number | bigint | string | Json[] | JsonObject
export interface JsonObject {
  [key: string]: Json
}

/** @throws SyntaxError with the offset */
export function parseJson(text: string): Json {
  const parser = new Parser(text)
  const value = parser.value()
  parser.end()
  return value
}

/** Documents one after another, as the program prints them for several targets. */
export function parseJsonDocuments(text: string): Json[] {
  const parser = new Parser(text)
  const documents: Json[] = []
  while (!parser.atEnd()) documents.push(parser.value())
  return documents
}

const NUMBER = /-?(?:0|[1-9]\d*)(\.\d+)?([eE][-+]?\d+)?/y
const BLANKS = /[ \t\n\r]*/y
const PLAIN_TEXT = /[^"\\\u0000-\u001f]*/y

class Parser {
  private at = 0
  private readonly text: string

  constructor(text: string) {
    this.text = text
  }

  atEnd(): boolean {
    this.blanks()
    return this.at === this.text.length
  }

  end(): void {
    if (!this.atEnd()) this.fail()
  }

  value(): Json {
    this.blanks()
    const first = this.text[this.at]
    if (first === '{') return this.object()
    if (first === '[') return this.array()
    if (first === '"') return this.string()
    for (const [word, value] of WORDS) {
      if (this.text.startsWith(word, this.at)) {
        this.at += word.length
        return value
      }
    }
    return this.number()
  }

  private number(): Json {
    NUMBER.lastIndex = this.at
    const match = NUMBER.exec(this.text)
    if (!match) this.fail()
    const [token, fraction, exponent] = match
    this.at += token.length
    const value = Number(token)
    return fraction === undefined && exponent === undefined && !Number.isSafeInteger(value) ? BigInt(token) : value
  }

  private array(): Json[] {
    const out: Json[] = []
    this.at++
    if (this.takes(']')) return out
    do out.push(this.value())
    while (this.takes(','))
    if (!this.takes(']')) this.fail()
    return out
  }

  private object(): JsonObject {
    const out: JsonObject = Object.create(null)
    this.at++
    if (this.takes('}')) return out
    do {
      this.blanks()
      const key = this.string()
      if (key in out) throw new SyntaxError(`key ${JSON.stringify(key)} twice at ${this.at}`)
      if (!this.takes(':')) this.fail()
      out[key] = this.value()
    } while (this.takes(','))
    if (!this.takes('}')) this.fail()
    return out
  }

  private string(): string {
    const start = this.at
    if (this.text[start] !== '"') this.fail()
    PLAIN_TEXT.lastIndex = start + 1
    PLAIN_TEXT.test(this.text)
    let end = PLAIN_TEXT.lastIndex
    if (this.text[end] === '"') {
      this.at = end + 1
      return this.text.slice(start + 1, end)
    }
    while (this.text[end] !== '"') {
      if (end >= this.text.length) this.fail()
      end += this.text[end] === '\\' ? 2 : 1
    }
    this.at = end + 1
    const value: unknown = JSON.parse(this.text.slice(start, end + 1))
    return String(value)
  }

  private takes(ch: string): boolean {
    this.blanks()
    if (this.text[this.at] !== ch) return false
    this.at++
    return true
  }

  private blanks(): void {
    BLANKS.lastIndex = this.at
    BLANKS.test(this.text)
    this.at = BLANKS.lastIndex
  }

  private fail(): never {
    throw new SyntaxError(`no JSON at ${this.at}: ${JSON.stringify(this.text.slice(this.at, this.at + 30))}`)
  }
}

const WORDS: readonly (readonly [string, Json])[] = [
  ['null', null],
  ['true', true],
  ['false', false],
]

/** A key of an object; undefined where there is none, or no object. */
export function get(value: Json | undefined, key: string): Json | undefined {
  return isObject(value) ? value[key] : undefined
}

export function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The elements of a list; none where it is no list. */
export function items(value: Json | undefined): Json[] {
  return Array.isArray(value) ? value : []
}

/** Short JSON for messages. */
export function shown(value: Json | undefined): string {
  const text =
    JSON.stringify(value, (_, inner: unknown) => (typeof inner === 'bigint' ? String(inner) : inner)) ?? 'nothing'
  return text.length > 160 ? `${text.slice(0, 160)}…` : text
}
