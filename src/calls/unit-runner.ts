import { runHere, type UnitRunner, type UnitWork, UnitWorker } from '../check/units.ts'
import type { Target } from '../objects/target.ts'
import type { CommandContext } from './command.ts'

/**
 * Runs units of work in `jobs` threads, including this one.
 * @param options `bytes` of the target's files, if they are known; `deep` is the option of `verify-checksums`
 */
export async function unitRunner<I extends object>(
  { storage, reading }: CommandContext,
  { path }: Target,
  work: UnitWork<I>,
  { jobs, bytes, deep }: { jobs: number; bytes: number | undefined; deep?: boolean },
): Promise<UnitRunner<I>> {
  const here = new UnitWorker(storage, reading, work)
  if (jobs === 1) return runHere(here, path)
  const { runInWorkers } = await import('../threads/unit-pool.ts')
  const { key, memory } = reading
  return runInWorkers(jobs, { key, deep, memory }, storage, { path, bytes }, here)
}
