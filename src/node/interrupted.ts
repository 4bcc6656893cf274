import process from 'node:process'

/** Signals that end a program but leave time to clean up. */
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

const cleanups = new Set<() => void>()

/**
 * Runs `cleanup` if a signal ends the program before the returned function is called. There are signal handlers only while
 * there is something to clean up, because with a handler a busy thread ends later.
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

/** Cleans up, then ends by the signal itself, so that the user's shell sees it. */
function endBy(signal: NodeJS.Signals): void {
  for (const cleanup of cleanups) cleanup()
  forget()
  process.kill(process.pid, signal)
}

/** Removes the signal handlers. */
function forget(): void {
  for (const signal of SIGNALS) process.removeListener(signal, endBy)
}
