import { isNew } from '../base/errors.ts'
import type { CommandContext } from '../calls/command.ts'
import { notExaminedResult } from '../calls/document-parts.ts'
import { Ignored } from '../calls/ignored-findings.ts'
import { worstCodes } from '../calls/member-lines.ts'
import { openRecursive } from '../calls/options.ts'
import type { Outcome } from '../calls/outcome.ts'
import { sweepOutcome } from '../calls/sweep.ts'
import type { SweepOptions } from '../calls/sweep-options.ts'
import { targetFor } from '../calls/targets.ts'
import { unitRunner } from '../calls/unit-runner.ts'
import { bytesBelow } from '../calls/work-size.ts'
import { checkMember } from '../check/check.ts'
import { isAtLeast, SEVERITIES, type Severity } from '../check/codes.ts'
import { checkUnit } from '../check/data-files.ts'
import type { Items, Level } from '../check/finding.ts'
import { newRun } from '../check/run.ts'
import type { CheckFinding } from '../documents/check.ts'
import type { NotExamined } from '../documents/common.ts'
import type { MemberCheck, SweepMember } from '../documents/dataset.ts'
import { LayerRoots, lostAs } from '../layers/check.ts'
import type { DatasetMember } from '../objects/dataset.ts'
import { checkFinding, notChecked, TAKES_CHECKED } from './open-check.ts'

/** Number of findings that a line lists, and of what could not be examined. */
const MAX_PLACES = 10

interface Asked {
  level: Level
  failOn: Severity
  /** What `--ignore` names. */
  ignore: readonly string[]
  all: boolean
  /** Number of threads for a large array. */
  jobs: number
}

/** `check` of many arrays: a line each. */
export async function sweptCheck(
  cx: CommandContext,
  path: string,
  asked: Asked,
  options: SweepOptions,
): Promise<Outcome> {
  const { level, failOn, ignore, all } = asked
  const target = await targetFor(cx, 'check', TAKES_CHECKED, await openRecursive(cx, path, true))
  if (target.type !== 'group') throw new TypeError(target.type)
  const counts = newRun(level, all).counts
  let isRight = true
  const ignored = new Ignored(ignore)
  const roots = new LayerRoots()
  // Threads help one array at a time.
  const { jobs: _, ...others } = options
  return sweepOutcome(cx, path, target, others, {
    command: 'check',
    settings: { level, all, fail_on: failOn, ...(ignore.length > 0 && { ignore: ignore.join(',') }) },
    examine: (own, member) => examined(own, member, asked, roots),
    isWrong: ({ check }) => check !== undefined && !check.ok,
    add({ check }) {
      if (!check) return
      isRight &&= check.ok
      ignored.add(check.ignored)
      for (const key of ['fragment_num', 'file_num', 'tile_num', 'chunk_num', 'cell_num'] as const)
        counts[key] += check.counts[key]
    },
    tail: () => ({ level, ok: isRight, counts, ignored: ignored.result(), not_checked: notChecked(cx, level, all) }),
  })
}

async function examined(
  cx: CommandContext,
  member: DatasetMember,
  { level, failOn, ignore, all, jobs }: Asked,
  roots: LayerRoots,
): Promise<Partial<SweepMember>> {
  const { target } = member
  const run = newRun(level, all)
  const ignored = new Ignored(ignore)
  const isLocal = target && !member.again && !cx.storage.isRemote?.(target.path)
  const bytes = jobs > 1 && isLocal && level !== 'structure' ? await bytesBelow(cx.storage, target.path) : undefined
  const runner = target && bytes !== undefined ? await unitRunner(cx, target, checkUnit, { jobs, bytes }) : undefined
  const finding_num = { error: 0, warning: 0, note: 0 }
  const findings: CheckFinding[] = []
  const not_examined: NotExamined[] = []
  const codes = new Map<string, Pick<CheckFinding, 'severity' | 'code'>>()
  const reported = new Set<string>()
  let [num, unexamined] = [0, 0]
  async function* items(): Items {
    yield* checkMember(run, member, runner, await lostAs(member))
    if (!member.again) yield* roots.items(member, level)
  }
  for await (const item of items()) {
    if ('notExamined' in item) {
      if (reported.size >= MAX_REPORTED || !isNew(reported, item.notExamined)) continue
      cx.fault(item.notExamined)
      if (unexamined++ < MAX_PLACES) not_examined.push(notExaminedResult(cx, item.notExamined))
      continue
    }
    if (ignored.takes(item)) continue
    finding_num[item.severity]++
    const { severity, code } = item
    codes.set(`${severity} ${code}`, { severity, code })
    if (num++ < MAX_PLACES) findings.push(checkFinding(cx, item))
  }
  const isUnsupported = not_examined.some(({ code }) => code === 'UNSUPPORTED_VERSION')
  const check: MemberCheck = {
    ok: !isUnsupported && !SEVERITIES.some((one) => finding_num[one] > 0 && isAtLeast(one, failOn)),
    findings,
    more_num: num - findings.length,
    not_examined,
    more_not_examined_num: unexamined - not_examined.length,
    counts: run.counts,
    ignored: ignored.result(),
  }
  return { finding_num, codes: worstCodes([...codes.values()]), check }
}

/** Upper limit on the faults of one member that are told apart. */
const MAX_REPORTED = 1000
