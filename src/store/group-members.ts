import { InspectError } from '../base/errors.ts'
import type { ReadContext } from './generic-tile.ts'
import { type InspectGroup, type Member, memberPath } from './group.ts'
import { openTarget, type Target } from './target.ts'

/**
 * What stands where a member should be. `missing`: nothing that TileDB takes for an object; `outside`: it leads out by `..`, or
 * from one kind of place to another, and is not followed; `cycle`: a group that this one lies in; `other-type`: another type than
 * the group says; `unreadable`: it cannot be opened.
 */
export type MemberState = 'present' | 'missing' | 'outside' | 'cycle' | 'other-type' | 'unreadable'

/** A member, looked for. */
export interface FoundMember {
  member: Member
  /** Undefined of one that is not followed. */
  path: string | undefined
  state: MemberState
  /** What is there, of a member that is present or of another type. */
  target: Target | undefined
  /** Why it cannot be had; undefined where it can. */
  error: InspectError | undefined
}

/**
 * Looks for a member of a group.
 * @param above what tells the groups around the member apart, its own group with them: {@link InspectGroup.identity}
 * @param open {@link openTarget}, or a caller's own
 */
export async function findMember(
  group: InspectGroup,
  member: Member,
  above: readonly string[],
  open?: (path: string) => Promise<Target>,
): Promise<FoundMember> {
  const { folder } = group
  const path = memberPath(folder.path, member)
  const lost = (state: MemberState, code: InspectError['code'], message: string): FoundMember => {
    const error = new InspectError(code, `member ${JSON.stringify(member.uri)} ${message}`, {
      file: path ?? folder.path,
    })
    return { member, path, state, target: undefined, error }
  }
  if (path === undefined) return lost('outside', 'IO', 'is not below the group')
  try {
    const cx: ReadContext = { ...group.cx, keyProven: false, encrypted: false }
    const target = await (open ? open(path) : openTarget(folder.storage, path, cx))
    if (target.type === 'group' && above.includes(await target.group.identity()))
      return lost('cycle', 'IO', 'is a group that this one lies in')
    const state = target.type === member.type || member.type === 'invalid' ? 'present' : 'other-type'
    return { member, path, state, target, error: undefined }
  } catch (error) {
    if (!(error instanceof InspectError)) throw error
    if (error.code === 'NOT_FOUND' || error.code === 'NOT_TILEDB')
      return lost(
        'missing',
        'NOT_FOUND',
        `is missing: expected ${member.type === 'group' ? 'a group' : 'an array'}, found nothing there`,
      )
    return { member, path, state: 'unreadable', target: undefined, error }
  }
}
