import type { Prose } from '../base/prose.ts'
import type { ArraySchema } from '../format/array-schema.ts'
import { droppedAttributes } from '../objects/changed-fields.ts'
import { TIMESTAMPS_SINCE } from '../objects/visibility.ts'
import type { OpenedArray } from '../read/query.ts'

/**
 * A note on what a vacuum does to reads at earlier times. In a sparse array of a newer format the consolidated fragment has the time of
 * each cell, so TileDB can read the part of it that an earlier time needs. It has only the fields of the newest schema.
 * @param version format version of the consolidated fragments
 * @see tiledb/sm/consolidator/fragment_consolidator.cc: with_timestamps_
 */
export function vacuumNote(
  { schema, fragments = [] }: Pick<OpenedArray, 'schema'> & Partial<Pick<OpenedArray, 'fragments'>>,
  version = schema.version,
): Prose {
  if (!keepsTimes(schema, version))
    return 'removes the old fragments; reads as of a time before the newest of them lose their cells'
  const dropped = droppedAttributes(schema, fragments)
  return dropped.size === 0
    ? 'removes the old fragments; reads as of a time in the past stay the same'
    : `removes the old fragments; reads as of a time in the past lose the values of attributes dropped since: ${Array.from(dropped, (name) => JSON.stringify(name)).join(', ')}`
}

/** Whether a consolidated fragment has the time of each cell. @param version its format version */
export function keepsTimes(
  { array_type, version: own }: Pick<ArraySchema, 'array_type' | 'version'>,
  version = own,
): boolean {
  return array_type === 'sparse' && version >= TIMESTAMPS_SINCE
}
