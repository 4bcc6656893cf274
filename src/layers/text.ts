import { InspectError } from '../base/errors.ts'
import { finding, type Item, type Items } from '../check/finding.ts'
import type { FactValue, LayerFact } from './layer.ts'
import type { DatasetPart } from './part.ts'
import { findingPlace } from './place.ts'

/*
 * JSON in the values of key-value metadata, where many layers keep what TileDB has no place for.
 */

/** A value of JSON. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json }

/** A text that was read, or why it cannot be. One that is too long to be read need not be wrong. */
export type Embedded<T> = { value: T; fault?: undefined } | { value?: undefined; fault: string; isTooLong?: true }

/** Most characters of a text that is read. Its lists and elements may take a hundred times as much memory, and it is read several times. */
const LONGEST_TEXT = 2 ** 22

/** What is known of a text that is too long to be read. Undefined for others. */
export function textTooLong(text: string): { fault: string; isTooLong: true } | undefined {
  if (text.length <= LONGEST_TEXT) return undefined
  return { fault: `a text of ${text.length} characters`, isTooLong: true }
}

/** A text that cannot be read, as part of a check. */
export function textItem(
  part: DatasetPart,
  key: string,
  expected: string,
  { fault, isTooLong }: { fault: string; isTooLong?: true },
): Item {
  const place = findingPlace(part, key)
  if (!isTooLong) return finding('LAYER_TEXT', place, expected, fault)
  return {
    notExamined: new InspectError('TOO_LARGE', { expected: `at most ${LONGEST_TEXT} characters`, found: fault }, place),
  }
}

/** The text of a key. Some writers count the NUL that ends it in C. */
export async function keyText(part: DatasetPart, key: string): Promise<string | undefined> {
  return (await part.text(key))?.replace(/\0+$/, '')
}

/** The JSON of a key; undefined if there is no such key. */
export async function jsonOf(part: DatasetPart, key: string): Promise<Embedded<Json> | undefined> {
  const text = await keyText(part, key)
  if (text === undefined) return undefined
  const long = textTooLong(text)
  if (long) return long
  try {
    return { value: JSON.parse(text) }
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    return { fault: text === '' ? 'no text' : `text of ${text.length} characters, which is no JSON` }
  }
}

/** Checks that the keys that are there hold JSON. */
export async function* checkJson(part: DatasetPart, keys: readonly string[]): Items {
  for (const key of keys) {
    const json = await jsonOf(part, key)
    if (json?.fault !== undefined) yield textItem(part, key, 'JSON', json)
  }
}

export function isObject(json: Json | undefined): json is { readonly [key: string]: Json } {
  return typeof json === 'object' && json !== null && !Array.isArray(json)
}

/** The elements of a list; none if it is no list. */
export function jsonList(json: Json | undefined): readonly Json[] {
  return Array.isArray(json) ? json : []
}

/** A key of an object; undefined if it is no object, or has none. */
export function keyOf(json: Json | undefined, key: string): Json | undefined {
  return isObject(json) && Object.hasOwn(json, key) ? json[key] : undefined
}

export function stringOf(json: Json | undefined): string | undefined {
  return typeof json === 'string' ? json : undefined
}

export function jsonNumber(json: Json | undefined): number | undefined {
  return typeof json === 'number' ? json : undefined
}

/** The value of a key as a fact: text and numbers as they are, also of 64 bits. */
export async function factOf(part: DatasetPart, key: string): Promise<FactValue | undefined> {
  const value = await part.value(key)
  return typeof value === 'string' ||
    typeof value === 'number' ||
    typeof value === 'bigint' ||
    typeof value === 'boolean'
    ? value
    : undefined
}

/** Facts of the keys that are there. @param keys the name of each fact by its key */
export async function factsOfKeys(part: DatasetPart, keys: Readonly<Record<string, string>>): Promise<LayerFact[]> {
  const facts: LayerFact[] = []
  for (const [key, name] of Object.entries(keys)) {
    const value = await factOf(part, key)
    if (value !== undefined) facts.push({ name, value })
  }
  return facts
}
