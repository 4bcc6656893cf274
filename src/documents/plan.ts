import type { AdviceCode, FindingCode } from '../check/codes.ts'
import type { CheckFinding, CheckHead } from './check.ts'
import type { Count, NotExamined, Severity } from './common.ts'

/** `tiledb-inspect check <target> --plan --json`. Nothing of it was run. */
export interface PlanDocument extends CheckHead<'plan'> {
  /** In the order in which their steps are to be run. */
  plans: readonly PlanLine[]
  /**
   * What makes reads slow or hungry, and the steps against it. Each plan stands for itself: after one of them, others may say something
   * else. Empty if there are errors, and of what is no array.
   */
  advice: readonly PlanAdvice[]
  /** What could not be examined. */
  not_examined: readonly NotExamined[]
  /** What the level leaves out, in words. */
  not_checked: readonly string[]
}

/** What mends some findings. */
export interface PlanLine extends PlanSteps {
  /** The worst of the findings. */
  severity: Severity
  /** The first of the findings, at most 20. */
  findings: readonly CheckFinding[]
  /** Number of findings that these steps mend. */
  finding_num: Count
  /** What is lost already; a text that begins with `nothing` says why nothing is. */
  lost: readonly string[]
  /** What is not lost. */
  not_lost: readonly string[]
  /** What readers see again after the steps where cells are lost: values of older fragments. */
  brings_back: readonly string[]
}

/** What makes reads slow or hungry. */
export interface PlanAdvice extends PlanSteps {
  /** With the same advice, the worst first. */
  findings: readonly PlanFinding[]
}

export interface PlanFinding {
  severity: Severity
  /** What it is about. */
  code: FindingCode | AdviceCode
  /** Field that it is about; left out where it is about all. */
  field?: string | undefined
  /** What was found, with its number. */
  message: string
  /** What it means for a reader, and from where on it is said. */
  meaning: string
}

/** Steps, and what they lose. */
export interface PlanSteps {
  /**
   * mends: after the steps everything is as it was; loses: something is lost, or may be, by the damage (`lost`) or by the steps (`loses`);
   * copy: only a copy of the array helps; leave: there is nothing to do.
   */
  outcome: 'mends' | 'loses' | 'copy' | 'leave'
  /** What the steps lose beyond that. */
  loses: readonly string[]
  /** What keeps it, to be done before the steps. */
  keep: readonly PlanStep[]
  /** What to do, in this order. */
  steps: readonly PlanStep[]
  /** What to do in place of the steps, if somebody knows more than the files say. */
  instead: readonly PlanStep[]
  /** What undoes the steps, byte for byte. */
  back: readonly PlanStep[]
  /** What must not be done. */
  never: readonly string[]
}

/** One thing to do; it has a command, a text or both. */
export interface PlanStep {
  /** A line for sh, to be run in the folder of the call. */
  command?: string | undefined
  /** What to do, or to look out for. */
  text?: string | undefined
}
