import type { Refused } from '../check/refusals.ts'
import { lastPathPart } from '../format/commit-files.ts'
import { mayBeRefused } from '../objects/may-be-refused.ts'
import type { OpenedArray } from '../read/query.ts'

/**
 * What TileDB refuses of an array although this program reads it: of the array itself, and of the attributes that are shown.
 * @param fields names of the shown fields; undefined for all
 * @param reads whether the cells were read: then what also fails here was said
 */
export async function refusedOf(
  { array, schema }: Pick<OpenedArray, 'array' | 'schema'>,
  fields: readonly string[] | undefined,
  reads = true,
): Promise<readonly Refused[]> {
  if (!(await mayBeRefused(array))) return []
  const { refusedReads } = await import('../check/refusals.ts')
  // A finding about an enumeration names its attribute, itself or its file.
  const needed = new Set<string | undefined>()
  for (const { name, enumeration } of schema.attributes) {
    if (fields !== undefined && !fields.includes(name)) continue
    const file = schema.enumerations.find((one) => one.name === enumeration)?.path_name
    for (const one of [`attributes.${name}.enumeration`, `enumerations.${enumeration}`, file]) needed.add(one)
  }
  const refused = await refusedReads(array, reads)
  return refused.filter(({ refusal, finding: { field, file } }) => {
    return refusal.act !== 'fields' || needed.has(field) || needed.has(lastPathPart(file))
  })
}
