import type { Count, DocumentHead, Path } from './common.ts'

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
  /** Members of groups that could not be read on one side or both. */
  not_compared?: readonly string[] | undefined
  /** Differences in order. */
  differences: readonly DiffLine[]
}

/** A difference. */
export interface DiffLine {
  /** What differs: `schema.attributes.a.type`. */
  path: string
  /** What the first target has, in the unit of its key; null where only the second has it. */
  a: unknown
  /** What the second target has, in the unit of its key; null where only the first has it. */
  b: unknown
  /** How many more values of the list, or cells, differ. */
  more?: Count | undefined
}
