import { env } from 'node:process'

/** Whether every case is tried: `npm run test:all`. */
export const ALL = env.TEST_ALL === '1'
/** The gate, which takes its time. */
const GATE = env.REQUIRE_CORPUS === '1'
/** Which part of the exhaustive tests is tried; printed at the start of a run (test/helpers/seed.mjs). */
export const SEED = Number(env.TEST_SEED ?? 0)

/** First format versions of those that lay out an array alike: what its folders hold, and what a fragment says of itself. */
const FAMILIES = [1, 3, 5, 10, 12]

/**
 * One in `share` of the cases of an exhaustive test, at least one case each time, other ones with another seed: runs whose seeds
 * follow one another try all of them. All with `TEST_ALL=1`.
 */
export function turn<T>(cases: readonly T[], share: number): T[] {
  const each = Math.min(share, cases.length)
  return ALL ? [...cases] : cases.filter((_, i) => (i + SEED) % each === 0)
}

/** {@link turn} of the numbers from 0 to `count` - 1. */
export function turnOf(count: number, share: number): number[] {
  return turn(
    Array.from({ length: count }, (_, i) => i),
    share,
  )
}

/** {@link turn} outside of the gate, which tries one in `gate`. */
export function shortTurn<T>(cases: readonly T[], share: number, gate = 1): T[] {
  return turn(cases, GATE ? gate : share)
}

/** {@link shortTurn} of each family of format versions, in their order: every run tries some case of each. */
export function turnOfFamilies<T>(cases: readonly T[], share: number, versionOf: (one: T) => number, gate = 1): T[] {
  const familyOf = (one: T): number => FAMILIES.filter((first) => first <= versionOf(one)).length
  const families = FAMILIES.map((_, i) => cases.filter((one) => familyOf(one) === i + 1))
  const chosen = new Set(families.flatMap((family) => shortTurn(family, share, gate)))
  return cases.filter((one) => chosen.has(one))
}
