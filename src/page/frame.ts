import type { FromFrame, ToFrame } from './frame-messages.ts'

/** Whether another page shows this one in a frame. */
export function isFramed(): boolean {
  return parent !== window
}

/** Sends a message to the page around this one. */
export function tellHost(message: FromFrame): void {
  parent.postMessage(message, '*')
}

/** Calls `take` for each message of the page around this one. @returns a function that ends that */
export function onMessage(take: (message: ToFrame) => void): () => void {
  const received = ({ source, data }: MessageEvent<ToFrame>): void => {
    if (source === parent && isFramed() && typeof data === 'object' && data !== null) take(data)
  }
  addEventListener('message', received)
  return () => removeEventListener('message', received)
}
