import { type Fault, faultText, type InspectError, usage } from '../base/errors.ts'
import { safeJson } from '../base/unsafe-text.ts'
import type { ComparisonOp } from '../format/delete-condition.ts'

/**
 * A parsed condition in the syntax of TileDB-Py's QueryCondition. Fields and values have no types yet.
 *
 * The operators from loose to tight, as in Python: `or`, `and`, `not`, comparisons, `|`, `&`.
 */
export type WhereNode = Combined | Negation | Comparison

interface Combined {
  is: 'AND' | 'OR'
  parts: WhereNode[]
}

interface Negation {
  is: 'NOT'
  part: WhereNode
}

/** A comparison of a field with one value, or with several values for IN and NOT_IN. */
export interface Comparison {
  is: 'comparison'
  field: FieldName
  op: Exclude<ComparisonOp, 'ALWAYS_TRUE' | 'ALWAYS_FALSE'>
  values: Literal[]
}

export interface FieldName {
  is: 'field'
  name: string
  /** Set if the text tells which kind of field it is, as in `attr("x")`. */
  kind: 'attr' | 'dim' | undefined
  at: number
}

/** A value in the text. Integers are bigints, other numbers are numbers. Bytes are written as `b"…"` or `{"base64": "…"}`. */
export interface Literal {
  is: 'value'
  value: string | number | bigint | boolean | null | Uint8Array
  at: number
}

interface ListOfLiterals {
  is: 'list'
  values: Literal[]
  at: number
}

type Operand = WhereNode | FieldName | Literal | ListOfLiterals

interface Token {
  kind: 'word' | 'number' | 'text' | 'bytes' | 'sign' | 'end'
  /** As written. */
  text: string
  at: number
}

/** Upper limit on the nesting of brackets and `not`. */
const MAX_DEPTH = 200

const KINDS = ['bytes', 'word', 'number', 'text', 'sign'] as const
const TOKEN =
  /(?<bytes>[bB](?:"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'))|(?<word>[\p{L}_][\p{L}\p{N}_]*)|(?<number>0[xX]_*[\da-fA-F][\da-fA-F_]*|0[oO]_*[0-7][0-7_]*|0[bB]_*[01][01_]*|(?:\d[\d_]*\.?[\d_]*|\.\d[\d_]*)(?:[eE][+-]?\d+)?)|(?<text>"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')|(?<sign>[<>=!]=|[<>()[\]{},:&|+-])/suy

/** Words that are field names only inside `attr("…")` or `dim("…")`. */
const WORDS: ReadonlySet<string> = new Set([
  'and',
  'or',
  'not',
  'in',
  'is',
  'None',
  'null',
  'True',
  'true',
  'False',
  'false',
])

/** Writes a field's name as a condition needs it. */
export function fieldText(name: string): string {
  return /^[\p{L}_][\p{L}\p{N}_]*$/u.test(name) && !WORDS.has(name) ? name : `attr(${safeJson(name)})`
}

/** Parses the syntax of a condition. @throws InspectError USAGE, whose message tells where the fault is */
export function parseSyntax(text: string): WhereNode {
  return new Parser(text).whole()
}

/** Names of the fields in a condition. */
export function syntaxFields(node: WhereNode, names = new Set<string>()): Set<string> {
  if (node.is === 'comparison') names.add(node.field.name)
  else if (node.is === 'NOT') syntaxFields(node.part, names)
  else for (const part of node.parts) syntaxFields(part, names)
  return names
}

/** The error for a fault at a position in the text. */
export function whereFault(text: string, at: number, fault: Fault): InspectError {
  const from = Math.max(0, at - SHOWN)
  const shown = `${from > 0 ? '…' : ''}${text.slice(from, at + SHOWN)}${at + SHOWN < text.length ? '…' : ''}`
  const where = at >= text.length ? 'at its end' : `at character ${at + 1}`
  const says = `${JSON.stringify(shown)}: ${faultText(fault)} ${where}`
  return usage({ says: `condition ${says}`, commandLine: `--where ${says}` })
}

/** Number of characters of a long text that an error shows before and after the position. */
const SHOWN = 60

/** The comparisons by how they are written. */
export const COMPARISONS: ReadonlyMap<string, keyof typeof MIRRORED> = new Map([
  ['<', 'LT'],
  ['<=', 'LE'],
  ['>', 'GT'],
  ['>=', 'GE'],
  ['==', 'EQ'],
  ['!=', 'NE'],
])

/** What a comparison becomes when its sides are swapped. */
const MIRRORED = { LT: 'GT', LE: 'GE', GT: 'LT', GE: 'LE', EQ: 'EQ', NE: 'NE' } as const

class Parser {
  private readonly text: string
  private readonly tokens: Token[]
  private next = 0
  private depth = 0

  constructor(text: string) {
    this.text = text
    this.tokens = tokensOf(text)
  }

  whole(): WhereNode {
    const node = this.condition(this.alternatives(), 0)
    const left = this.tokens[this.next]
    if (left.kind === 'end') return node
    if (left.text === '-')
      throw this.fault(left, { expected: 'and, or, or the end', found: '"-"; dates are written in quotes,' })
    throw this.expected('and, or, or the end', left)
  }

  private alternatives(): Operand {
    return this.joined('OR', 'or', () => this.joined('AND', 'and', () => this.negation()))
  }

  /** Parses operands with a word or sign between them. A single operand may also be a field or a value. */
  private joined(is: 'AND' | 'OR', sign: string, operand: () => Operand): Operand {
    const at = this.tokens[this.next].at
    const first = operand()
    if (this.tokens[this.next].text !== sign) return first
    const parts = [this.condition(first, at, sign)]
    while (this.takes(sign)) {
      const start = this.tokens[this.next].at
      parts.push(this.condition(operand(), start, sign))
    }
    return { is, parts }
  }

  private negation(): Operand {
    if (!this.takes('not')) return this.comparison()
    const at = this.tokens[this.next].at
    return {
      is: 'NOT',
      part: this.condition(
        this.nested(() => this.negation()),
        at,
      ),
    }
  }

  /** Parses `a < 5`, `1 < a < 5`, `a in [1, 2]`, `a not in [1, 2]`, or a single operand. */
  private comparison(): Operand {
    let left = this.bits()
    const parts: WhereNode[] = []
    for (let op = this.comparisonSign(); op; op = this.comparisonSign()) {
      if (parts.length > 0 && (op === 'IN' || op === 'NOT_IN' || parts.some(isMembership)))
        throw this.fault(this.tokens[this.next - 1], 'a list cannot be part of a chain of comparisons')
      const right = this.bits()
      parts.push(this.compared(left, op, right))
      left = right
    }
    if (parts.length === 0) {
      const found = this.tokens[this.next]
      const isSign = /^(and|or|end|sign)$/
      if (left.is === 'field' && !isSign.test(found.text) && !isSign.test(found.kind))
        throw this.expected('==, !=, <, <=, >, >= or in', found)
      return left
    }
    return parts.length === 1 ? parts[0] : { is: 'AND', parts }
  }

  private comparisonSign(): Comparison['op'] | undefined {
    const token = this.tokens[this.next]
    const after = this.tokens[this.next + 1]
    if (token.text === '=') throw this.fault(token, { expected: '==', found: '"="' })
    if (token.text === 'is') throw this.fault(token, { expected: '== or !=, as in a == null', found: '"is"' })
    if (token.text === 'not' && after.text === 'in') {
      this.next += 2
      return 'NOT_IN'
    }
    const op = token.text === 'in' ? 'IN' : COMPARISONS.get(token.text)
    if (op !== undefined) this.next++
    return op
  }

  private compared(left: Operand, op: Comparison['op'], right: Operand): Comparison {
    const sign = this.tokens[this.next - 1]
    const at = 'at' in right ? right.at : sign.at
    if (op === 'IN' || op === 'NOT_IN') {
      if (left.is !== 'field')
        throw this.fault({ at: 'at' in left ? left.at : sign.at }, 'expected a field before the list')
      if (right.is !== 'list') throw this.fault({ at }, 'expected a list, such as [1, 2],')
      return { is: 'comparison', field: left, op, values: right.values }
    }
    if (left.is === 'field' && right.is === 'value') return { is: 'comparison', field: left, op, values: [right] }
    if (left.is === 'value' && right.is === 'field')
      return { is: 'comparison', field: right, op: MIRRORED[op as keyof typeof MIRRORED], values: [left] }
    if (left.is === 'field' && right.is === 'field')
      throw this.fault(right, {
        expected: 'a value',
        found: `the name ${JSON.stringify(right.name)}; text is written in quotes,`,
      })
    if (left.is === 'value' && right.is === 'value')
      throw this.fault(left, 'expected a field on one side of a comparison')
    if (right.is === 'list') throw this.fault(right, 'expected one value; a list comes after in or not in,')
    throw this.fault(
      { at },
      'a comparison needs a field and a value, and & and | bind more tightly: (a > 1) & (b < 2), or a > 1 and b < 2,',
    )
  }

  private bits(): Operand {
    return this.joined('OR', '|', () => this.joined('AND', '&', () => this.operand()))
  }

  private operand(): Operand {
    const token = this.tokens[this.next++]
    const { kind, text, at } = token
    if (kind === 'number') return { is: 'value', value: numberOf(text), at }
    if (kind === 'text') return { is: 'value', value: textOf(text), at }
    if (kind === 'bytes') return { is: 'value', value: this.bytes(token), at }
    if (kind === 'word') return this.word(token)
    if (text === '-' || text === '+') return this.signed(token)
    if (text === '[') return { is: 'list', values: this.list(), at }
    if (text === '{') return { is: 'value', value: this.base64(), at }
    if (text !== '(') throw this.expected('a field, a value or a bracket', token)
    const inner = this.nested(() => this.alternatives())
    this.closes(')', token)
    return inner
  }

  private word(token: Token): Operand {
    const { text, at } = token
    if (text === 'None' || text === 'null') return { is: 'value', value: null, at }
    if (text === 'True' || text === 'true') return { is: 'value', value: true, at }
    if (text === 'False' || text === 'false') return { is: 'value', value: false, at }
    if (WORDS.has(text)) throw this.expected('a field or a value', token)
    if (this.tokens[this.next].text === '.') {
      throw this.fault(token, `a name with a dot is written as attr("${text}.…"),`)
    }
    if (!this.takes('(')) return { is: 'field', name: text, kind: undefined, at }
    const inner = this.nested(() => this.alternatives())
    this.closes(')', token)
    if (text === 'val' && inner.is === 'value') return { ...inner, at }
    if ((text === 'attr' || text === 'dim') && inner.is === 'value' && typeof inner.value === 'string')
      return { is: 'field', name: inner.value, kind: text, at }
    const expected = 'expected attr("name"), dim("name") or val(value), found'
    throw this.fault(token, `${expected} ${JSON.stringify(this.text.slice(at, this.tokens[this.next].at).trim())}`)
  }

  private signed(sign: Token): Literal {
    const inner = this.nested(() => this.operand())
    if (inner.is !== 'value' || (typeof inner.value !== 'number' && typeof inner.value !== 'bigint'))
      throw this.fault(sign, `expected a number after ${JSON.stringify(sign.text)}`)
    return { is: 'value', value: sign.text === '-' ? -inner.value : inner.value, at: sign.at }
  }

  private list(): Literal[] {
    const values: Literal[] = []
    while (!this.takes(']')) {
      const token = this.tokens[this.next]
      const value = this.operand()
      if (value.is !== 'value') throw this.expected('a value', token)
      values.push(value)
      if (this.tokens[this.next].text !== ']' && !this.takes(',')) throw this.expected(', or ]', this.tokens[this.next])
    }
    if (values.length === 0) throw this.fault(this.tokens[this.next - 1], 'expected a value in the list')
    return values
  }

  /** Parses the rest of `{"base64": "…"}`, the form in which bytes are printed. */
  private base64(): Uint8Array {
    const [key, colon, value, end] = this.tokens.slice(this.next, this.next + 4)
    if (key?.text !== '"base64"' || colon?.text !== ':' || value?.kind !== 'text' || end?.text !== '}')
      throw this.fault(this.tokens[this.next - 1], 'expected bytes as {"base64": "…"}')
    this.next += 4
    try {
      return Uint8Array.from(atob(textOf(value.text)), (character) => character.charCodeAt(0))
    } catch {
      throw this.fault(value, 'expected base64')
    }
  }

  private bytes(token: Token): Uint8Array {
    const characters = textOf(token.text.slice(1))
    if (/[^\0-\x7f]/.test(token.text) || /[^\0-\xff]/.test(characters))
      throw this.fault(token, 'expected bytes: ASCII characters, and escapes up to \\xff,')
    return Uint8Array.from(characters, (character) => character.charCodeAt(0))
  }

  private takes(text: string): boolean {
    if (this.tokens[this.next].text !== text) return false
    this.next++
    return true
  }

  private closes(text: string, opened: Token): void {
    if (this.takes(text)) return
    const token = this.tokens[this.next]
    if (token.kind === 'end') throw this.fault(opened, 'found no closing bracket for the one')
    throw this.expected(text, token)
  }

  private nested<T>(parse: () => T): T {
    if (++this.depth > MAX_DEPTH)
      throw this.fault(this.tokens[this.next], `expected at most ${MAX_DEPTH} brackets inside each other`)
    const result = parse()
    this.depth--
    return result
  }

  private condition(operand: Operand, at: number, sign?: string): WhereNode {
    if (operand.is === 'field' || operand.is === 'value' || operand.is === 'list') {
      const beside =
        sign === '&' || sign === '|' ? `; beside ${sign}, comparisons need brackets: (a > 1) ${sign} (b < 2),` : ''
      throw this.fault({ at }, { expected: 'a comparison', found: `${what(operand)}${beside}` })
    }
    return operand
  }

  private expected(expected: string, { kind, text, at }: Token): InspectError {
    return this.fault({ at }, `expected ${expected}${kind === 'end' ? '' : `, found ${JSON.stringify(text)}`}`)
  }

  private fault({ at }: { at: number }, fault: Fault): InspectError {
    return whereFault(this.text, at, fault)
  }
}

function isMembership(node: WhereNode): boolean {
  return node.is === 'comparison' && (node.op === 'IN' || node.op === 'NOT_IN')
}

function what(operand: FieldName | Literal | ListOfLiterals): string {
  if (operand.is === 'field') return `only the field ${JSON.stringify(operand.name)}`
  return operand.is === 'list' ? 'only a list' : 'only a value'
}

function tokensOf(text: string): Token[] {
  const tokens: Token[] = []
  for (let at = 0; at < text.length; ) {
    if (/\s/.test(text[at])) {
      at++
      continue
    }
    TOKEN.lastIndex = at
    const groups: Partial<Record<string, string>> = TOKEN.exec(text)?.groups ?? {}
    const kind = KINDS.find((one) => groups[one] !== undefined)
    // An unknown sign becomes a token as well: the parser then tells what it expected in its place.
    const found = (kind && groups[kind]) ?? String.fromCodePoint(text.codePointAt(at) ?? 0)
    if (found === '"' || found === "'") throw whereFault(text, at, 'found no closing quote for the one')
    tokens.push({ kind: kind ?? 'sign', text: found, at })
    at += found.length
  }
  tokens.push({ kind: 'end', text: '', at: text.length })
  return tokens
}

function numberOf(text: string): number | bigint {
  const digits = text.replaceAll('_', '')
  return /^(0[xob]|\d+$)/i.test(digits) ? BigInt(digits) : Number(digits)
}

const ESCAPE = /\\(?:x[\da-fA-F]{2}|u[\da-fA-F]{4}|U[\da-fA-F]{8}|[0-7]{1,3}|.)/gs

const ESCAPED: Readonly<Record<string, string>> = {
  n: '\n',
  t: '\t',
  r: '\r',
  b: '\b',
  f: '\f',
  a: '\x07',
  v: '\v',
  '\\': '\\',
  "'": "'",
  '"': '"',
  '/': '/',
  '\n': '',
}

/** Unquotes text. Escapes are those of Python and of JSON; an unknown escape is kept as it is. */
function textOf(quoted: string): string {
  return quoted.slice(1, -1).replace(ESCAPE, (found) => {
    const code = /^\\[xuU]/.test(found) && found.length > 2 ? Number.parseInt(found.slice(2), 16) : undefined
    if (code !== undefined) {
      if (code > 0x10ffff) return found
      return found.length > 6 ? String.fromCodePoint(code) : String.fromCharCode(code)
    }
    if (/^\\[0-7]/.test(found)) return String.fromCharCode(Number.parseInt(found.slice(1), 8))
    return ESCAPED[found[1]] ?? found
  })
}
