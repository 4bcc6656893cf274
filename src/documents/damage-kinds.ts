import type { FindingCode } from '../check/codes.ts'
import type { DocumentHead, Severity } from './common.ts'

/** `tiledb-inspect write-sample --damage list --json`. NDJSON: one kind a line (`$defs/line`). */
export interface DamageKindsDocument extends DocumentHead<'damage-kinds'> {
  /** Every damage that can be written. */
  kinds: readonly DamageKindsLine[]
}

/** A damage. */
export interface DamageKindsLine {
  /** What `check` finds in it. */
  damage: FindingCode
  severity: Severity
  /** What is done to a sound sample. */
  what: string
  /** What it means for a reader. */
  meaning: string
}
