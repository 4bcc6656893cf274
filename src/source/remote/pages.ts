import { InspectError } from '../../base/errors.ts'
import type { Answer } from './client.ts'

/** Whether an answer says that it is for people or programs of the web: a login page, an error in JSON. */
export function isPageType(headers: Headers): boolean {
  return /^(?:text\/html|application\/xhtml\+xml|application\/json)\b/i.test(headers.get('content-type') ?? '')
}

/**
 * Refuses a page that a server gives in place of a file, as those do that want a login: it is no damage. Servers that call
 * files of unknown kinds HTML are believed what the bytes are.
 *
 * @param start where in the file the body begins
 * @throws InspectError IO
 */
export function refusePage({ headers, body }: Answer, start: number, file: string): void {
  if (body.length === 0 || !isPageType(headers)) return
  const text = new TextDecoder('latin1').decode(body.subarray(0, 512))
  const isPage = start === 0 ? /^(?:\xef\xbb\xbf)?\s*[<{]/.test(text) : !/[\0-\x08\x0e-\x1f]/.test(text)
  if (!isPage) return
  const type = (headers.get('content-type') ?? '').replace(/[^\x20-\x7e]/g, '?').slice(0, 60)
  throw new InspectError(
    'IO',
    `expected the bytes of the file, found a page in their place (Content-Type ${type}): does the server want a login?`,
    { file },
  )
}
