import type { Prose } from '../base/prose.ts'
import type { AdviceCode, FindingCode } from '../check/codes.ts'
import type { PlanStep } from '../mend/shell.ts'
import type { CheckFinding, CheckHead } from './check.ts'
import type { Count, NotExamined, Severity } from './common.ts'

/** `tiledb-inspect check <target> --plan --json`. The program runs none of the steps. */
export interface PlanDocument extends CheckHead<'plan'> {
  /** Plans that mend the findings, in the order in which their steps should be run. */
  plans: readonly PlanLine[]
  /**
   * Causes of reads that are slow or need much memory, and steps against them. Each entry is independent of the others: after the steps
   * of one, the others may no longer apply. Empty if there are errors, or if the target is not an array.
   */
  advice: readonly PlanAdvice[]
  /** What could not be examined. */
  not_examined: readonly NotExamined[]
  /** What this level does not check, in words. */
  not_checked: readonly string[]
}

/** Steps that mend some of the findings. */
export interface PlanLine extends PlanSteps {
  /** The worst severity among the findings. */
  severity: Severity
  /** The first 20 findings that these steps mend. */
  findings: readonly CheckFinding[]
  /** Number of findings that these steps mend. */
  finding_num: Count
  /** What the damage has destroyed. A text that begins with `nothing` says why nothing is lost. */
  lost: readonly Prose[]
  /** What the damage has not destroyed. */
  not_lost: readonly Prose[]
  /** Values of older fragments that readers see in place of lost cells after the steps. */
  brings_back: readonly Prose[]
}

/** Causes of reads that are slow or need much memory. */
export interface PlanAdvice extends PlanSteps {
  /** Findings with the same advice, worst first. */
  findings: readonly PlanFinding[]
}

export interface PlanFinding {
  severity: Severity
  /** Code of the finding. */
  code: FindingCode | AdviceCode
  /** Name of the field; left out if the finding is about the whole array. */
  field?: string | undefined
  /** What was found, with its number. */
  message: Prose
  /** What the finding means for a reader, and the limit above which it is reported. */
  meaning: Prose
}

/** Steps, and what they lose. */
export interface PlanSteps {
  /**
   * `mends`: after the steps nothing is lost. `loses`: something is or may be lost, by the damage (`lost`) or by the steps (`loses`).
   * `copy`: only a copy of the array helps. `leave`: there is nothing to do.
   */
  outcome: 'mends' | 'loses' | 'copy' | 'leave'
  /** What the steps remove in addition to what is lost already. */
  loses: readonly Prose[]
  /** Steps that save in a file what the other steps remove. They come first. */
  keep: readonly PlanStep[]
  /** The steps, in order. */
  steps: readonly PlanStep[]
  /** Steps to take instead by somebody who knows more than the files show. */
  instead: readonly PlanStep[]
  /** Steps that undo `steps`, byte for byte. */
  back: readonly PlanStep[]
  /** What must not be done. */
  never: readonly Prose[]
}
