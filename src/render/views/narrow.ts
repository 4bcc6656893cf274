/** Views show documents, whose values are of any kind: these read a value as what a key of the contract holds. */

import { isAsyncIterable, isFields, isIterable, type Result } from '../../base/result.ts'
import type { DocumentHead } from '../../documents/common.ts'

export type Fields = { readonly [key: string]: Result | undefined }
export type Document = DocumentHead & Fields
type Value = Result | undefined

/** The keys of an object; none where it is something else. */
export function fields(value: Value): Fields {
  return isFields(value) ? value : {}
}

/** A list of objects; empty where it is something else. */
export function fieldList(value: Value): Fields[] {
  return Array.from(list(value), fields)
}

/** A list, which may be made while it is walked; empty where it is something else. */
export function list(value: Value): Iterable<Result> {
  return isIterable(value) && !(value instanceof Uint8Array) ? value : []
}

/** Rows that come from a fragment while they are shown. */
export function rowsOf(value: Value): AsyncIterable<Result> | Iterable<Result> {
  return isAsyncIterable(value) ? value : list(value)
}

/** Empty where it is no text. */
export function text(value: Value): string {
  return typeof value === 'string' ? value : ''
}

export function integer(value: Value): number | bigint | undefined {
  return typeof value === 'number' || typeof value === 'bigint' ? value : undefined
}

/** A size or count; 0 where it is none. */
export function amount(value: Value): number {
  return typeof value === 'number' || typeof value === 'bigint' ? Number(value) : 0
}

/** The keys of any document. */
export function untyped(document: DocumentHead): Document {
  return document as Document
}
