import { InspectError } from '../errors.ts'
import type { Document, Output, Result } from '../render/result.ts'
import type { Verification } from '../verify/verification.ts'
import { runHere, type UnitRunner, UnitWorker, type VerifyOptions, verifyTarget } from '../verify/verify.ts'
import { type CommandContext, type CommandModule, documentHead, type Outcome } from './command.ts'

interface Options {
  all?: boolean
  deep?: boolean
  requireChecksums?: boolean
  jobs?: string
  shard?: string
}

export const command: CommandModule<Options> = {
  configure(command) {
    command
      .argument('<target...>', 'fragment, array or group')
      .option('--all', 'every fragment folder, not the committed ones only')
      .option('--deep', 'undo every filter of every tile, and compare sizes with the metadata')
      .option('--require-checksums', 'a data file without a checksum is a failure')
      .option('--jobs <n>', 'worker threads', '1')
      .option('--shard <i/n>', 'only the i-th of n parts of the fragments, balanced by bytes')
  },

  async *run(cx, paths, options) {
    const verifyOptions: VerifyOptions = {
      all: options.all ?? false,
      deep: options.deep ?? false,
      shard: options.shard === undefined ? undefined : parseShard(options.shard),
    }
    const jobs = count('--jobs', options.jobs ?? '1')
    for (const path of paths) {
      const target = await cx.open(path)
      const progress = await cx.progress('verifying checksums')
      try {
        const found = await verifyTarget(
          target,
          cx.reading,
          verifyOptions,
          await runnerFor(cx, jobs, verifyOptions.deep),
          progress.update,
        )
        for (const error of found.notExamined) cx.fault(error)
        yield outcome(cx, path, found, options)
      } finally {
        progress.stop()
      }
    }
  },
}

async function runnerFor(cx: CommandContext, jobs: number, deep: boolean): Promise<UnitRunner> {
  const here = runHere(new UnitWorker(cx.storage, cx.reading, deep))
  if (jobs === 1) return here
  const { runInWorkers } = await import('../source/verify-pool.ts')
  return runInWorkers(jobs, cx.reading.key, deep, here)
}

function count(option: string, text: string): number {
  if (!/^[1-9]\d*$/.test(text))
    throw new InspectError('USAGE', `${option} expects a number from 1 on, found ${JSON.stringify(text)}`)
  return Number(text)
}

function parseShard(text: string): { index: number; count: number } {
  const match = /^(\d+)\/(\d+)$/.exec(text)
  const [index, total] = [Number(match?.[1]), Number(match?.[2])]
  if (!match || index < 1 || index > total)
    throw new InspectError('USAGE', `--shard expects i/n with i from 1 to n, found ${JSON.stringify(text)}`)
  return { index: index - 1, count: total }
}

function outcome(cx: CommandContext, path: string, found: Verification, options: Options): Outcome {
  const unprotectedFails = options.requireChecksums === true && found.unprotectedFiles.length > 0
  const ok = found.failures.length === 0 && !unprotectedFails
  const document: Document = {
    ...documentHead('verify-checksums', cx.shownPath(path)),
    verdict: verdict(found),
    ok,
    deep: options.deep ?? false,
    fragment_num: found.fragmentNum,
    file_num: found.fileNum,
    tile_num: found.tileNum,
    chunk_num: found.chunkNum,
    checksum_num: found.checksumNum,
    unprotected_files: found.unprotectedFiles.map((file) => cx.shownPath(file)),
    unprotected_metadata_files: found.unprotectedMetadataFiles.length,
    failures: found.failures.map((failure): Result => ({ ...failure, file: cx.shownPath(failure.file) })),
    not_examined: found.notExamined.map((error) => ({
      code: error.code,
      message: error.message,
      file: error.at.file === undefined ? undefined : cx.shownPath(error.at.file),
    })),
  }
  return {
    document,
    rows: 'failures',
    notRight: !ok,
    async table(out: Output) {
      const { verifyTable } = await import('../render/views/verify.ts')
      await verifyTable(document, cx.full, out)
    },
  }
}

/** In one word. `verified` is said only where every data file carries checksums. */
function verdict(found: Verification): string {
  if (found.failures.length > 0) return 'damaged'
  if (found.checksumNum === 0) return 'nothing-to-verify'
  return found.unprotectedFiles.length > 0 || found.notExamined.length > 0 ? 'partly' : 'verified'
}
