import type { Refused } from '../check/refusals.ts'
import type { OpenedArray } from '../read/query.ts'
import { mayBeRefused } from '../store/may-be-refused.ts'

/**
 * What TileDB refuses of an array although this program reads it: of the array itself, and of the attributes that are shown.
 * @param fields names of the shown fields; undefined for all
 */
export async function refusedOf(
  { array, schema }: OpenedArray,
  fields: readonly string[] | undefined,
): Promise<readonly Refused[]> {
  if (!(await mayBeRefused(array))) return []
  const { refusedReads } = await import('../check/refusals.ts')
  const shown = schema.attributes.filter(({ name }) => fields === undefined || fields.includes(name))
  const needed = new Set(shown.map(({ enumeration }) => `enumerations.${enumeration}`))
  const refused = await refusedReads(array)
  return refused.filter(({ refusal, finding: { field } }) => refusal.act !== 'fields' || !field || needed.has(field))
}
