import { randomBytes, timingSafeEqual } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import process from 'node:process'
import { gzipSync } from 'node:zlib'
import { answerTo, type PageAnswer, type Served, statusOf } from './page-answers.ts'

/**
 * Serves a page, and the files that it shows, to browsers of this machine. Every path begins with a random word, which only the
 * user's browser gets. Requests from other pages, or to other names of this machine, are refused by their `Host`, `Origin` and
 * `Sec-Fetch-Site` headers. Nothing can be written.
 *
 * - `/WORD/`: the page
 * - `/WORD/NAME`: a script of the page that it loads later, or a wasm file
 * - `/WORD/list?PATH` and `/WORD/file?PATH`: what page-answers.ts answers
 */

interface ServedPlace extends Served {
  /** The page's own files, by name: scripts and wasm. */
  files?: ReadonlyMap<string, () => Uint8Array>
}

export interface PageServer {
  url: string
  /** Resolves when the user ends the program, or {@link close} is called. */
  ended: Promise<void>
  close(): void
}

const HEADERS = {
  'cache-control': 'no-store',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
}

export async function servePage(page: string, served: ServedPlace): Promise<PageServer> {
  const word = randomBytes(24).toString('base64url')
  const server = createServer((request, response) => {
    for (const [name, value] of Object.entries(HEADERS)) response.setHeader(name, value)
    answer(request, response).catch((error: unknown) => refuse(response, error))
  })
  await new Promise<void>((resolve, reject) => {
    server.on('error', reject)
    server.listen(0, '127.0.0.1', resolve)
  })
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, search } = new URL(request.url ?? '/', `http://${host}`)
    const [, given = '', what, ...more] = pathname.split('/')
    if (!isFromHere(request, host) || !isSame(given, word) || more.length > 0) return end(response, 403)
    if (request.method !== 'GET' && request.method !== 'HEAD') return end(response, 405)
    if (what === '') return answerOwn('text/html; charset=utf-8', Buffer.from(page), request, response)
    const own = served.files?.get(what ?? '')
    if (own) return answerOwn(what?.endsWith('.js') ? 'text/javascript' : 'application/wasm', own(), request, response)
    await write(await answerTo({ what: what ?? '', search, range: request.headers.range }, served), request, response)
  }

  let close = () => {}
  const ended = new Promise<void>((resolve) => {
    close = () => {
      process.removeListener('SIGINT', close)
      process.removeListener('SIGTERM', close)
      server.closeAllConnections()
      server.close(() => resolve())
    }
    process.on('SIGINT', close)
    process.on('SIGTERM', close)
  })
  return { url: `http://${host}/${word}/`, ended, close }
}

/** Whether a request comes from the page itself or from the address bar. */
function isFromHere({ headers }: IncomingMessage, host: string): boolean {
  if (headers.host !== host) return false
  if (headers.origin !== undefined && headers.origin !== `http://${host}`) return false
  return ['same-origin', 'none', undefined].includes(headers['sec-fetch-site'] as string | undefined)
}

/** Whether a text is the secret word. The time of the comparison does not tell how many letters are right. */
function isSame(given: string, word: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(word)]
  return a.length === b.length && timingSafeEqual(a, b)
}

/** Answers with a file of the page itself, compressed if the browser takes that. */
function answerOwn(
  type: string,
  bytes: Uint8Array,
  { method, headers }: IncomingMessage,
  response: ServerResponse,
): void {
  const zipped = /\bgzip\b/.test(String(headers['accept-encoding'] ?? '')) ? gzipSync(bytes) : undefined
  response.writeHead(200, { 'content-type': type, ...(zipped && { 'content-encoding': 'gzip' }) })
  response.end(method === 'HEAD' ? '' : (zipped ?? bytes))
}

async function write(
  { status, headers, body, close }: PageAnswer,
  { method }: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  try {
    response.writeHead(status, headers)
    if (method === 'GET' && body)
      for await (const bytes of body()) {
        if (response.destroyed) return
        if (!response.write(bytes))
          await new Promise((resolve) => response.once('drain', resolve).once('close', resolve))
      }
    response.end()
  } finally {
    await close?.()
  }
}

/** Answers with a status alone. */
function end(response: ServerResponse, status: number): void {
  response.writeHead(status).end()
}

/** Answers with a status for an error. The page shows it together with the file that it asked for. */
function refuse(response: ServerResponse, error: unknown): void {
  if (response.headersSent) {
    response.destroy()
    return
  }
  end(response, statusOf(error))
}
