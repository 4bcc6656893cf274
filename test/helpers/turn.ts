import { env } from 'node:process'

/** Whether every case is tried: `npm run test:all`. */
export const ALL = env.TEST_ALL === '1'
/** Which part of the exhaustive tests is tried; printed at the start of a run (test/helpers/seed.mjs). */
export const SEED = Number(env.TEST_SEED ?? 0)

/**
 * One in `share` of the cases of an exhaustive test, other ones with another seed: runs whose seeds follow one another try all of them.
 * All with `TEST_ALL=1`.
 */
export function turn<T>(cases: readonly T[], share: number): T[] {
  return ALL ? [...cases] : cases.filter((_, i) => (i + SEED) % share === 0)
}

/** {@link turn} of the numbers from 0 to `count` - 1. */
export function turnOf(count: number, share: number): number[] {
  return turn(
    Array.from({ length: count }, (_, i) => i),
    share,
  )
}
