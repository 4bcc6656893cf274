import { InspectError } from '../base/errors.ts'
import { type AnswerHead, Client, DEFAULT_LIMITS, type HttpAnswer, type HttpCall } from '../storage/remote/client.ts'
import { HttpStorage } from '../storage/remote/http.ts'
import type { HttpAccess } from '../storage/remote/urls.ts'

/** Fewer attempts than usual: a request that the server's owner does not permit fails at once, like a broken connection. */
const LIMITS = { ...DEFAULT_LIMITS, attempts: 3 }

const ELSEWHERE = 'tiledb-inspect page URL on the command line needs no such permission'

/**
 * Files behind a URL, as pages may read them. A browser gives a program the same error if no server is there and if the server
 * forbids other pages to read its answers. This class tells the two apart, and its errors say what to do.
 */
export class UrlStorage extends HttpStorage {
  /** Why requests to a server fail, by origin. */
  private readonly reasons = new Map<string, Promise<string>>()

  /** @param warn called once if the server ignores ranges */
  constructor(warn: (text: string) => void, access: readonly HttpAccess[]) {
    super(new Client(LIMITS), warn, access)
  }

  override async send(call: Omit<HttpCall, 'request'>): Promise<HttpAnswer> {
    const want = (head: AnswerHead) => {
      if (head.status === 206 && head.headers.get('content-range') === null) throw hiddenRange(call.path)
      return call.want(head)
    }
    try {
      return await super.send({ ...call, want })
    } catch (error) {
      // `fetch` throws a TypeError.
      if (!(error instanceof InspectError && error.cause instanceof TypeError)) throw error
      const origin = new URL(call.path).origin
      const reason = this.reasons.get(origin) ?? reasonOf(call.path)
      this.reasons.set(origin, reason)
      throw new InspectError(
        'IO',
        { expected: 'an answer', found: await reason },
        { file: call.path },
        { cause: error },
      )
    }
  }

  override statusNote(status: number): string {
    if (status === 404) return '; check the URL'
    return status === 401 || status === 403
      ? '; give a signed URL, or make it readable for all (S3 answers so for what is not there, too)'
      : ''
  }
}

function hiddenRange(file: string): InspectError {
  const fault = {
    expected: 'the header Content-Range',
    found: `that the server does not show it to pages: its CORS settings must expose Content-Range, Content-Length and ETag (Access-Control-Expose-Headers); ${ELSEWHERE}`,
  }
  return new InspectError('IO', fault, { file })
}

/** Why there was no answer. In the mode `no-cors` a request succeeds if a server is there, though the page cannot read the answer. */
async function reasonOf(path: string): Promise<string> {
  const { protocol, origin } = new URL(path)
  if (location.protocol === 'https:' && protocol === 'http:')
    return 'that browsers load nothing by http from a page of https: give a URL with https'
  try {
    await fetch(path, { mode: 'no-cors', cache: 'no-store' })
  } catch {
    return `that no server answers at ${origin}: check the URL and the connection`
  }
  return `a server that forbids this page to read it (CORS): its settings must allow the origin ${originOfPage()} (Access-Control-Allow-Origin) and the header Range (Access-Control-Allow-Headers), and expose Content-Range, Content-Length and ETag; ${ELSEWHERE}`
}

/** The origin of the page, as the browser sends it. */
function originOfPage(): string {
  return location.protocol === 'file:' ? 'null' : location.origin
}
