import { faultText, isNew } from '../base/errors.ts'
import type { Output } from '../base/result.ts'
import { mapRows } from '../base/walk.ts'
import type { CommandContext } from '../calls/command.ts'
import { documentHead, notExaminedResult } from '../calls/document-parts.ts'
import type { Ignored } from '../calls/ignored-findings.ts'
import { openRecursive } from '../calls/options.ts'
import type { FindingsOutcome } from '../calls/outcome.ts'
import { noteBytesToRead } from '../calls/reading-ahead.ts'
import { type Takes, type TargetFor, targetFor } from '../calls/targets.ts'
import { unitRunner } from '../calls/unit-runner.ts'
import { noteIfEmpty } from '../calls/walkers.ts'
import { checkTarget } from '../check/check.ts'
import { isAtLeast, SEVERITIES, type Severity } from '../check/codes.ts'
import { checkUnit } from '../check/data-files.ts'
import type { Finding, Items, Level } from '../check/finding.ts'
import type { CheckRun } from '../check/run.ts'
import type { CheckFinding } from '../documents/check.ts'
import type { NotExamined } from '../documents/common.ts'
import { beginLayers } from '../layers/check.ts'
import { shardText } from '../objects/shard.ts'
import type { Work } from '../render/progress.ts'
import type { FindingsTail } from '../render/reports/reporter.ts'

export const TAKES_CHECKED = { fragment: '', array: '', group: '' } as const satisfies Takes

/** What a check leaves out, in words, and the option that adds it. */
type Unchecked = readonly [what: string, option?: string]

const CELLS: Unchecked = ['cells', '--level cells']
/** What every level leaves out without `--all`. */
const OTHERS: Unchecked = ['uncommitted fragments and unused enumerations', '--all']

/** What each level leaves out even with `--all`. */
const NOT_CHECKED: Readonly<Record<Level, readonly Unchecked[]>> = {
  structure: [['data tiles', '--level chunks'], CELLS],
  chunks: [CELLS],
  cells: [['values that no checksum and no statistic covers']],
}

/** What a check leaves out, in words. */
export function notChecked({ namesOptions }: CommandContext, level: Level, all: boolean): string[] {
  return [...NOT_CHECKED[level], ...(all ? [] : [OTHERS])].map(([what, option]) =>
    option === undefined || !namesOptions ? what : `${what} (${option})`,
  )
}

/** A check, and its opened target. */
export type OpenCheck = Awaited<ReturnType<typeof openCheck>>

/** The options of a check. */
interface Asked {
  run: CheckRun
  failOn: Severity
  ignored: Ignored
  jobs: number
  recursive: boolean | undefined
}

async function hiddenChanges(target: TargetFor<typeof TAKES_CHECKED>): Promise<string[]> {
  return (await import('../calls/rounded-sums.ts')).roundedSums(target)
}

export async function openCheck(cx: CommandContext, path: string, asked: Asked) {
  const { run, failOn, ignored, jobs, recursive } = asked
  const { level, all } = run
  const target = await targetFor(cx, 'check', TAKES_CHECKED, await openRecursive(cx, path, recursive))
  await noteIfEmpty(cx, target)
  const readsTiles = level !== 'structure'
  const bytes = readsTiles ? await noteBytesToRead(cx, target) : undefined
  // With one thread, the check itself does all of the work.
  const units = readsTiles && jobs > 1 ? await unitRunner(cx, target, checkUnit, { jobs, bytes }) : undefined
  let counted = (_done: number): void => {}
  const runner = units && (await import('../calls/work-size.ts')).countedRunner(units, (done) => counted(done))
  return {
    target,
    ...runningCheck(cx, run, failOn, {
      items: () => checkTarget({ ...run, across: beginLayers }, target, runner),
      unit: runner && 'bytes',
      total: async () => (await import('../calls/work-size.ts')).bytesOfTarget(cx.storage, target, all, readsTiles),
      begin: (done) => {
        counted = done
      },
      notChecked: [...(level === 'cells' ? await hiddenChanges(target) : []), ...notChecked(cx, level, all)],
      ignored,
    }),
  }
}

/** A check, and how its progress is shown. */
interface Checking {
  items(): Items
  unit?: Work['unit']
  total: Work['total']
  /** Gets the function that counts what is done. */
  begin?(done: (count: number) => void): void
  /** What is not checked, in words. */
  notChecked: readonly string[]
  ignored: Ignored
}

/** A check that runs while its findings are read. */
export type RunningCheck = ReturnType<typeof runningCheck>

export function runningCheck(
  cx: CommandContext,
  run: CheckRun,
  failOn: Severity,
  { items, unit, total, begin, notChecked: not_checked, ignored }: Checking,
) {
  const finding_num = { error: 0, warning: 0, note: 0 }
  const not_examined: NotExamined[] = []
  /** Whether a finding of this severity makes the command fail: `--fail-on`. */
  const fails = (severity: Severity): boolean => isAtLeast(severity, failOn)
  /** Whether no finding so far does. */
  const ok = (): boolean => SEVERITIES.every((severity) => finding_num[severity] === 0 || !fails(severity))
  return {
    run,
    fails,
    ignored,
    /**
     * The findings as they are found. The generator returns the keys of the document that are known after the last one.
     * @param listsNotExamined whether the output lists what was not examined. Then stderr does not repeat it.
     */
    async *findings(listsNotExamined: boolean): AsyncGenerator<Finding, FindingsTail, undefined> {
      const reported = new Set<string>()
      const progress = cx.progress({ what: 'checking', unit, total })
      begin?.(progress.update)
      try {
        for await (const item of items()) {
          if ('notExamined' in item) {
            // A file that cannot be read gives an item for each of its tiles.
            if (!isNew(reported, item.notExamined)) continue
            cx.fault(item.notExamined, listsNotExamined)
            not_examined.push(notExaminedResult(cx, item.notExamined))
          } else if (!ignored.takes(item)) {
            if (item.severity === 'error') await cx.storage.confirm?.([item.file])
            finding_num[item.severity]++
            yield item
          }
        }
      } finally {
        progress.stop()
        // Also if nobody wants the other findings.
        if (!ok()) cx.foundWrong()
      }
      return {
        ok: ok() && !not_examined.some(({ code }) => code === 'UNSUPPORTED_VERSION'),
        finding_num,
        ignored: ignored.result(),
        counts: run.counts,
        not_examined,
        not_checked,
      }
    },
  }
}

/** A finding as part of a document. */
export function checkFinding(cx: CommandContext, finding: Finding): CheckFinding {
  const { severity, code, offset = null, space, field = null, tile, chunk, expected, found, meaning } = finding
  const { variant = finding.knownFaults?.join(' '), cell: position } = finding
  const file = cx.shownPath(finding.file)
  const message = faultText({ expected, found })
  const place = { file, offset, space, field, tile, chunk, position }
  return { severity, code, variant, ...place, expected, found, message, meaning }
}

const COLUMNS: readonly (keyof CheckFinding)[] = [
  ...(['severity', 'code', 'variant', 'file', 'offset', 'space', 'field', 'tile', 'chunk', 'position'] as const),
  ...(['expected', 'found', 'message', 'meaning'] as const),
]

/** Writes findings as they are found. The summary follows the last finding. */
export function findingsOutcome(cx: CommandContext, path: string, checked: RunningCheck): FindingsOutcome {
  const { run, fails } = checked
  const head = { ...documentHead('check', cx.shownPath(path)), level: run.level, shard: shardText(run.shard) }
  const walk = (listsNotExamined: boolean): AsyncGenerator<CheckFinding, FindingsTail> =>
    mapRows(checked.findings(listsNotExamined), (finding) => checkFinding(cx, finding))
  return {
    kind: 'findings',
    head,
    list: 'findings',
    walk: () => walk(false),
    columns: () => COLUMNS,
    fails,
    async table(out: Output) {
      const { checkTable } = await import('../render/views/check.ts')
      await checkTable(head, walk(true), out)
    },
  }
}
