import type { ByteSource, Entry, Storage } from '../source/source.ts'
import { giveWasm } from './codecs.ts'
import { Engine } from './engine.ts'
import { type Answer, type Asked, type Call, type Sent, told, untold } from './job.ts'
import { run } from './tasks.ts'

/** The program of a worker: does tasks for the page, one after another (job.ts). */

/** What there is of a worker's scope: the types of pages do not know it. */
const scope = globalThis as unknown as {
  postMessage(message: Sent): void
  onmessage: (event: MessageEvent<Asked>) => void
}

export function workForPage(): void {
  let engine: Engine | undefined
  let steps: AsyncGenerator<unknown, unknown> | undefined
  scope.onmessage = ({ data }) => {
    if ('answer' in data) return answer(data.answer)
    if ('order' in data) {
      const { place, isRemote, mayNotList, key, wasm } = data.order
      giveWasm(...wasm)
      engine = new Engine({ ...place, storage: storageOfPage(isRemote, mayNotList) }, key)
      return
    }
    if ('task' in data && engine) {
      kept.clear()
      keptBytes = 0
      steps = run(engine, data.task)
    }
    steps?.next().then(
      (found) => scope.postMessage({ found }),
      (error: unknown) => scope.postMessage({ error: told(error) }),
    )
  }
}

/** Calls that the page has not answered, by id. */
const waiting = new Map<number, { resolve: (value: unknown) => void; reject: (error: Error) => void }>()
let last = 0

function ask<T>(what: Call['what'], path: string, args: readonly number[] = [], file?: number): Promise<T> {
  const id = ++last
  scope.postMessage({ call: { id, what, path, args, ...(file !== undefined && { file }) } })
  return new Promise<T>((resolve, reject) => waiting.set(id, { resolve: resolve as (value: unknown) => void, reject }))
}

function answer({ id, value, error }: Answer): void {
  const one = waiting.get(id)
  waiting.delete(id)
  if (error) one?.reject(untold(error))
  else one?.resolve(value)
}

/** Bytes that are kept of what a task reads: samples read the same tiles again and again. */
const MOST_KEPT = 16 * 2 ** 20
/** By file, offset and length; those that were asked for last are at the end. */
const kept = new Map<string, { length: number; bytes: Promise<Uint8Array> }>()
let keptBytes = 0

function readOnce(path: string, offset: number, length: number, file: number): Promise<Uint8Array> {
  const key = `${path} ${offset} ${length}`
  const known = kept.get(key)
  if (known) {
    kept.delete(key)
    kept.set(key, known)
    return known.bytes
  }
  const bytes = ask<Uint8Array>('read', path, [offset, length], file)
  if (length > MOST_KEPT / 4) return bytes
  kept.set(key, { length, bytes })
  keptBytes += length
  for (const [oldest, one] of kept) {
    if (keptBytes <= MOST_KEPT) break
    kept.delete(oldest)
    keptBytes -= one.length
  }
  return bytes
}

/** The page's storage, by messages. */
function storageOfPage(isRemote: boolean, mayNotList: boolean): Storage {
  return {
    kind: (path) => ask<Entry['kind'] | undefined>('kind', path),
    list: (path) => ask<readonly Entry[]>('list', path),
    listAhead: (path) => ask<number | undefined>('listAhead', path),
    isRemote: () => isRemote,
    mayNotList: () => mayNotList,
    open(path): ByteSource {
      const file = ++last
      return {
        name: path,
        size: (end = 0) => ask<number>('size', path, [end], file),
        read: (offset, length) => readOnce(path, offset, length, file),
        ...(isRemote && { fetch: (offset, length) => ask<Uint8Array>('fetch', path, [offset, length], file) }),
        close: () => ask<void>('close', path, [], file),
      }
    },
  }
}
