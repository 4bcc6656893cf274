import { env } from 'node:process'

/** Whether every case of the exhaustive tests runs: `npm run test:all`. */
export const ALL = env.TEST_ALL === '1'
/** Whether this is a run of the gate (.ci/run), which may take longer than `npm test`. */
const GATE = env.TESTS_OF_GATE === '1'
/** How many times as many cases the gate tries as `npm test`. */
const MORE_IN_GATE = 2
/** Chooses which part of the exhaustive tests runs. test/helpers/seed.mjs prints it at the start of a run. */
export const SEED = Number(env.TEST_SEED ?? 0)

/** The first format version of each family. Versions of one family have the same folders and the same fragment metadata layout. */
const FAMILIES = [1, 3, 5, 10, 12]

/**
 * Returns one in `share` of the cases of an exhaustive test, but at least one. The seed chooses which: runs with `share` consecutive
 * seeds try all cases. With `TEST_ALL=1`, returns all cases.
 */
export function turn<T>(cases: readonly T[], share: number): T[] {
  const each = Math.min(share, cases.length)
  return ALL ? [...cases] : cases.filter((_, i) => (i + SEED) % each === 0)
}

/** How often a test tries what it chooses by chance: few times, as often as the gate, or with `TEST_ALL=1` many times. */
export function tries(few: number, gate: number, all = gate): number {
  if (ALL) return all
  return GATE ? gate : few
}

/** Applies {@link turn} to the numbers from 0 to `count` - 1. */
export function turnOf(count: number, share: number): number[] {
  return turn([...Array(count).keys()], share)
}

/** The first `few` of the cases; the gate tries more. For cases of which the first show what the others repeat. */
export function firstOf<T>(cases: readonly T[], few: number): T[] {
  return cases.slice(0, tries(few, MORE_IN_GATE * few, cases.length))
}

/** Like {@link turn}, but the gate tries one case in `gate`: without it, twice as many. */
export function shortTurn<T>(cases: readonly T[], share: number, gate = Math.ceil(share / MORE_IN_GATE)): T[] {
  return turn(cases, GATE ? gate : share)
}

/** Applies {@link shortTurn} to the numbers from 0 to `count` - 1. */
export function shortTurnOf(count: number, share: number, gate?: number): number[] {
  return shortTurn([...Array(count).keys()], share, gate)
}

/** Applies {@link shortTurn} to each family of format versions, so that every run tries a case of each. Keeps the order. */
export function turnOfFamilies<T>(
  cases: readonly T[],
  share: number,
  versionOf: (one: T) => number,
  gate?: number,
): T[] {
  const familyOf = (one: T): number => FAMILIES.filter((first) => first <= versionOf(one)).length
  const families = FAMILIES.map((_, i) => cases.filter((one) => familyOf(one) === i + 1))
  const chosen = new Set(families.flatMap((family) => shortTurn(family, share, gate)))
  return cases.filter((one) => chosen.has(one))
}
