import type { Prose } from '../base/prose.ts'
import type { Bytes, Count, DocumentHead } from './common.ts'
import type { SampleFile } from './sample.ts'

/** `tiledb-inspect write-sample <dir> --json` with `--steps FILE`, `--append`, or another option that is a step. */
export interface StepsDocument extends DocumentHead<'steps'> {
  /** Seed of the random part of names. */
  seed: string
  /** What each step did, in order. */
  steps: readonly StepLine[]
  /** Number of cells that were written, before the steps and by all of them. */
  cell_num: Count
  /** Bytes of all files that were written and still exist. */
  total_size: Bytes
  /** Files that were written and still exist. */
  files: readonly SampleFile[]
  /** What was left out or not needed, in words. */
  notes: readonly Prose[]
}

export interface StepLine {
  /** Kind of the step: `create`, `write`, `delete`, `consolidate`, `vacuum`, `evolve`, `metadata` or `group`. */
  step: string
  /** Path in the folder of the array or group that the step changed; empty for the folder itself. */
  path: string
  /** Paths, in the array or group, of the fragments, schemas and other files that the step created. */
  made: readonly string[]
  /** Paths, in the array or group, of the files and folders that the step removed. */
  removed: readonly string[]
  /** Number of cells that the step wrote. */
  cell_num: Count
}
