import process from 'node:process'

/** What ends a program from outside, with time to put things in order. */
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

const cleanups = new Set<() => void>()

/**
 * Runs `cleanup` should a signal end the program before the function that is given back was called. Signals are heard only
 * while something is to be put in order: hearing them, a thread that is busy ends later.
 *
 * @param cleanup must be done when it returns, and must not throw
 */
export function onInterrupt(cleanup: () => void): () => void {
  if (cleanups.size === 0) for (const signal of SIGNALS) process.on(signal, endBy)
  cleanups.add(cleanup)
  return () => {
    if (cleanups.delete(cleanup) && cleanups.size === 0) forget()
  }
}

/** Puts all in order, and ends as if nobody had listened: the caller's shell sees the signal. */
function endBy(signal: NodeJS.Signals): void {
  for (const cleanup of cleanups) cleanup()
  cleanups.clear()
  forget()
  process.kill(process.pid, signal)
}

function forget(): void {
  for (const signal of SIGNALS) process.removeListener(signal, endBy)
}
