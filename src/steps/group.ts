import { usage } from '../base/errors.ts'
import type { GroupMember } from '../format/group-details.ts'
import { NEWEST_STABLE } from '../format/releases.ts'
import { GROUP_FILE, InspectGroup, objectType } from '../objects/group.ts'
import { hasEntry } from '../storage/source.ts'
import { flag, integer, listOrNone, object, oneOf, or, text } from '../write/document.ts'
import { memberList } from '../write/member-list.ts'
import { StepTarget } from './step-target.ts'

/** First format version in which groups list their members. */
const MEMBERS_SINCE = 12
/** First format version in which each file lists only the changes. */
const CHANGES_SINCE = 18

/** The keys of a step that changes a group. */
export const GROUP_CHANGE = {
  add: listOrNone(
    object({
      uri: text,
      name: or(text, undefined),
      type: or(oneOf(['array', 'group']), undefined),
      relative: or(flag, true),
    }),
  ),
  remove: listOrNone(text),
  format_version: or(integer(1, NEWEST_STABLE), NEWEST_STABLE),
} as const
type GroupChange = { [K in keyof typeof GROUP_CHANGE]: ReturnType<(typeof GROUP_CHANGE)[K]> }

/**
 * Makes a group, if none is there, and adds and removes members. A member is known by its name, or by its URI if it has no name.
 * @returns paths of new files in the group
 * @see format_spec/group.md
 */
export async function changeGroup(place: StepTarget, change: GroupChange, time: bigint): Promise<string[]> {
  const { add, remove, format_version } = change
  const entries = await place.folder.listIfThere()
  if (objectType(entries) === 'array') throw usage({ expected: 'a group', found: 'an array' })
  const made: string[] = []
  if (!hasEntry(entries, GROUP_FILE, 'file')) {
    await place.writeText(GROUP_FILE)
    made.push(GROUP_FILE)
  }
  if (format_version < MEMBERS_SINCE || add.length + remove.length === 0) return made
  const version = format_version >= CHANGES_SINCE ? 2 : 1
  const group = new InspectGroup(place.folder, place.context)
  const before = (await group.members()).filter(({ implicit }) => !implicit)
  const keyOf = ({ name, uri }: { name?: string | undefined; uri: string }): string => name ?? uri
  const gone = remove.map((key): GroupMember => {
    const member = before.find((one) => keyOf(one) === key)
    if (!member) throw usage({ expected: 'members of the group to remove', found: JSON.stringify(key) })
    return { ...memberOf(member, version), deleted: true }
  })
  const added: GroupMember[] = []
  for (const member of add) {
    if (before.some((one) => keyOf(one) === keyOf(member)) && !remove.includes(keyOf(member)))
      throw usage({ expected: 'a member that is not in the group', found: JSON.stringify(keyOf(member)) })
    const type = member.type ?? (await typeAt(place, member))
    added.push({ version, type, relative: member.relative, uri: member.uri, name: member.name, deleted: false })
  }
  const stay = before.filter((one) => !remove.includes(keyOf(one))).map((one) => memberOf(one, version))
  const members = version === 1 ? [...stay, ...added] : [...gone, ...added]
  const { writing, uuid } = place.cx
  const file = await memberList(members, { version, format_version, time, uuid: uuid() }, writing)
  await place.write(file)
  return [...made, file.path]
}

function memberOf({ type, relative, uri, name }: GroupMember, version: number): GroupMember {
  return { version, type, relative, uri, name, deleted: false }
}

async function typeAt(
  place: StepTarget,
  { uri, relative }: { uri: string; relative: boolean },
): Promise<'array' | 'group'> {
  if (!relative) throw usage({ expected: '"type" for a member outside of the group', found: `none: ${uri}` })
  const inside = new StepTarget(place.cx, place.path === '' ? uri : `${place.path}/${uri}`)
  const type = objectType(await inside.folder.listIfThere())
  if (type !== undefined) return type
  throw usage({
    expected: `an array or a group at ${JSON.stringify(inside.path)}`,
    found: 'none: create it first, or give its "type"',
  })
}
