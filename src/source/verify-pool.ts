import { once } from 'node:events'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import type { Unit } from '../verify/units.ts'
import { nothingYet, type Verification } from '../verify/verification.ts'
import { runHere, type UnitRunner, type UnitWorker, unpacked } from '../verify/verify.ts'
import type { RemoteOptions } from './remote/remote.ts'

/** What each thread is told when it starts. */
export interface WorkerSettings {
  key: Uint8Array | undefined
  deep: boolean
  maxTileSize: number | undefined
  /** Set where URLs may have to be read. */
  remote: RemoteOptions | undefined
}

/** Stored bytes up to which workers would take longer to start than to help. */
const WORTH_WORKERS = 64 * 2 ** 20

/**
 * A runner that shares units among `jobs` threads, this one among them, and gives results in the units' order. Work of little size is done by
 * `here` alone.
 */
export function runInWorkers(jobs: number, settings: WorkerSettings, here: UnitWorker): UnitRunner {
  return async function* (units) {
    const iterator = units[Symbol.asyncIterator]()
    const first: Unit[] = []
    let bytes = 0
    let more = true
    while (more && bytes < WORTH_WORKERS) {
      const next = await iterator.next()
      if (next.done) more = false
      else {
        first.push(next.value)
        bytes += next.value.bytes
      }
    }
    const all = chain(first, more ? iterator : undefined)
    if (!more) yield* runHere(here)(all)
    else yield* share(all, [new OwnThread(here), ...Array.from({ length: jobs - 1 }, () => new PoolWorker(settings))])
  }
}

async function* chain(first: readonly Unit[], rest: AsyncIterator<Unit> | undefined): AsyncGenerator<Unit> {
  yield* first
  if (!rest) return
  for (let next = await rest.next(); !next.done; next = await rest.next()) yield next.value
}

interface Thread {
  /** Units that it takes at once: one to work on, others so that it need not wait for the next. */
  readonly lanes: number
  /** Resolves when it can begin. */
  readonly ready: Promise<unknown>
  run(unit: Unit): Promise<Verification>
  end(): Promise<unknown>
}

/** Each thread takes the next unit when it has done one; results come in the units' order. */
async function* share(units: AsyncIterator<Unit>, threads: readonly Thread[]): AsyncGenerator<Verification> {
  const results: Promise<Verification>[] = []
  let wake = (): void => {}
  let failure: unknown
  /** All units are handed out; whoever has not begun by now need not. */
  let ended = false
  const lane = async (thread: Thread): Promise<void> => {
    try {
      await thread.ready
      for (let next = await units.next(); !next.done; next = await units.next()) {
        const { part } = next.value
        // A fault is no work, and its error would not survive the crossing.
        const result =
          part.kind === 'fault'
            ? Promise.resolve({ ...nothingYet(), notExamined: [part.error] })
            : thread.run(next.value)
        results.push(result)
        wake()
        // A failure is raised in its turn; until then it must not count as unhandled.
        await result.catch(() => {})
      }
    } catch (error) {
      failure ??= error
    }
    ended = true
    wake()
  }
  for (const thread of threads) for (let i = 0; i < thread.lanes; i++) void lane(thread)
  try {
    while (!ended || results.length > 0) {
      const result = results.shift()
      if (result) yield await result
      else
        await new Promise<void>((resolve) => {
          wake = resolve
        })
    }
    if (failure !== undefined) throw failure
  } finally {
    await units.return?.()
    await Promise.all(threads.map((thread) => thread.end()))
  }
}

/** This thread: it works while the others start, and hands out units between its own. */
class OwnThread implements Thread {
  readonly lanes = 1
  readonly ready = Promise.resolve()
  private readonly worker: UnitWorker

  constructor(worker: UnitWorker) {
    this.worker = worker
  }

  async run(unit: Unit): Promise<Verification> {
    // Answers of the other threads come in here.
    await new Promise((resolve) => setImmediate(resolve))
    return this.worker.run(unit)
  }

  end(): Promise<void> {
    return this.worker.close()
  }
}

/** Another thread; it answers units in the order it is given them. */
class PoolWorker implements Thread {
  readonly lanes = 2
  readonly ready: Promise<unknown>
  private readonly worker: Worker
  private readonly waiting: { resolve(found: Verification): void; reject(error: unknown): void }[] = []

  constructor(settings: WorkerSettings) {
    this.worker = new Worker(join(__dirname, 'verify-worker.cjs'), { workerData: settings })
    this.ready = once(this.worker, 'online')
    this.worker.on('message', (found: Verification) => this.waiting.shift()?.resolve(unpacked(found)))
    this.worker.on('error', (error) => {
      for (const one of this.waiting.splice(0)) one.reject(error)
    })
  }

  run(unit: Unit): Promise<Verification> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ resolve, reject })
      this.worker.postMessage(unit)
    })
  }

  async end(): Promise<void> {
    await this.worker.terminate()
  }
}
