import { InspectError } from '../base/errors.ts'
import type { ByteSource, Storage } from '../storage/source.ts'
import { wasmFiles } from './codecs.ts'
import {
  errorFrom,
  type FromWorker,
  plainError,
  type StorageAnswer,
  type StorageCall,
  type Task,
  type ToWorker,
} from './messages.ts'
import { loadedProgram, WORKER_PART } from './program.ts'
import type { TargetSource } from './source.ts'

/**
 * Work that would block the page runs in a worker, whose program is parts of the page's own (worker.ts, loader.ts). The page has the
 * bytes, and the worker reads through it: each message is a call of the page's `Storage`. So a worker can read any place. A worker
 * does one task at a time. If its first step needs another part of the program, a new worker with that part does the task.
 */

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

/** A part that a task may first need in its middle, when it cannot begin anew: workers get it at once. */
const WEBP = 'webp'
/** Names of the parts that workers lacked so far. Later ones get them at once. */
const lacked = new Set<string>()

/** The workers of one target. */
export class Workers {
  private readonly source: TargetSource
  private readonly key: Uint8Array | undefined
  private readonly busy = new Set<TaskWorker>()
  /** A worker that has done its task, and waits for another. */
  private idle: TaskWorker | undefined

  /** Each target has a task at once. So the first worker starts while the page still opens the target, and loads the view. */
  constructor(source: TargetSource, key: Uint8Array | undefined) {
    this.source = source
    this.key = key
    this.idle = new TaskWorker(source, key)
    this.idle.started().catch(() => {})
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
        const [{ Engine }, { runTask }] = await Promise.all([import('./engine.ts'), import('./tasks.ts')])
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
  private readonly source: TargetSource
  private readonly key: Uint8Array | undefined
  private worker: Worker | undefined
  private url = ''
  private hasEnded = false
  private starting: Promise<void> | undefined
  /** Whether the worker runs: it has sent a message. */
  private runs = false
  /** The last message that was asked for: a worker with more parts gets it again. */
  private asked: ToWorker | undefined
  private waiting: { resolve(found: IteratorResult<unknown, unknown>): void; reject(error: Error): void } | undefined

  constructor(source: TargetSource, key: Uint8Array | undefined) {
    this.source = source
    this.key = key
  }

  /** Resolves when the worker has started. @throws NoWorker */
  started(): Promise<void> {
    this.starting ??= this.start()
    return this.starting
  }

  /** Starts the worker with the parts of the program that are known to be needed. @throws NoWorker */
  private async start(): Promise<void> {
    const { storage, path, shown, made } = this.source
    // A report has it only if it needs it.
    if (loadedProgram()?.has(WEBP)) lacked.add(WEBP)
    const text = await loadedProgram()?.workerText(WORKER_PART, lacked)
    if (this.hasEnded) return
    if (text === undefined) throw new NoWorker()
    this.url = URL.createObjectURL(new Blob([text], { type: 'text/javascript' }))
    const worker = newWorker(this.url)
    this.worker = worker
    const files = new Map<number, ByteSource>()
    worker.onmessage = async ({ data }: MessageEvent<FromWorker>) => {
      this.runs = true
      if ('found' in data) this.waiting?.resolve(data.found)
      else if ('error' in data) this.waiting?.reject(errorFrom(data.error))
      else if ('need' in data) await this.startAgain(data.need)
      else {
        const answer = await answerCall(storage, files, data.call)
        const bytes = answer.value instanceof Uint8Array ? answer.value : undefined
        this.read += bytes?.length ?? 0
        send(worker, { answer }, bytes ? [bytes.buffer] : [])
      }
    }
    worker.onerror = (event) => {
      const error = this.runs ? new Error(event.message) : new NoWorker()
      this.end()
      this.waiting?.reject(error)
    }
    const [isRemote, mayNotList] = [storage.isRemote?.(path) ?? false, storage.mayNotList?.(path) ?? false]
    const place = { path, shown, ...(made !== undefined && { made }) }
    send(worker, { setup: { place, isRemote, mayNotList, key: this.key, wasm: wasmFiles() } })
  }

  /** Starts a worker that has one more part of the program, and gives it the task. */
  private async startAgain(part: string): Promise<void> {
    lacked.add(part)
    this.stopWorker()
    try {
      await this.start()
    } catch (error) {
      this.waiting?.reject(error as Error)
      return
    }
    if (!this.worker || !this.asked) return
    // A task that has shown something would show it twice.
    if ('next' in this.asked) this.waiting?.reject(new Error(`a task needs the part ${part} after its first step`))
    else send(this.worker, this.asked)
  }

  /** Asks for a step of the worker's task. @throws NoWorker */
  async ask(message: ToWorker): Promise<IteratorResult<unknown, unknown>> {
    if (!this.hasEnded) await this.started()
    return new Promise((resolve, reject) => {
      this.waiting = { resolve, reject }
      this.asked = message
      if (this.worker) send(this.worker, message)
      // Nobody waits for a step of a task that was stopped.
      else if (!this.hasEnded) reject(new NoWorker())
    })
  }

  end(): void {
    this.hasEnded = true
    this.stopWorker()
  }

  private stopWorker(): void {
    this.worker?.terminate()
    this.worker = undefined
    URL.revokeObjectURL(this.url)
  }
}

/** @throws NoWorker if the browser gives none */
function newWorker(url: string): Worker {
  try {
    return new Worker(url)
  } catch {
    throw new NoWorker()
  }
}

function send(worker: Worker, message: ToWorker, transfer: Transferable[] = []): void {
  worker.postMessage(message, transfer)
}

/** Runs a call of a worker on the page's storage. Copies the bytes, so that the message can hand them over. */
async function answerCall(storage: Storage, files: Map<number, ByteSource>, call: StorageCall): Promise<StorageAnswer> {
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
