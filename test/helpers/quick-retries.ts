import { DEFAULT_LIMITS } from '../../src/storage/remote/client.ts'
import { shortTurn } from './turn.ts'

/** Makes the pauses before further tries short, in this test file alone: only how often something is tried counts here. */
export function quickRetries(): void {
  DEFAULT_LIMITS.backoff = 10
}

/** Faults that are noticed only when the time is over, which each try waits for. */
const SILENT = ['no answer', 'a body that stands still']

/**
 * Faults by name, without some that take long: the gate tries all of them. Another run tries one of the silent faults, and the other one where
 * it is called with the other `first`.
 */
export function silentInTurn<F>(faults: readonly (readonly [string, F])[], first: 0 | 1): (readonly [string, F])[] {
  const tried = shortTurn([SILENT[first], SILENT[1 - first]], 2)
  return faults.filter(([name]) => !SILENT.includes(name) || tried.includes(name))
}
