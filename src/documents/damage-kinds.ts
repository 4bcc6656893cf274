import type { Prose } from '../base/prose.ts'
import type { FindingCode } from '../check/codes.ts'
import type { DocumentHead, Severity } from './common.ts'

/** `tiledb-inspect write-sample --damage list --json`. NDJSON: one kind a line (`$defs/line`). */
export interface DamageKindsDocument extends DocumentHead<'damage-kinds'> {
  /** Every kind of damage that can be written. */
  kinds: readonly DamageKindsLine[]
}

/** A kind of damage. */
export interface DamageKindsLine {
  /** Code of the finding that `check` gives. */
  damage: FindingCode
  severity: Severity
  /** What is changed in an undamaged sample. */
  what: Prose
  /** What the damage means for a reader. */
  meaning: Prose
}
