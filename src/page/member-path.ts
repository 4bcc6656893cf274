import type { GroupLine } from '../documents/group.ts'
import { memberPath } from '../objects/group.ts'

/** The path of a member in its group, if its URI is relative; otherwise the URI. */
export function pathInGroup(member: GroupLine): string {
  return memberPath('', member)?.slice(1) ?? member.uri
}

/** Whether the page can open a member. */
export function canOpen({ relative, state }: GroupLine): boolean {
  return relative && (state === 'present' || state === 'other-type')
}
