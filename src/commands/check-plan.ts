import { unlessFault } from '../base/errors.ts'
import { walk } from '../base/walk.ts'
import type { CommandContext } from '../calls/command.ts'
import { shownCondition } from '../calls/condition-text.ts'
import { documentHead } from '../calls/document-parts.ts'
import type { Outcome } from '../calls/outcome.ts'
import type { Finding } from '../check/finding.ts'
import type { PlanDocument } from '../documents/plan.ts'
import type { MendPlan } from '../mend/drafts.ts'
import { mendPlans, type PlanContext, plansOfAdvice } from '../mend/plan.ts'
import { shardText } from '../objects/shard.ts'
import { checkFinding, type OpenCheck, type RunningCheck } from './open-check.ts'

export async function planOutcome(cx: CommandContext, path: string, checked: OpenCheck): Promise<Outcome> {
  const reading = () => ({ ...cx.reading, keyProven: false, encrypted: false, onFault: () => {} })
  const condition: PlanContext['condition'] = (array, stays) => shownCondition(cx, array, stays)
  const planning: PlanContext = { storage: cx.storage, reading, shown: cx.shownPath, condition }
  return plansOutcome(cx, path, checked, {
    plans: (found) => mendPlans(planning, found),
    advice: () => adviceOn(planning, checked),
  })
}

/** The plans for the findings of a check, and those against slow reads. */
interface Planning {
  plans(found: readonly Finding[]): AsyncIterable<MendPlan>
  advice?(): Promise<PlanDocument['advice']>
}

/** The result of `check --plan`: the findings, and the steps that mend them. */
export async function plansOutcome(
  cx: CommandContext,
  path: string,
  checked: RunningCheck,
  planning: Planning,
): Promise<Outcome> {
  const found: Finding[] = []
  const tail = await walk(checked.findings(true), (finding) => void found.push(finding))
  const { level, shard } = checked.run
  const plans: PlanDocument['plans'][number][] = []
  for await (const plan of planning.plans(found))
    plans.push({ ...plan, findings: plan.findings.map((finding) => checkFinding(cx, finding)) })
  const { ok, finding_num, ignored, not_examined, not_checked } = tail
  // An error that is ignored may be why these steps would fail.
  const hasErrors = finding_num.error > 0 || checked.ignored.hasError
  const document: PlanDocument = {
    ...documentHead('plan', cx.shownPath(path)),
    level,
    shard: shardText(shard),
    ok,
    finding_num,
    ignored,
    plans,
    advice: hasErrors ? [] : ((await planning.advice?.()) ?? []),
    not_examined,
    not_checked,
  }
  return {
    kind: 'rows',
    document,
    rows: plans,
    table: async (out) => (await import('../render/views/plan.ts')).planTable(document, out),
  }
}

/** The plans for what makes reads of a whole array slow. If these cannot be made, the findings of the check say why. */
async function adviceOn(planning: PlanContext, { target, run }: OpenCheck): Promise<PlanDocument['advice']> {
  if (target.type !== 'array' || run.shard) return []
  const plans = (await plansOfAdvice(planning, target.array).catch(unlessFault)) ?? []
  return plans.map(({ findings, ...plan }) => ({
    findings: findings.map(({ severity, code, field, message, meaning }) => ({
      severity,
      code,
      field,
      message,
      meaning,
    })),
    ...plan,
  }))
}
