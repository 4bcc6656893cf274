import { unlessFault } from '../../base/errors.ts'
import { hasEntry } from '../../storage/source.ts'
import type { DatasetPart } from '../part.ts'
import { DATASET_TYPE } from '../vcf/recognise.ts'

/** Members that every index of storage version 0.2 or later has. */
const MEMBERS = ['shuffled_vectors', 'shuffled_vector_ids']

/**
 * Whether a group is a vector index. One that lost its metadata is known by the names in its folder, which was listed to know the group:
 * what the library says of it is that it lacks what the metadata would name.
 */
export async function isVectorIndex(part: DatasetPart): Promise<boolean> {
  const type = await part.text(DATASET_TYPE)
  if (type !== undefined) return type === 'vector_search'
  const { target } = part
  if (target?.type !== 'group' || target.isPlain) return false
  const entries = (await target.group.folder.list().catch(unlessFault)) ?? []
  return MEMBERS.every((name) => hasEntry(entries, name, 'folder'))
}
