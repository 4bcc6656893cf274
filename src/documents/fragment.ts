import type { FileRole } from '../format/field-files.ts'
import type {
  AsOf,
  Bytes,
  DocumentHead,
  FilterDescription,
  ListedFragment,
  OfSeveral,
  Releases,
  StoredName,
  TileNum,
} from './common.ts'

/** `tiledb-inspect ls <fragment> --json`. NDJSON: one file a line (`$defs/line`). */
export interface FragmentDocument extends DocumentHead<'fragment'>, AsOf, ListedFragment, Partial<Releases> {
  /** Files that the metadata lists, then the other files in the folder. */
  files: readonly FragmentLine[]
}

/** A file of the fragment. */
export interface FragmentLine extends OfSeveral {
  /** Name of the file. */
  name: StoredName
  /** Name of the attribute, dimension or internal field that it belongs to; null if there is none. */
  field: string | null
  /** What the file holds of the field. */
  role: FileRole
  tile_num?: TileNum | undefined
  /** Bytes before filtering. */
  unfiltered_size?: Bytes | undefined
  /** Filters in writing order. */
  filters?: readonly FilterDescription[] | undefined
  /** Bytes on disk; null if the file is missing. */
  size: Bytes | null
  /** Bytes of the file, according to the metadata. */
  listed_size?: Bytes | undefined
  /** `short`: shorter than the metadata says; `not-listed`: on disk, but not listed in the metadata. */
  state: 'present' | 'short' | 'missing' | 'not-listed'
}
