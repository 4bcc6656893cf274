import { unexpected, withPlace } from '../base/errors.ts'
import { didYouMean } from '../base/nearest.ts'
import type { CellValNum } from '../format/cell-val-num.ts'
import type { Datatype } from '../format/datatype.ts'
import { bytesOf, type ValueStyle } from '../format/value.ts'
import { isJsonObject, type Json, type JsonObject } from './json-text.ts'

/** A value in a JSON document, with its dotted path. Errors are BAD_VALUE, with the path as their field. */
export class DocumentValue {
  readonly value: Json | undefined
  readonly path: string

  constructor(value: Json | undefined, path = '') {
    this.value = value
    this.path = path
  }

  /** Whether it is absent or null. */
  get missing(): boolean {
    return this.value === undefined || this.value === null
  }

  /**
   * An object that has only these keys; any keys if none are given.
   * @param offered keys that an error suggests
   */
  object(keys?: readonly string[], offered = keys): DocumentObject {
    if (!isJsonObject(this.value)) return this.fail('an object')
    const unknown = keys && Object.keys(this.value).find((key) => !keys.includes(key))
    if (unknown !== undefined) {
      return new DocumentValue(null, joined(this.path, unknown)).fail(
        `one of the keys ${offered?.join(', ')}`,
        `${JSON.stringify(unknown)}${didYouMean(unknown, offered ?? [])}`,
      )
    }
    return new DocumentObject(this.value, this.path)
  }

  list(): DocumentValue[] {
    if (!Array.isArray(this.value)) return this.fail('an array')
    return this.value.map((value, i) => new DocumentValue(value, joined(this.path, String(i))))
  }

  text(): string {
    return typeof this.value === 'string' ? this.value : this.fail('text')
  }

  flag(): boolean {
    return typeof this.value === 'boolean' ? this.value : this.fail('true or false')
  }

  number(): number {
    return typeof this.value === 'number' ? this.value : this.fail('a number')
  }

  integer(low: number, high: number): number {
    const { value } = this
    if (typeof value === 'number' && Number.isInteger(value) && value >= low && value <= high) return value
    return this.fail(`an integer from ${low} to ${high}`)
  }

  /** An unsigned 64-bit integer; digits in a string are accepted, too. */
  uint64(): bigint {
    const { value } = this
    if (
      typeof value === 'bigint' ||
      Number.isSafeInteger(value) ||
      (typeof value === 'string' && /^\d+$/.test(value))
    ) {
      const integer = BigInt(value as bigint | number | string)
      if (integer >= 0n && integer < 2n ** 64n) return integer
    }
    return this.fail('an integer from 0 to 2^64 - 1')
  }

  oneOf<const V extends string>(names: readonly V[]): V {
    const named = names.find((name) => name === this.value)
    if (named !== undefined) return named
    const hint = typeof this.value === 'string' ? didYouMean(this.value, names) : ''
    return this.fail(`one of ${names.join(', ')}`, `${shown(this.value)}${hint}`)
  }

  cellValNum(): CellValNum {
    return this.value === 'var' ? 'var' : this.integer(1, 0xfffffffe)
  }

  /** The bytes of one cell. */
  cell(type: Datatype, cellValNum: CellValNum, style: ValueStyle): Uint8Array {
    return withPlace({ field: this.path }, () => bytesOf(type, cellValNum, this.value, style))
  }

  fail(expected: string, found = shown(this.value)): never {
    throw unexpected(expected, found, this.path || undefined)
  }
}

/** An object in a JSON document. */
export class DocumentObject {
  private readonly entries: JsonObject
  private readonly path: string

  constructor(entries: JsonObject, path: string) {
    this.entries = entries
    this.path = path
  }

  /** The value of a key, which may be missing. */
  at(key: string): DocumentValue {
    const value = Object.hasOwn(this.entries, key) ? this.entries[key] : undefined
    return new DocumentValue(value, joined(this.path, key))
  }

  /** The value of a key as `read` returns it; `otherwise` if it is missing or null. */
  get<T, D>(key: string, read: (value: DocumentValue) => T, otherwise: D): T | D {
    const value = this.at(key)
    return value.missing ? otherwise : read(value)
  }

  keys(): string[] {
    return Object.keys(this.entries)
  }
}

function joined(path: string, key: string): string {
  return path === '' ? key : `${path}.${key}`
}

function shown(value: Json | undefined): string {
  if (value === undefined) return 'nothing'
  if (typeof value === 'bigint') return String(value)
  if (Array.isArray(value)) return `an array of ${value.length}`
  if (isJsonObject(value)) return 'an object'
  const text = JSON.stringify(value)
  return text.length > 60 ? `${text.slice(0, 60)}…` : text
}
