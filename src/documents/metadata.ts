import type { Datatype } from '../format/datatype.ts'
import type { AsOf, CellValue, Count, DocumentHead, KeyValues, Path, TimestampRange } from './common.ts'

/** `tiledb-inspect metadata <array|group> --json`. */
export interface MetadataDocument extends DocumentHead<'metadata'>, AsOf {
  metadata: KeyValues
  /** Every version of each key that is on disk. Only with `--all`. */
  versions?: readonly MetadataVersionDescription[] | undefined
  /** For a group: the metadata of every group and array below it. */
  members?: readonly MetadataMember[] | undefined
}

/** What a file says of a key. Keys in order of their names, the versions of each oldest first. */
export interface MetadataVersionDescription {
  /** The key. */
  key: string
  /** First and last timestamp of the file, milliseconds since 1970; null if its name has none. */
  timestamp_range: TimestampRange | null
  /** Whether the key was deleted then. */
  deleted: boolean
  /** Type of the value; null where it was deleted. */
  type: Datatype | null
  /** Number of values, or of bytes of text; 0 where it was deleted. */
  value_num: Count
  /** The value; null where it was deleted, and for a key without a value. */
  value: CellValue
  /** Whether a reader gets this value now, or at the end of the times. */
  current: boolean
  /** Whether the file is a consolidated one, with copies of values from between its timestamps. */
  consolidated: boolean
  /** The file, relative to the array or group. */
  file: Path
}

export interface MetadataMember {
  path: Path
  metadata: KeyValues
  /** As of the group. Only with `--all`. */
  versions?: readonly MetadataVersionDescription[] | undefined
}
