import { InspectError } from '../base/errors.ts'
import { allInOrder, atOnce } from '../base/in-order.ts'
import { groupDetails } from '../format/group-details.ts'
import { isTimedName } from '../format/timestamped-name.ts'
import { GROUP_DETAILS_FOLDER, type InspectGroup, type Member } from '../objects/group.ts'
import { findMember } from '../objects/group-members.ts'
import { openTarget, type Target } from '../objects/target.ts'
import { checkFuture, checkMetadata } from './array.ts'
import { attempt, collectItems, finding, fromError, type Items } from './finding.ts'
import { hasTimes } from './names.ts'
import { type CheckRun, checkedTileFile } from './run.ts'
import { checkStray } from './strays.ts'
import type { Plan } from './units.ts'

/** Checks a member of a group. @param concurrency number of members that are checked at once */
type CheckMember = (target: Target, above: readonly string[], concurrency: number) => Plan

/**
 * Checks the files of a group, then its members.
 * @param above paths and identities of the enclosing groups. Links can lead to the same group by ever longer paths.
 */
export async function* checkGroup(
  run: CheckRun,
  group: InspectGroup,
  above: readonly string[],
  checkMember: CheckMember,
): Plan {
  const { folder, cx } = group
  const inside = folder.folder(GROUP_DETAILS_FOLDER)
  const identity = await group.identity()
  if (above.includes(identity)) {
    const expected = 'a group that is not one of those around it'
    yield finding('GROUP_CYCLE', { file: folder.path }, expected, 'one of them again')
    return
  }
  let readable = true
  yield* allInOrder(await inside.listIfThere(), atOnce(folder), async function* (entry): Items {
    const { name, kind } = entry
    if (kind !== 'file' || !isTimedName(name) || !hasTimes(name)) {
      yield* checkStray(run, inside, entry, '__<t1>_<t2>_<uuid>_<version>', cx)
      return
    }
    yield* checkFuture('GROUP_DETAILS_FUTURE', `${inside.path}/${name}`, cx)
    const read = yield* checkedTileFile(run, inside, name, groupDetails, cx, 'GROUP_DETAILS_UNREADABLE')
    if (!read) readable = false
  })
  yield* checkMetadata(run, folder, cx)
  // Unreadable files were reported above. The members that the other files list are still checked.
  cx.onFault = () => {}
  const listed = attempt('GROUP_DETAILS_UNREADABLE', { file: inside.path }, () => group.members())
  const { value: members, items } = await collectItems(listed)
  if (readable) yield* items
  if (members) yield* checkMembers(group, members, [...above, folder.path, identity], checkMember)
}

async function* checkMembers(
  group: InspectGroup,
  members: readonly Member[],
  above: readonly string[],
  checkMember: CheckMember,
): Plan {
  const { folder } = group
  const concurrency = Math.max(1, Math.min(members.length, atOnce(folder)))
  const open = (path: string): Promise<Target> =>
    openTarget(folder.storage, path, { ...group.cx, keyProven: false, encrypted: false, onFault: undefined })
  yield* allInOrder(members, concurrency, async function* (member): Plan {
    const place = { file: folder.path, field: `members.${member.name ?? member.uri}` }
    const { state, path, target, error } = await findMember(group, member, above, open)
    if (state === 'cycle' || (path !== undefined && above.includes(path))) {
      yield finding('GROUP_CYCLE', place, 'a member below the group', JSON.stringify(member.uri))
    } else if (state === 'missing') {
      yield finding('GROUP_MEMBER_MISSING', place, memberInWords(member), `${JSON.stringify(member.uri)}, not there`)
    } else if (error) {
      if (state === 'outside') yield { notExamined: new InspectError(error.code, error.fault, place) }
      else yield fromError(error, 'GROUP_MEMBER_MISSING', place)
    } else if (target && state === 'other-type') {
      yield finding('GROUP_MEMBER_TYPE', place, member.type, target.type)
    } else if (target) {
      // For TileDB, a member that did not exist when it was added stays invalid.
      if (member.type === 'invalid') yield finding('GROUP_MEMBER_TYPE', place, target.type, 'invalid', 'invalid')
      try {
        yield* checkMember(target, above, concurrency)
      } catch (error) {
        if (!(error instanceof InspectError)) throw error
        yield fromError(error, 'GROUP_MEMBER_MISSING', place)
      }
    }
  })
}

function memberInWords({ type }: Member): string {
  return type === 'invalid' ? 'an array or a group' : type === 'array' ? 'an array' : 'a group'
}
