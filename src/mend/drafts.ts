import { grammatical } from '../base/errors.ts'
import type { Prose } from '../base/prose.ts'
import { isAtLeast, type Loss, lostOf, type Severity } from '../check/codes.ts'
import type { Finding } from '../check/finding.ts'
import type { Move, PlanStep } from './shell.ts'

/**
 * What the plan achieves. mends: the steps lose nothing; loses: they lose what `loses` says; copy: only a copy of the array helps;
 * leave: there is nothing to do.
 */
type PlanOutcome = 'mends' | 'loses' | 'copy' | 'leave'

/** Findings that the same steps mend. */
export interface MendPlan {
  severity: Severity
  /** The first findings; `finding_num` counts all. */
  findings: readonly Finding[]
  finding_num: number
  outcome: PlanOutcome
  /** What was already lost before the plan. */
  lost: readonly Prose[]
  /** What is not lost. */
  not_lost: readonly Prose[]
  /** What the steps lose beyond that. */
  loses: readonly Prose[]
  /** What readers see again without the lost cells. */
  brings_back: readonly Prose[]
  /** Steps to do first, which keep what the others lose. */
  keep: readonly PlanStep[]
  steps: readonly PlanStep[]
  /** Steps in place of the others, for somebody who knows more than the files tell. */
  instead: readonly PlanStep[]
  /** Steps that undo the others. */
  back: readonly PlanStep[]
  /** What must not be done. */
  never: readonly Prose[]
}

/** Limit on the findings that a plan names. */
const MAX_FINDINGS = 20

/** A plan that is being made. */
export class Draft {
  private readonly findings: Finding[] = []
  private finding_num = 0
  private severity: Severity = 'note'
  /** Undefined if it follows from what is lost: `mends` or `loses`. */
  outcome: PlanOutcome | undefined
  /** What is already lost, by its text: two findings may lose the same. */
  private readonly lost = new Map<string, Loss>()
  readonly notLost = new Set<Prose>()
  readonly loses = new Set<Prose>()
  readonly bringsBack = new Set<Prose>()
  readonly keep: PlanStep[] = []
  private readonly steps: PlanStep[] = []
  /** What is checked at the end, after all that the steps change. */
  private readonly ends: PlanStep[] = []
  readonly instead: PlanStep[] = []
  /** In the order of the steps that they undo. */
  private readonly back: PlanStep[] = []
  readonly never = new Set<Prose>()

  add(finding: Finding): void {
    this.finding_num++
    if (this.findings.length < MAX_FINDINGS) this.findings.push(finding)
    if (isAtLeast(finding.severity, this.severity)) this.severity = finding.severity
  }

  /** Takes over the findings of another draft, and what it says about them. */
  absorb(other: Draft): void {
    this.findings.push(...other.findings.slice(0, MAX_FINDINGS - this.findings.length))
    this.finding_num += other.finding_num
    other.finding_num = 0
    if (isAtLeast(other.severity, this.severity)) this.severity = other.severity
    this.addLost(...other.lost.values())
    for (const key of ['notLost', 'loses', 'bringsBack', 'never'] as const)
      for (const text of other[key]) this[key].add(text)
    this.keep.push(...other.keep)
  }

  /** Says what is already lost. */
  addLost(...losses: readonly Loss[]): void {
    for (const one of losses) this.lost.set(one.text, one)
  }

  /** Takes back what was said to be lost. @param losses only these; otherwise all */
  takeBackLost(...losses: readonly Loss[]): void {
    if (losses.length === 0) this.lost.clear()
    for (const { text } of losses) this.lost.delete(text)
  }

  /** Takes back what may be lost, if something else is known to be. */
  takeBackDoubt({ text }: Loss): void {
    if (this.lost.size > 1) this.lost.delete(text)
  }

  /** Adds steps that can be undone. */
  move(...moves: readonly Move[]): void {
    for (const { step, back } of moves) {
      this.steps.push(step)
      this.back.push(back)
    }
  }

  /** Adds steps that change nothing. */
  say(...steps: readonly PlanStep[]): void {
    this.steps.push(...steps)
  }

  /** Adds a check of the result. It stays behind steps that are added later. */
  end(check: PlanStep): void {
    this.ends.push(check)
  }

  get hasErrors(): boolean {
    return this.severity === 'error'
  }

  get isEmpty(): boolean {
    return this.finding_num === 0
  }

  plan(): MendPlan {
    const { severity, findings, finding_num, keep, instead } = this
    const steps = [...this.steps, ...this.ends]
    const { lost, notLost, loses, bringsBack, never } = this
    const all = [...lost.values()]
    const isAnyLost = all.some((one) => one.isLost)
    const isLost = loses.size > 0 || isAnyLost
    const outcome = this.outcome ?? (isLost ? 'loses' : 'mends')
    // That one finding loses nothing would contradict what another one lost.
    const said = all.filter((one) => one.isLost || !isAnyLost).map(({ text }) => text)
    const texts = {
      lost: said.map(grammatical),
      not_lost: Array.from(notLost, grammatical),
      loses: Array.from(loses, grammatical),
      brings_back: Array.from(bringsBack, grammatical),
    }
    const back = this.back.toReversed()
    return { severity, findings, finding_num, outcome, ...texts, keep, steps, instead, back, never: [...never] }
  }
}

/** Adds a finding to the draft with this key, which is begun if there is none. */
export function draftIn(drafts: Map<string, Draft>, key: string, finding: Finding): Draft {
  const draft = drafts.get(key) ?? new Draft()
  drafts.set(key, draft)
  draft.add(finding)
  const lost = lostOf(finding)
  if (lost) draft.addLost(lost)
  return draft
}
