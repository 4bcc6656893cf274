import type { CommandContext } from '../calls/command.ts'
import { type GenomicsdbHandler, notForGenomicsdb } from '../calls/genomicsdb.ts'
import { Ignored, parseIgnore } from '../calls/ignored-findings.ts'
import { parseChoice } from '../calls/option-values.ts'
import { SEVERITIES } from '../check/codes.ts'
import { LEVELS, type Level } from '../check/finding.ts'
import { checkGenomicsdb } from '../check/genomicsdb/workspace.ts'
import { newRun } from '../check/run.ts'
import type { GenomicsdbTarget } from '../genomicsdb/target.ts'
import { Interval, Workspace, workspaceAround } from '../genomicsdb/workspace.ts'
import { plansOutcome } from './check-plan.ts'
import { findingsOutcome, runningCheck } from './open-check.ts'

interface Options {
  level?: string
  failOn?: string
  ignore?: string[]
  plan?: boolean
}

/** What each level does not look at, in words. */
const NOT_CHECKED: Readonly<Record<Level, readonly string[]>> = {
  structure: ['data tiles; samples against cells'],
  chunks: ['values of lists'],
  cells: ['values that contradict nothing: GenomicsDB stores no checksums but those of zlib'],
}

export const handler: GenomicsdbHandler<Options> = {
  async *run(cx, target, _args, options) {
    const level = parseChoice('--level', LEVELS, options.level ?? 'chunks')
    const failOn = parseChoice('--fail-on', SEVERITIES, options.failOn ?? 'error')
    const ignored = new Ignored(parseIgnore(options.ignore))
    if (target.kind === 'file') throw notForGenomicsdb('check', target)
    const run = newRun(level, true)
    const checked = runningCheck(cx, run, failOn, {
      items: () => checkGenomicsdb(run, target, cx.reading),
      total: async () => (await import('../calls/work-size.ts')).bytesBelow(cx.storage, target.path),
      notChecked: NOT_CHECKED[level],
      ignored,
    })
    if (!options.plan) {
      yield findingsOutcome(cx, target.path, checked)
      return
    }
    const { genomicsdbPlans } = await import('../mend/genomicsdb-plan.ts')
    const root = await rootOf(cx, target)
    yield await plansOutcome(cx, target.path, checked, { plans: (found) => genomicsdbPlans(cx, root, found) })
  },
}

/** The workspace of a target; without one, its array. */
async function rootOf(cx: CommandContext, target: GenomicsdbTarget): Promise<Workspace | Interval> {
  if (target.kind === 'workspace') return new Workspace(target.folder, cx.reading)
  const array = target.array ?? ('folder' in target ? target.folder : undefined)
  if (!array) throw notForGenomicsdb('check', target)
  return (await workspaceAround(array, cx.reading)) ?? new Interval(array, cx.reading)
}
