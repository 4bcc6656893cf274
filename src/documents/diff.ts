import type { Count, DocumentHead, Path, TimestampRange } from './common.ts'

/** `tiledb-inspect diff <a> <b> --json`. NDJSON: one difference a line (`$defs/line`). */
export interface DiffDocument extends DocumentHead<'diff'> {
  /** The second target. */
  other: Path
  /** Whether there is no difference, and nothing that could not be compared. */
  equal: boolean
  /** Whether cells were compared, too. */
  cells_compared: boolean
  /** Cells that were compared. */
  cell_num?: Count | undefined
  /** What readers of the two arrays see. Only with `--read`. */
  read?: DiffRead | undefined
  /** Members of groups, fragments and cells that could not be read on one side or both. */
  not_compared?: readonly string[] | undefined
  /** Cells that differ and are not in `differences`, which lists those of cells up to 100,000 lines. */
  unlisted_cell_num?: Count | undefined
  /** Differences in order. */
  differences: readonly DiffLine[]
}

/** The cells that readers of two arrays see, matched by their coordinates. */
export interface DiffRead {
  /** First and last time of what is read of the first array, both included. Only with `--as-of`. */
  as_of?: TimestampRange | undefined
  /** The same of the second. */
  other_as_of?: TimestampRange | undefined
  /** Cells that are the same. The numbers of cells are left out where the dimensions differ. */
  same?: Count | undefined
  /** Cells with other values. */
  changed?: Count | undefined
  /** Cells that only the first has. */
  only_a?: Count | undefined
  /** Cells that only the second has. */
  only_b?: Count | undefined
}

/** A difference. */
export interface DiffLine {
  /** What differs: `schema.attributes.a.type`. */
  path: string
  /** What the first target has, in the unit of its key; null where only the second has it. */
  a: unknown
  /** What the second target has, in the unit of its key; null where only the first has it. */
  b: unknown
  /** How many more values of the list differ. */
  more?: Count | undefined
}
