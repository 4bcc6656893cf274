import { InspectError } from '../../base/errors.ts'

/** How long a request may take, and how often it is tried. */
export interface ClientLimits {
  /** Requests under way at once. */
  concurrency: number
  /** Tries of one request, the first included. */
  attempts: number
  /** Wait before the second try, milliseconds; it doubles with each further one. */
  backoff: number
  /** A server that sends nothing for so long has failed, milliseconds. */
  timeout: number
}

export const DEFAULT_LIMITS: ClientLimits = { concurrency: 16, attempts: 5, backoff: 250, timeout: 30_000 }

/** Servers that ask for a longer pause than this, milliseconds, are not waited for. */
const LONGEST_PAUSE = 30_000
/** A body slower than this over the time in which nothing may be silent, bytes a second, has failed however steadily it drips. */
const SLOWEST_BODY = 4096
/** Redirects of one host to itself that are followed. */
const MOST_REDIRECTS = 5
/** Error bodies are read up to here: S3 says in them what it means. */
const ERROR_BODY_BYTES = 4096

/** One request as `--requests` shows it, without query and credentials. */
export interface RequestRecord {
  method: string
  /** As a person would write it. */
  path: string
  range: string | undefined
  /** HTTP status, or what happened instead of an answer. */
  outcome: string
  /** Bytes of body that arrived. */
  bytes: number
  milliseconds: number
}

export interface Call {
  method: 'GET' | 'HEAD'
  /** For messages and records: never the URL that is asked, which may hold secrets. */
  path: string
  /** For records, where the path does not say what is asked for. */
  label?: string | undefined
  range?: string | undefined
  /**
   * Whether redirects are answers like others: what is signed for one host fits no other. Else those are followed that stay
   * with the host; a server must not choose which other machines are asked from here.
   */
  keepRedirects?: boolean | undefined
  /** Makes the request anew for each try: signatures grow old. */
  request(): Promise<{ url: string; headers: Record<string, string> }>
  /** Says which part of the body is wanted, once headers and the status, 200, 206 or 416, are known. */
  want(answer: AnswerHead): BodyPart
}

export interface AnswerHead {
  status: number
  headers: Headers
  /** Where redirects led. */
  url: string
}

/** Bytes of a body: what is behind them is not read. */
export interface BodyPart {
  skip: number
  length: number
  /** Whether a shorter body means that the connection broke. */
  exact: boolean
}

export interface Answer extends AnswerHead {
  body: Uint8Array
}

/** Sends requests: a bounded number at once, again where that may help, and never without end. */
export class Client {
  /** Told of each request that was answered or failed. */
  onRequest: ((record: RequestRecord) => void) | undefined
  private readonly limits: ClientLimits
  private readonly waiting: (() => void)[] = []
  private running = 0

  constructor(limits: ClientLimits) {
    this.limits = limits
  }

  /**
   * @returns the answer, whatever its status below 500 but 408 and 429
   * @throws InspectError IO once all tries have failed; what {@link Call.want} raises
   */
  async send(call: Call): Promise<Answer> {
    await this.enter()
    try {
      for (let attempt = 1; ; attempt++) {
        const failure = await this.once(call)
        if (!(failure instanceof Failure)) return failure
        const pause = failure.pause ?? this.limits.backoff * 2 ** (attempt - 1) * (0.75 + Math.random() / 2)
        if (!failure.again || attempt === this.limits.attempts || pause > LONGEST_PAUSE) {
          const tries = attempt > 1 ? `, ${attempt} times` : ''
          throw new InspectError(
            'IO',
            `expected an answer, found ${failure.message}${tries}`,
            { file: call.path },
            {
              cause: failure.cause,
            },
          )
        }
        await new Promise<void>((resolve) => setTimeout(resolve, pause))
      }
    } finally {
      this.leave()
    }
  }

  private async enter(): Promise<void> {
    if (this.running < this.limits.concurrency) this.running++
    else await new Promise<void>((resolve) => this.waiting.push(resolve))
  }

  private leave(): void {
    const next = this.waiting.shift()
    if (next) next()
    else this.running--
  }

  /** @throws InspectError IO where a redirect leads to another host */
  private async fetchFollowing(
    call: Call,
    url: string,
    given: Record<string, string>,
    signal: AbortSignal,
  ): Promise<Response> {
    const headers = {
      ...given,
      ...(call.range === undefined ? {} : { range: call.range }),
      'accept-encoding': 'identity',
    }
    let at = url
    for (let hops = 0; ; hops++) {
      const response = await fetch(at, { method: call.method, headers, redirect: 'manual', signal })
      // A page is not told where a redirect leads: its browser decides which are followed, and with which headers.
      if (response.type === 'opaqueredirect') return fetch(at, { method: call.method, headers, signal })
      const location = isRedirect(response.status) ? response.headers.get('location') : null
      if (call.keepRedirects || location === null) return response
      await response.body?.cancel()
      const next = redirectTarget(location, at)
      const file = call.path
      if (next === undefined)
        throw new InspectError('IO', 'expected an answer, found a redirect to what is no URL', { file })
      if (!isSameHost(new URL(at), next)) {
        const message = `expected an answer from ${originText(new URL(at))}, found a redirect to ${originText(next)}, which is not followed; if that is where the data is, give its URL`
        throw new InspectError('IO', message, { file })
      }
      if (hops === MOST_REDIRECTS)
        throw new InspectError('IO', `expected an answer, found more than ${MOST_REDIRECTS} redirects`, { file })
      at = next.href
    }
  }

  private async once(call: Call): Promise<Answer | Failure> {
    const { url, headers } = await call.request()
    const started = performance.now()
    const watch = new Watch(this.limits.timeout)
    let bytes = 0
    let outcome = ''
    try {
      const response = await this.fetchFollowing(call, url, headers, watch.signal)
      outcome = String(response.status)
      const head = { status: response.status, headers: response.headers, url: response.url }
      if (isTransient(head.status)) {
        await response.body?.cancel()
        return new Failure(`HTTP ${head.status}`, true, pauseAsked(head.headers), statusCause(head.status))
      }
      const good = head.status === 200 || head.status === 206 || head.status === 416
      const wanted = good ? call.want(head) : { skip: 0, length: ERROR_BODY_BYTES, exact: false }
      const body = await readBody(response, wanted, watch, (length) => {
        bytes += length
      })
      if (body.length < wanted.length && wanted.exact) {
        return new Failure(`a connection that broke after ${body.length} of ${wanted.length} bytes`, true)
      }
      return { ...head, body }
    } catch (error) {
      if (error instanceof InspectError) {
        watch.abandon()
        throw error
      }
      const seconds = this.limits.timeout / 1000
      const late =
        bytes > 0 ? `less than ${SLOWEST_BODY} bytes a second for ${seconds} seconds` : `none for ${seconds} seconds`
      const failure = watch.late ? new Failure(late, true, undefined, error) : connectionFailure(error, url)
      outcome += outcome === '' ? failure.message : `, ${failure.message}`
      return failure
    } finally {
      watch.stop()
      this.onRequest?.({
        method: call.method,
        path: call.label ?? call.path,
        range: call.range,
        outcome,
        bytes,
        milliseconds: performance.now() - started,
      })
    }
  }
}

/** Why a try gave no answer, and whether another may. */
class Failure {
  readonly message: string
  readonly again: boolean
  readonly pause: number | undefined
  readonly cause: unknown

  constructor(message: string, again: boolean, pause?: number, cause?: unknown) {
    this.message = message
    this.again = again
    this.pause = pause
    this.cause = cause
  }
}

/**
 * Ends a request that has gone quiet or drips: in each stretch of `timeout` the answer has to begin, or enough of it has to
 * arrive. So a body takes no longer than its bytes at the least rate, and one stretch.
 */
class Watch {
  late = false
  private readonly controller = new AbortController()
  private readonly timeout: number
  private readonly least: number
  private timer: ReturnType<typeof setTimeout>
  private arrived = 0

  constructor(timeout: number) {
    this.timeout = timeout
    this.least = (timeout / 1000) * SLOWEST_BODY
    this.timer = this.stretch(() => this.end())
  }

  get signal(): AbortSignal {
    return this.controller.signal
  }

  /** The answer has begun: from now on its body is awaited. */
  begun(): void {
    clearTimeout(this.timer)
    this.arrived = 0
    this.timer = this.stretch(() => {
      if (this.arrived < this.least) this.end()
      else this.begun()
    })
  }

  add(bytes: number): void {
    this.arrived += bytes
  }

  /** The rest of the answer is not wanted. */
  abandon(): void {
    this.controller.abort()
  }

  stop(): void {
    clearTimeout(this.timer)
  }

  private end(): void {
    this.late = true
    this.controller.abort()
  }

  private stretch(done: () => void): ReturnType<typeof setTimeout> {
    return setTimeout(done, this.timeout)
  }
}

async function readBody(
  response: Response,
  part: BodyPart,
  watch: Watch,
  arrived: (bytes: number) => void,
): Promise<Uint8Array> {
  const reader = response.body?.getReader()
  if (!reader) return new Uint8Array(0)
  watch.begun()
  const out = part.exact ? new Uint8Array(part.length) : undefined
  const pieces: Uint8Array[] = []
  let seen = 0
  let kept = 0
  try {
    while (kept < part.length) {
      const { done, value } = await reader.read()
      if (done) break
      watch.add(value.length)
      arrived(value.length)
      const from = Math.max(0, part.skip - seen)
      const piece = value.subarray(from, from + part.length - kept)
      seen += value.length
      if (piece.length === 0) continue
      if (out) out.set(piece, kept)
      else pieces.push(piece)
      kept += piece.length
    }
  } finally {
    // What is behind the part is not read; a connection that is broken has nothing to cancel.
    reader.cancel().catch(() => {})
  }
  return out ? out.subarray(0, kept) : joined(pieces, kept)
}

function joined(pieces: readonly Uint8Array[], length: number): Uint8Array {
  const out = new Uint8Array(length)
  let at = 0
  for (const piece of pieces) {
    out.set(piece, at)
    at += piece.length
  }
  return out
}

function isRedirect(status: number): boolean {
  return status === 301 || status === 302 || status === 303 || status === 307 || status === 308
}

function redirectTarget(location: string, from: string): URL | undefined {
  return URL.canParse(location, from) ? new URL(location, from) : undefined
}

/** Whether a redirect stays with its host: the same host and port, or from http to https at the usual ports. */
function isSameHost(from: URL, to: URL): boolean {
  if (from.origin === to.origin) return true
  const upgraded = from.protocol === 'http:' && to.protocol === 'https:'
  return upgraded && from.hostname === to.hostname && from.port === '' && to.port === ''
}

/** A URL without what may be a secret. */
function originText({ protocol, host }: URL): string {
  return `${protocol}//${host}`
}

function isTransient(status: number): boolean {
  return status >= 500 ? status !== 501 : status === 408 || status === 429
}

/** `Retry-After` in milliseconds, where it is given. */
function pauseAsked(headers: Headers): number | undefined {
  const text = headers.get('retry-after')
  if (text === null) return undefined
  const seconds = /^\d+$/.test(text) ? Number(text) : (Date.parse(text) - Date.now()) / 1000
  return Number.isFinite(seconds) ? Math.max(0, seconds * 1000) : undefined
}

/** A server whose certificate is signed by nobody known, or not for it. */
const CERTIFICATE_FAULTS = new Set([
  'CERT_HAS_EXPIRED',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'ERR_TLS_CERT_ALTNAME_INVALID',
])

/** Faults that another try will meet again. */
const LASTING = new Set(['ENOTFOUND', 'ECONNREFUSED', 'ERR_INVALID_URL', ...CERTIFICATE_FAULTS])

/** @param url for its port alone */
function connectionFailure(error: unknown, url: string): Failure {
  const code = codeBelow(error)
  if (code === 'bad port') {
    const message = `a port that is reserved for another protocol, which HTTP clients do not connect to (${new URL(url).port})`
    return new Failure(message, false, undefined, error)
  }
  if (code === 'ENOTFOUND') return new Failure(`no such host${proxyNote()}`, false, undefined, error)
  if (code === 'ECONNREFUSED') return new Failure('that nobody listens there (ECONNREFUSED)', false, undefined, error)
  return new Failure(`a broken connection (${code})${noteOn(code)}`, !LASTING.has(code), undefined, error)
}

function noteOn(code: string): string {
  if (CERTIFICATE_FAULTS.has(code)) return certificateNote(globalThis.process?.env ?? {})
  return code === 'UND_ERR_CONNECT_TIMEOUT' || code === 'ENETUNREACH' || code === 'EHOSTUNREACH' ? proxyNote() : ''
}

/** Node reads the file of further certificates when it starts: a variable that is met later comes too late. */
export function certificateNote({
  AWS_CA_BUNDLE,
  NODE_EXTRA_CA_CERTS,
}: Readonly<Record<string, string | undefined>>): string {
  return AWS_CA_BUNDLE && !NODE_EXTRA_CA_CERTS
    ? '; AWS_CA_BUNDLE is not read: give its file in NODE_EXTRA_CA_CERTS'
    : '; NODE_EXTRA_CA_CERTS names a file of further certificates to trust'
}

/** Node reads the variables of proxies from version 24 on, and when it is told to. */
function proxyNote(): string {
  const { HTTPS_PROXY, https_proxy, HTTP_PROXY, http_proxy, NODE_USE_ENV_PROXY } = globalThis.process?.env ?? {}
  const named = HTTPS_PROXY || https_proxy || HTTP_PROXY || http_proxy
  return named && !NODE_USE_ENV_PROXY
    ? '; a proxy is named in the environment: Node 24 uses it with NODE_USE_ENV_PROXY=1'
    : ''
}

/** The system's code somewhere below an error of fetch. */
function codeBelow(error: unknown): string {
  let deepest = error
  for (let at = error; typeof at === 'object' && at !== null; at = 'cause' in at ? at.cause : undefined) {
    if ('code' in at && typeof at.code === 'string') return at.code
    if ('errors' in at && Array.isArray(at.errors) && at.errors.length > 0) return codeBelow(at.errors[0])
    deepest = at
  }
  return deepest instanceof Error ? deepest.message : String(deepest)
}

/** Goes into an error as its cause: the status stays readable by programs. */
export function statusCause(status: number): { status: number } {
  return { status }
}

/**
 * The error that a status stands for: 404 and 410 are missing, 401 and 403 forbidden; S3's own code and message are
 * quoted where the body has them. The status stays in the message, and as `cause.status`.
 */
export function statusError({ status, body, headers }: Answer, path: string, more = ''): InspectError {
  const said = saidByServer(body, headers)
  const message = `HTTP ${status}${said === '' ? '' : ` (${said})`}${more}`
  const cause = statusCause(status)
  if (status === 404 || status === 410)
    return new InspectError('NOT_FOUND', `no such file or folder: ${message}`, { file: path }, { cause })
  if (status === 401 || status === 403)
    return new InspectError('NO_PERMISSION', `no permission to read: ${message}`, { file: path }, { cause })
  return new InspectError('IO', `expected an answer, found ${message}`, { file: path }, { cause })
}

/** Code of an S3 error document; its message may repeat keys and tokens, the code never does. */
function saidByServer(body: Uint8Array, headers: Headers): string {
  if (!/xml/i.test(headers.get('content-type') ?? '')) return ''
  return /<Code>([A-Za-z0-9]{1,60})<\/Code>/.exec(new TextDecoder().decode(body))?.[1] ?? ''
}
