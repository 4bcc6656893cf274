/** Milliseconds without drawing after which a browser would stutter. */
const LONGEST = 25

let since = performance.now()
let turn: Promise<void> | undefined

/** Lets the browser draw and handle events, if it could not for a while. For work that waits for nothing else. */
export async function yieldToBrowser(): Promise<void> {
  if (performance.now() - since < LONGEST) return
  turn ??= browserTurn()
  await turn
}

/** Resolves after the events that the browser has to handle now. A timer would take at least 4 ms. */
function browserTurn(): Promise<void> {
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel()
    port2.onmessage = () => {
      since = performance.now()
      turn = undefined
      port2.close()
      resolve()
    }
    port1.postMessage(undefined)
  })
}
