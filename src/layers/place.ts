import type { Place } from '../check/finding.ts'
import type { Part } from './part.ts'

/** Where a finding about a part is. @param field a field of the array, a member of the group, or a key of the metadata */
export function placeOf(part: Part, field?: string): Place {
  return { file: part.file, field }
}
