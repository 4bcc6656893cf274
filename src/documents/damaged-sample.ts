import type { FindingCode } from '../check/codes.ts'
import type { Bytes, DocumentHead, Severity } from './common.ts'

/** `tiledb-inspect write-sample <dir> --damage CODE --json`. */
export interface DamagedSampleDocument extends DocumentHead<'damaged-sample'> {
  /** What `check` finds in it. */
  damage: FindingCode
  severity: Severity
  /** What is done to a sound sample. */
  what: string
  /** What it means for a reader. */
  meaning: string
  /** Files that were written. */
  files: readonly DamagedSampleFile[]
  /** Command that shows the damage. */
  next: string
}

export interface DamagedSampleFile {
  /** Path in the folder. */
  path: string
  size: Bytes
}
