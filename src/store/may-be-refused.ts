import type { InspectArray } from './array.ts'
import { deletePlaces } from './deletes.ts'

/**
 * Whether TileDB may refuse an array that this program reads: it has several schemas, enumerations or delete conditions. Costs nothing
 * after an opening. check/refusals.ts finds out.
 */
export async function mayBeRefused(array: InspectArray): Promise<boolean> {
  if ((await array.schemaFiles()).length > 1 || (await deletePlaces(array)).length > 0) return true
  return (await array.newestSchema()).schema.enumerations.length > 0
}
