import { InspectError } from '../base/errors.ts'
import type { Describe, Io } from './io.ts'
import { type ObjectType, objectTypeCoding } from './layout.ts'

/** A member of a group. */
export interface GroupMember {
  version: number
  type: ObjectType
  /** Whether `uri` is relative to the group's folder. */
  relative: boolean
  uri: string
  /** Undefined if the member has no name. */
  name: string | undefined
  /** Whether the member was removed. Since version 2. */
  deleted: boolean
}

/**
 * Members of a group: the content of a generic tile in `__group/`. In version 2 all files count, in the order of their
 * timestamps: an entry overrides earlier entries of the same member. In version 1 only the newest file counts.
 *
 * @see format_spec/group.md, which gives a 32-bit member count; real bytes have 64
 */
export interface GroupDetails {
  version: number
  members: GroupMember[]
}

function groupMember(io: Io<GroupMember>): GroupMember {
  const version = io.u32('version', 'version of the member')
  checkGroupVersion(version)
  const type = io.coded(
    'type',
    'uint8',
    objectTypeCoding,
    '1 group, 2 array; 0 (invalid) for what was not there when it was added',
  )
  const relative = io.flag('relative', 'whether the URI counts from the group')
  const uri = io.string('uri', 'uint64', 'where the member is')
  const named = io.derive('name_set', 'uint8', (m) => (m.name === undefined ? 0 : 1), '1: a name follows')
  io.require(named <= 1, 'name_set', () => `expected 0 or 1, found ${named}`)
  const name = named === 0 ? undefined : io.string('name', 'uint64', 'where there is a name')
  return {
    version,
    type,
    relative,
    uri,
    name,
    deleted: version >= 2 ? io.flag('deleted', 'whether the member was removed') : false,
  }
}

export const groupDetails: Describe<GroupDetails> = (io) => {
  const version = io.u32('version', '2; 1 lacks `deleted`')
  checkGroupVersion(version)
  const count = io.derive('member_num', 'uint64', (g) => g.members.length, 'members')
  return { version, members: io.list('members', count, groupMember) }
}

function checkGroupVersion(version: number): void {
  if (version === 1 || version === 2) return
  throw new InspectError('UNSUPPORTED_VERSION', `expected group version 1 or 2, found ${version}`, { field: 'version' })
}
