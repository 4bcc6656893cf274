import { Client, DEFAULT_LIMITS, type Fetcher } from '../storage/remote/client.ts'
import { onMessage, tellHost } from './frame.ts'
import type { FrameAnswer } from './frame-messages.ts'

/** What {@link frameClient} reads begins with this. Nothing is fetched from there. */
export const FRAME_BASE = new URL('frame:/')

/** One try, because the program that has the bytes tries again itself. It answers late if a notebook runs other cells before. */
const LIMITS = { ...DEFAULT_LIMITS, attempts: 1, timeout: 24 * 3600 * 1000 }

/** A client whose questions the page around this one answers. */
export function frameClient(): Client {
  const waiting = new Map<number, (answer: FrameAnswer) => void>()
  let last = 0
  onMessage((message) => {
    if (!('id' in message)) return
    waiting.get(message.id)?.(message)
    waiting.delete(message.id)
  })
  const fetcher: Fetcher = (url, { headers }) => {
    const id = ++last
    tellHost({ id, path: url.slice(FRAME_BASE.href.length), range: headers.range })
    return new Promise((resolve, reject) => {
      waiting.set(id, ({ status, headers, bytes, error }) => {
        if (error !== undefined && status !== 404) reject(new Error(error))
        else resolve(new Response(bytes ?? null, { status, headers }))
      })
    })
  }
  return new Client(LIMITS, (cause) => ({ failure: (cause as Error).message, canRetry: false, cause }), fetcher)
}
