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
  /** The option `--deep` of `verify-checksums`; undefined for `check`, which has none. */
  deep: boolean | undefined
}

/** What {@link runInWorkers} needs. */
interface PoolSettings extends Settings {
  memory: Memory
}

/** What a thread gets at its start. */
export interface WorkerData extends Settings {
  /** This thread's share of the memory. */
  memory: MemoryFacts
  /** Port to the thread that reads URLs; undefined if there are none. */
  port: MessagePort | undefined
}

/** The answer of a thread. */
export type ThreadAnswer<I> = { result: UnitResult<I> } | { failure: ErrorFacts }

/** Stored bytes from which on workers save more time than they take to start. */
const WORTH_WORKERS = 64 * 2 ** 20

/**
 * Makes a runner that shares units among `jobs` threads, including this one. If there is little work, this thread does it alone.
 * @param target path of the target, and its size in bytes if known
 * @param own what does the work of this thread
 */
export function runInWorkers<I extends object>(
  jobs: number,
  settings: PoolSettings,
  storage: Storage,
  target: { path: string; bytes: number | undefined },
  own: UnitWorker<I>,
): UnitRunner<I> {
  const runAlone = runHere(own, target.path)
  // More threads than processors would only take more memory.
  const count = Math.min(jobs, availableParallelism())
  if (count === 1 || (target.bytes !== undefined && target.bytes < WORTH_WORKERS)) return runAlone
  const lent = storage.isRemote?.(target.path) ? storage : undefined
  return async function* (units) {
    const iterator = units[Symbol.asyncIterator]()
    // Units are taken until they are worth more threads, or there are no more.
    const first: Unit<I>[] = []
    let bytes = target.bytes ?? 0
    let hasMore = true
    while (hasMore && bytes < WORTH_WORKERS) {
      const next = await iterator.next()
      if (next.done) hasMore = false
      else {
        first.push(next.value)
        bytes += next.value.bytes
      }
    }
    const all = chain(first, hasMore ? iterator : undefined)
    if (hasMore) {
      settings.memory.threads = count
      const threads = Array.from({ length: count - 1 }, () => workerThread<I>(settings, lent))
      // All threads together have as many units at once as one thread alone would.
      const lanes = lent && Math.ceil(own.atOnce(target.path) / threads.length)
      try {
        yield* sharedWork(all, (unit) => own.run(unit), threads, undefined, lanes)
      } finally {
        settings.memory.threads = 1
        await own.close()
      }
    } else yield* runAlone(all)
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
  const pool = new PoolThread<Unit<I>, ThreadAnswer<I>>(
    'unit-worker.cjs',
    data,
    undefined,
    channel ? [channel.port2] : [],
  )
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
