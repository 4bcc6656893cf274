import process from 'node:process'

/** Signals that end a program but leave time to clean up. */
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

const cleanups = new Set<() => void>()

/**
 * Runs `cleanup` if a signal ends the program before the returned function is called. Signals are handled only while there is
 * something to clean up, because a busy thread with a handler ends later.
 *
 * @param cleanup must not throw
 */
export function onInterrupt(cleanup: () => void): () => void {
  if (cleanups.size === 0) for (const signal of SIGNALS) process.on(signal, endBy)
  cleanups.add(cleanup)
  return () => {
    if (cleanups.delete(cleanup) && cleanups.size === 0) forget()
  }
}

/** Cleans up, then ends as if there were no handler: the caller's shell sees the signal. */
function endBy(signal: NodeJS.Signals): void {
  for (const cleanup of cleanups) cleanup()
  forget()
  process.kill(process.pid, signal)
}

function forget(): void {
  for (const signal of SIGNALS) process.removeListener(signal, endBy)
}
