import { unlessFault } from '../base/errors.ts'
import { nameOf, normalPath } from '../base/paths.ts'
import { objectType } from '../objects/group.ts'
import { hasEntry } from '../storage/source.ts'
import type { DatasetPart } from './part.ts'

/** Whether there is an array or a group in the folder of a group, at a name that none of its members has. */
export async function isUnlisted({ group, parts }: DatasetPart, name: string): Promise<boolean> {
  if (!group) return false
  for (const { member } of parts.values())
    if (member?.path !== undefined && nameOf(normalPath(member.path)) === name) return false
  // The folder was listed to know the group: only a name in it costs a request.
  const beside = await group.folder.list().catch(unlessFault)
  if (!beside || !hasEntry(beside, name, 'folder')) return false
  const entries = await group.folder.folder(name).list().catch(unlessFault)
  return entries !== undefined && objectType(entries) !== undefined
}
