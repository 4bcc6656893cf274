import { type Datatype, datatypeCoding, datatypeSize } from './datatype.ts'
import type { Io } from './io.ts'

/** One entry of an array's or group's key-value metadata. Later files override earlier ones key by key. */
export interface MetadataEntry {
  key: string
  deleted: boolean
  /** This and the next two are undefined in a deletion. */
  type: Datatype | undefined
  value_num: number | undefined
  value: Uint8Array | undefined
}

/**
 * Metadata of an array or group: the content of the generic tiles in `__meta/`. There is no count of entries: they fill
 * the tile.
 *
 * @see format_spec/metadata.md
 */
export interface ArrayMetadata {
  entries: MetadataEntry[]
}

function metadataEntry(io: Io<MetadataEntry>): MetadataEntry {
  const key = io.string('key', 'uint32', 'entries follow each other to the end, without a count')
  const deleted = io.flag('deleted', '1: nothing follows')
  if (deleted) return { key, deleted, type: undefined, value_num: undefined, value: undefined }
  const type = io.coded('type', 'uint8', datatypeCoding, 'where it is not deleted')
  const value_num = io.u32('value_num', 'values: of text its bytes; where it is not deleted')
  return {
    key,
    deleted,
    type,
    value_num,
    value: io.bytes('value', value_num * datatypeSize(type), 'where it is not deleted'),
  }
}

export function arrayMetadata(io: Io<ArrayMetadata>): ArrayMetadata {
  return { entries: io.listToEnd('entries', metadataEntry) }
}
