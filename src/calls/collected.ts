import { isAsyncIterable, isFields, isIterable } from '../base/result.ts'
import { walk } from '../base/walk.ts'
import type { Outcome } from './outcome.ts'

/**
 * The document of an outcome as plain data, with arrays in place of lists that are made while they are printed. All of it is in memory.
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
      return (await collectedValue(outcome.document)) as object
    default: {
      const rows: unknown[] = []
      const tail = await walk<unknown, object>(outcome.walk(), async (row) => void rows.push(await collectedValue(row)))
      return {
        ...((await collectedValue(outcome.head)) as object),
        [outcome.list]: rows,
        ...((await collectedValue(tail)) as object),
      }
    }
  }
}

async function collectedValue(value: unknown): Promise<unknown> {
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return value
  if (isIterable(value) || isAsyncIterable(value)) {
    const all: unknown[] = []
    for await (const one of value) all.push(await collectedValue(one))
    return all
  }
  if (!isFields(value)) return value
  const fields: Record<string, unknown> = {}
  for (const [key, one] of Object.entries(value)) if (one !== undefined) fields[key] = await collectedValue(one)
  return fields
}
