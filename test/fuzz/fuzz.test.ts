import { expect, test } from '@jest/globals'
import { shortTurn } from '../helpers/turn.ts'
import { type Breach, type Entry, fuzzOnce } from './fuzzer.ts'

const SEED = 1
const CASES: readonly [Entry, number][] = [
  ['structure', 2000],
  ['filters', 1500],
  ['pages', 500],
  ['value', 1000],
  ['text', 1000],
  ['command', 400],
  ['genomicsdb', 600],
  ['sample', 60],
]

/** Generous: other tests run beside this one. */
const BOUNDS = { time: 20_000, memory: 2 * 2 ** 30 }

test.each(CASES)('a short turn of the fuzzer breaks no law: %s', async (entry, cases) => {
  const breaches: Breach[] = []
  for (const i of shortTurn([...Array(cases).keys()], 30)) {
    const breach = await fuzzOnce(SEED * 1_000_003 + i, BOUNDS, entry)
    if (breach) breaches.push(breach)
  }
  expect(breaches).toEqual([])
})
