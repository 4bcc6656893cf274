/** Milliseconds without drawing after which a browser would stutter. */
const LONGEST = 25

let since = performance.now()
const { port1, port2 } = new MessageChannel()
const waiting: (() => void)[] = []
port2.onmessage = () => {
  since = performance.now()
  for (const go of waiting.splice(0)) go()
}

/** Lets the browser draw and handle events, if it could not for a while. For work that waits for nothing else. */
export async function yieldToBrowser(): Promise<void> {
  if (performance.now() - since < LONGEST) return
  await new Promise<void>((resolve) => {
    waiting.push(resolve)
    if (waiting.length === 1) port1.postMessage(undefined)
  })
}
