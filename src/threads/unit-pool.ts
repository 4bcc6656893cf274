import { availableParallelism } from 'node:os'
import { MessageChannel, type MessagePort } from 'node:worker_threads'
import { type ErrorFacts, InspectError } from '../base/errors.ts'
import type { Memory, MemoryFacts } from '../base/memory.ts'
import { runHere, type Unit, type UnitResult, type UnitRunner, type UnitWorker, unpacked } from '../check/units.ts'
import type { Storage } from '../storage/source.ts'
import { lendStorage } from './lent-storage.ts'
import { PoolThread, sharedWork, type Thread } from './shared-work.ts'

interface Settings {
  key: Uint8Array | undefined
  /** Option of `verify-checksums`; undefined for `check`. */
  deep: boolean | undefined
}

/** What {@link runInWorkers} needs. */
interface PoolSettings extends Settings {
  memory: Memory
}

/** Data for each thread at its start. */
export interface WorkerData extends Settings {
  /** The share of this thread. */
  memory: MemoryFacts
  /** Port to the thread that reads URLs; undefined if there are none. */
  port: MessagePort | undefined
}

/** The answer of a thread. */
export type Answer<I> = { result: UnitResult<I> } | { failure: ErrorFacts }

/** Stored bytes from which on workers save more time than they take to start. */
const WORTH_WORKERS = 64 * 2 ** 20

/**
 * A runner that shares units among `jobs` threads, including this one. `here` does small work alone.
 * @param target path of the target, and its size in bytes if known
 */
export function runInWorkers<I extends object>(
  jobs: number,
  settings: PoolSettings,
  storage: Storage,
  target: { path: string; bytes: number | undefined },
  here: UnitWorker<I>,
): UnitRunner<I> {
  const alone = runHere(here, target.path)
  // More threads than processors would only take more memory.
  const count = Math.min(jobs, availableParallelism())
  if (count === 1 || (target.bytes !== undefined && target.bytes < WORTH_WORKERS)) return alone
  const lent = storage.isRemote?.(target.path) ? storage : undefined
  return async function* (units) {
    const iterator = units[Symbol.asyncIterator]()
    const first: Unit<I>[] = []
    let bytes = target.bytes ?? 0
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
      settings.memory.threads = count
      const threads = Array.from({ length: count - 1 }, () => workerThread<I>(settings, lent))
      // All threads together have as many units at once as one thread alone would.
      const lanes = lent && Math.ceil(here.atOnce(target.path) / threads.length)
      try {
        yield* sharedWork(all, (unit) => here.run(unit), threads, undefined, lanes)
      } finally {
        settings.memory.threads = 1
        await here.close()
      }
    } else yield* alone(all)
  }
}

/** The units that were taken already, then the rest. */
async function* chain<U>(first: readonly U[], rest: AsyncIterator<U> | undefined): AsyncGenerator<U> {
  try {
    yield* first
    if (!rest) return
    for (let next = await rest.next(); !next.done; next = await rest.next()) yield next.value
  } finally {
    await rest?.return?.()
  }
}

/** Starts a thread. @param lent storage from which the thread reads URLs */
function workerThread<I extends object>(
  settings: PoolSettings,
  lent: Storage | undefined,
): Thread<Unit<I>, UnitResult<I>> {
  const channel = lent && new MessageChannel()
  if (channel) lendStorage(lent, channel.port1)
  const data: WorkerData = { ...settings, memory: settings.memory.facts, port: channel?.port2 }
  const pool = new PoolThread<Unit<I>, Answer<I>>('unit-worker.cjs', data, undefined, channel ? [channel.port2] : [])
  return {
    ready: pool.ready,
    async run(unit) {
      // A known result needs no work, and its errors would not survive the transfer.
      if (unit.part.kind === 'known') return unit.part.result
      const answer = await pool.run(unit)
      if ('result' in answer) return unpacked(answer.result)
      const { code, fault, at } = answer.failure
      throw new InspectError(code, fault, at)
    },
    end: () => pool.end(),
  }
}
