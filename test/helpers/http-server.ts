import { createReadStream, existsSync, openSync, readdirSync, statSync } from 'node:fs'
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'

export interface ServedRequest {
  method: string
  /** Decoded, below the server's root. */
  path: string
  search: string
  range: string | undefined
  authorization: string | undefined
}

/** Answers a request in place of the server; false leaves it to the server. `count` counts requests of that path from 1. */
export type Handler = (request: ServedRequest, response: ServerResponse, count: number) => boolean

export interface ServerOptions {
  /** Whether folders have an index page. */
  index?: boolean
  /** Who listens; without it a server that is closed after the tests. */
  listen?: (listener: RequestListener) => Promise<string>
}

export interface FolderServer {
  url: string
  requests: ServedRequest[]
  fault: Handler | undefined
  /** Forgets requests and fault. */
  reset(): void
}

/** Serves the files of a folder by HTTP on the loopback, with ranges, as servers of plain files do. Closed after the tests. */
export async function serveFolder(root: string, options: ServerOptions = {}): Promise<FolderServer> {
  const counts = new Map<string, number>()
  const served: FolderServer = {
    url: '',
    requests: [],
    fault: undefined,
    reset() {
      served.requests = []
      served.fault = undefined
      counts.clear()
    },
  }
  served.url = await (options.listen ?? listenForTests)((request, response) => {
    const asked = describe(request)
    served.requests.push(asked)
    const count = (counts.get(asked.path) ?? 0) + 1
    counts.set(asked.path, count)
    if (!served.fault?.(asked, response, count)) answer(root, asked, options, response)
  })
  return served
}

/** A server on the loopback, closed after the tests. @returns its URL */
export async function listenForTests(listener: RequestListener): Promise<string> {
  const [{ afterAll }, { url, close }] = await Promise.all([import('@jest/globals'), listen(listener)])
  afterAll(close)
  return url
}

/** A server on the loopback. */
export async function listen(listener: RequestListener): Promise<{ url: string; close(): void }> {
  const sockets = new Set<Socket>()
  const server = createServer(listener)
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close() {
      for (const socket of sockets) socket.destroy()
      server.close()
    },
  }
}

function describe({ method = '', url = '', headers }: IncomingMessage): ServedRequest {
  const { pathname, search } = new URL(url, 'http://server')
  const { range, authorization } = headers
  return { method, path: decoded(pathname), search, range, authorization }
}

/** The decoded path, or the raw one if it is not UTF-8. */
function decoded(pathname: string): string {
  try {
    return decodeURIComponent(pathname)
  } catch {
    return pathname
  }
}

function answer(
  root: string,
  { method, path, range }: ServedRequest,
  options: ServerOptions,
  out: ServerResponse,
): void {
  const file = `${root}${path}`
  if (!existsSync(file)) out.writeHead(404).end()
  else if (statSync(file).isDirectory()) answerFolder(file, path, options, out)
  else answerFile(file, { method, range }, out)
}

/** A file, or the range of it that is asked for. */
export function answerFile(
  file: string,
  { method, range }: Pick<ServedRequest, 'method' | 'range'>,
  out: ServerResponse,
): void {
  const size = statSync(file).size
  const wanted = rangeOf(range, size)
  const common = { 'content-type': 'application/octet-stream', 'accept-ranges': 'bytes', etag: `"${size}"` }
  if (wanted === 'none') {
    out.writeHead(416, { ...common, 'content-range': `bytes */${size}` }).end()
    return
  }
  const [from, to] = wanted ?? [0, size - 1]
  const length = { 'content-length': to - from + 1 }
  if (wanted) out.writeHead(206, { ...common, ...length, 'content-range': `bytes ${from}-${to}/${size}` })
  else out.writeHead(200, { ...common, ...length })
  if (method === 'HEAD' || size === 0) out.end()
  // Opened at once, because tests remove files.
  else createReadStream(file, { fd: openSync(file, 'r'), start: from, end: to }).pipe(out)
}

function answerFolder(folder: string, path: string, { index }: ServerOptions, out: ServerResponse): void {
  if (!index) out.writeHead(404).end()
  else if (!path.endsWith('/')) out.writeHead(301, { location: `${encodeURI(path)}/` }).end()
  else {
    const links = readdirSync(folder, { withFileTypes: true }).map((entry) => {
      // As web servers do: a symlink is what it leads to.
      const isFolder = statSync(`${folder}/${entry.name}`, { throwIfNoEntry: false })?.isDirectory() ?? false
      const name = isFolder ? `${entry.name}/` : entry.name
      return `<li><a href="${encodeURIComponent(entry.name)}${isFolder ? '/' : ''}">${name}</a></li>`
    })
    const page = `<html><body><a href="..">..</a><a href="?C=N">Name</a><ul>${links.join('\n')}</ul></body></html>`
    out.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(page)
  }
}

/** First and last byte of one range; `none` where it holds no byte. */
function rangeOf(range: string | undefined, size: number): [number, number] | 'none' | undefined {
  const match = /^bytes=(\d*)-(\d*)$/.exec(range ?? '')
  if (!match) return undefined
  const [, first, last] = match
  if (first === '') return size === 0 ? 'none' : [Math.max(0, size - Number(last)), size - 1]
  if (Number(first) >= size) return 'none'
  return [Number(first), last === '' ? size - 1 : Math.min(size - 1, Number(last))]
}
