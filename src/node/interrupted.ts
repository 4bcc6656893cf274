import process from 'node:process'

/** What ends a program from outside, with time to put things in order. */
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

type Cleanup = () => void | Promise<void>

const cleanups = new Set<Cleanup>()
let ending = false

/**
 * Runs `cleanup` should a signal end the program before the function that is given back was called. Signals are heard only
 * while something is to be put in order: hearing them, a thread that is busy ends later.
 *
 * @param cleanup must be done when it returns, or its promise is kept, and must not throw
 */
export function onInterrupt(cleanup: Cleanup): () => void {
  if (cleanups.size === 0) for (const signal of SIGNALS) process.on(signal, endBy)
  cleanups.add(cleanup)
  return () => {
    if (cleanups.delete(cleanup) && cleanups.size === 0) forget()
  }
}

/** Puts all in order, and ends as if nobody had listened: the caller's shell sees the signal. */
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
