import { InspectError } from '../../base/errors.ts'
import type { HttpAnswer } from './client.ts'

/** Whether the content type is that of a web page or JSON, such as a login page or an error in JSON. */
export function isPageType(headers: Headers): boolean {
  return /^(?:text\/html|application\/xhtml\+xml|application\/json)\b/i.test(headers.get('content-type') ?? '')
}

/**
 * Refuses a page that a server sends instead of a file, such as a login page. Some servers send files of unknown types as
 * HTML, so the bytes decide.
 *
 * @param start offset of the body in the file
 * @throws InspectError IO
 */
export function refusePage({ headers, body }: HttpAnswer, start: number, file: string): void {
  if (body.length === 0 || !isPageType(headers)) return
  const text = new TextDecoder('latin1').decode(body.subarray(0, 512))
  const isPage = start === 0 ? /^(?:\xef\xbb\xbf)?\s*[<{]/.test(text) : !/[\0-\x08\x0e-\x1f]/.test(text)
  if (!isPage) return
  const type = (headers.get('content-type') ?? '').replace(/[^\x20-\x7e]/g, '?').slice(0, 60)
  throw new InspectError(
    'IO',
    {
      expected: 'the bytes of the file',
      found: `a page in their place (Content-Type ${type}): does the server want a login?`,
    },
    { file },
  )
}
