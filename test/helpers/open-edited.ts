import { InspectArray } from '../../src/objects/array.ts'
import { Folder } from '../../src/storage/source.ts'
import { EDITED, type EditedArray } from './edit-array.ts'
import { contextFor } from './fixtures.ts'

/** An edited array as it now is, opened; faults of its commit files are passed over. */
export async function openEdited(array: EditedArray): Promise<InspectArray> {
  return new InspectArray(new Folder(array.storage(), EDITED), { ...contextFor({ key: array.key }), onFault: () => {} })
}
