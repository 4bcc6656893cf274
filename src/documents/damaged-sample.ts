import type { DocumentHead } from './common.ts'
import type { DamageKindsLine } from './damage-kinds.ts'
import type { SampleFile } from './sample.ts'

/** `tiledb-inspect write-sample <dir> --damage CODE --json`. */
export interface DamagedSampleDocument extends DocumentHead<'damaged-sample'>, DamageKindsLine {
  /** Files that were written. */
  files: readonly SampleFile[]
  /** Command that shows the damage. */
  next: string
}
