import type { AdviceCode, FindingCode } from '../check/codes.ts'
import type { Bytes, Count, DocumentHead, Int64, Integer, Path } from './common.ts'

/** `tiledb-inspect diff <a> <b> --json` of two saved sweeps. NDJSON: one member a line (`$defs/line`). */
export interface SweepDiffDocument extends DocumentHead<'sweep-diff'> {
  /** The second file. */
  other: Path
  /** Whether the members are the same in both, with the same numbers and findings. */
  equal: boolean
  /** Number of members in the first file. */
  member_num: Count
  /** Number of members in the second file. */
  other_member_num: Count
  /** Bytes of all members in the first file. */
  total_size: Bytes
  /** Bytes of all members in the second file. */
  other_total_size: Bytes
  /** Number of new members. */
  new_num: Count
  /** Number of members that are gone. */
  gone_num: Count
  /** The members that are not the same: what grew most first. */
  changes: readonly SweepDiffLine[]
}

/** A member that is not the same in both files. */
export interface SweepDiffLine {
  /** Names from the folder down to the member. */
  name: string
  /** `new`: only the second file has it; `gone`: only the first. `grown`, `shrunk`: in bytes. `changed`: in anything else. */
  change: 'new' | 'gone' | 'grown' | 'shrunk' | 'changed'
  /** Bytes by which it grew. */
  grown_size: Integer
  /** Number of fragments by which it grew. */
  grown_fragment_num: Integer
  /** Number of cells by which it grew. */
  grown_cell_num: Int64
  /** Codes of findings that only the second file has. */
  codes_new: readonly (FindingCode | AdviceCode)[]
  /** Codes of findings that only the first file has. */
  codes_gone: readonly (FindingCode | AdviceCode)[]
}
