import type { MessagePort } from 'node:worker_threads'
import { asInspectError, type ErrorFacts, InspectError } from '../base/errors.ts'
import { withRemote } from '../storage/remote/urls.ts'
import type { ByteSource, Storage } from '../storage/source.ts'

/**
 * A storage for other threads. They ask the first thread, which alone sends requests to servers. So nothing is fetched twice,
 * and the user's limit on requests holds for any number of threads.
 */

/** A question of a thread. */
type Question =
  | { ask: 'kind' | 'list'; path: string }
  | { ask: 'size' | 'close'; path: string; source: number }
  | { ask: 'read' | 'fetch'; path: string; source: number; offset: number; length: number }

/** Answers another thread's questions. */
export function lendStorage(storage: Storage, port: MessagePort): void {
  const sources = new Map<number, ByteSource>()
  const sourceOf = (id: number, path: string): ByteSource => {
    const source = sources.get(id) ?? storage.open(path)
    sources.set(id, source)
    return source
  }
  const answer = async (question: Question): Promise<unknown> => {
    if (!('source' in question))
      return question.ask === 'kind' ? storage.kind(question.path) : storage.list(question.path)
    const source = sourceOf(question.source, question.path)
    if (!('offset' in question)) {
      if (question.ask === 'size') return source.size()
      sources.delete(question.source)
      return source.close()
    }
    const { ask, offset, length } = question
    if (ask === 'fetch' && source.fetch) return source.fetch(offset, length)
    // A copy, because other readers may share the source's bytes.
    return (await source.read(offset, length)).slice()
  }
  port.on('message', async ({ id, question }: { id: number; question: Question }) => {
    try {
      const value = await answer(question)
      port.postMessage({ id, value }, value instanceof Uint8Array ? [value.buffer as ArrayBuffer] : [])
    } catch (error) {
      const { code, fault, at } = asInspectError(error)
      port.postMessage({ id, failure: { code, fault, at } satisfies ErrorFacts })
    }
  })
  // A worker keeps the program alive while it works. The port alone must not.
  port.unref()
}

/** A storage that reads URLs through the thread that lends its storage, and all other paths from `local`. */
export function lentStorage(local: Storage, port: MessagePort): Storage {
  const waiting = new Map<number, { resolve(value: unknown): void; reject(error: unknown): void }>()
  let last = 0
  port.on('message', ({ id, value, failure }: { id: number; value: unknown; failure?: ErrorFacts }) => {
    const one = waiting.get(id)
    waiting.delete(id)
    if (failure) one?.reject(new InspectError(failure.code, failure.fault, failure.at))
    else one?.resolve(value)
  })
  const ask = <T>(question: Question): Promise<T> =>
    new Promise<unknown>((resolve, reject) => {
      waiting.set(++last, { resolve, reject })
      port.postMessage({ id: last, question })
    }) as Promise<T>
  let sources = 0
  const open = (path: string): ByteSource => {
    const source = ++sources
    let asked = false
    const about = <T>(question: Question): Promise<T> => {
      asked = true
      return ask(question)
    }
    return {
      name: path,
      size: () => about({ ask: 'size', source, path }),
      read: (offset, length) => about({ ask: 'read', source, path, offset, length }),
      fetch: (offset, length) => about({ ask: 'fetch', source, path, offset, length }),
      async close() {
        if (asked) await ask({ ask: 'close', source, path })
      },
    }
  }
  const remote: Storage = {
    kind: (path) => ask({ ask: 'kind', path }),
    list: (path) => ask({ ask: 'list', path }),
    open,
  }
  return withRemote(local, () => remote)
}
