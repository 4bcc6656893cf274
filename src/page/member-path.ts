import type { GroupLine } from '../documents/group.ts'
import { memberPath } from '../objects/group.ts'

/** The path in its group of a member with a relative URI. */
export function pathInGroup(member: GroupLine): string {
  return memberPath('', member)?.slice(1) ?? member.uri
}

/** Whether the page can open a member. */
export function canOpen({ relative, state }: GroupLine): boolean {
  return relative && (state === 'present' || state === 'other-type')
}
