import { InspectError } from '../base/errors.ts'
import type { ByteSource, Storage } from '../source/source.ts'
import { wasmFiles } from './codecs.ts'
import { Engine, type Source } from './engine.ts'
import { run, type TaskName } from './tasks.ts'

/**
 * What would stop the page for long runs in a worker: the page's own program, begun once more (worker.ts). The worker reads through the
 * page, which has the bytes, whatever the place is: `Storage` has few calls, and they are the messages. A worker does one task at a
 * time.
 */

/** What a worker is to do: a function of tasks.ts, and its arguments behind the engine. */
interface Task {
  name: TaskName
  args: readonly unknown[]
}

/** The first message to a worker. */
export interface Order {
  place: Omit<Source, 'storage'>
  isRemote: boolean
  mayNotList: boolean
  key: Uint8Array | undefined
  wasm: Parameters<typeof import('./codecs.ts').giveWasm>
}

/** A call of the page's storage, or of a file that the worker opened. */
export interface Call {
  id: number
  what: 'kind' | 'list' | 'listAhead' | 'size' | 'read' | 'fetch' | 'close'
  path: string
  /** Which of the worker's files. */
  file?: number
  args: readonly number[]
}

/** An error, as messages carry it: without a code where the program is wrong. */
export interface Told {
  code?: InspectError['code']
  message: string
  at?: InspectError['at']
}

export interface Answer {
  id: number
  value?: unknown
  error?: Told
}

/** What the page sends: the order, a task, the wish for more of it, and answers to calls. */
export type Asked = { order: Order } | { task: Task } | { next: true } | { answer: Answer }

/** What the worker sends: calls, and what a task has found, or why it ended. */
export type Sent = { call: Call } | { found: IteratorResult<unknown, unknown> } | { error: Told }

export function told(error: unknown): Told {
  if (error instanceof InspectError) return { code: error.code, message: error.message, at: error.at }
  return { message: String((error as Error)?.stack ?? error) }
}

export function untold({ code, message, at }: Told): Error {
  return code === undefined ? new Error(message) : new InspectError(code, message, at)
}

/** Thrown where the browser gives the page no worker. */
class NoWorker extends Error {}

/** A task that is under way. */
export interface Job<T> {
  /** What it has found so far, and at its end all. Asked for one after another. */
  next(): Promise<IteratorResult<T, T>>
  /** Bytes that were read so far. */
  read(): number
  /** Ends it: what was asked for never comes then. */
  stop(): void
}

let program: string | undefined

/** Remembers the text of the program that runs. Its element is known only while it begins. */
export function rememberProgram(): void {
  program = document.currentScript?.textContent ?? undefined
}

/** The workers of one target. */
export class Workers {
  private readonly source: Source
  private readonly key: Uint8Array | undefined
  private readonly busy = new Set<Helper>()
  /** It has done its task, and waits for another. */
  private idle: Helper | undefined

  constructor(source: Source, key: Uint8Array | undefined) {
    this.source = source
    this.key = key
  }

  /** Begins a task. Where the browser gives no worker, the page does it. */
  begin(task: Task): Job<unknown> {
    const helper = this.idle ?? new Helper(this.source, this.key)
    this.idle = undefined
    this.busy.add(helper)
    const before = helper.read
    let inPage: AsyncGenerator<unknown, unknown> | undefined
    let message: Asked = { task }
    const over = (isFree: boolean): void => {
      if (!this.busy.delete(helper)) return
      if (isFree && !this.idle) this.idle = helper
      else helper.end()
    }
    const next = async (): Promise<IteratorResult<unknown, unknown>> => {
      if (inPage) return inPage.next()
      try {
        const asked = helper.ask(message)
        message = { next: true }
        const found = await asked
        if (found.done) over(true)
        return found
      } catch (error) {
        over(error instanceof InspectError)
        if (!(error instanceof NoWorker)) throw error
        inPage = run(new Engine(this.source, this.key), task)
        return inPage.next()
      }
    }
    return { next, read: () => helper.read - before, stop: () => over(false) }
  }

  close(): void {
    for (const helper of this.busy) helper.end()
    this.idle?.end()
  }
}

/** A worker, as the page sees it. */
class Helper {
  /** Bytes that it has read. */
  read = 0
  private worker: Worker | undefined
  private url = ''
  private hasBegun = false
  private waiting: { resolve(found: IteratorResult<unknown, unknown>): void; reject(error: Error): void } | undefined

  constructor({ storage, path, shown, made }: Source, key: Uint8Array | undefined) {
    if (program === undefined) return
    this.url = URL.createObjectURL(new Blob([program], { type: 'text/javascript' }))
    try {
      this.worker = new Worker(this.url)
    } catch {
      return
    }
    const files = new Map<number, ByteSource>()
    this.worker.onmessage = async ({ data }: MessageEvent<Sent>) => {
      this.hasBegun = true
      if ('found' in data) this.waiting?.resolve(data.found)
      else if ('error' in data) this.waiting?.reject(untold(data.error))
      else {
        const answer = await answered(storage, files, data.call)
        const bytes = answer.value instanceof Uint8Array ? answer.value : undefined
        this.read += bytes?.length ?? 0
        this.send({ answer }, bytes ? [bytes.buffer] : [])
      }
    }
    this.worker.onerror = (event) => {
      const error = this.hasBegun ? new Error(event.message) : new NoWorker()
      this.end()
      this.waiting?.reject(error)
    }
    const [isRemote, mayNotList] = [storage.isRemote?.(path) ?? false, storage.mayNotList?.(path) ?? false]
    const place = { path, shown, ...(made !== undefined && { made }) }
    this.send({ order: { place, isRemote, mayNotList, key, wasm: wasmFiles() } })
  }

  /** Asks for a step of its task. @throws NoWorker */
  ask(message: Asked): Promise<IteratorResult<unknown, unknown>> {
    return new Promise((resolve, reject) => {
      this.waiting = { resolve, reject }
      if (this.worker) this.send(message)
      else reject(new NoWorker())
    })
  }

  end(): void {
    this.worker?.terminate()
    this.worker = undefined
    URL.revokeObjectURL(this.url)
  }

  private send(message: Asked, given: Transferable[] = []): void {
    this.worker?.postMessage(message, given)
  }
}

/** What the storage answers to a call. Bytes are copied, so that they can be given away. */
async function answered(storage: Storage, files: Map<number, ByteSource>, call: Call): Promise<Answer> {
  const { id, what, path, file = 0, args } = call
  try {
    if (what === 'kind' || what === 'list' || what === 'listAhead') return { id, value: await storage[what]?.(path) }
    const source = files.get(file) ?? storage.open(path)
    files.set(file, source)
    if (what === 'close') files.delete(file)
    const value = await (source[what] as (...args: readonly number[]) => Promise<unknown>).call(source, ...args)
    return { id, value: value instanceof Uint8Array ? value.slice() : value }
  } catch (error) {
    return { id, error: told(error) }
  }
}
