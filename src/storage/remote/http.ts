import { byteDigits } from '../../base/byte-text.ts'
import { attempt, InspectError, unlessCode } from '../../base/errors.ts'
import type { Memory } from '../../base/memory.ts'
import { isWithinFolder } from '../../base/paths.ts'
import { encodeText } from '../../format/text.ts'
import { byName, type Entry } from '../source.ts'
import { BoundedMap } from './bounded-map.ts'
import { type Client, type HttpRequest, statusError } from './client.ts'
import { isPageType } from './pages.ts'
import { contentLength } from './range-source.ts'
import { countedNames, RemoteStorage, upTo } from './remote-storage.ts'
import type { HttpAccess } from './urls.ts'

/** Upper limit on the bytes of an index page: enough for a million names. */
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

  constructor(client: Client, warn: (text: string) => void, access: readonly HttpAccess[], memory?: Memory) {
    super(client, warn, memory)
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
   * The secrets given for the path or a folder above it; otherwise those for the same server, as a fragment's schema is
   * outside of its folder.
   */
  private accessOf(path: string): HttpAccess | undefined {
    const around = this.access.find((one) => isWithinFolder(path, one.path))
    return around ?? this.access.find((one) => originOf(one.path) === originOf(path))
  }

  protected async readKind(path: string): Promise<Entry['kind'] | undefined> {
    const answer = await this.send({ method: 'HEAD', path, want: upTo(0) })
    // Servers redirect from a folder's name to the name with `/` at the end.
    if (new URL(answer.url).pathname.endsWith('/')) return 'folder'
    if (answer.status === 404 || answer.status === 410) return undefined
    if (answer.status === 200 && !isPageType(answer.headers)) {
      const length = contentLength(answer.headers)
      // Some servers say 0 for every HEAD.
      if (length) this.sizes.set(path, length)
      return 'file'
    }
    // Signed URLs are often valid for GET only, and some servers do not support HEAD.
    if (![200, 400, 403, 405, 501].includes(answer.status))
      throw statusError(answer, path, this.statusNote(answer.status))
    // Reading tells whether there is a file. It throws if the server sends an error page in place of the file.
    const codes = this.isBesideSigned(path) ? (['NOT_FOUND', 'NO_PERMISSION'] as const) : (['NOT_FOUND'] as const)
    return (await this.open(path)
      .size()
      .catch(unlessCode(...codes))) === undefined
      ? undefined
      : 'file'
  }

  /** Whether a query is sent that was given for another path. It may be the signature of one file: then every other file is refused. */
  private isBesideSigned(path: string): boolean {
    const access = this.accessOf(path)
    return access !== undefined && access.search !== '' && !isWithinFolder(path, access.path)
  }

  protected async readList(path: string): Promise<readonly Entry[]> {
    const answer = await this.send({
      method: 'GET',
      path: `${path}/`,
      want: upTo(Math.min(INDEX_BYTES, this.memory.room)),
    })
    if (answer.status !== 200 || !/html/i.test(answer.headers.get('content-type') ?? '')) {
      throw new InspectError(
        'NO_LISTING',
        {
          expected: 'an index page of the folder',
          found: `${answer.status === 200 ? 'another kind of file' : `HTTP ${answer.status}`}: plain HTTP lists no names; give the URL of a fragment or of a file`,
        },
        { file: path },
      )
    }
    return linksBelow(new TextDecoder().decode(answer.body), answer.url, countedNames(this.memory, path))
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

/** A name, percent-encoded. If it is not UTF-8, every byte is encoded. */
function encodeName(name: string): string {
  if (name.isWellFormed()) return encodeURIComponent(name)
  return Array.from(encodeText(name), (byte) => `%${byteDigits(byte)}`).join('')
}

/** Entries of an index page, from its links to one level below the page. */
function linksBelow(html: string, page: string, count: (name: string) => void): Entry[] {
  const base = new URL(page)
  const entries = new Map<string, Entry>()
  for (const match of html.matchAll(/<a\s[^<>]*?href\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s>]+))/gi)) {
    const href = unescaped(match[1] ?? match[2] ?? match[3] ?? '')
    const name = nameBelow(href, base)
    if (name === undefined) continue
    count(name)
    const bare = name.replace(/\/$/, '')
    entries.set(bare, { name: bare, kind: bare === name ? 'file' : 'folder' })
  }
  return [...entries.values()].sort(byName)
}

/** The name of a link's target, if it is one level below the page. A folder's name ends in `/`. */
function nameBelow(href: string, base: URL): string | undefined {
  const url = attempt(() => new URL(href, base))
  if (url?.origin !== base.origin || !url.pathname.startsWith(base.pathname) || url.search !== '') return undefined
  const name = attempt(() => decodeURIComponent(url.pathname.slice(base.pathname.length)))
  return name === '' || name === '/' || /\/./.test(name ?? '') ? undefined : name
}

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

/** Replaces character numbers and the entities of XML, which links in HTML use, too. */
export function unescaped(text: string): string {
  return text.replace(/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|([a-z]{2,4}));/gi, (whole, decimal, hex, name) => {
    if (name !== undefined) return ENTITIES[name] ?? whole
    const code = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal)
    return code <= 0x10ffff ? String.fromCodePoint(code) : whole
  })
}
