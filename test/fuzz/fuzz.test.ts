import { expect, test } from '@jest/globals'
import { type Breach, fuzzOnce } from './fuzzer.ts'

const CASES = 400
const SEED = 1

/** Generous: other tests run beside this one. */
const BOUNDS = { time: 20_000, memory: 3 * 2 ** 30 }

test('a short turn of the fuzzer breaks no law', async () => {
  const breaches: Breach[] = []
  for (let i = 0; i < CASES; i++) {
    const breach = await fuzzOnce(SEED * 1_000_003 + i, BOUNDS)
    if (breach) breaches.push(breach)
  }
  expect(breaches).toEqual([])
})
