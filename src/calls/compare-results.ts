import { isFields, isIterable, type Result } from '../base/result.ts'
import type { DiffLine } from '../documents/diff.ts'
import { sameBytes } from '../filters/bytes.ts'

type Fields = { readonly [key: string]: Result | undefined }

/**
 * Every difference between two results. Keys and lists of named objects are matched by name, other lists by position. A list of plain
 * values gives only its first difference, with the number of the others: a million shifted offsets are one line. Iterables
 * are walked side by side and never collected.
 */
export function* differences(path: string, a: Result, b: Result): Generator<DiffLine> {
  if (isFields(a) && isFields(b)) {
    yield* ofFields(path, a, b)
    return
  }
  const [left, right] = [asList(a), asList(b)]
  if (!left || !right) {
    if (!sameValue(a, b)) yield { path, a, b }
    return
  }
  if (IN_ORDER.test(path)) {
    if (!ofLists(path, left, right).next().done) yield { path, a, b }
    return
  }
  const [leftNamed, rightNamed] = [byName(left), byName(right)]
  if (leftNamed && rightNamed) yield* ofNamed(path, leftNamed, rightNamed)
  else yield* ofLists(path, left, right)
}

/** Paths of lists that are compared as a whole, because their order matters: filter pipelines. */
const IN_ORDER = /(^|\.)filters$/

function* ofNamed(path: string, a: Fields, b: Fields): Generator<DiffLine> {
  yield* ofFields(path, a, b)
  const common = (one: Fields, other: Fields): string[] => Object.keys(one).filter((name) => name in other)
  const [left, right] = [common(a, b), common(b, a)]
  if (left.some((name, i) => name !== right[i])) yield { path: `${path} in order`, a: left, b: right }
}

function* ofFields(path: string, a: Fields, b: Fields): Generator<DiffLine> {
  for (const key of new Set([...Object.keys(a), ...Object.keys(b)])) {
    const [left, right] = [a[key], b[key]]
    const inside = path === '' ? keyInPath(key) : `${path}.${keyInPath(key)}`
    if (left === undefined && right === undefined) continue
    if (left === undefined || right === undefined) {
      yield { path: inside, a: left ?? null, b: right ?? null }
    } else yield* differences(inside, left, right)
  }
}

/** Largest number of differences of cells that are listed. Further cells that differ are only counted. */
export const MAX_LISTED = 100_000

/** A key as a part of a path. It is quoted if it could be misread. */
export function keyInPath(key: string): string {
  return /^[\w-]+$/.test(key) ? key : JSON.stringify(key)
}

function* ofLists(path: string, a: Iterable<Result>, b: Iterable<Result>): Generator<DiffLine> {
  const [left, right] = [a[Symbol.iterator](), b[Symbol.iterator]()]
  let first: DiffLine | undefined
  let more = 0
  for (let i = 0; ; i++) {
    const [x, y] = [left.next(), right.next()]
    if (x.done && y.done) break
    const [one, other] = [x.done ? null : x.value, y.done ? null : y.value]
    const nested = !x.done && !y.done && (isFields(one) || asList(one) !== undefined)
    if (nested) yield* differences(`${path}[${i}]`, one, other)
    else if (x.done || y.done || !sameValue(one, other)) {
      if (first) more++
      else first = { path: `${path}[${i}]`, a: one, b: other }
    }
  }
  if (first) yield more > 0 ? { ...first, more } : first
}

/** A list of objects with unique names, keyed by name; undefined for any other list. */
function byName(values: Iterable<Result>): Fields | undefined {
  if (!Array.isArray(values) || values.length === 0) return undefined
  const named: { [key: string]: Result } = Object.create(null)
  for (const value of values) {
    if (!isFields(value) || typeof value.name !== 'string' || value.name in named) return undefined
    named[value.name] = value
  }
  return named
}

function asList(value: Result): Iterable<Result> | undefined {
  return isIterable(value) && !(value instanceof Uint8Array) ? value : undefined
}

/** Whether two values are the same. NaN is the same as NaN, 1n is the same as 1, and bytes are compared one by one. */
function sameValue(a: Result, b: Result): boolean {
  if (a instanceof Uint8Array && b instanceof Uint8Array) return sameBytes(a, b)
  if (typeof a === 'bigint' || typeof b === 'bigint') return isNumber(a) && isNumber(b) && String(a) === String(b)
  return Object.is(a, b)
}

function isNumber(value: Result): value is number | bigint {
  return typeof value === 'number' || typeof value === 'bigint'
}
