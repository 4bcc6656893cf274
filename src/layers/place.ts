import type { FindingPlace } from '../check/finding.ts'
import type { DatasetPart } from './part.ts'

/** Where a finding about a part is. @param field a field of the array, a member of the group, or a key of the metadata */
export function findingPlace(part: DatasetPart, field?: string): FindingPlace {
  return { file: part.file, field }
}
