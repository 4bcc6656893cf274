import { unlessFault } from '../../base/errors.ts'
import { memberName } from '../../objects/dataset.ts'
import { type InspectGroup, memberPath } from '../../objects/group.ts'
import { openTarget } from '../../objects/target.ts'
import { Part } from '../part.ts'

/** The key in which several layers say what they are. */
export const DATASET_TYPE = 'dataset_type'

/** Whether a group is a dataset of TileDB-VCF. Those of before 2021 have no mark: their members tell. */
export async function isVcf(part: Part): Promise<boolean> {
  const type = await part.text(DATASET_TYPE)
  if (type !== undefined || !part.group) return type === 'vcf'
  return hasVcfMembers(part.group)
}

async function hasVcfMembers(group: InspectGroup): Promise<boolean> {
  const { folder, cx } = group
  const members = (await group.members().catch(unlessFault)) ?? []
  const named = (name: string, type: string) =>
    members.find((member) => memberName(member) === name && member.type === type)
  const data = named('data', 'array')
  const path = data && named('metadata', 'group') && memberPath(folder.path, data)
  if (path === undefined) return false
  const target = await openTarget(folder.storage, path, cx).catch(unlessFault)
  const keys = await new Part(target).metadata()
  return keys.has('anchor_gap') && keys.has('tile_capacity')
}
