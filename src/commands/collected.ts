import { isAsyncIterable, isFields, isIterable } from '../base/result.ts'
import type { Outcome } from './outcome.ts'

/**
 * The document of an outcome as plain data, with arrays instead of lists that are made while they are printed. All of it is in memory.
 */
export async function collectedDocument({ document, tail }: Outcome): Promise<object> {
  const collected = (await plain(document)) as object
  return tail ? { ...collected, ...((await plain(tail())) as object) } : collected
}

async function plain(value: unknown): Promise<unknown> {
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return value
  if (isIterable(value) || isAsyncIterable(value)) {
    const all: unknown[] = []
    for await (const one of value) all.push(await plain(one))
    return all
  }
  if (!isFields(value)) return value
  const fields: Record<string, unknown> = {}
  for (const [key, one] of Object.entries(value)) if (one !== undefined) fields[key] = await plain(one)
  return fields
}
