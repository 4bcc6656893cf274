import { BoundedMap, keptOrMade } from '../storage/remote/bounded-map.ts'
import type { ByteSource, Entry, Storage } from '../storage/source.ts'
import { addWasmFiles } from './codecs.ts'
import { Engine } from './engine.ts'
import {
  errorFrom,
  type FromWorker,
  plainError,
  type StorageAnswer,
  type StorageCall,
  type ToWorker,
} from './messages.ts'
import { ownMemory, runTask } from './tasks.ts'

/** The program of a worker, which does tasks for the page one after another (job.ts). */

/** The global scope of a worker. The DOM types of a page do not have it. */
const scope = globalThis as unknown as {
  postMessage(message: FromWorker, transfer?: Transferable[]): void
  onmessage: (event: MessageEvent<ToWorker>) => void
}

export function workForPage(): void {
  let engine: Engine | undefined
  let steps: AsyncGenerator<unknown, unknown> | undefined
  scope.onmessage = ({ data }) => {
    if ('answer' in data) return answer(data.answer)
    if ('setup' in data) {
      const { place, isRemote, mayNotList, key, wasm } = data.setup
      addWasmFiles(...wasm)
      engine = new Engine({ ...place, storage: storageOfPage(isRemote, mayNotList) }, key)
      return
    }
    if ('task' in data && engine) {
      cache = new BoundedMap(Number.POSITIVE_INFINITY, MAX_KEPT)
      steps = runTask(engine, data.task)
    }
    steps?.next().then(
      (found) => scope.postMessage({ found }, found.done ? ownMemory(found.value) : []),
      (error: unknown) => scope.postMessage({ error: plainError(error) }),
    )
  }
}

/** Calls that the page has not answered yet, by id. */
const waiting = new Map<number, { resolve: (value: unknown) => void; reject: (error: Error) => void }>()
/** The last number given to a call or a file. */
let last = 0

/** Calls the page's storage. */
function ask<T>(what: StorageCall['what'], path: string, args: readonly number[] = [], file?: number): Promise<T> {
  const id = ++last
  scope.postMessage({ call: { id, what, path, args, ...(file !== undefined && { file }) } })
  return new Promise<T>((resolve, reject) => waiting.set(id, { resolve: resolve as (value: unknown) => void, reject }))
}

function answer({ id, value, error }: StorageAnswer): void {
  const call = waiting.get(id)
  waiting.delete(id)
  if (error) call?.reject(errorFrom(error))
  else call?.resolve(value)
}

/** Upper limit in bytes of the cache of a task: samples read the same tiles again and again. */
const MAX_KEPT = 16 * 2 ** 20
/** The cache: bytes by file, offset and length. */
let cache = new BoundedMap<Promise<Uint8Array>>(Number.POSITIVE_INFINITY, MAX_KEPT)

function readOnce(path: string, offset: number, length: number, file: number): Promise<Uint8Array> {
  const read = () => ask<Uint8Array>('read', path, [offset, length], file)
  if (length > MAX_KEPT / 4) return read()
  const key = `${path} ${offset} ${length}`
  const bytes = keptOrMade(cache, key, read)
  cache.weigh(key, length)
  return bytes
}

/** A storage that calls the page's storage by messages. */
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
