import { faultText, isNew } from '../base/errors.ts'
import type { Output } from '../base/result.ts'
import { changed } from '../base/walk.ts'
import { checkTarget } from '../check/check.ts'
import { isAtLeast, SEVERITIES, type Severity } from '../check/codes.ts'
import { checkUnit } from '../check/data-files.ts'
import { type Finding, LEVELS, type Level } from '../check/finding.ts'
import { type CheckRun, newRun } from '../check/run.ts'
import type { CheckFinding } from '../documents/check.ts'
import type { NotExamined } from '../documents/common.ts'
import type { FindingsTail } from '../render/reports/reporter.ts'
import { parseShard, shardText } from '../store/shard.ts'
import type { CommandContext, CommandModule } from './command.ts'
import { documentHead, notExaminedResult } from './document-parts.ts'
import { parseChoice, parseJobs, SHARD_OPTION } from './option-values.ts'
import type { FindingsOutcome } from './outcome.ts'
import { noteBytesToRead } from './reading-ahead.ts'
import { targetFor, targetsHelp } from './targets.ts'
import { unitRunner } from './unit-runner.ts'
import { noteIfEmpty } from './walkers.ts'

interface Options {
  level?: string
  failOn?: string
  all?: boolean
  jobs?: string
  shard?: string
  plan?: boolean
}

export const command: CommandModule<Options> = {
  about:
    'Every finding has a code, a file and a byte, and says what it means for a reader. check looks at checksums and at everything else; verify-checksums looks only at checksums. In a field without a checksum filter, a changed byte that can still be decoded may not be found. What only makes reads slow, such as FRAGMENTS_MANY, is not a finding: explain and --plan show it, and explain --fail-on counts it.',
  examples: [
    ['whether what the metadata claims is what the bytes hold', 'check places'],
    ['every cell, too', 'check --level cells weather'],
    ['in two threads', 'check --jobs 2 weather'],
    ['for code scanning; junit and github are for other CI systems', 'check --format sarif places'],
    ['what is lost, and the steps that mend it', 'check --plan places'],
    ['the metadata alone, and any note is a failure', 'check --level structure --fail-on note places'],
  ],

  gives: 'findings',

  configure(command) {
    command
      .argument('<target...>', targetsHelp('check'))
      .option(
        '--level <level>',
        'structure (reads no tiles), chunks (undoes every filter) or cells (looks at every cell)',
        'chunks',
      )
      .option(
        '--fail-on <severity>',
        'exit with 1 if a finding has this severity or a worse one: error, warning or note',
        'error',
      )
      .option('--all', 'check everything in the folder, also uncommitted fragments and unused enumerations')
      .option('--plan', 'show what is lost, and the steps that mend it, in order; nothing is run')
      .option('--jobs <n>', 'number of threads', '1')
      .option(...SHARD_OPTION)
  },

  async *run(cx, [path], options) {
    const level = parseChoice('--level', LEVELS, options.level ?? 'chunks')
    const failOn = parseChoice('--fail-on', SEVERITIES, options.failOn ?? 'error')
    const shard = options.shard === undefined ? undefined : parseShard(options.shard)
    const jobs = parseJobs(options.jobs)
    const run = newRun(level, options.all ?? false, shard)
    const checked = await openCheck(cx, path, run, failOn, jobs)
    if (options.plan) yield await (await import('./check-plan.ts')).planOutcome(cx, path, checked)
    else yield outcome(cx, path, checked)
  },
}

const COLUMNS: readonly (keyof CheckFinding)[] = [
  ...(['severity', 'code', 'variant', 'file', 'offset', 'space', 'field', 'tile', 'chunk', 'cell'] as const),
  ...(['expected', 'found', 'message', 'meaning'] as const),
]

/** What each level does not check, for the last line of the table. */
const NOT_CHECKED: Readonly<Record<Level, readonly string[]>> = {
  structure: ['data tiles (--level chunks)', 'cells (--level cells)'],
  chunks: ['cells (--level cells)'],
  cells: ['values that no checksum and no statistic covers'],
}

/** A check that runs while its findings are read. */
export type OpenCheck = Awaited<ReturnType<typeof openCheck>>

async function openCheck(cx: CommandContext, path: string, run: CheckRun, failOn: Severity, jobs: number) {
  const { level, all } = run
  const target = await targetFor(cx, 'check', await cx.open(path))
  await noteIfEmpty(cx, target)
  const readsTiles = level !== 'structure'
  const bytes = readsTiles ? await noteBytesToRead(cx, target) : undefined
  // Only several threads need units of work.
  const runner = readsTiles && jobs > 1 ? await unitRunner(cx, target, bytes, jobs, checkUnit) : undefined
  const finding_num = { error: 0, warning: 0, note: 0 }
  const not_examined: NotExamined[] = []
  /** Whether `--fail-on` counts findings of a severity. */
  const fails = (severity: Severity): boolean => isAtLeast(severity, failOn)
  /** Whether no finding so far counts for `--fail-on`. */
  const ok = (): boolean => SEVERITIES.every((severity) => finding_num[severity] === 0 || !fails(severity))
  return {
    run,
    target,
    fails,
    /**
     * The findings. They return the keys of the document that are known after the last of them.
     * @param listsNotExamined whether the output lists what was not examined. Then stderr does not repeat it.
     */
    async *findings(listsNotExamined: boolean): AsyncGenerator<Finding, FindingsTail, undefined> {
      const reported = new Set<string>()
      const progress = await cx.progress('checking')
      try {
        for await (const item of checkTarget(run, target, runner)) {
          progress.update(run.counts.file_num)
          if ('notExamined' in item) {
            // A file that cannot be read gives an item for each of its tiles.
            if (!isNew(reported, item.notExamined)) continue
            cx.fault(item.notExamined, listsNotExamined)
            not_examined.push(notExaminedResult(cx, item.notExamined))
          } else {
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
        counts: run.counts,
        not_examined,
        not_checked: [...NOT_CHECKED[level], ...(all ? [] : ['uncommitted fragments and unused enumerations (--all)'])],
      }
    },
  }
}

/** Writes findings as they are found. The summary follows the last finding. */
function outcome(cx: CommandContext, path: string, checked: OpenCheck): FindingsOutcome {
  const { run, fails } = checked
  const head = { ...documentHead('check', cx.shownPath(path)), level: run.level, shard: shardText(run.shard) }
  const walk = (listsNotExamined: boolean): AsyncGenerator<CheckFinding, FindingsTail> =>
    changed(checked.findings(listsNotExamined), (finding) => findingResult(cx, finding))
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

/** A finding as part of a document. */
export function findingResult(cx: CommandContext, finding: Finding): CheckFinding {
  const { severity, code, offset = null, space, field = null, tile, chunk, cell, expected, found, meaning } = finding
  const { variant = finding.knownFaults?.join(' ') } = finding
  const file = cx.shownPath(finding.file)
  const message = faultText({ expected, found })
  return { severity, code, variant, file, offset, space, field, tile, chunk, cell, expected, found, message, meaning }
}
