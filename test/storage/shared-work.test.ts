import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, test } from '@jest/globals'
import { sharedWork, type Thread } from '../../src/threads/shared-work.ts'

/** A thread that answers later, like a real one. */
class SlowThread implements Thread<number, string> {
  readonly done: number[] = []
  ended = false
  private last: Promise<unknown> = Promise.resolve()
  readonly ready: Promise<unknown>
  private readonly ms: number

  constructor(ms: number, ready: Promise<unknown> = Promise.resolve()) {
    this.ms = ms
    this.ready = ready
  }

  run(unit: number): Promise<string> {
    const result = this.last.then(async () => {
      await pause(this.ms)
      this.done.push(unit)
      if (unit === FAILS) throw new Error('unit that fails')
      return `unit ${unit}`
    })
    this.last = result.catch(() => {})
    return result
  }

  async end(): Promise<void> {
    this.ended = true
  }
}

const FAILS = -1

function* upTo(count: number): Generator<number> {
  for (let i = 0; i < count; i++) yield i
}

function names(count: number): string[] {
  return Array.from(upTo(count), (i) => `unit ${i}`)
}

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = []
  for await (const item of items) found.push(item)
  return found
}

const own = async (unit: number): Promise<string> => `unit ${unit}`

describe('units shared among threads', () => {
  test('results come in the order of the units, once each, and every thread ends', async () => {
    const threads = [new SlowThread(5), new SlowThread(1)]
    expect(await all(sharedWork(upTo(40), own, threads))).toEqual(names(40))
    expect(threads.map(({ ended }) => ended)).toEqual([true, true])
    expect(threads[0].done.length).toBeGreaterThan(0)
  })

  test('no units and no threads', async () => {
    expect(await all(sharedWork(upTo(0), own, [new SlowThread(1)]))).toEqual([])
    expect(await all(sharedWork(upTo(3), own, []))).toEqual(names(3))
  })

  test('this thread works while others start, and does all work if they never start', async () => {
    const never = new SlowThread(1, new Promise(() => {}))
    expect(await all(sharedWork(upTo(9), own, [never]))).toEqual(names(9))
    expect(never).toMatchObject({ done: [], ended: true })
  })

  test('a slow consumer leaves the work to other threads', async () => {
    const thread = new SlowThread(1)
    const mine: number[] = []
    const found: string[] = []
    const shared = sharedWork(
      upTo(30),
      (unit) => {
        mine.push(unit)
        return own(unit)
      },
      [thread],
      4,
    )
    for await (const name of shared) {
      found.push(name)
      await pause(6)
    }
    expect(found).toEqual(names(30))
    expect(thread.done.length).toBeGreaterThan(mine.length)
  })

  test.each([1, 2, 5])('at most %i results are ahead', async (ahead) => {
    let begun = 0
    let taken = 0
    let most = 0
    function* counted(): Generator<number> {
      for (const unit of upTo(30)) {
        most = Math.max(most, ++begun - taken)
        yield unit
      }
    }
    for await (const name of sharedWork(counted(), own, [new SlowThread(1), new SlowThread(2)], ahead)) {
      expect(name).toBe(`unit ${taken++}`)
      await pause(2)
    }
    // The consumer is taking one of them.
    expect(most).toBeLessThanOrEqual(ahead + 1)
    expect(taken).toBe(30)
  })

  test('a failure is thrown in its turn', async () => {
    const thread = new SlowThread(1)
    const found: string[] = []
    const units = [0, 1, FAILS, 3, 4]
    const failing = async (unit: number): Promise<string> => {
      if (unit === FAILS) throw new Error('unit that fails')
      return own(unit)
    }
    const shared = sharedWork(units[Symbol.iterator](), failing, [thread])
    const taking = (async () => {
      for await (const name of shared) found.push(name)
    })()
    await expect(taking).rejects.toThrow('unit that fails')
    expect(found).toEqual(['unit 0', 'unit 1'])
    expect(thread.ended).toBe(true)
  })

  test('results of running units come before an error of the units', async () => {
    function* broken(): Generator<number> {
      yield* upTo(3)
      throw new Error('no more to tell')
    }
    for (const threads of [[], [new SlowThread(3)]]) {
      const found: string[] = []
      const taking = (async () => {
        for await (const name of sharedWork(broken(), own, threads)) found.push(name)
      })()
      await expect(taking).rejects.toThrow('no more to tell')
      expect(found).toEqual(names(3))
    }
  })

  test('an error of the units ends the work', async () => {
    function* broken(): Generator<number> {
      yield 0
      throw new Error('no more to tell')
    }
    await expect(all(sharedWork(broken(), own, [new SlowThread(1)]))).rejects.toThrow('no more to tell')
  })

  test('a consumer that stops ends the threads and the units', async () => {
    const thread = new SlowThread(1)
    let ended = false
    function* endless(): Generator<number> {
      try {
        for (let i = 0; ; i++) yield i
      } finally {
        ended = true
      }
    }
    for await (const name of sharedWork(endless(), own, [thread], 3)) if (name === 'unit 5') break
    expect({ ended, thread: thread.ended }).toEqual({ ended: true, thread: true })
  })
})
