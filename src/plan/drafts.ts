import type { Severity } from '../check/codes.ts'
import type { Finding } from '../check/finding.ts'
import { lostOf } from './mending.ts'
import type { Move, Step } from './shell.ts'

/**
 * What becomes of the findings. mends: the steps lose nothing; loses: they lose what `loses` says; copy: only a copy of the array
 * helps; leave: there is nothing to do.
 */
type PlanOutcome = 'mends' | 'loses' | 'copy' | 'leave'

/** Findings that the same steps mend. */
export interface MendPlan {
  severity: Severity
  /** The first findings; `finding_num` counts all. */
  findings: readonly Finding[]
  finding_num: number
  outcome: PlanOutcome
  /** What was lost before. */
  lost: readonly string[]
  not_lost: readonly string[]
  /** What the steps lose beyond that. */
  loses: readonly string[]
  /** What readers see again where cells are lost. */
  brings_back: readonly string[]
  /** What keeps that, to be done first. */
  keep: readonly Step[]
  steps: readonly Step[]
  /** What to do in place of the steps, if somebody knows more than the files say. */
  instead: readonly Step[]
  /** What undoes the steps. */
  back: readonly Step[]
  /** What must not be done. */
  never: readonly string[]
}

/** Findings of a plan that are kept. */
const MOST_FINDINGS = 20
const WORST_FIRST: readonly Severity[] = ['error', 'warning', 'note']

/** A plan while it is made. */
export class Draft {
  private readonly findings: Finding[] = []
  private finding_num = 0
  private severity: Severity = 'note'
  /** Undefined until it is known whether the steps lose anything. */
  outcome: PlanOutcome | undefined
  /** Texts that begin with `nothing` say why nothing is lost. */
  readonly lost = new Set<string>()
  readonly notLost = new Set<string>()
  readonly loses = new Set<string>()
  readonly bringsBack = new Set<string>()
  readonly keep: Step[] = []
  private readonly steps: Step[] = []
  readonly instead: Step[] = []
  private readonly back: Step[] = []
  readonly never = new Set<string>()

  add(finding: Finding): void {
    this.finding_num++
    if (this.findings.length < MOST_FINDINGS) this.findings.push(finding)
    if (WORST_FIRST.indexOf(finding.severity) < WORST_FIRST.indexOf(this.severity)) this.severity = finding.severity
  }

  /** Takes the findings of another draft, and what it says of them. */
  absorb(other: Draft): void {
    this.findings.push(...other.findings.slice(0, MOST_FINDINGS - this.findings.length))
    this.finding_num += other.finding_num
    other.finding_num = 0
    if (WORST_FIRST.indexOf(other.severity) < WORST_FIRST.indexOf(this.severity)) this.severity = other.severity
    for (const key of ['lost', 'notLost', 'loses', 'bringsBack', 'never'] as const)
      for (const text of other[key]) this[key].add(text)
    this.keep.push(...other.keep)
  }

  /** Steps that can be undone, in order. */
  move(...moves: readonly Move[]): void {
    for (const { step, back } of moves) {
      this.steps.push(step)
      this.back.unshift(back)
    }
  }

  /** A step that changes nothing. */
  say(...steps: readonly Step[]): void {
    this.steps.push(...steps)
  }

  get hasErrors(): boolean {
    return this.severity === 'error'
  }

  get isEmpty(): boolean {
    return this.finding_num === 0
  }

  plan(): MendPlan {
    const { severity, findings, finding_num, keep, steps, instead, back } = this
    const { lost, notLost, loses, bringsBack, never } = this
    const isLost = loses.size > 0 || [...lost].some((text) => !text.startsWith('nothing'))
    const outcome = this.outcome ?? (isLost ? 'loses' : 'mends')
    const texts = { lost: [...lost], not_lost: [...notLost], loses: [...loses], brings_back: [...bringsBack] }
    return { severity, findings, finding_num, outcome, ...texts, keep, steps, instead, back, never: [...never] }
  }
}

/** Adds a finding to the draft of this key, which is made if it is not there. */
export function draftIn(drafts: Map<string, Draft>, key: string, finding: Finding): Draft {
  const draft = drafts.get(key) ?? new Draft()
  drafts.set(key, draft)
  draft.add(finding)
  const lost = lostOf(finding)
  if (lost !== undefined) draft.lost.add(lost)
  return draft
}
