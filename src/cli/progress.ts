import type { ProgressLine } from '../render/progress.ts'
import type { Storage } from '../storage/source.ts'
import type { CommonOptions } from './args.ts'
import { colorWanted, type Process } from './process.ts'

/**
 * The progress line of a run, if it has one, and what makes a storage whose reads it counts. Only a terminal on stderr gets a line: other
 * runs load nothing for it.
 */
export async function progressOf(
  process: Process,
  options: CommonOptions,
): Promise<{ metered(storage: Storage): Storage; line: ProgressLine | undefined }> {
  const { env, stderrColumns } = process
  if (stderrColumns === undefined || !process.beforeOutput || options.quiet || env.TERM === 'dumb')
    return { metered: (storage) => storage, line: undefined }
  const [{ Meter }, { ProgressLine }] = await Promise.all([
    import('../storage/metered.ts'),
    import('../render/progress.ts'),
  ])
  const meter = new Meter()
  const line = new ProgressLine({ meter, color: colorWanted(env, options.color) ?? true })
  process.beforeOutput((endsLine) => line.makeRoom(endsLine))
  return { metered: (storage) => meter.metered(storage), line }
}
