import process from 'node:process'

/** Signals that end a program but leave time to clean up. */
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

type Cleanup = () => void | Promise<void>

const cleanups = new Set<Cleanup>()
let ending = false

/**
 * Runs `cleanup` if a signal ends the program before the returned function is called. Signals are handled only while there is
 * something to clean up, because a busy thread with a handler ends later.
 *
 * @param cleanup is done when it returns or its promise resolves, and must not throw
 */
export function onInterrupt(cleanup: Cleanup): () => void {
  if (cleanups.size === 0) for (const signal of SIGNALS) process.on(signal, endBy)
  cleanups.add(cleanup)
  return () => {
    if (cleanups.delete(cleanup) && cleanups.size === 0) forget()
  }
}

/** Cleans up, then ends as if there were no handler: the caller's shell sees the signal. */
function endBy(signal: NodeJS.Signals): void {
  if (ending) return
  ending = true
  const waiting = Array.from(cleanups, (cleanup) => cleanup()).filter((one) => one !== undefined)
  const end = (): void => {
    forget()
    process.kill(process.pid, signal)
  }
  if (waiting.length === 0) end()
  else Promise.all(waiting).finally(end)
}

function forget(): void {
  for (const signal of SIGNALS) process.removeListener(signal, endBy)
}
