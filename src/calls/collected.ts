import { isAsyncIterable, isFields, isIterable } from '../base/result.ts'
import { walk } from '../base/walk.ts'
import type { Outcome } from './outcome.ts'

/**
 * The document of an outcome as plain data, with arrays instead of lists that are made while they are printed. All of it is in memory.
 * @throws InspectError the error in place of a document
 */
export async function collectedDocument(outcome: Outcome): Promise<object> {
  switch (outcome.kind) {
    case 'error':
      throw outcome.error
    case 'bytes':
      throw new TypeError('bytes are no document')
    case 'document':
    case 'rows':
      return (await plain(outcome.document)) as object
    default: {
      const rows: unknown[] = []
      const tail = await walk<unknown, object>(outcome.walk(), async (row) => void rows.push(await plain(row)))
      return { ...((await plain(outcome.head)) as object), [outcome.list]: rows, ...((await plain(tail)) as object) }
    }
  }
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
