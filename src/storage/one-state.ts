import { nameOf } from '../base/paths.ts'
import { changedWhileRead, type Entry } from './source.ts'

/*
 * A large folder is listed in several steps. Between them a writer may make and remove names. Then the listing may be of no state of the
 * folder: it may lack a consolidated fragment, whose name the steps had already passed, and also the fragments that this one replaced.
 */

/** Upper limit on the names that every system and browser lists in one step. */
export const NAMES_IN_ONE_STEP = 100

/** How often a folder is listed, at most: on this machine, and over a network, where each step is a request. */
const LISTED_AT_MOST = { near: 10, far: 4 }

/** The name of a fragment. Its folder is listed once: its files are made before its commit, and stay until that is gone. */
const FRAGMENT = /^__\d/

/**
 * Lists a folder again until the listing is of one state. TileDB uses each name once, so two equal listings are of the state between them.
 * @param list lists the folder; is given the listing before it
 * @param isOfOneState whether one listing is enough. `begun` is when it was begun, in milliseconds since 1970
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
    if (isOfOneState(entries, begun) || (before && areSameEntries(before, entries))) return entries
    before = entries
  }
  throw changedWhileRead(path, { expected: 'the same names in two listings', found: `other names in each of ${most}` })
}

export function areSameEntries(one: readonly Entry[], other: readonly Entry[]): boolean {
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
