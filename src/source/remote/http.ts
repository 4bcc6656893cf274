import { InspectError } from '../../base/errors.ts'
import { encodeText } from '../../format/text.ts'
import { byName, type Entry } from '../source.ts'
import { BoundedMap } from './bounded-map.ts'
import { type Client, type HttpRequest, statusError } from './client.ts'
import { isPageType } from './pages.ts'
import { RemoteStorage, upTo } from './remote-storage.ts'
import type { HttpAccess } from './urls.ts'

/** Most bytes of an index page: enough for a million names. */
const INDEX_BYTES = 128 * 2 ** 20

const SIZES_KEPT = 4096

/**
 * `http://` and `https://`. Paths are URLs without percent-encoding. A folder can be listed if the server gives an index
 * page of links, which most file servers can. Otherwise {@link list} throws NO_LISTING.
 */
export class HttpStorage extends RemoteStorage {
  private readonly access: readonly HttpAccess[]
  /** Sizes from HEAD requests. */
  private readonly sizes = new BoundedMap<number>(SIZES_KEPT)

  constructor(client: Client, warn: (text: string) => void, access: readonly HttpAccess[]) {
    super(client, warn)
    this.access = access
  }

  mayNotList(): boolean {
    return true
  }

  override knownSize(path: string): number | undefined {
    return this.sizes.get(path)
  }

  protected async request(_method: string, path: string): Promise<HttpRequest> {
    const access = this.accessOf(path)
    const headers: Record<string, string> = access?.authorization ? { authorization: access.authorization } : {}
    return { url: urlOf(path) + (access?.search ?? ''), headers }
  }

  /**
   * The access given for a folder above the path, otherwise for the same server: a fragment's schema is outside its
   * folder.
   */
  private accessOf(path: string): HttpAccess | undefined {
    const around = this.access.find((one) => path === one.path || path.startsWith(`${one.path}/`))
    return around ?? this.access.find((one) => originOf(one.path) === originOf(path))
  }

  protected async readKind(path: string): Promise<Entry['kind'] | undefined> {
    const answer = await this.send({ method: 'HEAD', path, want: upTo(0) })
    // Servers redirect from a folder's name to the name with `/` at the end.
    if (new URL(answer.url).pathname.endsWith('/')) return 'folder'
    if (answer.status === 200) {
      // It may be an error page instead of the file. Then reading throws.
      if (isPageType(answer.headers)) {
        await this.open(path).size()
        return 'file'
      }
      const length = answer.headers.get('content-length')
      if (length !== null && /^\d{1,15}$/.test(length)) this.sizes.set(path, Number(length))
      return 'file'
    }
    if (answer.status === 404 || answer.status === 410) return undefined
    // Signed URLs are often valid for GET only, and some servers do not support HEAD.
    if ([400, 403, 405, 501].includes(answer.status)) {
      try {
        await this.open(path).size()
        return 'file'
      } catch (error) {
        if (error instanceof InspectError && error.code === 'NOT_FOUND') return undefined
        throw error
      }
    }
    throw statusError(answer, path, this.statusNote(answer.status))
  }

  protected async readList(path: string): Promise<readonly Entry[]> {
    const answer = await this.send({ method: 'GET', path: `${path}/`, want: upTo(INDEX_BYTES) })
    if (answer.status !== 200 || !/html/i.test(answer.headers.get('content-type') ?? '')) {
      throw new InspectError(
        'NO_LISTING',
        `expected an index page of the folder, found ${answer.status === 200 ? 'another kind of file' : `HTTP ${answer.status}`}: plain HTTP lists no names; give the URL of a fragment or of a file`,
        { file: path },
      )
    }
    return linksBelow(new TextDecoder().decode(answer.body), answer.url)
  }
}

function originOf(path: string): string {
  return /^[a-z]+:\/\/[^/]*/.exec(path)?.[0] ?? ''
}

/** The URL of a path. */
function urlOf(path: string): string {
  const origin = originOf(path)
  return origin + encodePath(path.slice(origin.length))
}

/** A path, percent-encoded between its slashes. */
export function encodePath(path: string): string {
  return path.split('/').map(encodeName).join('/')
}

/** Of a name that is not UTF-8, every byte is encoded. */
function encodeName(name: string): string {
  if (name.isWellFormed()) return encodeURIComponent(name)
  return Array.from(encodeText(name), (byte) => `%${byte.toString(16).padStart(2, '0')}`).join('')
}

/** Entries of an index page: its links that lead one level below the page. */
function linksBelow(html: string, page: string): Entry[] {
  const base = new URL(page)
  const entries = new Map<string, Entry>()
  for (const match of html.matchAll(/<a\s[^>]*?href\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s>]+))/gi)) {
    const href = unescaped(match[1] ?? match[2] ?? match[3] ?? '')
    const name = nameBelow(href, base)
    if (name === undefined) continue
    const bare = name.replace(/\/$/, '')
    entries.set(bare, { name: bare, kind: bare === name ? 'file' : 'folder' })
  }
  return [...entries.values()].sort(byName)
}

function nameBelow(href: string, base: URL): string | undefined {
  try {
    const url = new URL(href, base)
    if (url.origin !== base.origin || !url.pathname.startsWith(base.pathname) || url.search !== '') return undefined
    const name = decodeURIComponent(url.pathname.slice(base.pathname.length))
    return name === '' || name === '/' || /\/./.test(name) ? undefined : name
  } catch {
    return undefined
  }
}

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

/** Replaces the entities of XML, which links in HTML use, too, and character numbers. */
export function unescaped(text: string): string {
  return text.replace(/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|([a-z]{2,4}));/gi, (whole, decimal, hex, name) => {
    if (name !== undefined) return ENTITIES[name] ?? whole
    const code = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal)
    return code <= 0x10ffff ? String.fromCodePoint(code) : whole
  })
}
