import { type GroupMember, groupDetails } from '../format/group-details.ts'
import { encode } from '../format/io.ts'
import { GROUP_DETAILS_FOLDER } from '../objects/group.ts'
import { genericTileWriter, type WriteContext } from './generic-tile-writer.ts'

/** Facts about a list of members, without the members. */
interface ListFacts {
  /** Version of the list: 1 lists all members, 2 the changes. */
  version: 1 | 2
  /** Format version of the file. */
  format_version: number
  /** Milliseconds since 1970. */
  time: bigint
  uuid: string
}

/** A file with a list of members. @returns its path in the group, and its bytes. @see format_spec/group.md */
export async function memberList(
  members: GroupMember[],
  { version, format_version, time, uuid }: ListFacts,
  writing: WriteContext,
): Promise<{ path: string; bytes: Uint8Array }> {
  const writeTile = await genericTileWriter(format_version, writing)
  const path = `${GROUP_DETAILS_FOLDER}/__${time}_${time}_${uuid}${version === 2 ? '_2' : ''}`
  return { path, bytes: writeTile(encode({ version, members }, groupDetails)) }
}
