import { describe, expect, test } from '@jest/globals'
import { allInOrder, inOrder } from '../src/base/in-order.ts'

const MIB = 2 ** 20

/** Counts the work in progress. Each piece of work takes a given number of turns. */
class Work {
  now = 0
  most = 0
  begun = 0

  async for<T>(turns: number, result: T): Promise<T> {
    this.begun++
    this.most = Math.max(this.most, ++this.now)
    for (let i = 0; i < turns; i++) await new Promise((resolve) => setImmediate(resolve))
    this.now--
    return result
  }
}

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = []
  for await (const item of items) found.push(item)
  return found
}

const NUMBERS = Array.from({ length: 40 }, (_, i) => i)

describe('inOrder', () => {
  test('as much concurrent work as allowed, and results in the order of the items', async () => {
    const work = new Work()
    const found = await all(inOrder(NUMBERS, 16, (i) => work.for(5 + ((i * 7) % 11), i)))
    expect(found).toEqual(NUMBERS)
    expect(work.most).toBe(16)
  })

  test('no more bytes than the limit, except for a single item', async () => {
    const work = new Work()
    const bytes = (i: number): number => (i === 3 ? 1000 : 100) * MIB
    expect(await all(inOrder(NUMBERS, 16, (i) => work.for(3, i), bytes))).toEqual(NUMBERS)
    expect(work.most).toBe(2)
  })

  test('one at a time, of a list and of what comes later', async () => {
    async function* later(): AsyncGenerator<number> {
      yield* NUMBERS
    }
    for (const items of [NUMBERS, later()]) {
      const work = new Work()
      expect(await all(inOrder(items, 1, (i) => work.for(i % 3, i)))).toEqual(NUMBERS)
      expect(work.most).toBe(1)
    }
  })

  test('a failure comes in its turn, and no more work begins', async () => {
    const work = new Work()
    const found: number[] = []
    const run = async (): Promise<void> => {
      const results = inOrder(NUMBERS, 4, async (i) => {
        if (i === 5) throw new Error('five')
        return work.for(20 - i, i)
      })
      for await (const i of results) found.push(i)
    }
    await expect(run()).rejects.toThrow('five')
    expect(found).toEqual([0, 1, 2, 3, 4])
    expect(work.begun).toBeLessThan(10)
  })
})

describe('allInOrder', () => {
  test('all of the first, then all of the second', async () => {
    const work = new Work()
    const found = await all(
      allInOrder(NUMBERS, 16, async function* (i) {
        for (let part = 0; part < i % 4; part++) yield await work.for((i * 5) % 7, `${i}.${part}`)
      }),
    )
    expect(found).toEqual(NUMBERS.flatMap((i) => NUMBERS.slice(0, i % 4).map((part) => `${i}.${part}`)))
    expect(work.most).toBeGreaterThan(8)
  })

  test('the number of early results is limited', async () => {
    let given = 0
    const items = allInOrder([0, 1, 2], 16, async function* (i) {
      for (let part = 0; part < 5000; part++) {
        if (i > 0) given++
        else await new Promise((resolve) => setImmediate(resolve))
        yield i
      }
    })
    for (let i = 0; i < 4000; i++) expect((await items.next()).value).toBe(0)
    expect(given).toBeLessThanOrEqual(2002)
    expect((await all(items)).length).toBe(11_000)
  })

  test('a failure comes in its turn, and other work ends', async () => {
    const ended: number[] = []
    const found: number[] = []
    const run = async (): Promise<void> => {
      const items = allInOrder(NUMBERS, 4, async function* (i) {
        try {
          if (i === 2) throw new Error('two')
          for (let part = 0; part < 3000; part++) yield i
        } finally {
          ended.push(i)
        }
      })
      for await (const i of items) if (found.at(-1) !== i) found.push(i)
    }
    await expect(run()).rejects.toThrow('two')
    expect(found).toEqual([0, 1])
    await new Promise((resolve) => setTimeout(resolve, 10))
    expect(ended.sort()).toEqual([0, 1, 2, 3, 4, 5])
  })

  test('with a limit of one, nothing begins early', async () => {
    const begun: number[] = []
    const items = allInOrder(NUMBERS, 1, async function* (i) {
      begun.push(i)
      yield i
    })
    await items.next()
    await items.next()
    expect(begun).toEqual([0, 1])
  })
})
