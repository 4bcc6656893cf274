import { InspectError } from '../base/errors.ts'
import { type AnyIo, countedList, flagOf } from './io.ts'
import { objectTypeCoding } from './layout.ts'

/** A member of a group. */
export type GroupMember = ReturnType<typeof groupMember>
function groupMember(io: AnyIo) {
  const version = io.u32('version', 'version of the member')
  checkGroupVersion(version)
  const ofType = '1 group, 2 array, 0 invalid: it did not exist when it was added'
  const hasName = (member: { name: unknown }): boolean => member.name !== undefined
  return {
    version,
    type: io.coded('type', 'uint8', objectTypeCoding, ofType),
    relative: io.flag('relative', 'whether the URI is relative to the group'),
    uri: io.string('uri', 'uint64', 'URI of the member'),
    name: flagOf(io, 'name_set', hasName, '1: a name follows')
      ? io.string('name', 'uint64', 'name of the member; absent if `name_set` is 0')
      : undefined,
    deleted: version >= 2 ? io.flag('deleted', 'whether the member was removed') : false,
  }
}

/**
 * Members of a group: the content of a generic tile in `__group/`. In version 2 all files count, in the order of their
 * timestamps: an entry overrides earlier entries of the same member. In version 1 only the newest file counts.
 *
 * @see format_spec/group.md, which gives a 32-bit member count; real bytes have 64
 */
export type GroupDetails = ReturnType<typeof groupDetails>
export function groupDetails(io: AnyIo) {
  const version = io.u32('version', 'version of this structure: 2, or 1, which lacks `deleted`')
  checkGroupVersion(version)
  return { version, members: countedList(io, ['member_num', 'uint64', 'members'], 'members', groupMember) }
}

function checkGroupVersion(version: number): void {
  if (version === 1 || version === 2) return
  throw new InspectError(
    'UNSUPPORTED_VERSION',
    { expected: 'group version 1 or 2', found: version },
    { field: 'version' },
  )
}
