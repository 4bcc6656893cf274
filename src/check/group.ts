import { InspectError } from '../base/errors.ts'
import { allInOrder, atOnce } from '../base/in-order.ts'
import { isWithinFolder, normalPath } from '../base/paths.ts'
import { groupDetails } from '../format/group-details.ts'
import { hasTimes, isTimedName } from '../format/timestamped-name.ts'
import { type DatasetMember, memberInWords } from '../objects/dataset.ts'
import { GROUP_DETAILS_FOLDER, GROUP_FILE, type InspectGroup } from '../objects/group.ts'
import type { LostAs } from './across.ts'
import { type FindingPlace, finding, fromError, guardedValue, type Item, type Items } from './finding.ts'
import { checkedTileFile } from './generic-tiles.ts'
import { checkFuture, checkMetadata } from './key-values.ts'
import type { CheckRun } from './run.ts'
import { checkStray } from './strays.ts'

/** Checks the files that a group itself has: its lists of members, and its metadata. */
export async function* checkGroupFiles(run: CheckRun, group: InspectGroup): Items {
  const { folder, cx } = group
  const details = folder.folder(GROUP_DETAILS_FOLDER)
  // The empty file that marks a group.
  if ((await folder.kind(GROUP_FILE)) === 'file') run.counts.file_num++
  let readable = true
  yield* allInOrder(await details.listIfThere(), atOnce(folder), async function* (entry): Items {
    const { name, kind } = entry
    if (kind !== 'file' || !isTimedName(name) || !hasTimes(name)) {
      yield* checkStray(run, details, entry, '__<t1>_<t2>_<uuid>_<version>', cx)
      return
    }
    yield* checkFuture('GROUP_DETAILS_FUTURE', `${details.path}/${name}`, cx)
    const read = yield* checkedTileFile(run, cx, {
      folder: details,
      path: name,
      describe: groupDetails,
      code: 'GROUP_DETAILS_UNREADABLE',
    })
    if (!read) readable = false
  })
  yield* checkMetadata(run, folder, cx, true)
  // Unreadable files were reported above. The members that the other files list are still checked.
  cx.onFault = () => {}
  if (!readable) return
  // It is no fault if a folder holds an object that the group does not list. So only a check of everything tells it, and the quick check of an overview.
  if (!run.all && !run.quick) {
    yield* guardedValue('GROUP_DETAILS_UNREADABLE', { file: details.path }, () => group.members())
    return
  }
  const unlisted = yield* guardedValue('GROUP_DETAILS_UNREADABLE', { file: details.path }, () => group.unlisted())
  for (const { name, type } of unlisted ?? [])
    yield finding(
      'GROUP_OBJECT_UNLISTED',
      { file: `${folder.path}/${name}` },
      'a member of the group',
      type === 'array' ? 'an array that is no member' : 'a group that is no member',
    )
}

/** The place of a member: its line in the list of its group. */
export function memberPlace({ group, member }: DatasetMember): FindingPlace {
  return { file: group.folder.path, field: `members.${member.name ?? member.uri}` }
}

/**
 * Checks that a member that a group lists is there, and that a copy of the dataset would have it.
 * @param lostAs what the layer of the group says of a member that is missing
 */
export function* memberItems(found: DatasetMember, lostAs?: LostAs): Generator<Item> {
  const { member, state, target, error, again, isInRepeated } = found
  const place = memberPlace(found)
  const uri = JSON.stringify(member.uri)
  if (state === 'cycle') yield finding('GROUP_CYCLE', place, 'a member below the group', uri)
  else if (state === 'missing') {
    const variant = missingVariant(found, lostAs)
    yield finding('GROUP_MEMBER_MISSING', place, memberInWords(member), `${uri}, not there`, variant)
  } else if (state === 'outside') {
    if (error) yield { notExamined: new InspectError(error.code, error.fault, place) }
  } else if (error) {
    // If the member is a group that is there, its own list of members is what cannot be read.
    yield target?.type === 'group'
      ? fromError(error, 'GROUP_DETAILS_UNREADABLE', { file: target.path })
      : fromError(error, 'GROUP_MEMBER_MISSING', place)
  } else if (target && state === 'other-type') yield finding('GROUP_MEMBER_TYPE', place, member.type, target.type)
  else if (target && isNeverValid(member.type))
    yield finding('GROUP_MEMBER_TYPE', place, target.type, 'invalid', 'invalid')
  if (again && state === 'present' && !isInRepeated) {
    const where = again.length === 0 ? 'the dataset itself' : JSON.stringify(again.join('/'))
    yield finding('GROUP_MEMBER_TWICE', place, 'an object that was not met before', `the same as ${where}`)
  }
  if (found.place === 'elsewhere' || found.place === 'linked')
    yield finding('GROUP_MEMBER_ELSEWHERE', place, 'a member below the dataset', elsewhereText(found))
}

/** For TileDB, a member that did not exist when it was added stays invalid. */
function isNeverValid(type: DatasetMember['member']['type']): boolean {
  return type === 'invalid'
}

/** The variant of the finding about a missing member. */
function missingVariant(found: DatasetMember, lostAs: LostAs | undefined): LostAs | 'never' | 'elsewhere' | undefined {
  if (lostAs === 'temporary') return lostAs
  const isNever = isNeverValid(found.member.type)
  if (!isNever && !isInside(found)) return 'elsewhere'
  return lostAs ?? (isNever ? 'never' : undefined)
}

/** Whether the path of a member leads below its group. */
function isInside({ group: { folder }, path }: DatasetMember): boolean {
  return path !== undefined && isWithinFolder(normalPath(path), normalPath(folder.path))
}

/** Where a member is that does not lie below the dataset. */
function elsewhereText({ path, place, member }: DatasetMember): string {
  return place === 'linked' ? `${path}, where a link leads out of the dataset` : (path ?? member.uri)
}
