import { InspectError } from '../errors.ts'
import { groupDetails } from '../format/group-details.ts'
import type { ReadContext } from '../generic-tile.ts'
import { GROUP_DETAILS_FOLDER, type InspectGroup, isGroupDetailsName, memberPath } from '../group.ts'
import { openTarget, type Target } from '../target.ts'
import { checkMetadata } from './array.ts'
import { finding, fromError, guarded, type Item, type Items } from './finding.ts'
import { hasTimes } from './names.ts'
import { type CheckRun, checkedTileFile } from './run.ts'
import { checkStray } from './strays.ts'

/** Opens and checks a target that a group lists. */
export type CheckMember = (target: Target, above: readonly string[]) => Items

/**
 * A group's own files, then its members.
 * @param above paths of the groups around it, and the names of their files: links can lead to a group by ever longer paths
 */
export async function* checkGroup(
  run: CheckRun,
  group: InspectGroup,
  above: readonly string[],
  checkMember: CheckMember,
): Items {
  const { folder, cx } = group
  const inside = folder.folder(GROUP_DETAILS_FOLDER)
  let readable = true
  const identity = await group.identity()
  if (above.includes(identity)) {
    yield finding(
      'GROUP_CYCLE',
      { file: folder.path },
      'a group that is not one of those around it',
      'one of them again',
    )
    return
  }
  for (const entry of await inside.listIfThere()) {
    const { name, kind } = entry
    if (kind !== 'file' || !isGroupDetailsName(name) || !hasTimes(name)) {
      yield* checkStray(run, inside, entry, '__<t1>_<t2>_<uuid>_<version>', cx)
      continue
    }
    const items: Item[] = []
    const read = await checkedTileFile(run, inside, name, groupDetails, cx, 'GROUP_DETAILS_UNREADABLE', items)
    if (!read) readable = false
    yield* items
  }
  yield* checkMetadata(run, folder, cx)
  if (!readable) return
  yield* guarded('GROUP_DETAILS_UNREADABLE', { file: inside.path }, () =>
    checkMembers(group, [...above, folder.path, identity], checkMember),
  )
}

async function* checkMembers(group: InspectGroup, above: readonly string[], checkMember: CheckMember): Items {
  const { folder } = group
  for (const member of await group.members()) {
    const place = { file: folder.path, field: `members.${member.name ?? member.uri}` }
    const path = memberPath(folder.path, member)
    if (path === undefined) {
      const why = new InspectError('IO', `member ${JSON.stringify(member.uri)} is not below the group`, place)
      yield { notExamined: why }
      continue
    }
    if (path === folder.path || above.includes(path)) {
      yield finding('GROUP_CYCLE', place, 'a member below the group', JSON.stringify(member.uri))
      continue
    }
    const cx: ReadContext = { ...group.cx, keyProven: false, encrypted: false, onFault: undefined }
    try {
      const target = await openTarget(folder.storage, path, cx)
      if (target.type !== member.type) yield finding('GROUP_MEMBER_TYPE', place, member.type, target.type)
      else yield* checkMember(target, above)
    } catch (error) {
      if (!(error instanceof InspectError)) throw error
      if (error.code === 'NOT_FOUND' || error.code === 'NOT_TILEDB')
        yield finding('GROUP_MEMBER_MISSING', place, `a ${member.type}`, `${JSON.stringify(member.uri)}, not there`)
      else yield fromError(error, 'GROUP_MEMBER_MISSING', place)
    }
  }
}
