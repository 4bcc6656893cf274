import { nameOf } from '../base/paths.ts'
import { changedWhileRead, type Entry } from './source.ts'

/*
 * A large folder is listed in several steps, between which a writer makes and removes names. Such a listing may be of no state that
 * there was: without a consolidated fragment, which was made where the listing had passed by already, and without those that it replaced.
 */

/** Upper limit on the names that every system and browser lists in one step. */
export const NAMES_IN_ONE_STEP = 100

/** How often a folder is listed, at most. Over a network, where each step is a request, it is the smaller number. */
const LISTED_AT_MOST = { near: 10, far: 4 }

/** The name of a fragment. Its files are made before its commit and stay until that is gone, so its folder need not be of one state. */
const FRAGMENT = /^__\d/

/**
 * Lists a folder until what it returns is of one state. Names of TileDB are used once, so two equal listings are of the state between them.
 * @param list lists the folder; is given the listing before it
 * @param isOfOneState whether a listing, which was begun at a time in milliseconds since 1970, is so without another one
 * @throws InspectError CHANGED_WHILE_READ
 */
export async function listedAsOne(
  path: string,
  distance: keyof typeof LISTED_AT_MOST,
  list: (before: readonly Entry[] | undefined) => Promise<readonly Entry[]>,
  isOfOneState: (entries: readonly Entry[], begun: number) => boolean,
): Promise<readonly Entry[]> {
  if (FRAGMENT.test(nameOf(path))) return list(undefined)
  const most = LISTED_AT_MOST[distance]
  let before: readonly Entry[] | undefined
  for (let times = 0; times < most; times++) {
    const begun = Date.now()
    const entries = await list(before)
    if (isOfOneState(entries, begun) || (before && areEqual(before, entries))) return entries
    before = entries
  }
  throw changedWhileRead(path, { expected: 'the same names in two listings', found: `other names in each of ${most}` })
}

/** Whether two listings have the same entries, in the same order. */
export function areEqual(one: readonly Entry[], other: readonly Entry[]): boolean {
  return (
    one === other ||
    (one.length === other.length &&
      one.every(({ name, kind, size }, i) => {
        const there = other[i]
        return name === there?.name && kind === there.kind && size === there.size
      }))
  )
}

/**
 * Whether a folder that was last changed at `modified` may have been changed at `time` or later, both in milliseconds since 1970. The
 * clock of a file system goes in steps, the coarsest in steps of two seconds.
 */
export function mayBeChangedSince(time: number, modified: number): boolean {
  return modified + (modified % 1000 === 0 ? 2000 : 20) > time
}
