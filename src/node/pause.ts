/**
 * Milliseconds of work after which the event loop gets a turn. Without a turn no signal is handled and no progress is drawn.
 * A turn every 50 ms took 2 % of the time of a busy machine.
 */
const LONGEST = 100

let since = Date.now()
let turn: Promise<void> | undefined
let isStopped = false

/** Stops all work that lets the event loop turn: its next turn never ends. For a program that is about to end. */
export function stopWork(): void {
  isStopped = true
}

/** To be called after a wait in which the event loop turned anyway. */
export function eventsWereHandled(): void {
  since = Date.now()
}

/**
 * Lets the event loop turn, if it had no turn for a while. For work that waits for nothing else.
 * @returns what to wait for; undefined if there is nothing to wait for
 */
export function pauseForEvents(): Promise<void> | undefined {
  if (isStopped) return new Promise(() => {})
  // The clock of the system is the fastest to ask. It may be set back.
  const passed = Date.now() - since
  if (passed >= 0 && passed < LONGEST) return undefined
  turn ??= new Promise((resolve) => {
    setImmediate(() => {
      since = Date.now()
      turn = undefined
      resolve()
    })
  })
  return turn
}
