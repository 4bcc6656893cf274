import type { FindingCode } from '../check/codes.ts'
import type { Level } from '../check/finding.ts'
import type { Count, DocumentHead, List, NotExamined, PartCounts, Path, Severity } from './common.ts'

/**
 * `tiledb-inspect check <target> --json`. NDJSON: one finding a line, and after them the document without its
 * findings (`$defs/line`).
 */
export interface CheckDocument extends CheckSummary {
  /** What is not as it should be. */
  findings: List<CheckFinding>
}

/** What was asked of a check, and the verdict. */
export interface CheckHead<Kind extends string> extends DocumentHead<Kind> {
  /** How far the check went. */
  level: Level
  /** `i/n` of `--shard`: only the i-th of n parts was examined. */
  shard?: string | undefined
  /** Whether no finding has a severity that `--fail-on` counts. */
  ok: boolean
  /** How many findings there are. */
  finding_num: CheckFindingNum
}

/** The summary of a check. */
export interface CheckSummary extends CheckHead<'check'> {
  /** What was examined. */
  counts: CheckCounts
  /** What could not be examined. */
  not_examined: readonly NotExamined[]
  /** What the level leaves out, in words. */
  not_checked: readonly string[]
}

/** What was examined. */
export interface CheckCounts extends PartCounts {
  /** Number of cells. */
  cell_num: Count
}

/** How many findings there are. */
export interface CheckFindingNum {
  /** Number of findings of this severity. */
  error: Count
  /** Number of findings of this severity. */
  warning: Count
  /** Number of findings of this severity. */
  note: Count
}

export type CheckLine = CheckFinding | CheckSummary

/** A finding. */
export interface CheckFinding {
  severity: Severity
  code: FindingCode
  /** The file. */
  file: Path
  /** Byte offset in the file, or in the content that `space` names. */
  offset: Count | null
  /** Content below a filter that the offset counts in. */
  space?: string | undefined
  /** Dotted name of the field. */
  field: string | null
  /** Index of the tile. */
  tile?: Count | undefined
  /** Index of the chunk in the tile. */
  chunk?: Count | undefined
  /** Index of the cell in the tile. */
  cell?: Count | undefined
  /** What the metadata claims, or the format demands. */
  expected: string
  /** What there is. */
  found: string
  /** Both in a sentence. */
  message: string
  /** What it means for a reader. */
  meaning: string
}
