import { usage } from '../base/errors.ts'
import type { CommandModule } from '../calls/command.ts'
import { IGNORE_OPTION, Ignored, parseIgnore } from '../calls/ignored-findings.ts'
import { parseChoice, parseJobs, SHARD_OPTION } from '../calls/option-values.ts'
import { collect } from '../calls/options.ts'
import { addSweepOptions, type SweepOptions } from '../calls/sweep-options.ts'
import { targetsHelp } from '../calls/targets.ts'
import { SEVERITIES } from '../check/codes.ts'
import { LEVELS } from '../check/finding.ts'
import { newRun } from '../check/run.ts'
import { parseShard } from '../objects/shard.ts'
import { optimizeLater } from '../storage/lean-heap.ts'
import { findingsOutcome, openCheck, TAKES_CHECKED } from './open-check.ts'

interface Options extends SweepOptions {
  level?: string
  failOn?: string
  ignore?: string[]
  all?: boolean
  plan?: boolean
}

export const command: CommandModule<Options> = {
  about:
    'Every finding has a code, a file and a byte, and says what it means for a reader. check looks at checksums and at everything else; verify-checksums looks only at checksums. In a field without a checksum filter, a changed byte that can still be decoded may not be found. What only makes reads slow, such as FRAGMENTS_MANY, is no finding of check: explain and --plan show it, and explain --fail-on counts it.',
  examples: [
    ['whether what the metadata claims is what the bytes hold', 'check places'],
    ['every cell, too', 'check --level cells weather'],
    ['in two threads', 'check --jobs 2 weather'],
    ['for code scanning; junit and github are for other CI systems', 'check --format sarif places'],
    ['what is lost, and the steps that mend it', 'check --plan places'],
    ['a finding that is known and accepted does not fail', 'check --ignore RTREE_FANOUT,FRAGMENT_UNCOMMITTED places'],
    ['the metadata alone, and any note is a failure', 'check --level structure --fail-on note places'],
  ],

  gives: 'findings',

  takes: TAKES_CHECKED,

  configure(command) {
    command
      .argument('<target...>', targetsHelp(TAKES_CHECKED))
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
      .option(IGNORE_OPTION[0], IGNORE_OPTION[1], collect)
      .option('--all', 'check everything in the folder, also uncommitted fragments and unused enumerations')
      .option('--plan', 'show what is lost, and the steps that mend it, in order; nothing is run')
      .option('--jobs <n>', 'number of threads; with --recursive, threads for each large array', '1')
      .option(SHARD_OPTION[0], `${SHARD_OPTION[1]}; with --recursive, every n-th member`)
    addSweepOptions(command)
  },

  async *run(cx, [path], options) {
    optimizeLater()
    const level = parseChoice('--level', LEVELS, options.level ?? 'chunks')
    const failOn = parseChoice('--fail-on', SEVERITIES, options.failOn ?? 'error')
    const ignore = parseIgnore(options.ignore)
    const shard = options.shard === undefined ? undefined : parseShard(options.shard)
    const jobs = parseJobs(options.jobs)
    if (options.recursive && !options.plan && !cx.wantsReport) {
      const { sweptCheck } = await import('./sweep-check.ts')
      yield await sweptCheck(cx, path, { level, failOn, ignore, jobs, all: options.all ?? false }, options)
      return
    }
    if (options.exclude || options.resume)
      throw usage('--exclude and --resume expect a sweep: neither --plan nor a report of findings')
    const run = newRun(level, options.all ?? false, shard)
    const checked = await openCheck(cx, path, {
      run,
      failOn,
      ignored: new Ignored(ignore),
      jobs,
      recursive: options.recursive,
    })
    if (options.plan) yield await (await import('./check-plan.ts')).planOutcome(cx, path, checked)
    else yield findingsOutcome(cx, path, checked)
  },
}
