import { datatypeCoding, datatypeSize } from './datatype.ts'
import type { AnyIo } from './io.ts'

/**
 * One entry of an array's or group's key-value metadata. Later files override earlier ones key by key. An entry that
 * deletes a key has nothing after `deleted`.
 */
export type MetadataEntry = ReturnType<typeof metadataEntry>
function metadataEntry(io: AnyIo) {
  const key = io.string('key', 'uint32', 'key; entries fill the tile, and there is no count')
  const deleted = io.flag('deleted', '1: the key was deleted, and nothing follows')
  const type = deleted
    ? undefined
    : io.coded('type', 'uint8', datatypeCoding, 'type of the value; absent for a deleted key')
  const value_num = deleted ? undefined : io.u32('value_num', 'values: for text, its bytes; absent for a deleted key')
  const length = type && (value_num ?? 0) * datatypeSize(type)
  const value = length === undefined ? undefined : io.bytes('value', length, 'absent for a deleted key')
  return { key, deleted, type, value_num, value }
}

/**
 * Metadata of an array or group: the content of the generic tiles in `__meta/`. There is no count of entries: they fill
 * the tile.
 *
 * @see format_spec/metadata.md
 */
export type ArrayMetadata = ReturnType<typeof arrayMetadata>
export function arrayMetadata(io: AnyIo) {
  return { entries: io.listToEnd('entries', metadataEntry) }
}
