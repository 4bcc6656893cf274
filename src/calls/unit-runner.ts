import { runHere, type UnitRunner, type UnitWork, UnitWorker } from '../check/units.ts'
import type { Target } from '../objects/target.ts'
import type { CommandContext } from './command.ts'

/**
 * Runs units of work in `jobs` threads, including this one.
 * @param bytes bytes of the target's files, if they are known
 * @param deep the option of `verify-checksums`; undefined for `check`
 */
export async function unitRunner<I extends object>(
  { storage, reading }: CommandContext,
  { path }: Target,
  bytes: number | undefined,
  jobs: number,
  work: UnitWork<I>,
  deep?: boolean,
): Promise<UnitRunner<I>> {
  const here = new UnitWorker(storage, reading, work)
  if (jobs === 1) return runHere(here, path)
  const { runInWorkers } = await import('../threads/unit-pool.ts')
  const { key, memory } = reading
  return runInWorkers(jobs, { key, deep, memory }, storage, { path, bytes }, here)
}
