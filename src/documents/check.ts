import type { Prose } from '../base/prose.ts'
import type { FindingCode } from '../check/codes.ts'
import type { Level } from '../check/finding.ts'
import type { Count, DocumentHead, List, NotExamined, PartCounts, Path, Severity, TileIndex } from './common.ts'

/**
 * `tiledb-inspect check <target> --json`. NDJSON: one finding a line, then a line with the rest of the document
 * (`$defs/line`).
 */
export interface CheckDocument extends CheckSummary {
  /** Everything that is not as it should be. */
  findings: List<CheckFinding>
}

/** The verdict of a check. */
export interface Verdict {
  /** Whether there is no finding of the severity of `--fail-on` or above. */
  ok: boolean
}

/** The options of a check, and its verdict. */
export interface CheckHead<Kind extends string> extends DocumentHead<Kind>, Verdict {
  /** What was checked: `--level`. */
  level: Level
  /** `i/n` of `--shard`: only the i-th of n parts was examined. */
  shard?: string | undefined
  finding_num: CheckFindingNum
  ignored?: IgnoredNum | undefined
}

/**
 * Number of findings that `--ignore` leaves out of all else, by the code or `CODE.variant` that it names: 0 if there are none, so that the name
 * is no longer needed. Left out without the option.
 */
export type IgnoredNum = Readonly<Record<string, Count>>

/** The summary of a check. */
export interface CheckSummary extends CheckHead<'check'> {
  /** Number of examined parts. */
  counts: CheckCounts
  /** What could not be examined. */
  not_examined: readonly NotExamined[]
  /** What this level does not check, in words. */
  not_checked: readonly string[]
}

/** Number of examined parts. */
export interface CheckCounts extends PartCounts {
  /** Number of cells. */
  cell_num: Count
}

/** Number of findings by severity. */
export type CheckFindingNum = Record<Severity, FindingNum>

/** Number of findings of this severity. */
export type FindingNum = Count

export type CheckLine = CheckFinding | CheckSummary

/** A finding. */
export interface CheckFinding {
  severity: Severity
  code: FindingCode
  /** The variant of the code, where its usual meaning would be wrong (docs/check.md), or the known fault of TileDB that explains it. */
  variant?: string | undefined
  /** The file, or the array or fragment. */
  file: Path
  /** Byte offset in the file, or in the content that `space` names; null if the finding has no single place. */
  offset: Count | null
  /** Name of the unfiltered content in which `offset` counts; left out for bytes of the file. */
  space?: string | undefined
  /** Dotted name of the field; null if the finding is about no field. */
  field: string | null
  tile?: TileIndex | undefined
  /** Index of the chunk in the tile. */
  chunk?: Count | undefined
  /** Index of the cell in the tile. */
  position?: Count | undefined
  /** What the metadata says, or what the format requires. */
  expected: Prose
  /** What was found instead. */
  found: Prose
  /** Both in one sentence. */
  message: Prose
  /** What the finding means for a reader. */
  meaning: Prose
}
