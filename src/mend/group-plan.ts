import { isWithinFolder, lastPathPart, normalPath } from '../base/paths.ts'
import { isMendedBy } from '../check/codes.ts'
import type { Finding } from '../check/finding.ts'
import { memberName, placeInside } from '../objects/dataset.ts'
import { GROUP_DETAILS_FOLDER, type InspectGroup, type Member, memberPath } from '../objects/group.ts'
import { type Draft, draftIn, type MendPlan } from './drafts.ts'
import { leaveUntilThen, pathInMilliseconds } from './milliseconds.ts'
import { python, type Shell, word } from './shell.ts'
import { wayOfCode } from './ways.ts'

const REMOVE = 'import sys, tiledb; tiledb.Group(sys.argv[1], "w").remove(sys.argv[2])'
const ADD = 'import sys, tiledb; tiledb.Group(sys.argv[1], "w").add(sys.argv[2], sys.argv[3] or None, relative=True)'

/** Plans for the findings of one group. */
export async function groupPlans(
  group: InspectGroup,
  shell: Shell,
  findings: readonly Finding[],
  isObject: (path: string) => Promise<boolean>,
): Promise<MendPlan[]> {
  const drafts = new Map<string, Draft>()
  const draftOf = (key: string, finding: Finding): Draft => draftIn(drafts, key, finding)
  const pathOf = ({ file }: Finding): string => file.slice(group.folder.path.length + 1)
  for (const finding of findings) {
    const path = pathOf(finding)
    const way = wayOfCode(finding.code)
    if (way === 'milliseconds') {
      const to = pathInMilliseconds(path, group.cx.now)
      const draft = draftOf(path, finding)
      if (to !== undefined) draft.move(shell.rename(path, to))
      else
        leaveUntilThen(
          draft,
          lastPathPart(path),
          (last) => `the group at that time, with sm.group.timestamp_end=${last}`,
        )
    } else if (way === 'aside') draftOf(path, finding).move(shell.moveAside(path))
    else if (way !== 'members') draftOf('leave', finding).outcome = 'leave'
  }
  const members = await listedMembers(group)
  const ofMembers: Finding[] = []
  for (const finding of findings) {
    if (!isMendedBy(finding.code, 'members')) continue
    if (isLeft(group, finding, members)) draftOf('leave', finding).outcome = 'leave'
    else ofMembers.push(finding)
  }
  if (ofMembers.length > 0) await mendMembers(group, shell, ofMembers, { members, draftOf, pathOf, isObject })
  return [...drafts.values()].map((draft) => draft.plan())
}

type Members = ReadonlyMap<string, Member>

/** The members that the lists of a group name, by what findings call them. */
async function listedMembers(group: InspectGroup): Promise<Members> {
  const members = await group.members().catch(() => [])
  return new Map(members.filter(({ implicit }) => !implicit).map((member) => [member.name ?? member.uri, member]))
}

/** The member that a finding is about. */
function memberOf({ field }: Finding, members: Members): Member | undefined {
  return field?.startsWith('members.') ? members.get(field.slice('members.'.length)) : undefined
}

/**
 * Whether no copy into the group's folder mends that a member lies elsewhere: it lies in that folder, which is elsewhere itself, or that
 * folder lies in it.
 */
function isLeft({ folder }: InspectGroup, finding: Finding, members: Members): boolean {
  const member = finding.code === 'GROUP_MEMBER_ELSEWHERE' ? memberOf(finding, members) : undefined
  const path = member && memberPath(folder.path, member)
  if (path === undefined) return false
  const [own, other] = [normalPath(folder.path), normalPath(path)]
  return isWithinFolder(other, own) || isWithinFolder(own, other)
}

/**
 * Plans calls of TileDB that write the list of members again. Each writes a file whose name is not known before, so the steps keep the
 * whole folder of lists, and `back` restores it.
 */
async function mendMembers(
  group: InspectGroup,
  shell: Shell,
  findings: readonly Finding[],
  {
    members,
    draftOf,
    pathOf,
    isObject,
  }: {
    members: Members
    draftOf: (key: string, finding: Finding) => Draft
    pathOf: (finding: Finding) => string
    isObject: (path: string) => Promise<boolean>
  },
): Promise<void> {
  const [first] = findings
  const draft = draftOf('members', first)
  for (const one of findings.slice(1)) draftOf('members', one)
  const before = word(`${shell.aside}/${GROUP_DETAILS_FOLDER}`)
  const after = word(`${shell.aside}/${GROUP_DETAILS_FOLDER}.after`)
  draft.move({
    step: { command: `mkdir -p ${word(shell.aside)} && cp -a ${shell.at(GROUP_DETAILS_FOLDER)} ${before}` },
    back: {
      command: `mv ${shell.at(GROUP_DETAILS_FOLDER)} ${after} && mv ${before} ${shell.at(GROUP_DETAILS_FOLDER)}`,
    },
  })
  const damaged = findings.filter(({ code }) => code === 'GROUP_DETAILS_UNREADABLE').map(pathOf)
  for (const path of new Set(damaged))
    draft.say({ command: `rm ${shell.at(path)}`, text: 'the step before kept a copy' })
  if (damaged.length > 0) {
    const known = new Set([...members.values()].map(({ uri }) => uri))
    for (const { name, kind } of await group.folder.list()) {
      if (kind !== 'folder' || known.has(name) || !(await isObject(name))) continue
      draft.say({ command: python(ADD, shell.root, name, name) })
      draft.notLost.add(
        `${name}, which lies in the group's folder; its name in the group is unknown, so the name of the folder is used`,
      )
    }
  }
  for (const finding of findings) {
    const { code } = finding
    const member = memberOf(finding, members)
    if (!member) continue
    const key = member.name ?? member.uri
    const isElsewhere = code === 'GROUP_MEMBER_ELSEWHERE'
    const inside = isElsewhere || code === 'GROUP_MEMBER_MISSING' ? await placeInside(member, isObject) : undefined
    if (isElsewhere && inside === undefined) {
      const name = memberName(member)
      const path = memberPath(group.folder.path, member)
      if (path === undefined) continue
      draft.move(shell.copyInto(path, name))
      draft.say(
        { command: python(REMOVE, shell.root, key) },
        { command: python(ADD, shell.root, name, member.name ?? '') },
      )
      continue
    }
    draft.say({ command: python(REMOVE, shell.root, key) })
    if (inside !== undefined) {
      draft.say({ command: python(ADD, shell.root, inside, member.name ?? '') })
      draft.notLost.add(`${key}: ${inside} in the group's folder takes its place`)
      draft.never.add(`run these steps if ${inside} is not the copy of ${member.uri} that readers should see`)
      if (code === 'GROUP_MEMBER_MISSING') draft.takeBackLost()
    } else if (code === 'GROUP_MEMBER_TYPE') draft.say({ command: addedAgain(shell, member) })
    else if (code === 'GROUP_MEMBER_MISSING') {
      draft.loses.add(`the name ${key} in the group, with ${JSON.stringify(member.uri)}`)
      draft.never.add('run these steps if the member was only moved: put it back instead')
    }
  }
}

function addedAgain(shell: Shell, { relative, uri, name }: Member): string {
  const code = relative ? ADD : ADD.replace('relative=True', 'relative=False')
  return python(code, shell.root, uri, name ?? '')
}
