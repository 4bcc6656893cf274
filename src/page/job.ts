import { type Fault, faultText, InspectError } from '../base/errors.ts'
import type { ByteSource, Storage } from '../storage/source.ts'
import { wasmFiles } from './codecs.ts'
import { Engine, type Source } from './engine.ts'
import { runTask, type TaskName } from './tasks.ts'

/**
 * Work that would block the page runs in a worker, which runs the page's own program a second time (worker.ts). The page has the
 * bytes, and the worker reads through it: each message is a call of the page's `Storage`. So a worker can read any place. A worker
 * does one task at a time.
 */

/** A function of tasks.ts, and its arguments after the engine. */
interface Task {
  name: TaskName
  args: readonly unknown[]
}

/** The first message to a worker. */
interface Setup {
  place: Omit<Source, 'storage'>
  isRemote: boolean
  mayNotList: boolean
  key: Uint8Array | undefined
  wasm: Parameters<typeof import('./codecs.ts').addWasmFiles>
}

/** A call of the page's storage, or of a file that the worker opened. */
export interface Call {
  id: number
  what: 'kind' | 'list' | 'listAhead' | 'size' | 'read' | 'fetch' | 'close'
  path: string
  /** Number that the worker gave to the file. */
  file?: number
  args: readonly number[]
}

/** An error as messages carry it. It has a code unless it is a fault of the program. */
interface PlainError {
  code?: InspectError['code']
  fault: Fault
  at?: InspectError['at']
}

export interface Answer {
  id: number
  value?: unknown
  error?: PlainError
}

/** A message to a worker: the setup, a task, the request for its next step, or the answer to a call. */
export type ToWorker = { setup: Setup } | { task: Task } | { next: true } | { answer: Answer }

/** A message from a worker: a call, the result of a step, or the error that ended the task. */
export type FromWorker = { call: Call } | { found: IteratorResult<unknown, unknown> } | { error: PlainError }

export function plainError(error: unknown): PlainError {
  if (error instanceof InspectError) return { code: error.code, fault: error.fault, at: error.at }
  return { fault: String((error as Error)?.stack ?? error) }
}

export function errorFrom({ code, fault, at }: PlainError): Error {
  return code === undefined ? new Error(faultText(fault)) : new InspectError(code, fault, at)
}

/** Thrown if the browser gives the page no worker. */
class NoWorker extends Error {}

/** A running task. */
export interface Job<T> {
  /** The results so far; at the end, all of them. A caller waits for one step before it asks for the next. */
  next(): Promise<IteratorResult<T, T>>
  /** Number of bytes read so far. */
  read(): number
  /** Ends the task. A step that was asked for then never comes. */
  stop(): void
}

let program: string | undefined

/** Keeps the text of the running program for workers. The browser names its element only while the program begins. */
export function rememberProgram(): void {
  program = document.currentScript?.textContent ?? undefined
}

/** The workers of one target. */
export class Workers {
  private readonly source: Source
  private readonly key: Uint8Array | undefined
  private readonly busy = new Set<TaskWorker>()
  /** A worker that has done its task, and waits for another. */
  private idle: TaskWorker | undefined

  constructor(source: Source, key: Uint8Array | undefined) {
    this.source = source
    this.key = key
  }

  /** Begins a task. The page itself does it if the browser gives no worker. */
  begin(task: Task): Job<unknown> {
    const worker = this.idle ?? new TaskWorker(this.source, this.key)
    this.idle = undefined
    this.busy.add(worker)
    const before = worker.read
    let inPage: AsyncGenerator<unknown, unknown> | undefined
    let message: ToWorker = { task }
    const end = (isReusable: boolean): void => {
      if (!this.busy.delete(worker)) return
      if (isReusable && !this.idle) this.idle = worker
      else worker.end()
    }
    const next = async (): Promise<IteratorResult<unknown, unknown>> => {
      if (inPage) return inPage.next()
      try {
        const step = worker.ask(message)
        message = { next: true }
        const found = await step
        if (found.done) end(true)
        return found
      } catch (error) {
        end(error instanceof InspectError)
        if (!(error instanceof NoWorker)) throw error
        inPage = runTask(new Engine(this.source, this.key), task)
        return inPage.next()
      }
    }
    return { next, read: () => worker.read - before, stop: () => end(false) }
  }

  close(): void {
    for (const worker of this.busy) worker.end()
    this.idle?.end()
  }
}

/** The page's side of a worker. */
class TaskWorker {
  /** Number of bytes that the worker has read. */
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
    this.worker.onmessage = async ({ data }: MessageEvent<FromWorker>) => {
      this.hasBegun = true
      if ('found' in data) this.waiting?.resolve(data.found)
      else if ('error' in data) this.waiting?.reject(errorFrom(data.error))
      else {
        const answer = await answerCall(storage, files, data.call)
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
    this.send({ setup: { place, isRemote, mayNotList, key, wasm: wasmFiles() } })
  }

  /** Asks for a step of the worker's task. @throws NoWorker */
  ask(message: ToWorker): Promise<IteratorResult<unknown, unknown>> {
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

  private send(message: ToWorker, transfer: Transferable[] = []): void {
    this.worker?.postMessage(message, transfer)
  }
}

/** Runs a call of a worker on the page's storage. Copies the bytes, so that the message can hand them over. */
async function answerCall(storage: Storage, files: Map<number, ByteSource>, call: Call): Promise<Answer> {
  const { id, what, path, file = 0, args } = call
  try {
    if (what === 'kind' || what === 'list' || what === 'listAhead') return { id, value: await storage[what]?.(path) }
    const source = files.get(file) ?? storage.open(path)
    files.set(file, source)
    if (what === 'close') files.delete(file)
    const value = await (source[what] as (...args: readonly number[]) => Promise<unknown>).call(source, ...args)
    return { id, value: value instanceof Uint8Array ? value.slice() : value }
  } catch (error) {
    return { id, error: plainError(error) }
  }
}
