import type { Output } from '../base/result.ts'
import { walk } from '../base/walk.ts'
import type { CommandContext, CommandModule } from '../calls/command.ts'
import { documentHead, notExaminedResult } from '../calls/document-parts.ts'
import { parseJobs, SHARD_OPTION } from '../calls/option-values.ts'
import { openRecursive, RECURSIVE_OPTION } from '../calls/options.ts'
import type { Outcome } from '../calls/outcome.ts'
import { noteBytesToRead } from '../calls/reading-ahead.ts'
import { type Takes, targetFor, targetsHelp } from '../calls/targets.ts'
import { unitRunner } from '../calls/unit-runner.ts'
import { isFragmentInWork, noteIfEmpty, noteInWork } from '../calls/walkers.ts'
import { bytesOfTarget, countedRunner } from '../calls/work-size.ts'
import type { UnitRunner, UnitWork } from '../check/units.ts'
import { Verified, type VerifyItem } from '../check/verified.ts'
import { type VerifyOptions, verifyFailures } from '../check/verify.ts'
import { verifyUnit } from '../check/verify-unit.ts'
import type { DocumentHead } from '../documents/common.ts'
import type { VerifyChecksumsDocument, VerifyChecksumsLine } from '../documents/verify-checksums.ts'
import { parseShard, shardText } from '../objects/shard.ts'
import type { Target } from '../objects/target.ts'
import { optimizeLater } from '../storage/lean-heap.ts'

interface Options {
  all?: boolean
  deep?: boolean
  requireChecksums?: boolean
  jobs?: string
  shard?: string
  recursive?: boolean
}

const TAIL_LOST = 'TileDB lost bytes of chunks when it wrote them, and cells may be wrong'

const TAKES = { fragment: '', array: '', group: '' } as const satisfies Takes

export const command: CommandModule<Options> = {
  about:
    'It reads only files with checksums. Of other files it only checks that they exist and are long enough; --deep undoes all filters. check finds other damage, too.',
  examples: [
    ['every checksum of an array', 'verify-checksums places'],
    ['files without a checksum, too: every filter undone', 'verify-checksums --deep weather'],
    ['in two threads, the result as JSON', 'verify-checksums --jobs 2 --json places'],
  ],

  takes: TAKES,

  configure(command) {
    command
      .argument('<target...>', targetsHelp(TAKES))
      .option('--all', 'verify every fragment folder, not only committed ones')
      .option('--deep', 'undo every filter of every tile, and compare sizes with the metadata')
      .option(
        '--require-checksums',
        'fail for a data file without a checksum, and for an array whose fragments are all skipped',
      )
      .option('--jobs <n>', 'number of threads', '1')
      .option(...SHARD_OPTION)
      .option(...RECURSIVE_OPTION)
  },

  async *run(cx, [path], options) {
    const verifyOptions: VerifyOptions = {
      all: options.all ?? false,
      shard: options.shard === undefined ? undefined : parseShard(options.shard),
    }
    const jobs = parseJobs(options.jobs)
    const target = await targetFor(cx, 'verify-checksums', TAKES, await openRecursive(cx, path, options.recursive))
    await noteIfEmpty(cx, target)
    const bytes = await noteBytesToRead(cx, target)
    const deep = options.deep ?? false
    const work: UnitWork<VerifyItem> = (opened, inside, unit) => verifyUnit(opened, inside, unit, deep)
    optimizeLater()
    const runner = await unitRunner(cx, target, work, { jobs, bytes, deep })
    yield outcome(cx, path, target, { verifyOptions, runner, ...options })
  },
}

const COLUMNS = ['fragment', 'file', 'tile', 'chunk', 'filter', 'offset', 'expected', 'actual', 'message'] as const

/** The keys of the document that are known only after the last failure. */
type LastKeys = Omit<VerifyChecksumsDocument, keyof DocumentHead | 'deep' | 'shard' | 'failures'>

/** How a target is verified. */
interface Verification extends Pick<Options, 'requireChecksums' | 'deep'> {
  verifyOptions: VerifyOptions
  runner: UnitRunner<VerifyItem>
}

/** Writes failures as they are found. The summary follows the last failure. */
function outcome(
  cx: CommandContext,
  path: string,
  target: Target,
  { verifyOptions, runner, requireChecksums = false, deep = false }: Verification,
): Outcome {
  const found = new Verified()
  let failureNum = 0
  const ok = (): boolean =>
    failureNum === 0 && !(requireChecksums && (found.unprotectedFiles.length > 0 || found.counts.skipped_array_num > 0))
  async function* failures(): AsyncGenerator<VerifyChecksumsLine, LastKeys> {
    const total = (): Promise<number | undefined> => bytesOfTarget(cx.storage, target, verifyOptions.all)
    const progress = cx.progress({ what: 'verifying checksums', unit: 'bytes', total })
    try {
      const counted = countedRunner(runner, progress.update)
      const items = verifyFailures(target, cx.reading, verifyOptions, counted, found)
      for await (const failure of items) {
        await cx.storage.confirm?.([failure.file])
        // A write or a vacuum may be at work in it. Then the failure is no damage.
        if (target.type === 'fragment' && (await isFragmentInWork(target, target.fragment))) {
          noteInWork(cx, target.fragment)
          break
        }
        failureNum++
        yield { ...failure, file: cx.shownPath(failure.file) }
      }
      for (const [file, tile] of found.lostTails)
        cx.note(`${cx.shownPath(file)}: ${TAIL_LOST} (first in tile ${tile}); check says more`, 'target')
      for (const error of found.notExamined) cx.fault(error)
    } finally {
      progress.stop()
      // Even if the output is not read to its end.
      if (!ok()) cx.foundWrong()
    }
    return lastKeys()
  }
  const head = { ...documentHead('verify-checksums', cx.shownPath(path)), deep, shard: shardText(verifyOptions.shard) }
  const lastKeys = (): LastKeys => {
    const { skipped_array_num: _, key_proof_num: __, unprotected_metadata_file_num, ...counts } = found.counts
    return {
      verdict: verdict(found, failureNum),
      ok: ok() && !found.notExamined.some(({ code }) => code === 'UNSUPPORTED_VERSION'),
      ...counts,
      unprotected_files: shownPaths(cx, found.unprotectedFiles),
      unprotected_metadata_file_num,
      not_examined: found.notExamined.map((error) => notExaminedResult(cx, error)),
    }
  }
  return {
    kind: 'stream',
    head,
    list: 'failures',
    walk: failures,
    columns: () => COLUMNS,
    flushRows: true,
    async table(out: Output) {
      const { verifyTable } = await import('../render/views/verify.ts')
      const listed: VerifyChecksumsLine[] = []
      const last = await walk(failures(), (failure) => void listed.push(failure))
      await verifyTable({ ...head, failures: listed, ...last }, out)
    },
  }
}

function* shownPaths(cx: CommandContext, files: Iterable<string>): Generator<string> {
  for (const file of files) yield cx.shownPath(file)
}

/** The verdict in one word. It is `verified` only if every data file has a checksum. */
function verdict(found: Verified, failureNum: number): VerifyChecksumsDocument['verdict'] {
  if (failureNum > 0) return 'damaged'
  const isWhole = found.notExamined.length === 0
  if (found.counts.checksum_num === 0) return isWhole ? 'nothing-to-verify' : 'not-examined'
  return found.unprotectedFiles.length > 0 || !isWhole ? 'partly' : 'verified'
}
