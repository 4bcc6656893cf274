import { lastPathPart } from '../../base/paths.ts'
import { sum } from '../../base/sum.ts'
import type { ArrayFragment } from '../../documents/array.ts'
import type { ListedFragment, TimestampRange } from '../../documents/common.ts'
import { nameFacts } from '../../format/timestamped-name.ts'
import type { FragmentState } from '../../objects/visibility.ts'
import { TIMESTAMPS_SINCE } from '../../objects/visibility.ts'
import { fullSizeText, LIVE_CONSOLIDATED, LIVE_OVERWRITTEN, stateText } from './wording.ts'

/** Meanings of the states that need an explanation, in the order of the lines: first the state that TileDB reads in part. */
const HINTS: ReadonlyMap<FragmentState, string> = new Map([
  ['unlisted', 'read by TileDB as far as it was written up to now, but not listed: its timestamps end in the future'],
  [
    'hidden',
    'a vacuum file hides it, and no other fragment holds its cells: do not vacuum or delete it; check says what to do',
  ],
  ['future', 'its timestamps end in the future, and it is read from then on'],
  ['past', 'its timestamps begin before the times that were asked for'],
  ['uncommitted', 'no commit names it: a write that failed or is still going on'],
  ['to-vacuum', 'consolidation wrote its cells anew; it waits for vacuum'],
  ['ignored', 'an ignore file took its commit back'],
  ['no-metadata', 'a folder without a metadata file: a write that failed or is still going on'],
])

/** Returns the meaning of a state if it needs an explanation. @param as_of times of opening, if the user gave any */
export function stateMeaning(state: FragmentState | undefined, as_of: TimestampRange | undefined): string | undefined {
  if (state === 'unlisted' && as_of) return 'TileDB reads those of its cells that were written between these times'
  if (state === 'future' && as_of) return 'its timestamps end later'
  return state && HINTS.get(state)
}

/** Whether no reader reads a fragment that waits for vacuum, at any time: the one that replaced it has the time of each cell. */
function isNeverRead({ hidden_by }: ListedFragment): boolean {
  return (nameFacts(lastPathPart(hidden_by ?? ''))?.format_version ?? 0) >= TIMESTAMPS_SINCE
}

/** Returns a line for each state that needs an explanation. */
export function stateLines(
  fragments: readonly (ListedFragment & Pick<ArrayFragment, 'overwritten'>)[],
  as_of: TimestampRange | undefined,
  isSparse: boolean,
): readonly { state: string; text: string }[] {
  const lines: { state: string; text: string }[] = []
  const merged = fragments.filter((fragment) => stateText(fragment) === LIVE_CONSOLIDATED).length
  if (merged > 0)
    lines.push({
      state: LIVE_CONSOLIDATED,
      text: `${LIVE_CONSOLIDATED} (${merged}): with the cells of the fragments between its times`,
    })
  const over = fragments.filter((fragment) => stateText(fragment) === LIVE_OVERWRITTEN)
  if (over.length > 0)
    lines.push({
      state: LIVE_OVERWRITTEN,
      text: `${LIVE_OVERWRITTEN} (${over.length}): ${fullSizeText(sum(over, ({ size }) => size))} of which no reader takes a cell now, as newer fragments have them all; explain says whether to consolidate and vacuum`,
    })
  for (const state of HINTS.keys()) {
    const those = fragments.filter((fragment) => fragment.state === state)
    const count = those.length
    const meaning = stateMeaning(state, as_of)
    const isEver = state === 'to-vacuum' && !as_of && !(isSparse && those.every(isNeverRead))
    const never = isEver ? 'not read by TileDB now, only as of earlier times' : 'not read by TileDB'
    const what = state === 'unlisted' ? meaning : `${never}; ${meaning}`
    if (count > 0) lines.push({ state, text: `${state} (${count}): ${what}` })
  }
  return lines
}
