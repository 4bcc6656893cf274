import { usage } from '../../base/errors.ts'
import type { Storage } from '../source.ts'

const SCHEME = /^([a-z][a-z0-9+.-]+):\/\//i

/** Secrets that every request below a URL needs. They are never printed. */
export interface HttpAccess {
  /** Internal path of the file or folder that they are for. */
  path: string
  /** The query, such as a token or a signature. */
  search: string
  authorization: string | undefined
}

/** How a URL of each cloud is written, as TileDB does. */
const CLOUDS: Readonly<Record<string, string>> = {
  s3: 's3://bucket/key',
  gs: 'gs://bucket/key',
  gcs: 'gcs://bucket/key',
  azure: 'azure://container/key',
}

/** The scheme of a URL in a cloud; undefined for every other path. */
export function cloudScheme(path: string): string | undefined {
  const scheme = SCHEME.exec(path)?.[1]?.toLowerCase()
  return scheme !== undefined && Object.hasOwn(CLOUDS, scheme) ? scheme : undefined
}

/** How a URL in the cloud of a path is written; undefined for a path that is in none. */
export function cloudForm(path: string): string | undefined {
  const scheme = cloudScheme(path)
  return scheme === undefined ? undefined : CLOUDS[scheme]
}

/** Whether a path is a URL of a supported network scheme. */
export function isRemotePath(path: string): boolean {
  return cloudForm(path) !== undefined || /^https?:\/\//i.test(path)
}

/** A storage that reads URLs from the storage that `remoteFor` returns, and all other paths from `local`. */
export function withRemote(local: Storage, remoteFor: (url: string) => Storage): Storage {
  const storageOf = (path: string): Storage => (isRemotePath(path) ? remoteFor(path) : local)
  return {
    kind: async (path) => storageOf(path).kind(path),
    list: async (path) => storageOf(path).list(path),
    open: (path) => storageOf(path).open(path),
    isRemote: isRemotePath,
    // Plain HTTP has no listings.
    mayNotList: (path) => isRemotePath(path) && cloudScheme(path) === undefined,
    listAhead: async (path) => storageOf(path).listAhead?.(path),
    listAgain: async (path) => storageOf(path).listAgain?.(path) ?? storageOf(path).list(path),
    modified: (path) => (isRemotePath(path) ? undefined : local.modified?.(path)),
  }
}

/** The parts of a URL that the user gave. */
interface RemoteTarget {
  /** The URL in normal form, without secrets. */
  shown: string
  /** Internal path. */
  path: string
  /** Set if the URL had a query, a user name or a password. */
  access: HttpAccess | undefined
}

/**
 * Parses a URL. The internal path of an `http(s)` URL is decoded, so that its parts are file names.
 * @throws InspectError USAGE if it is not a URL of a file or folder. The message does not repeat the URL.
 */
export function remoteTarget(url: string): RemoteTarget {
  const scheme = cloudScheme(url)
  if (scheme !== undefined) {
    const shown = scheme + url.slice(scheme.length)
    const path = shown.replace(/\/+$/, '')
    if (path.length < `${scheme}://b`.length) throw usage({ expected: CLOUDS[scheme] ?? '', found: 'no bucket' })
    return { shown, path, access: undefined }
  }
  let parsed: URL
  let decoded: string
  try {
    parsed = new URL(url)
    decoded = decodeURIComponent(parsed.pathname)
  } catch (cause) {
    throw usage({ expected: 'a URL', found: 'one that is not well formed' }, {}, { cause })
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

/** Refuses a URL of another scheme, which would otherwise count as a local path. @throws InspectError USAGE */
export function refuseOtherSchemes(path: string): void {
  const scheme = SCHEME.exec(path)?.[1]
  if (scheme === undefined || scheme === 'file' || isRemotePath(path)) return
  throw usage({ expected: 'a path or a URL with file, http, https, s3, gs or azure', found: `${scheme}://` })
}
