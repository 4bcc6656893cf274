import { unlessFault } from '../../base/errors.ts'
import { memberName } from '../../objects/dataset.ts'
import { type InspectGroup, type Member, memberPath } from '../../objects/group.ts'
import { openTarget } from '../../objects/target.ts'
import { hasEntry } from '../../storage/source.ts'
import { DatasetPart } from '../part.ts'

/** The key in which several layers say what they are. */
export const DATASET_TYPE = 'dataset_type'

/** Whether a group is a dataset of TileDB-VCF. Those of before 2021 have no mark: their members tell. */
export async function isVcf(part: DatasetPart): Promise<boolean> {
  const type = await part.text(DATASET_TYPE)
  if (type !== undefined || !part.group) return type === 'vcf'
  return hasVcfMembers(part.group)
}

async function hasVcfMembers(group: InspectGroup): Promise<boolean> {
  const { folder, cx } = group
  // The listing of the folder is known already. Only with both folders in it, the list of members is worth a request.
  const entries = (await folder.list().catch(unlessFault)) ?? []
  if (!hasEntry(entries, 'data', 'folder') || !hasEntry(entries, 'metadata', 'folder')) return false
  const named = await membersNamed(group, ['data', 'metadata']).catch(unlessFault)
  const data = named?.get('data')
  const hasBoth = data?.type === 'array' && named?.get('metadata')?.type === 'group'
  const path = hasBoth ? memberPath(folder.path, data) : undefined
  if (path === undefined) return false
  const target = await openTarget(folder.storage, path, cx).catch(unlessFault)
  const keys = await new DatasetPart(target).metadata()
  return keys.has('anchor_gap') && keys.has('tile_capacity')
}

/** The members with some names. Others may be many, and are not kept. */
async function membersNamed(group: InspectGroup, names: readonly string[]): Promise<Map<string, Member>> {
  const found = new Map<string, Member>()
  for await (const member of group.quietly().eachMember()) {
    const name = memberName(member)
    if (names.includes(name)) found.set(name, member)
  }
  return found
}
