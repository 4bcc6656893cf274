import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import type { Unit } from '../verify/units.ts'
import { nothingYet, type Verification } from '../verify/verification.ts'
import { type UnitRunner, unpacked } from '../verify/verify.ts'
import type { RemoteOptions } from './remote/remote.ts'

/** What each thread is told when it starts. */
export interface WorkerSettings {
  key: Uint8Array | undefined
  deep: boolean
  maxTileSize: number | undefined
  /** Set where URLs may have to be read. */
  remote: RemoteOptions | undefined
}

/** Units handed out ahead of the result that is waited for, for each worker. */
const AHEAD = 2

/** Stored bytes up to which workers would take longer to start than to help. */
const WORTH_WORKERS = 64 * 2 ** 20

/**
 * A runner that shares units among worker threads and gives results in the units' order. Work of little size is done by
 * `here` alone.
 */
export function runInWorkers(jobs: number, settings: WorkerSettings, here: UnitRunner): UnitRunner {
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
    if (!more) yield* here(all)
    else yield* share(all, jobs, settings)
  }
}

async function* chain(first: readonly Unit[], rest: AsyncIterator<Unit> | undefined): AsyncGenerator<Unit> {
  yield* first
  if (!rest) return
  for (let next = await rest.next(); !next.done; next = await rest.next()) yield next.value
}

async function* share(
  units: AsyncIterable<Unit>,
  jobs: number,
  settings: WorkerSettings,
): AsyncGenerator<Verification> {
  const workers = Array.from({ length: jobs }, () => new PoolWorker(settings))
  const waiting: Promise<Verification>[] = []
  try {
    for await (const unit of units) {
      // A fault is no work, and its error would not survive the crossing.
      if (unit.part.kind === 'fault') {
        waiting.push(Promise.resolve({ ...nothingYet(), notExamined: [unit.part.error] }))
        continue
      }
      const least = workers.reduce((a, b) => (b.load < a.load ? b : a))
      const result = least.run(unit)
      // Awaited in its turn; until then a failure must not count as unhandled.
      result.catch(() => {})
      waiting.push(result)
      while (waiting.length >= jobs * AHEAD) yield* waiting.splice(0, 1)
    }
    yield* waiting
  } finally {
    await Promise.all(workers.map((worker) => worker.end()))
  }
}

/** One thread; it answers units in the order it is given them. */
class PoolWorker {
  /** Bytes handed out and not yet answered. */
  load = 0
  private readonly worker: Worker
  private readonly waiting: { resolve(found: Verification): void; reject(error: unknown): void; bytes: number }[] = []

  constructor(settings: WorkerSettings) {
    this.worker = new Worker(join(__dirname, 'verify-worker.cjs'), { workerData: settings })
    this.worker.on('message', (found: Verification) => {
      const one = this.waiting.shift()
      if (!one) return
      this.load -= one.bytes
      one.resolve(unpacked(found))
    })
    this.worker.on('error', (error) => {
      for (const one of this.waiting.splice(0)) one.reject(error)
    })
  }

  run(unit: Unit): Promise<Verification> {
    const bytes = unit.bytes + 1
    this.load += bytes
    return new Promise((resolve, reject) => {
      this.waiting.push({ resolve, reject, bytes })
      this.worker.postMessage(unit)
    })
  }

  async end(): Promise<void> {
    await this.worker.terminate()
  }
}
