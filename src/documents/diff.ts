import type { ObjectType } from '../format/layout.ts'
import type { Count, DocumentHead, NotUniqueInfo, Path, TimestampRange } from './common.ts'

/** `tiledb-inspect diff <a> <b> --json`. NDJSON: one difference a line (`$defs/line`). */
export interface DiffDocument extends DocumentHead<'diff'> {
  /** The second target. */
  other: Path
  /** Whether everything could be compared and there is no difference. */
  equal: boolean
  /** The result in a word; of a dataset, the worst of its members. */
  verdict: DiffVerdict
  /** Whether cells were compared as well. */
  cells_compared: boolean
  /** Number of cells that were compared. */
  cell_num?: Count | undefined
  /**
   * Comparison of the cells that readers see, over all arrays. With `--read`; with `--cells` only if the cells of an array lie in
   * another order or in other fragments, so that they cannot be compared as they are stored.
   */
  reader_cells?: DiffRead | undefined
  /** Members of groups, fragments and cells that could not be read in one target or in both. */
  not_compared?: readonly string[] | undefined
  /** Number of differing cells that `differences` leaves out, as it lists at most 100,000 differences. */
  unlisted_cell_num?: Count | undefined
  /** Number of other differences that it leaves out. */
  unlisted_num?: Count | undefined
  /** Members of a dataset in the order of the first target, then those that only the second has. */
  members?: readonly DiffMember[] | undefined
  /** The differences, in order. */
  differences: readonly DiffLine[]
}

/**
 * `same-cells`: the cells are equal, as far as a reader sees; the files, fragments, tiles or filters that hold them differ. Only if cells
 * were compared. `not-compared`: no difference was found, but not everything could be read.
 */
export type DiffVerdict = 'equal' | 'same-cells' | 'not-compared' | 'different'

/**
 * What differs. `listing`: the type or state of a member, or how the group lists it. `schema`. `metadata`: key-value metadata.
 * `storage`: fragments, their files and sizes. `cells`.
 */
export type DiffPart = 'listing' | 'schema' | 'metadata' | 'storage' | 'cells'

/** A member of two datasets. */
export interface DiffMember {
  /** Path of names in the dataset. */
  name: string
  /** Type, according to the group. */
  type: ObjectType
  /** `only-a`, `only-b`: only one of the datasets has the member. */
  state: DiffVerdict | 'only-a' | 'only-b'
  /** What differs. */
  differs: readonly DiffPart[]
  /** Number of differences. */
  difference_num: Count
}

/** The cells that readers of the two arrays see, matched by their coordinates. If the dimensions differ, the numbers are left out. */
export interface DiffRead {
  /** First and last time of the read of the first array, both included. Only with `--as-of`. */
  as_of?: TimestampRange | undefined
  /** First and last time of the read of the second array, both included. Only with `--as-of`. */
  other_as_of?: TimestampRange | undefined
  /** Number of cells that are equal. */
  cells_same?: Count | undefined
  /** Number of cells in both arrays whose values differ. */
  cells_changed?: Count | undefined
  /** Number of cells that only the first array has. */
  cells_only_a?: Count | undefined
  /** Number of cells that only the second array has. */
  cells_only_b?: Count | undefined
  /** Why the answers of reads of the first target are not unique: TileDB's reads in another order may give other cells. */
  not_unique?: readonly NotUniqueInfo[] | undefined
  /** The same of the second target. */
  other_not_unique?: readonly NotUniqueInfo[] | undefined
}

/** A difference. */
export interface DiffLine {
  /** Dotted path of what differs, such as `schema.attributes.a.type`. */
  path: string
  /** The value in the first target, in the unit of its key; null if only the second target has it. */
  a: unknown
  /** The value in the second target, in the unit of its key; null if only the first target has it. */
  b: unknown
  /** Number of further values of the list that differ. */
  more?: Count | undefined
  /**
   * Only of offsets: by how many bytes they are shifted, at least and at most. They differ because something before them is longer or
   * shorter.
   */
  shifted_by?: readonly [number, number] | undefined
}
