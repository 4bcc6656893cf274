import type { FileRole } from '../format/field-files.ts'
import type {
  AsOf,
  Bytes,
  Count,
  DocumentHead,
  FilterDescription,
  ListedFragment,
  OfSeveral,
  Releases,
  StoredName,
} from './common.ts'

/** `tiledb-inspect ls <fragment> --json`. NDJSON: one file a line (`$defs/line`). */
export interface FragmentDocument extends DocumentHead<'fragment'>, AsOf, ListedFragment, Partial<Releases> {
  /** Files that the metadata lists, then other files in the folder. */
  files: readonly FragmentLine[]
}

/** A file of the fragment. */
export interface FragmentLine extends OfSeveral {
  /** Name of the file. */
  name: StoredName
  /** Attribute, dimension or internal field that it holds; null where none. */
  field: string | null
  /** What the file is. */
  role: FileRole
  /** Number of tiles. */
  tile_num?: Count | undefined
  /** Bytes before filtering. */
  unfiltered_size?: Bytes | undefined
  /** Filters in writing order. */
  filters?: readonly FilterDescription[] | undefined
  /** Bytes on disk; null where the file is missing. */
  size: Bytes | null
  /** Bytes that the metadata claims. */
  listed_size?: Bytes | undefined
  /**
   * `short`: shorter than the metadata says; `missing`: not there; `not-listed`: there, but the metadata does not
   * list it.
   */
  state: 'present' | 'short' | 'missing' | 'not-listed'
}
