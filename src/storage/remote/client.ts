import { concat } from '../../base/bytes.ts'
import { InspectError } from '../../base/errors.ts'

/** Limits of a {@link Client}. */
export interface ClientLimits {
  /** Upper limit on concurrent requests. */
  concurrency: number
  /** Upper limit on the tries of one request, including the first. */
  attempts: number
  /** Pause before the second try, in milliseconds. It doubles before each further try. */
  backoff: number
  /** A request fails if the server sends nothing for this many milliseconds. */
  timeout: number
}

export const DEFAULT_LIMITS: ClientLimits = { concurrency: 16, attempts: 5, backoff: 250, timeout: 30_000 }

/** Limit in milliseconds. If a server asks for a longer pause, there is no further try. */
const LONGEST_PAUSE = 30_000
/** Limit in bytes per second. A body that is slower for the length of {@link ClientLimits.timeout} has failed. */
const SLOWEST_BODY = 4096
/** Number of redirects within one host that are followed. */
const MAX_REDIRECTS = 5
/** Number of bytes that are read of an error's body, which has the error code of a cloud. */
const ERROR_BODY_BYTES = 4096

/** One request as `--requests` shows it, without query and credentials. */
export interface RequestRecord {
  method: string
  /** The URL as a user would write it. */
  path: string
  range: string | undefined
  /** HTTP status, or why there is no answer. */
  outcome: string
  /** Bytes of the body that arrived. */
  bytes: number
  milliseconds: number
}

export interface HttpRequest {
  url: string
  headers: Record<string, string>
  /** Of a POST. */
  body?: URLSearchParams
}

export interface HttpCall {
  method: 'GET' | 'HEAD' | 'POST'
  /** Path for messages and records. It is never the requested URL, which may have secrets. */
  path: string
  /** Text for records in place of the path, if the path does not tell what is requested. */
  label?: string | undefined
  range?: string | undefined
  /**
   * Whether a redirect is returned as an answer, because the request is signed for one host. By default redirects
   * within the host are followed. No others are: a server must not choose which other machines this program contacts.
   */
  keepRedirects?: boolean | undefined
  /** Makes the request. Called for each try, because signatures expire. */
  request(): Promise<HttpRequest>
  /** Returns the part of the body to read. Called with the head of an answer with status 200, 206 or 416. */
  want(answer: AnswerHead): BodyPart
}

export interface AnswerHead {
  status: number
  headers: Headers
  /** The URL after redirects. */
  url: string
}

/** Bytes of a body to read. The bytes after them are not read. */
export interface BodyPart {
  skip: number
  length: number
  /** Whether a shorter body means a broken connection. */
  exact: boolean
}

export interface HttpAnswer extends AnswerHead {
  body: Uint8Array
}

/** Gets an answer, as `fetch` does. */
export type Fetcher = (url: string, settings: RequestInit & { headers: Record<string, string> }) => Promise<Response>

/** Sends a limited number of requests at once. Repeats requests that failed for a temporary reason. */
export class Client {
  /** Called for each request that was answered or failed. */
  onRequest: ((record: RequestRecord) => void) | undefined
  private readonly limits: ClientLimits
  private readonly failureOf: (cause: unknown, url: string) => Failure
  private readonly fetcher: Fetcher
  private readonly waiting: (() => void)[] = []
  private running = 0

  /**
   * @param failureOf tells what an error of `fetch` means; in browsers such an error gives no reason
   * @param fetcher gets the answers, if they do not come over HTTP
   */
  constructor(
    limits: ClientLimits,
    failureOf: (cause: unknown, url: string) => Failure = brokenConnection,
    fetcher: Fetcher = (url, settings) => fetch(url, settings),
  ) {
    this.limits = limits
    this.failureOf = failureOf
    this.fetcher = fetcher
  }

  /**
   * @returns an answer with a status that another try would not change ({@link isTransient})
   * @throws InspectError IO when all tries have failed; errors of {@link HttpCall.want}
   */
  async send(call: HttpCall): Promise<HttpAnswer> {
    await this.enter()
    try {
      for (let attempt = 1; ; attempt++) {
        const answer = await this.once(call)
        if (!('failure' in answer)) return answer
        const { failure, canRetry, cause } = answer
        const pause = answer.pause ?? this.limits.backoff * 2 ** (attempt - 1) * (0.75 + Math.random() / 2)
        if (!canRetry || attempt === this.limits.attempts || pause > LONGEST_PAUSE) {
          const tries = attempt > 1 ? `, ${attempt} times` : ''
          throw new InspectError(
            'IO',
            { expected: 'an answer', found: `${failure}${tries}` },
            { file: call.path },
            { cause },
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

  /** @throws InspectError IO if a redirect leads to another host */
  private async fetchFollowing(call: HttpCall, request: HttpRequest, signal: AbortSignal): Promise<Response> {
    const headers = {
      ...request.headers,
      ...(call.range === undefined ? {} : { range: call.range }),
      'accept-encoding': 'identity',
    }
    const body = request.body ?? null
    let at = request.url
    for (let hops = 0; ; hops++) {
      const response = await this.fetcher(at, { method: call.method, headers, body, redirect: 'manual', signal })
      // A browser hides the target of a redirect. It decides itself what it follows, and with which headers.
      if (response.type === 'opaqueredirect') return this.fetcher(at, { method: call.method, headers, signal })
      const location = isRedirect(response.status) ? response.headers.get('location') : null
      if (call.keepRedirects || location === null) return response
      await response.body?.cancel()
      const fault = redirectFault(location, at, hops)
      if (fault !== undefined) throw new InspectError('IO', `expected an answer${fault}`, { file: call.path })
      at = new URL(location, at).href
    }
  }

  private async once(call: HttpCall): Promise<HttpAnswer | Failure> {
    const request = await call.request()
    const started = performance.now()
    const watch = watchRequest(this.limits.timeout)
    let outcome = ''
    try {
      const response = await this.fetchFollowing(call, request, watch.signal)
      outcome = String(response.status)
      const head = { status: response.status, headers: response.headers, url: response.url }
      const { status } = head
      if (isTransient(status)) {
        await response.body?.cancel()
        return { failure: `HTTP ${status}`, canRetry: true, pause: pauseAsked(head.headers), cause: { status } }
      }
      const good = status === 200 || status === 206 || status === 416
      const wanted = good ? call.want(head) : { skip: 0, length: ERROR_BODY_BYTES, exact: false }
      const body = await readBody(response, wanted, watch)
      if (body.length < wanted.length && wanted.exact) {
        return { failure: `a connection that broke after ${body.length} of ${wanted.length} bytes`, canRetry: true }
      }
      return { ...head, body }
    } catch (error) {
      if (error instanceof InspectError) {
        watch.abandon()
        throw error
      }
      const seconds = this.limits.timeout / 1000
      const slow = watch.bytes > 0 ? `less than ${SLOWEST_BODY} bytes a second` : 'none'
      const late = `${slow} for ${seconds} seconds`
      const why = watch.late ? { failure: late, canRetry: true, cause: error } : this.failureOf(error, request.url)
      outcome += outcome === '' ? why.failure : `, ${why.failure}`
      return why
    } finally {
      watch.stop()
      this.onRequest?.({
        method: call.method,
        path: call.label ?? call.path,
        range: call.range,
        outcome,
        bytes: watch.bytes,
        milliseconds: performance.now() - started,
      })
    }
  }
}

/** Why a try got no answer, and whether another try may get one. */
export interface Failure {
  failure: string
  canRetry: boolean
  /** Milliseconds, if the server asked for a pause. */
  pause?: number | undefined
  cause?: unknown
}

function brokenConnection(cause: unknown): Failure {
  return { failure: `a broken connection (${(cause as Error).message})`, canRetry: true, cause }
}

/**
 * Aborts a request that stalls or is too slow. The answer has to begin within `timeout`. Then, in each period of
 * `timeout`, its body has to arrive at {@link SLOWEST_BODY} or faster.
 */
function watchRequest(timeout: number) {
  const controller = new AbortController()
  const least = (timeout / 1000) * SLOWEST_BODY
  const end = (): void => {
    watch.late = true
    controller.abort()
  }
  let timer = setTimeout(end, timeout)
  const watch = {
    late: false,
    /** As in {@link RequestRecord}. */
    bytes: 0,
    signal: controller.signal,
    /** Call this when the answer has begun. From then on its body is timed. */
    begun(): void {
      clearTimeout(timer)
      let before = 0
      timer = setInterval(() => {
        if (watch.bytes - before < least) end()
        before = watch.bytes
      }, timeout)
    },
    /** Aborts the request because the rest of the answer is not needed. */
    abandon: (): void => controller.abort(),
    stop: (): void => clearInterval(timer),
  }
  return watch
}

async function readBody(
  response: Response,
  part: BodyPart,
  watch: ReturnType<typeof watchRequest>,
): Promise<Uint8Array> {
  const reader = response.body?.getReader()
  if (!reader) return new Uint8Array(0)
  watch.begun()
  const out = part.exact ? new Uint8Array(part.length) : undefined
  const pieces: Uint8Array[] = []
  let kept = 0
  try {
    while (kept < part.length) {
      const { done, value } = await reader.read()
      if (done) break
      const from = Math.max(0, part.skip - watch.bytes)
      const piece = value.subarray(from, from + part.length - kept)
      watch.bytes += value.length
      if (piece.length === 0) continue
      if (out) out.set(piece, kept)
      else pieces.push(piece)
      kept += piece.length
    }
  } finally {
    // The rest of the body is not read. Cancelling fails on a broken connection, which does not matter.
    reader.cancel().catch(() => {})
  }
  return out ? out.subarray(0, kept) : concat(pieces)
}

function isRedirect(status: number): boolean {
  return [301, 302, 303, 307, 308].includes(status)
}

/** Why a redirect is not followed; undefined if it is followed. */
function redirectFault(location: string, at: string, hops: number): string | undefined {
  if (!URL.canParse(location, at)) return ', found a redirect to something that is not a URL'
  const [from, to] = [new URL(at), new URL(location, at)]
  if (!isSameHost(from, to))
    return ` from ${originText(from)}, found a redirect to ${originText(to)}, which is not followed; if that is where the data is, give its URL`
  return hops === MAX_REDIRECTS ? `, found more than ${MAX_REDIRECTS} redirects` : undefined
}

/** Whether a redirect stays on its host: the same host and port, or from http to https on their default ports. */
function isSameHost(from: URL, to: URL): boolean {
  if (from.origin === to.origin) return true
  const upgraded = from.protocol === 'http:' && to.protocol === 'https:'
  return upgraded && from.hostname === to.hostname && from.port === '' && to.port === ''
}

/** A URL without the parts that may be secret. */
function originText({ protocol, host }: URL): string {
  return `${protocol}//${host}`
}

/** Whether a status may change on another try: 408, 429, and 500 or above except 501. */
function isTransient(status: number): boolean {
  return status >= 500 ? status !== 501 : status === 408 || status === 429
}

/** `Retry-After` in milliseconds; undefined without it. */
function pauseAsked(headers: Headers): number | undefined {
  const text = headers.get('retry-after')
  if (text === null) return undefined
  const seconds = /^\d+$/.test(text) ? Number(text) : (Date.parse(text) - Date.now()) / 1000
  return Number.isFinite(seconds) ? Math.max(0, seconds * 1000) : undefined
}

/**
 * The error for a status: NOT_FOUND for 404 and 410, NO_PERMISSION for 401 and 403, otherwise IO. The message has the
 * status and, if the body has it, the error code of a cloud. The status is also `cause.status`.
 */
export function statusError({ status, body, headers }: HttpAnswer, path: string, more = ''): InspectError {
  const code = cloudErrorCode(body, headers)
  const message = `HTTP ${status}${code === '' ? '' : ` (${code})`}${more}`
  const cause = { status }
  if (status === 404 || status === 410)
    return new InspectError('NOT_FOUND', `no such file or folder: ${message}`, { file: path }, { cause })
  if (status === 401 || status === 403)
    return new InspectError('NO_PERMISSION', `no permission to read: ${message}`, { file: path }, { cause })
  return new InspectError('IO', { expected: 'an answer', found: message }, { file: path }, { cause })
}

/** The code in the error document of a cloud: XML, or JSON of Google. Its message is not used: it may repeat keys and tokens. */
function cloudErrorCode(body: Uint8Array, headers: Headers): string {
  const type = headers.get('content-type') ?? ''
  const text = new TextDecoder().decode(body)
  if (/xml/i.test(type)) return /<Code>([A-Za-z0-9]{1,60})<\/Code>/.exec(text)?.[1] ?? ''
  if (/json/i.test(type)) return /"reason": ?"([A-Za-z0-9]{1,60})"/.exec(text)?.[1] ?? ''
  return ''
}
