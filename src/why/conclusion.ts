import { firstOf } from '../base/errors.ts'
import { lastPathPart } from '../base/paths.ts'
import { type Condition, partCondition } from '../objects/condition.ts'
import type { Answer } from './answer.ts'

/**
 * The answer in the light of what is known of the array: nothing may be deleted while what holds the same instead is not whole.
 * @param own paths of what is asked about because of which TileDB may refuse something
 * @param condition what is known of these, and of those in {@link Answer.stands_in}
 */
export function concluded(answer: Answer, own: readonly string[], condition: Condition): Answer {
  const refused = own.map((path) => partCondition(condition, path).refused).find((one) => one !== undefined)
  if (refused !== undefined && refused !== 'fields' && refused !== 'labels')
    return kept({ ...answer, noticed: [NOTICED[refused]] }, REFUSED[refused])
  const { stands_in = [] } = answer
  const known = stands_in.map((path) => ({ path, ...partCondition(condition, path) }))
  const wrong = known.filter(({ state }) => state === 'damaged' || state === 'suspect')
  if (wrong.length > 0) {
    const codes = firstOf([...new Set(wrong.flatMap(({ findings }) => findings))])
    const is = wrong.some(({ state }) => state === 'damaged') ? 'is damaged' : 'may be changed'
    return kept(
      answer,
      `${namesOf(wrong)}, which holds the same instead, ${is} (${codes}): check --level cells --plan goes back`,
    )
  }
  const unseen = known.filter(({ state }) => state === 'unseen')
  if (unseen.length === 0) return answer
  const isExamined = unseen.some(({ depth }) => depth !== undefined)
  const why = isExamined ? 'could not be examined' : 'was not read (--quick): it may be damaged'
  return kept(answer, `${namesOf(unseen)}, which holds the same instead, ${why}`)
}

const NOTICED = { open: 'open', metadata: 'read', read: 'read' } as const
const REFUSED = {
  open: 'TileDB does not open the array while it is there: check --plan says what to do',
  metadata: 'TileDB cannot read key-value metadata while it is there: check --plan moves it out',
  read: 'TileDB refuses every read while it is there: check --plan says what to do',
} as const

function kept(answer: Answer, reason: string): Answer {
  return { ...answer, delete: 'no', reason, how: undefined, empties: undefined, changes_metadata: undefined }
}

function namesOf(parts: readonly { path: string }[]): string {
  return firstOf(parts.map(({ path }) => lastPathPart(path)))
}
