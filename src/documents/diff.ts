import type { Count, DocumentHead, Path, TimestampRange } from './common.ts'

/** `tiledb-inspect diff <a> <b> --json`. NDJSON: one difference a line (`$defs/line`). */
export interface DiffDocument extends DocumentHead<'diff'> {
  /** The second target. */
  other: Path
  /** Whether everything could be compared and there is no difference. */
  equal: boolean
  /** Whether cells were compared as well. */
  cells_compared: boolean
  /** Number of cells that were compared. */
  cell_num?: Count | undefined
  /** Comparison of the cells that readers see. Only with `--read`. */
  reader_cells?: DiffRead | undefined
  /** Members of groups, fragments and cells that could not be read in one target or in both. */
  not_compared?: readonly string[] | undefined
  /** Number of differing cells that `differences` leaves out, as it lists at most 100,000 differences of cells. */
  unlisted_cell_num?: Count | undefined
  /** The differences, in order. */
  differences: readonly DiffLine[]
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
}
