import { existsSync, readdirSync, statSync } from 'node:fs'
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { answerFile, listenForTests } from './http-server.ts'

export interface S3Request {
  method: string
  bucket: string
  /** Empty for listings. */
  key: string
  /** Of listings; undefined for objects. */
  prefix: string | undefined
  query: URLSearchParams
  range: string | undefined
  authorization: string | undefined
  /** All of the request. */
  incoming: IncomingMessage
}

/** How a cloud writes what the server reads and answers. */
export interface Dialect {
  /** Bucket, key and, of a listing, prefix. */
  placed(path: readonly string[], query: URLSearchParams): { bucket: string; key: string; prefix: string | undefined }
  /** Name of the parameter that leads to the next page. */
  token: string
  error(status: number, code: string): { type: string; body: string }
  page(names: readonly Listed[], from: number, pageSize: number, token?: string): string
}

/** Answers a request in place of the server; false leaves it to the server. `count` counts requests of that key or prefix from 1. */
export type S3Handler = (request: S3Request, response: ServerResponse, count: number) => boolean

export interface S3Server {
  url: string
  requests: S3Request[]
  fault: S3Handler | undefined
  /** Most requests that waited for their answers at once. */
  mostAtOnce: number
  /** Forgets requests and fault. */
  reset(): void
}

export interface S3Options {
  /** Most names in one page of a listing. */
  pageSize: number
  /** Keys of empty objects beside the files, in every bucket: those that end in `/` mark folders. */
  marks?: readonly string[]
  /** Milliseconds before each answer. */
  delay?: number
  /** S3's, without it. */
  dialect?: Dialect
  /** Who listens; without it a server that is closed after the tests. */
  listen?: (listener: RequestListener) => Promise<string>
}

/**
 * Serves folders as buckets, as S3 does with path-style addresses: objects by ranges, listings (ListObjectsV2) with delimiter
 * and in pages. Signatures are not verified. Closed after the tests.
 *
 * @param buckets folders by the buckets' names; the paths of their files are the keys
 */
export async function serveBuckets(
  buckets: Readonly<Record<string, string>>,
  { pageSize, marks = [], delay = 0, dialect = S3, listen = listenForTests }: S3Options,
): Promise<S3Server> {
  const counts = new Map<string, number>()
  const served: S3Server = {
    url: '',
    requests: [],
    fault: undefined,
    mostAtOnce: 0,
    reset() {
      served.requests = []
      served.fault = undefined
      served.mostAtOnce = 0
      counts.clear()
    },
  }
  let atOnce = 0
  served.url = await listen(async (incoming, response) => {
    const request = described(incoming, dialect)
    served.requests.push(request)
    const subject = request.prefix === undefined ? request.key : `list ${request.prefix}`
    const count = (counts.get(subject) ?? 0) + 1
    counts.set(subject, count)
    served.mostAtOnce = Math.max(served.mostAtOnce, ++atOnce)
    if (delay > 0) await new Promise((resolve) => setTimeout(resolve, delay))
    atOnce--
    if (served.fault?.(request, response, count)) return
    const folder = buckets[request.bucket]
    if (folder === undefined) refuse(response, dialect, 404, 'NoSuchBucket')
    else if (request.prefix === undefined) answerObject(folder, request, dialect, response)
    else answerListing(folder, request, { pageSize, marks, dialect }, response)
  })
  return served
}

function described(incoming: IncomingMessage, dialect: Dialect): S3Request {
  const { method = '', url = '', headers } = incoming
  const [path, search = ''] = url.split('?')
  const query = new URLSearchParams(search)
  const { range, authorization } = headers
  const placed = dialect.placed(path.slice(1).split('/').map(decodeURIComponent), query)
  return { method, ...placed, query, range, authorization, incoming }
}

const S3: Dialect = {
  placed: ([bucket, ...key], query) => ({
    bucket,
    key: key.join('/'),
    prefix: query.has('list-type') ? (query.get('prefix') ?? '') : undefined,
  }),
  token: 'continuation-token',
  error: (_, code) => ({ type: 'application/xml', body: errorDocument(code) }),
  page: listingPage,
}

/** The error document of a cloud. */
export function refuse(response: ServerResponse, dialect: Dialect, status: number, code: string): true {
  const { type, body } = dialect.error(status, code)
  response.writeHead(status, { 'content-type': type }).end(body)
  return true
}

/** The error document of S3 and of Azure. */
export function errorDocument(code: string, more = ''): string {
  return `<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>${code}</Code><Message>…</Message>${more}</Error>`
}

/** S3's error document. */
export function answerError(response: ServerResponse, status: number, code: string, more = ''): true {
  response.writeHead(status, { 'content-type': 'application/xml' }).end(errorDocument(code, more))
  return true
}

function answerObject(folder: string, request: S3Request, dialect: Dialect, response: ServerResponse): void {
  const file = `${folder}/${request.key}`
  if (existsSync(file) && statSync(file).isFile()) answerFile(file, request, response)
  else refuse(response, dialect, 404, 'NoSuchKey')
}

export interface Listed {
  /** A key, or a prefix that ends in the delimiter. */
  name: string
  /** Undefined for prefixes. */
  size: number | undefined
}

function answerListing(
  folder: string,
  { query, prefix = '' }: S3Request,
  { pageSize, marks, dialect }: { pageSize: number; marks: readonly string[]; dialect: Dialect },
  out: ServerResponse,
): void {
  const names = namesWith(folder, prefix, query.get('delimiter') === '/', marks)
  // A page begins after the last name of the page before it, whatever came or went meanwhile.
  const last = Buffer.from(query.get(dialect.token)?.replace('token ', '') ?? '', 'base64')
  const behind = names.findIndex(({ name }) => Buffer.compare(Buffer.from(name), last) > 0)
  const from = behind < 0 ? names.length : behind
  out.writeHead(200, { 'content-type': dialect.error(0, '').type }).end(dialect.page(names, from, pageSize))
}

/** A page of a listing, names encoded as `encoding-type=url` asks. */
export function listingPage(names: readonly Listed[], from: number, pageSize: number, token?: string): string {
  const page = names.slice(from, from + pageSize)
  const last = Buffer.from(page.at(-1)?.name ?? '').toString('base64')
  const next = token ?? (from + pageSize < names.length ? `token ${last}` : undefined)
  // As AWS encodes them: a space is `+`, and `/` stays.
  const encoded = (name: string): string => encodeURIComponent(name).replaceAll('%20', '+').replaceAll('%2F', '/')
  const entries = page.map(({ name, size }) =>
    size === undefined
      ? `<CommonPrefixes><Prefix>${encoded(name)}</Prefix></CommonPrefixes>`
      : `<Contents><Key>${encoded(name)}</Key><ETag>&quot;${size}&quot;</ETag><Size>${size}</Size></Contents>`,
  )
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><EncodingType>url</EncodingType>',
    `<KeyCount>${page.length}</KeyCount><IsTruncated>${next !== undefined}</IsTruncated>`,
    ...(next === undefined ? [] : [`<NextContinuationToken>${next}</NextContinuationToken>`]),
    ...entries,
    '</ListBucketResult>',
  ].join('\n')
}

/** Keys that begin with a prefix, in the order of their bytes; with a delimiter, up to the next `/` once each. */
function namesWith(folder: string, prefix: string, delimited: boolean, marks: readonly string[]): Listed[] {
  const names: Listed[] = []
  const walk = (path: string): void => {
    for (const entry of readdirSync(`${folder}/${path}`, { withFileTypes: true })) {
      const name = path + entry.name
      if (!name.startsWith(prefix)) continue
      if (entry.isFile()) names.push({ name, size: statSync(`${folder}/${name}`).size })
      else if (delimited) names.push({ name: `${name}/`, size: undefined })
      else walk(`${name}/`)
    }
  }
  const above = prefix.slice(0, prefix.lastIndexOf('/') + 1)
  if (isFolder(`${folder}/${above}`)) walk(above)
  for (const mark of marks.filter((one) => one.startsWith(prefix))) {
    const slash = delimited ? mark.indexOf('/', prefix.length) : -1
    const listed = slash < 0 ? { name: mark, size: 0 } : { name: mark.slice(0, slash + 1), size: undefined }
    if (!names.some(({ name }) => name === listed.name)) names.push(listed)
  }
  return names.sort((a, b) => Buffer.compare(Buffer.from(a.name), Buffer.from(b.name)))
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory()
  } catch {
    return false
  }
}
