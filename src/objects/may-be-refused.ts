import type { FragmentEntry, InspectArray } from './array.ts'
import { deletePlaces } from './deletes.ts'

/**
 * Whether TileDB may refuse an array that this program reads: because of its schemas, its enumerations, its delete conditions or the name
 * of a fragment. Costs nothing after an opening. check/refusals.ts finds out.
 */
export async function mayBeRefused(array: InspectArray): Promise<boolean> {
  if ((await array.schemaFiles()).length > 1 || (await deletePlaces(array)).length > 0) return true
  if ((await array.otherSchemaFiles()).length > 0 || (await array.fragments()).some(isTimeReversed)) return true
  const { enumerations, current_domain, domain, attributes } = (await array.newestSchema()).schema
  const names = new Set([...domain.dimensions, ...attributes].map(({ name }) => name))
  const hasTwins = names.size < domain.dimensions.length + attributes.length
  return enumerations.length > 0 || current_domain?.range !== undefined || hasTwins
}

/** Whether the first time in a committed fragment's name is the later one. */
export function isTimeReversed({ committed, timestamp_range }: FragmentEntry): boolean {
  return committed && timestamp_range !== undefined && timestamp_range[0] > timestamp_range[1]
}
