import { availableParallelism } from 'node:os'
import type { Unit } from '../verify/units.ts'
import { nothingYet, type Verification } from '../verify/verification.ts'
import { runHere, type UnitRunner, type UnitWorker, unpacked } from '../verify/verify.ts'
import type { RemoteOptions } from './remote/remote.ts'
import { PoolThread, sharedWork, type Thread } from './shared-work.ts'

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

/** A runner that shares units among `jobs` threads, this one among them. Work of little size is done by `here` alone. */
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
    if (more) {
      // More than processors help only where a network is waited for.
      const count = settings.remote ? jobs : Math.min(jobs, availableParallelism())
      const threads = Array.from({ length: count - 1 }, () => workerThread(settings))
      try {
        yield* sharedWork(all, (unit) => here.run(unit), threads)
      } finally {
        await here.close()
      }
    } else yield* runHere(here)(all)
  }
}

async function* chain(first: readonly Unit[], rest: AsyncIterator<Unit> | undefined): AsyncGenerator<Unit> {
  try {
    yield* first
    if (!rest) return
    for (let next = await rest.next(); !next.done; next = await rest.next()) yield next.value
  } finally {
    await rest?.return?.()
  }
}

function workerThread(settings: WorkerSettings): Thread<Unit, Verification> {
  const pool = new PoolThread<Unit, Verification>('verify-worker.cjs', settings)
  return {
    ready: pool.ready,
    async run(unit) {
      const { part } = unit
      // A fault is no work, and its error would not survive the crossing.
      if (part.kind === 'fault') return { ...nothingYet(), notExamined: [part.error] }
      return unpacked(await pool.run(unit))
    },
    end: () => pool.end(),
  }
}
