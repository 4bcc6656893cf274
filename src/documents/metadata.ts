import type { Datatype } from '../format/datatype.ts'
import type { AsOf, CellValue, Count, DocumentHead, KeyValues, Path, TimestampRange } from './common.ts'

interface MetadataAndVersions {
  metadata: KeyValues
  /** Every version of each key on disk. Only with `--all`. */
  versions?: readonly MetadataVersionDescription[] | undefined
}

/** `tiledb-inspect metadata <array|group> --json`. */
export interface MetadataDocument extends DocumentHead<'metadata'>, AsOf, MetadataAndVersions {
  /** Metadata of every group and array below a group. */
  members?: readonly MetadataMember[] | undefined
}

/** The version of a key in one file. Versions are sorted by key, and then from oldest to newest. */
export interface MetadataVersionDescription {
  /** Name of the key. */
  key: string
  /** First and last timestamp of the file, milliseconds since 1970; null if its name has none. */
  timestamp_range: TimestampRange | null
  /** Whether this version deletes the key. */
  deleted: boolean
  /** Type of the value; null if the key is deleted. */
  type: Datatype | null
  /** Number of values, as TileDB gives it to readers; of text, number of bytes; 1 for an empty value; 0 if the key is deleted. */
  value_num: Count
  /** Value of the key; null if it is deleted or has no value. */
  value: CellValue
  /** Whether a reader gets this value now, or at the end of the given times. */
  current: boolean
  /** Whether the file is a consolidated one: it contains copies of values that were written between its timestamps. */
  consolidated: boolean
  /** Path of the file, relative to the array or group. */
  file: Path
}

export interface MetadataMember extends MetadataAndVersions {
  path: Path
}
