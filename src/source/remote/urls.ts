import { InspectError } from '../../base/errors.ts'

/** What every request below a URL carries, and nothing ever prints. */
export interface HttpAccess {
  /** Internal path below which it holds. */
  path: string
  /** Query: a token, a signature. */
  search: string
  authorization: string | undefined
}

/** Whether a path leads over a network. */
export function isRemotePath(path: string): boolean {
  return /^(?:s3|https?):\/\//i.test(path)
}

/** Whether what lies at a path may be told by its name alone: plain HTTP lists nothing. */
export function mayNotListRemote(path: string): boolean {
  return isRemotePath(path) && !path.startsWith('s3://')
}

/** A target as the user wrote it, without what must not be shown, and as the program names it inside. */
export interface RemoteTarget {
  shown: string
  path: string
  /** Set where the URL carried a query or a password. */
  access: HttpAccess | undefined
}

/**
 * Takes a URL apart. The internal path of an `http(s)` URL has its path decoded, so that names in it are those of files.
 * @throws InspectError USAGE where it is no URL of a file or folder; the message does not repeat it
 */
export function remoteTarget(url: string): RemoteTarget {
  if (/^s3:/i.test(url)) {
    const shown = `s3${url.slice(2)}`
    const path = shown.replace(/\/+$/, '')
    if (path.length < 's3://b'.length) throw new InspectError('USAGE', 'expected s3://bucket/key, found no bucket')
    return { shown, path, access: undefined }
  }
  let parsed: URL
  let decoded: string
  try {
    parsed = new URL(url)
    decoded = decodeURIComponent(parsed.pathname)
  } catch (cause) {
    throw new InspectError('USAGE', 'expected a URL, found one that is not well formed', {}, { cause })
  }
  const path = parsed.origin + decoded.replace(/\/+$/, '')
  const { username, password, search } = parsed
  const authorization =
    username === '' && password === ''
      ? undefined
      : `Basic ${btoa(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`)}`
  return {
    shown: parsed.origin + parsed.pathname,
    path,
    access: search === '' && authorization === undefined ? undefined : { path, search, authorization },
  }
}

const SCHEME = /^([a-z][a-z0-9+.-]+):\/\//i

/** @throws InspectError USAGE for a URL of another scheme, which would else be taken for a path */
export function refuseOtherSchemes(path: string): void {
  const scheme = SCHEME.exec(path)?.[1]
  if (scheme === undefined || scheme === 'file' || isRemotePath(path)) return
  throw new InspectError('USAGE', `expected a path or a URL with file, http, https or s3, found ${scheme}://`)
}
