import { InspectError } from '../base/errors.ts'
import { type InspectGroup, type Member, memberPath } from './group.ts'
import type { Target } from './target.ts'

/**
 * What is at the path of a member. `missing`: nothing that TileDB takes for an object. `outside`: the path is not followed,
 * because it leads out of the group by `..` or to another kind of storage. `cycle`: a group that contains this one.
 * `other-type`: an object of another type than the group says. `unreadable`: an object that cannot be opened.
 */
export type MemberState = 'present' | 'missing' | 'outside' | 'cycle' | 'other-type' | 'unreadable'

/** Result of {@link findMember}. */
export interface FoundMember {
  member: Member
  /** Undefined if the member is outside. */
  path: string | undefined
  state: MemberState
  /** The object, if the member is present or of another type. */
  target: Target | undefined
  /** Why there is no target. */
  error: InspectError | undefined
}

/**
 * Looks for a member of a group.
 * @param above {@link InspectGroup.identity} of the groups around the member, including its own group
 * @param open opens the object at a path
 */
export async function findMember(
  group: InspectGroup,
  member: Member,
  above: readonly string[],
  open: (path: string) => Promise<Target>,
): Promise<FoundMember> {
  const { folder } = group
  const path = memberPath(folder.path, member)
  const lost = (state: MemberState, code: InspectError['code'], message: string): FoundMember => {
    const at = { file: path ?? folder.path }
    const error = new InspectError(code, `member ${JSON.stringify(member.uri)} ${message}`, at)
    return { member, path, state, target: undefined, error }
  }
  if (path === undefined) return lost('outside', 'IO', 'is not below the group')
  try {
    const target = await open(path)
    if (target.type === 'group' && above.includes(await target.group.identity()))
      return lost('cycle', 'IO', 'is a group that this one lies in')
    const state = target.type === member.type || member.type === 'invalid' ? 'present' : 'other-type'
    return { member, path, state, target, error: undefined }
  } catch (error) {
    if (!(error instanceof InspectError)) throw error
    if (error.code !== 'NOT_FOUND' && error.code !== 'NOT_TILEDB')
      return { member, path, state: 'unreadable', target: undefined, error }
    const expected = member.type === 'group' ? 'a group' : 'an array'
    return lost('missing', 'NOT_FOUND', `is missing: expected ${expected}, found nothing there`)
  }
}
