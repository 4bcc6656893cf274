import type { Bytes, Count, DocumentHead } from './common.ts'
import type { SampleFile } from './sample.ts'

/** `tiledb-inspect write-sample <dir> --steps FILE --json`, and with `--append` or another option that is a step. */
export interface StepsDocument extends DocumentHead<'steps'> {
  /** Seed of the names. */
  seed: string
  /** What each step did, in order. */
  steps: readonly StepLine[]
  /** Cells that were written, by all steps and before them. */
  cell_num: Count
  /** Bytes of all files that were written and are still there. */
  total_size: Bytes
  /** Files that were written and are still there. */
  files: readonly SampleFile[]
  /** What was left out or was not needed, in words. */
  notes: readonly string[]
}

export interface StepLine {
  /** Its name: `create`, `write`, `delete`, `consolidate`, `vacuum`, `evolve`, `metadata` or `group`. */
  step: string
  /** The array or group that it changed: its path in the folder, empty for the folder itself. */
  path: string
  /** Fragments, schemas and other files that it made: paths in the array or group. */
  made: readonly string[]
  /** What it removed. */
  removed: readonly string[]
  /** Cells that it wrote. */
  cell_num: Count
}
