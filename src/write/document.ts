import { unexpected, withPlace } from '../base/errors.ts'
import { isJsonObject, type Json } from '../base/json-text.ts'
import { didYouMean } from '../base/nearest.ts'
import type { CellValNum } from '../format/cell-val-num.ts'
import type { Datatype } from '../format/datatype.ts'
import { bytesOf, type ValueStyle } from '../format/value.ts'

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

  /** The value of a key of an object; missing in anything else. */
  at(key: string): DocumentValue {
    const { value } = this
    return new DocumentValue(isJsonObject(value) && Object.hasOwn(value, key) ? value[key] : undefined, this.below(key))
  }

  /**
   * Returns the value, or throws if it is not an object with these keys only.
   * @param keys allowed keys; undefined if all are allowed
   * @param offered keys that an error suggests
   */
  object(keys?: readonly string[], offered = keys): this {
    if (!isJsonObject(this.value)) return this.fail('an object')
    const unknown = keys && Object.keys(this.value).find((key) => !keys.includes(key))
    if (unknown === undefined) return this
    return this.at(unknown).fail(
      `one of the keys ${offered?.join(', ')}`,
      `${JSON.stringify(unknown)}${didYouMean(unknown, offered ?? [])}`,
    )
  }

  /** The path of a key or an element. */
  below(key: string): string {
    return this.path === '' ? key : `${this.path}.${key}`
  }

  fail(expected: string, found = shown(this.value)): never {
    throw unexpected(expected, found, this.path || undefined)
  }
}

/** Reads a value. @throws InspectError BAD_VALUE if it is not as expected */
export type Read<T> = (value: DocumentValue) => T

/**
 * Reads an object.
 * @param reads readers of the keys, in the order in which errors list them
 * @param otherKeys keys that are allowed, too, but not read
 */
export function object<T extends object>(
  reads: { readonly [K in keyof T]: Read<T[K]> },
  otherKeys: readonly string[] = [],
): Read<T> {
  const entries = Object.entries<Read<unknown>>(reads)
  const keys = Object.keys(reads)
  return (value) => {
    value.object([...otherKeys, ...keys], keys)
    return Object.fromEntries(entries.map(([key, read]) => [key, read(value.at(key))])) as T
  }
}

/** Reads a value, or returns `otherwise` if it is missing or null. */
export function or<T, const D>(read: Read<T>, otherwise: D): Read<T | D> {
  return (value) => (value.missing ? otherwise : read(value))
}

export function list<T>(read: Read<T>): Read<T[]> {
  return (list) => {
    const { value } = list
    if (!Array.isArray(value)) return list.fail('an array')
    return value.map((one, i) => read(new DocumentValue(one, list.below(String(i)))))
  }
}

/** Reads a {@link list}, which is empty if the value is missing or null. */
export function listOrNone<T>(read: Read<T>): Read<T[]> {
  return (value) => (value.missing ? [] : list(read)(value))
}

/** Returns the value itself, to be read when more is known. */
export const asIs: Read<DocumentValue> = (value) => value

export const text: Read<string> = (text) => (typeof text.value === 'string' ? text.value : text.fail('text'))

export const flag: Read<boolean> = (flag) => (typeof flag.value === 'boolean' ? flag.value : flag.fail('true or false'))

export function integer(low: number, high: number): Read<number> {
  return (integer) => {
    const { value } = integer
    if (typeof value === 'number' && Number.isInteger(value) && value >= low && value <= high) return value
    return integer.fail(`an integer from ${low} to ${high}`)
  }
}

/** Reads an unsigned 64-bit integer. A string of digits is accepted, too. */
export const uint64: Read<bigint> = (uint64) => {
  const { value } = uint64
  if (typeof value === 'bigint' || Number.isSafeInteger(value) || (typeof value === 'string' && /^\d+$/.test(value))) {
    const integer = BigInt(value as bigint | number | string)
    if (integer >= 0n && integer < 2n ** 64n) return integer
  }
  return uint64.fail('an integer from 0 to 2^64 - 1')
}

export function oneOf<const V extends string>(names: readonly V[]): Read<V> {
  return (name) => {
    const { value } = name
    const named = names.find((one) => one === value)
    if (named !== undefined) return named
    const hint = typeof value === 'string' ? didYouMean(value, names) : ''
    return name.fail(`one of ${names.join(', ')}`, `${shown(value)}${hint}`)
  }
}

const elements = integer(1, 0xfffffffe)
export const cellValNum: Read<CellValNum> = (num) => (num.value === 'var' ? 'var' : elements(num))

/** Reads the bytes of one cell. */
export function cell(type: Datatype, cellValNum: CellValNum, style: ValueStyle): Read<Uint8Array> {
  return ({ path, value }) => withPlace({ field: path }, () => bytesOf(type, cellValNum, value, style))
}

function shown(value: Json | undefined): string {
  if (value === undefined) return 'nothing'
  if (typeof value === 'bigint') return String(value)
  if (Array.isArray(value)) return `an array of ${value.length}`
  if (isJsonObject(value)) return 'an object'
  const text = JSON.stringify(value)
  return text.length > 60 ? `${text.slice(0, 60)}…` : text
}
