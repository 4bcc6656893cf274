import { randomBytes, timingSafeEqual } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import process from 'node:process'
import { gzipSync } from 'node:zlib'
import { attempt, hasCode } from '../base/errors.ts'
import { isWithinFolder } from '../base/paths.ts'
import { type Storage, withSource } from '../storage/source.ts'
import { LINKED } from '../storage/walk.ts'

/**
 * Serves a page, and the files that it shows, to browsers of this machine. Every path begins with a random word, which only the
 * user's browser gets. Requests from other pages, or to other names of this machine, are refused by their `Host`, `Origin` and
 * `Sec-Fetch-Site` headers. Nothing can be written.
 *
 * - `/WORD/`: the page
 * - `/WORD/NAME`: a script of the page that it loads later, or a wasm file
 * - `/WORD/list?PATH`: `{"kind": "folder", "entries": [{"name", "kind", "size"}]}`, or `{"kind": "file"}`; 404 if there is nothing
 * - `/WORD/file?PATH`: the bytes of a file, or a range of them
 *
 * PATH is a path of the page as percent-encoded JSON, because names that are not UTF-8 have lone surrogates.
 */

/** The files that are served. */
interface Served {
  storage: Storage
  /** Path in the storage of the folder with all files. */
  folder: string
  /** Path of the folder in the page. */
  top: string
  /** The only file in it that is served; undefined if all are. */
  only: string | undefined
  /** The page's own files, by name: scripts and wasm. */
  files?: ReadonlyMap<string, () => Uint8Array>
}

export interface PageServer {
  url: string
  /** Resolves when the user ends the program, or {@link close} is called. */
  ended: Promise<void>
  close(): void
}

/** Bytes that are read at once for an answer. */
const PIECE = 4 * 2 ** 20
const HEADERS = {
  'cache-control': 'no-store',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
}

export async function servePage(page: string, served: Served): Promise<PageServer> {
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
    const place = placeOf(search, served)
    if (place === undefined) return end(response, 403)
    if (what === 'list') await answerList(place, served, response)
    else if (what === 'file') await answerFile(place, served.storage, request, response)
    else end(response, 404)
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

/** The path in the storage of what a request names; undefined if it is not served. */
function placeOf(search: string, { storage, folder, top, only }: Served): string | undefined {
  const path = parsedPath(search)
  if (path === undefined || !isWithinFolder(path, top)) return undefined
  const below = path.slice(top.length)
  const parts = below.split('/')
  if (parts.slice(1).some((part) => ['', '.', '..'].includes(part) || /[\\\0]/.test(part))) return undefined
  const isTarget = only !== undefined && below !== ''
  if (isTarget && below !== `/${only}`) return undefined
  return isTarget || isInside(storage, folder, parts) ? folder + below : undefined
}

/** Whether a path stays in the folder after its links. Links may lead out only where commands follow them: {@link LINKED}. */
function isInside(storage: Storage, folder: string, parts: readonly string[]): boolean {
  const real = realPath(storage, folder + parts.join('/'))
  const isBelow = (path: string): boolean => isWithinFolder(real, realPath(storage, path))
  if (isBelow(folder)) return true
  const at = parts.findLastIndex((part) => LINKED.has(part))
  return at >= 0 && isBelow(folder + parts.slice(0, at + 1).join('/')) && isInside(storage, folder, parts.slice(0, at))
}

/** The path in a query; undefined if it is not valid. */
function parsedPath(search: string): string | undefined {
  const path: unknown = attempt(() => JSON.parse(decodeURIComponent(search.slice(1))))
  return typeof path === 'string' ? path : undefined
}

/** The path with its links resolved. A path that does not exist stays as it is. */
function realPath(storage: Storage, path: string): string {
  return attempt(() => storage.realPath?.(path)) ?? path
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

async function answerList(place: string, { storage, folder, only }: Served, response: ServerResponse): Promise<void> {
  const kind = await storage.kind(place)
  if (kind === undefined) return end(response, 404)
  const all = kind === 'folder' ? await storage.list(place) : []
  const entries = only !== undefined && place === folder ? all.filter(({ name }) => name === only) : all
  const found = entries.map(({ name, kind, size }) => ({ name, kind, size }))
  response.writeHead(200, { 'content-type': 'application/json' })
  response.end(JSON.stringify(kind === 'folder' ? { kind, entries: found } : { kind }))
}

async function answerFile(
  place: string,
  storage: Storage,
  { method, headers }: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const kind = await storage.kind(place)
  if (kind !== 'file') return end(response, kind === undefined ? 404 : 400)
  await withSource(storage.open(place), async (source) => {
    const size = await source.size()
    // Browsers report 416 as an error, so ranges of an empty file are ignored.
    const range = size === 0 ? undefined : rangeOf(headers.range, size)
    const etag = `"${source.stamp ?? size}"`
    const common = { 'content-type': 'application/octet-stream', 'accept-ranges': 'bytes', etag }
    if (range === 'none') {
      response.writeHead(416, { ...common, 'content-range': `bytes */${size}` }).end()
      return
    }
    const [from, end] = range ?? [0, size]
    response.writeHead(range ? 206 : 200, {
      ...common,
      'content-length': end - from,
      ...(range && { 'content-range': `bytes ${from}-${end - 1}/${size}` }),
    })
    for (let at = from; method === 'GET' && at < end && !response.destroyed; at += PIECE) {
      // A copy, because the storage may use the memory again.
      const bytes = Buffer.from(await source.read(at, Math.min(PIECE, end - at)))
      if (!response.write(bytes)) await new Promise((resolve) => response.once('drain', resolve).once('close', resolve))
    }
    response.end()
  })
}

/** The range `[from, end)` of a request. Undefined for no range, or several, which the whole file answers. */
function rangeOf(header: string | undefined, size: number): [number, number] | 'none' | undefined {
  const [, first, last] = /^bytes=(\d*)-(\d*)$/.exec(header ?? '') ?? []
  if (first === undefined || (first === '' && last === '')) return undefined
  const from = first === '' ? Math.max(0, size - Number(last)) : Number(first)
  const end = first === '' || last === '' ? size : Math.min(size, Number(last) + 1)
  return from < end ? [from, end] : 'none'
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

function statusOf(error: unknown): number {
  if (hasCode(error, 'NOT_FOUND')) return 404
  return hasCode(error, 'NO_PERMISSION') ? 403 : 500
}
