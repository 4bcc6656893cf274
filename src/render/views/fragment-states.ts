import type { ListedFragment, TimestampRange } from '../../documents/common.ts'
import { CONSOLIDATED, stateText } from './wording.ts'

/** Hints about fragments that TileDB does not read. */
const HIDDEN: { readonly [state in NonNullable<ListedFragment['state']>]?: string } = {
  hidden:
    'a vacuum file hides it, and no other fragment holds its cells: do not vacuum or delete it; check says what to do',
  future: 'its timestamps end in the future, and it is read from then on',
  past: 'its timestamps begin before the times that were asked for',
  uncommitted: 'no commit names it: a write that failed or is still going on',
  'to-vacuum': 'consolidation wrote its cells anew; it waits for vacuum',
  ignored: 'an ignore file took its commit back',
  'no-metadata': 'a folder without a metadata file: a write that failed or is still going on',
}

const STATES_TO_EXPLAIN = [
  'unlisted',
  'hidden',
  'future',
  'past',
  'uncommitted',
  'to-vacuum',
  'ignored',
  'no-metadata',
] as const

/** Hint about a fragment that is read although it is not listed. */
const UNLISTED = 'read by TileDB as far as it was written up to now, but not listed: its timestamps end in the future'

/** What a state means, if it needs a hint. Other times than now are said in the title. */
export function meaningOf(state: ListedFragment['state'], as_of: TimestampRange | undefined): string | undefined {
  if (state === 'unlisted')
    return as_of ? 'TileDB reads those of its cells that were written between these times' : UNLISTED
  if (state === 'future' && as_of) return 'its timestamps end later'
  return state && HIDDEN[state]
}

/** What the states of these fragments mean, a line for each state that needs it. */
export function stateLines(
  fragments: readonly ListedFragment[],
  as_of: TimestampRange | undefined,
): readonly { state: string; text: string }[] {
  const lines: { state: string; text: string }[] = []
  const merged = fragments.filter((fragment) => stateText(fragment) === CONSOLIDATED).length
  if (merged > 0)
    lines.push({
      state: CONSOLIDATED,
      text: `${CONSOLIDATED} (${merged}): with the cells of the fragments between its times`,
    })
  for (const state of STATES_TO_EXPLAIN) {
    const count = fragments.filter((fragment) => fragment.state === state).length
    const meaning = meaningOf(state, as_of)
    const never =
      state === 'to-vacuum' && !as_of ? 'not read by TileDB now, only as of earlier times' : 'not read by TileDB'
    const what = state === 'unlisted' ? meaning : `${never}; ${meaning}`
    if (count > 0) lines.push({ state, text: `${state} (${count}): ${what}` })
  }
  return lines
}
