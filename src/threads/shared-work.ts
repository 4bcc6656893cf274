import { once } from 'node:events'
import { setImmediate as turn } from 'node:timers/promises'
import type { Transferable, Worker } from 'node:worker_threads'
import { scriptThread } from '../node/packaged.ts'

/** A thread that runs units of work in the order in which it gets them. */
export interface Thread<U, R> {
  /** Resolves when it can begin. */
  readonly ready: Promise<unknown>
  run(unit: U): Promise<R>
  end(): Promise<unknown>
}

/** Default number of units that a thread has: one to work on, and one so that it need not wait. */
const LANES = 2

/**
 * Shares units among `threads` and this thread, and yields the results in the order of the units. Each thread takes the next
 * unit when it has finished one. This thread does the same, but only while the next result in order is not ready.
 *
 * @param runHere runs a unit on this thread
 * @param ahead upper limit on the results that are in progress or waiting to be taken
 * @param lanes number of units that a thread has at once
 */
export async function* sharedWork<U, R>(
  units: Iterator<U> | AsyncIterator<U>,
  runHere: (unit: U) => Promise<R>,
  threads: readonly Thread<U, R>[],
  ahead = Number.POSITIVE_INFINITY,
  lanes = LANES,
): AsyncGenerator<R> {
  const results: { result: Promise<R>; settled: boolean }[] = []
  /** Lanes that wait until a result is taken, as `ahead` results are outstanding. */
  const waiting: (() => void)[] = []
  /** Units that were handed out, and whose results were not taken yet. */
  let outstanding = 0
  /** Ends the wait of this thread for the next result or unit. */
  let wake = (): void => {}
  let failure: unknown
  /** Whether all units are handed out. A thread that has not begun by then need not begin. */
  let ended = false

  /** Stops handing out units. The results of units that are running are still yielded. */
  const fail = (error: unknown): void => {
    failure ??= error
    ended = true
    wake()
  }
  /** Takes the next unit and runs it. @returns false after the last unit */
  const next = async (run: (unit: U) => Promise<R>): Promise<boolean> => {
    outstanding++
    const { value, done } = await units.next()
    if (done) {
      ended = true
      wake()
      return false
    }
    const entry = { result: run(value), settled: false }
    results.push(entry)
    // A failure is thrown in its turn. Until then it must not count as an unhandled rejection.
    await entry.result.catch(() => {})
    entry.settled = true
    wake()
    return true
  }
  const lane = async (thread: Thread<U, R>): Promise<void> => {
    try {
      await thread.ready
      for (let more = true; more && !ended; ) {
        if (outstanding < ahead) more = await next((unit) => thread.run(unit))
        else await new Promise<void>((resolve) => waiting.push(resolve))
      }
    } catch (error) {
      fail(error)
    }
  }
  for (const thread of threads) for (let i = 0; i < lanes; i++) void lane(thread)
  try {
    for (;;) {
      // A turn of the event loop, in which results of other threads arrive and new units are sent.
      await turn()
      const [first] = results
      if (first?.settled) {
        results.shift()
        outstanding--
        waiting.shift()?.()
        yield await first.result
      } else if (!ended && outstanding < ahead) await next(runHere).catch(fail)
      else if (ended && !first) break
      else
        await new Promise<void>((resolve) => {
          wake = resolve
        })
    }
    if (failure !== undefined) throw failure
  } finally {
    ended = true
    for (const resolve of waiting) resolve()
    await units.return?.()
    await Promise.all(threads.map((thread) => thread.end()))
  }
}

/** Another thread, which runs a script of the built program. */
export class PoolThread<U, R> implements Thread<U, R> {
  readonly ready: Promise<unknown>
  private readonly worker: Worker
  private readonly transfersOf: (unit: U) => readonly Transferable[]
  private readonly waiting: { resolve(result: R): void; reject(error: unknown): void }[] = []
  /** Why the thread can no longer work. */
  private failure: unknown

  /**
   * @param file script of the built program
   * @param settings data for the thread at its start
   * @param transfersOf returns the parts of a unit that are transferred to the thread
   * @param transfers parts of the settings that are transferred to the thread
   */
  constructor(
    file: string,
    settings: object,
    transfersOf: (unit: U) => readonly Transferable[] = () => [],
    transfers: readonly Transferable[] = [],
  ) {
    this.transfersOf = transfersOf
    // Its output is not joined to that of this process. Joining would load Node's streams, and then pipes would no longer
    // wait for their readers.
    this.worker = scriptThread(file, {
      workerData: settings,
      transferList: [...transfers],
      stdout: true,
      stderr: true,
    })
    this.ready = once(this.worker, 'online')
    this.worker.on('message', (result: R) => this.waiting.shift()?.resolve(result))
    this.worker.on('error', (error) => this.fail(error))
    this.worker.on('exit', () => this.fail(new Error('a thread has ended')))
  }

  /** Rejects all units that the thread will no longer run, now or later, so that nobody waits for them. */
  private fail(error: unknown): void {
    this.failure ??= error
    for (const one of this.waiting.splice(0)) one.reject(this.failure)
  }

  run(unit: U): Promise<R> {
    if (this.failure !== undefined) return Promise.reject(this.failure)
    return new Promise((resolve, reject) => {
      this.waiting.push({ resolve, reject })
      this.worker.postMessage(unit, this.transfersOf(unit))
    })
  }

  async end(): Promise<void> {
    await this.worker.terminate()
  }
}
